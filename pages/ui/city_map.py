"""The map that a browser draws: what is on it, as JSON. Land, streets and names come by address."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import streamlit as st
from PIL import Image
from streamlit import config

from dpcore.geometry.domain import Box
from dpcore.study.run_view import Levels, Marks
from pages.server import settings
from pages.ui import palette
from pages.ui.palette import Palette

Row = dict[str, Any]
#: Positions in here stand on the city's shapes.
NEW_YORK = Box((-75.2, 40.2), (-72.9, 41.4))
#: The part of the city that one looks at first.
MIDTOWN = Box((-74.03, 40.700), (-73.92, 40.805))
HEIGHT = 560
#: Radius of a disc whose area is that of all rows: so the black on the map is always as much.
WHOLE_RADIUS = 95

HTML = """
<div class="city-map" role="figure" style="position:relative;height:{height}px">
  <div class="map-box"></div>
  <div class="map-bar" role="toolbar" aria-label="Map" style="position:absolute">
    <button type="button" data-does="zoom-in" title="Zoom in" aria-label="Zoom in">+</button>
    <button type="button" data-does="zoom-out" title="Zoom out" aria-label="Zoom out">−</button>
    <button type="button" data-does="fit" title="Show everything" aria-label="Show everything"
      ><svg viewBox="0 0 16 16"><circle cx="8" cy="8" r="4.5"/><path d="M8 0v5M8 11v5M0 8h5M11 8h5"
      /></svg></button>
    <button type="button" data-does="full" title="Full screen" aria-label="Full screen"
      ><svg viewBox="0 0 16 16"><path d="M1 6V1h5M10 1h5v5M15 10v5h-5M6 15H1v-5"/></svg></button>
    <button type="button" data-does="rectangle" title="Draw a rectangle" aria-pressed="false"
      aria-label="Draw a rectangle"><svg viewBox="0 0 16 16"><path d="M2 3h12v10H2z"/></svg
      ></button>
    <button type="button" data-does="polygon" title="Draw an area" aria-pressed="false"
      aria-label="Draw an area"><svg viewBox="0 0 16 16"><path d="M3 13L2 5l6-4 6 5-3 8z"/></svg
      ></button>
    <details class="map-save" hidden
      ><summary title="Save this picture" aria-label="Save this picture"
      ><svg viewBox="0 0 16 16"><path d="M8 1v9M4 7l4 4 4-4M2 14h12"/></svg></summary
      ><button type="button" data-does="png">PNG</button
      ><button type="button" data-does="svg">SVG</button></details>
  </div>
  <details class="map-key" open hidden
    ><summary>Legend</summary><ul class="map-legend"></ul></details>
  <div class="map-note" role="status" hidden></div>
  <div class="map-tip" role="tooltip" hidden></div>
  <div class="map-wheel" aria-hidden="true">Ctrl + wheel zooms the map</div>
  <div class="map-credit">© OpenStreetMap contributors · GeoNames</div>
</div>
"""
SCRIPT = """
export default function (component) {
  globalThis.cityMaps ??= import(new URL(component.data.script, location.origin));
  globalThis.cityMaps.then((maps) => maps.draw(component));
}
"""
_component = st.components.v2.component(
    "city-map", html=HTML.format(height=HEIGHT), js=SCRIPT, isolate_styles=False
)


@dataclass
class CityMap:
    """A map and everything on it."""

    #: Said in place of the map to who cannot see it.
    words: str
    #: What must be seen at first.
    view: Box
    points: Row | None = None
    cells: Row | None = None
    pictures: list[Row] = field(default_factory=list)
    centers: list[Row] = field(default_factory=list)
    partners: list[Row] = field(default_factory=list)
    shifts: list[Row] = field(default_factory=list)
    arcs: list[Row] = field(default_factory=list)
    areas: list[Row] = field(default_factory=list)
    legend: list[Row] = field(default_factory=list)
    #: Which areas can be clicked: "boroughs", "neighborhoods" or none.
    pick: str | None = None
    #: Whether areas can be drawn.
    draw: bool = False
    #: What a saved picture is called and says below; without it none can be saved.
    file: Row | None = None
    #: Whether a tile server may be told which area is looked at.
    tiles: bool = False
    #: What a lesson draws: layers of dots, boxes, lines and words.
    drawing: list[Row] = field(default_factory=list)
    #: Whether a click tells where it was.
    place: bool = False
    #: Maps of the same name are moved together.
    sync: str | None = None
    height: int = HEIGHT

    def data(self, colors: Palette) -> Row:
        """The data for the browser."""
        rows = vars(self) | {
            "view": [list(self.view.low[:2]), list(self.view.high[:2])],
            "new_york": in_new_york(self.view),
            "colors": {name: color for name, color in asdict(colors).items() if name != "series"},
            "tiles": tiles() if self.tiles else None,
            "script": "/" + "/".join(filter(None, (base_path(), "app/static/map/map.js"))),
        }
        text = json.dumps(rows, separators=(",", ":"))
        return rows | {"key": hashlib.sha256(text.encode()).hexdigest()[:12]}


def tiles() -> Row | None:
    """The tile server of the settings, if there is one."""
    server = settings.tiles()
    if server is None:
        return None
    return {"url": server.url, "credit": server.credit, "host": server.host}


def base_path() -> str:
    return str(config.get_option("server.baseUrlPath")).strip("/")


def in_new_york(box: Box) -> bool:
    """Whether positions in a box (its first two coordinates) stand on the city's shapes."""
    ends = zip(NEW_YORK.low, box.low, box.high, NEW_YORK.high, strict=False)
    return all(least <= low and high <= most for least, low, high, most in ends)


def show(canvas: CityMap, key: str, **answers: Any) -> Any:
    """Draw a map. `on_picked_change` and `on_drawn_change` get clicks and drawings, and
    `on_placed_change` of a click's longitude and latitude."""
    return _component(
        data=canvas.data(palette.current()),
        key=key,
        on_picked_change=answers.get("on_picked_change", nothing),
        on_drawn_change=answers.get("on_drawn_change", nothing),
        on_placed_change=answers.get("on_placed_change", nothing),
    )


def nothing() -> None:
    """A click that changes nothing."""


def around(places: Iterable[Sequence[float]], first: Box) -> Box:
    """A box that holds the places, and the first box."""
    corners = list(zip(*places, first.low[:2], first.high[:2], strict=True))
    return Box(tuple(map(min, corners)), tuple(map(max, corners)))


def points(marks: Marks, unit: str) -> Row:
    """Published points, packed."""
    return {**marks.packed, "whole_radius": WHOLE_RADIUS, "unit": unit}


def cells(marks: Marks, unit: str) -> Row:
    """Published noisy counts as squares, darker for more."""
    most = float(marks.rows[:, 2].max(initial=0)) or 1.0
    rows = [
        [round(x, 5), round(y, 5), round(10 + 190 * (weight / most) ** 0.5), round(weight)]
        for x, y, weight in marks.rows.tolist()
    ]
    return {"size": list(marks.cell or (0, 0)), "rows": rows, "unit": unit}


def density(levels: Levels, box: Box, color: str, colors: Palette) -> Row:
    """A density as a tinted picture over the box."""
    picture = Image.new("RGB", levels.shape[::-1], tuple(colors.rgb(color)[:3]))
    picture.putalpha(Image.fromarray(levels).point(lambda level: int(level * 0.8)))
    file = io.BytesIO()
    picture.save(file, "PNG")
    address = f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
    return {"url": address, "box": [*box.low[:2], *box.high[:2]], "color": color}
