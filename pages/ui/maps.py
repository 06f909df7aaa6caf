"""The city map: layers of deck.gl on shapes that ship, without a tile server."""

from __future__ import annotations

import base64
import io
import json
import math
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import zip_longest
from typing import Any

import pydeck as pdk
from PIL import Image
from pydeck.bindings.json_tools import default_serialize

from dpcore.datasets.city_shapes import boroughs
from dpcore.geometry.domain import Box
from dpcore.privacy.explain import people_count, plural
from dpcore.study.run_view import Levels, Marks
from pages.ui.palette import Palette
from pages.ui.wording import plain_in_chart

#: The part of the city that one looks at first, and its zoom on a map of usual height.
MIDDLE, ZOOM, HEIGHT = (-73.9725, 40.7525), 11.55, 490
#: What even a narrow screen shows of the city at first.
SHOWN = Box((-74.015, 40.709), (-73.93, 40.796))
#: The sea around the city, as far as one can pan.
SEA = [[-75.5, 39.9], [-72.5, 39.9], [-72.5, 41.6], [-75.5, 41.6]]
#: Positions in here stand on the city's shapes. Elsewhere there is only their box.
AROUND_THE_CITY = Box((-75.5, 39.9), (-72.5, 41.6))
OCEAN = [[-180, -85], [180, -85], [180, 85], [-180, 85]]
#: Pixels that a box is fitted into, and the width of the world at zoom 0.
ROOM, WORLD = (340, 440), 512
#: Shores are drawn to this many degrees (20 m) where one looks, and coarsely elsewhere.
NEAR, FAR = 0.0002, 0.004
WINDOW = Box((-74.12, 40.66), (-73.84, 40.92))

#: Radius of a disc whose area is that of all trips: so the black on the map is always as much.
WHOLE_RADIUS = 95
#: Lines of what hovering says. Each is escaped by itself, so they cannot be one piece of HTML.
TIP_LINES = ("tip0", "tip1", "tip2", "tip3", "tip4")
Row = dict[str, Any]


class Map(pdk.Deck):  # type: ignore[misc] # pydeck has no types
    """A deck whose JSON is written compactly: ten times as fast as with indentation."""

    def to_json(self) -> str:
        return json.dumps(self, default=default_serialize, separators=(",", ":"))


def in_the_city(box: Box) -> bool:
    """Whether positions in a box (its first two coordinates) stand on the shapes that ship."""
    ends = zip(AROUND_THE_CITY.low, box.low, box.high, AROUND_THE_CITY.high, strict=False)
    return all(least <= low and high <= most for least, low, high, most in ends)


def view(box: Box | None) -> pdk.ViewState:
    """The city, or all of a box elsewhere."""
    if box is None:
        return pdk.ViewState(*MIDDLE, zoom=ZOOM, min_zoom=9, max_zoom=17)
    (west, east), (south, north) = zip(box.low[:2], box.high[:2], strict=True)
    bottom, top = (mercator(latitude) for latitude in (south, north))
    spans = ((east - west) / 360, (top - bottom) / (2 * math.pi))
    zoom = min(math.log2(room / WORLD / span) for room, span in zip(ROOM, spans, strict=True))
    middle = math.degrees(math.atan(math.sinh((bottom + top) / 2)))
    return pdk.ViewState((west + east) / 2, middle, zoom=min(max(zoom, 0), 17), max_zoom=19)


def mercator(latitude: float) -> float:
    return math.asinh(math.tan(math.radians(min(max(latitude, -85.0), 85.0))))


def city_map(layers: list[pdk.Layer], palette: Palette, box: Box | None = None) -> Map:
    """Layers on water and land, seen from above; elsewhere than in the city, on a plain box."""
    # Left out, map_style asks nobody for tiles; None would.
    return Map(
        [*(ground(palette) if box is None else plain_ground(box, palette)), *layers],
        map_provider=None,
        initial_view_state=view(box),
        tooltip={
            "html": "".join(f"<div>{{{line}}}</div>" for line in TIP_LINES),
            "style": {
                "background": palette.paper,
                "color": palette.text,
                "border": f"1px solid {palette.shore}",
                "borderRadius": "6px",
                "padding": "6px 10px",
                "fontSize": "13px",
                "lineHeight": "1.4",
                "maxWidth": "260px",
            },
        },
    )


def beyond(places: Iterable[Sequence[float]]) -> int:
    """How many places may lie outside what a screen shows at first."""
    return sum(not SHOWN.contains(place) for place in places)


def ground(palette: Palette) -> list[pdk.Layer]:
    water = pdk.Layer(
        "SolidPolygonLayer",
        [{"ring": SEA}],
        id="water",
        get_polygon="ring",
        get_fill_color=palette.rgb("water"),
    )
    land = pdk.Layer(
        "PolygonLayer",
        shores(),
        id="land",
        get_polygon="rings",
        get_fill_color=palette.rgb("land"),
        get_line_color=palette.rgb("shore"),
        get_line_width=1,
        line_width_units="'pixels'",
    )
    return [water, land]


def plain_ground(box: Box, palette: Palette) -> list[pdk.Layer]:
    (west, east), (south, north) = zip(box.low[:2], box.high[:2], strict=True)
    south, north = max(south, -85), min(north, 85)
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    corners = {"water": [*OCEAN, OCEAN[0]], "land": ring}
    return [
        pdk.Layer(
            "PolygonLayer",
            [{"ring": corners[name]}],
            id=name,
            get_polygon="ring",
            get_fill_color=palette.rgb(name),
            get_line_color=palette.rgb("shore"),
            get_line_width=1,
            line_width_units="'pixels'",
        )
        for name in corners
    ]


