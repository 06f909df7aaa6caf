"""The map on which a person draws the public area of the data. No row is on it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpcore.geometry.domain import Box
from pages.ui import city_map, palette, session_keys
from pages.ui.publish import step_list

DRAWN = "Draw it on the map"
MAP = "area-map"
HEIGHT = 300
#: What is seen before an area is chosen.
INHABITED = Box((-125.0, -50.0), (155.0, 65.0))
#: Degrees that a drawn corner is rounded to: a hundred meters.
DIGITS = 3


def draw(box: Box | None, names: tuple[str, ...]) -> None:
    """The chosen area on a map with place names, or the world; a rectangle drawn is the area."""
    colors = palette.current()
    canvas = city_map.CityMap(
        "The area that the data cover. It can be typed as well.",
        INHABITED if box is None else box,
        height=HEIGHT,
        draw=True,
    )
    if box is not None:
        (west, south), (east, north) = box.low, box.high
        ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
        canvas.areas = [
            {
                "name": "The area of the data",
                "rings": [ring],
                "color": "rgba(0, 90, 220, .08)",
                "outline": colors.private,
                "tip": ["The area of the data", "What lies outside is ignored, or moved in"],
            }
        ]
    st.caption(
        "To draw an area, press :material/crop_square: on the map, then click two opposite "
        "corners. No row of your file is shown here."
    )
    city_map.show(
        canvas, MAP, on_drawn_change=lambda: take(session_keys.of_widget(MAP).drawn, names)
    )


def take(corners: Sequence[Sequence[float]] | None, names: tuple[str, ...]) -> None:
    """Make the rectangle around drawn corners the area."""
    if not corners:
        return
    step_list.put("place", DRAWN)
    limits = ((-180.0, 180.0), (-90.0, 90.0))
    for axis, (name, (least, most)) in enumerate(zip(names, limits, strict=True)):
        values = [round(min(max(float(at[axis]), least), most), DIGITS) for at in corners]
        step_list.put(f"low {axis} {name}", min(values))
        step_list.put(f"high {axis} {name}", max(values))