@cache
def shores() -> list[Row]:
    """The boroughs' polygons, thinned."""
    polygons = [polygon for area in boroughs() for polygon in area.polygons]
    thinned = [[thin(ring.tolist()) for ring in polygon] for polygon in polygons]
    return [{"rings": [r for r in rings if len(r) > 3]} for rings in thinned if len(rings[0]) > 3]


def thin(ring: list[list[float]]) -> list[list[float]]:
    """A closed ring without corners too near the one before to be told apart on the screen."""
    kept = ring[:1]
    for x, y in ring[1:-1]:
        inside = WINDOW.low[0] < x < WINDOW.high[0] and WINDOW.low[1] < y < WINDOW.high[1]
        if max(abs(x - kept[-1][0]), abs(y - kept[-1][1])) >= (NEAR if inside else FAR):
            kept.append([round(x, 5), round(y, 5)])
    return [*kept, kept[0]]


def points_layers(marks: Marks, unit: str, palette: Palette) -> list[pdk.Layer]:
    """Published points as discs whose area is their weight, or published cells as squares."""
    whole = float(marks.frame["weight"].sum()) or 1.0
    if marks.cell:
        return [cells_layer(marks, unit, palette)]
    rows = [
        {
            "at": [round(x, 6), round(y, 6)],
            "radius": round(WHOLE_RADIUS * (weight / whole) ** 0.5, 2),
            **tip("A published point stands for", standing_for(weight, unit)),
        }
        for x, y, weight in marks.frame.itertuples(index=False)
    ]
    return [
        pdk.Layer(
            "ScatterplotLayer",
            rows,
            id="points",
            get_position="at",
            get_radius="radius",
            radius_units="'pixels'",
            radius_min_pixels=1,
            get_fill_color=palette.rgb("points", 165),
            pickable=True,
        )
    ]


def tip(*lines: str) -> Row:
    """What hovering over a mark says, line by line, as fields of its row. It is read as HTML."""
    return dict(zip_longest(TIP_LINES, map(plain_in_chart, lines), fillvalue=""))


def standing_for(weight: float, unit: str) -> str:
    return f"about {people_count(weight)} {plural(unit)}"


def cells_layer(marks: Marks, unit: str, palette: Palette) -> pdk.Layer:
    width, height = (0.46 * side for side in marks.cell or (0, 0))
    most = float(marks.frame["weight"].max())
    rows = [
        {
            "ring": [
                [round(x + dx * width, 6), round(y + dy * height, 6)]
                for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1))
            ],
            "color": palette.rgb("points", round(10 + 190 * (weight / most) ** 0.5)),
            **tip("A published noisy count:", standing_for(weight, unit)),
        }
        for x, y, weight in marks.frame.itertuples(index=False)
    ]
    return pdk.Layer(
        "SolidPolygonLayer",
        rows,
        id="cells",
        get_polygon="ring",
        get_fill_color="color",
        pickable=True,
    )


def density_layer(levels: Levels, box: Box, color: str, palette: Palette, name: str) -> pdk.Layer:
    """A density as a tinted picture over the box."""
    picture = Image.new("RGB", levels.shape[::-1], tuple(palette.rgb(color)[:3]))
    picture.putalpha(Image.fromarray(levels).point(lambda level: int(level * 0.8)))
    file = io.BytesIO()
    picture.save(file, "PNG")
    address = f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
    return pdk.Layer(
        "BitmapLayer",
        None,
        id=name,
        image=f"'{address}'",
        bounds=[box.low[0], box.low[1], box.high[0], box.high[1]],
    )


def shift_layer(rows: list[Row], palette: Palette) -> pdk.Layer:
    """A line from each non-private center to its private partner."""
    return pdk.Layer(
        "LineLayer",
        rows,
        id="shifts",
        get_source_position="from",
        get_target_position="to",
        get_color=palette.rgb("non_private", 230),
        get_width=2,
    )


def non_private_layer(rows: list[Row], palette: Palette) -> pdk.Layer:
    """Hollow red rings."""
    return pdk.Layer(
        "ScatterplotLayer",
        rows,
        id="non-private-centers",
        get_position="at",
        get_radius=11,
        radius_units="'pixels'",
        stroked=True,
        get_line_color=palette.rgb("non_private"),
        get_line_width=3,
        line_width_units="'pixels'",
        get_fill_color=palette.rgb("non_private", 1),
        pickable=True,
    )


def private_layer(rows: list[Row], color: str, palette: Palette) -> pdk.Layer:
    """Solid discs in a white rim."""
    return pdk.Layer(
        "ScatterplotLayer",
        rows,
        id="private-centers",
        get_position="at",
        get_radius=8,
        radius_units="'pixels'",
        stroked=True,
        get_line_color=palette.rgb("rim"),
        get_line_width=2,
        line_width_units="'pixels'",
        get_fill_color=palette.rgb(color),
        pickable=True,
    )


def arcs_layer(rows: list[Row], color: str, palette: Palette, name: str) -> pdk.Layer:
    """An arc from where trips of a cluster begin to where they end."""
    return pdk.Layer(
        "ArcLayer",
        rows,
        id=name,
        get_source_position="from",
        get_target_position="to",
        get_source_color=palette.rgb(color),
        get_target_color=palette.rgb(color, 170),
        get_width=3,
        get_height=0.7,
        get_tilt=70,
        pickable=True,
    )
