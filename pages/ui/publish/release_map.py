"""The public view of a release: its map and its table, from the published files alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
import streamlit as st

from dpcore.geometry.domain import Box
from dpcore.privacy import explain
from dpcore.privacy.explain import people_count, percent, plural
from dpcore.privacy.rounding import at_most
from dpcore.release.published_files import PublishedFiles
from dpcore.results.centers import ReleasedCenters
from dpcore.study import run_view
from dpcore.study.run_view import Marks
from pages.ui import city_map, palette, scatter_plot
from pages.ui.areas import area_run
from pages.ui.city_map import CityMap, Row, in_new_york
from pages.ui.palette import Palette
from pages.ui.wording import plain, plain_in_chart

#: Radii in pixels of the discs that the legend explains.
EXPLAINED = (4, 10)
#: A view holds all but so many of the points at each side: noise strays far.
STRAYS = 0.02
#: A view shows no less than this part of the box on each side: all points may be at one place.
LEAST_PART = 0.01


@dataclass(frozen=True)
class CenterRow:
    """A published center: its number in the files, where it is, and which part is nearest to it."""

    number: int
    at: tuple[float, ...]
    place: str
    share: str

    def tip(self, unit: str) -> list[str]:
        share = f"{self.share} of {plural(unit)}" if self.share else ""
        return [line for line in (f"Published center {self.number}", self.place, share) if line]


@st.cache_resource(max_entries=16, show_spinner=False, scope="session")
def marks(digest: str, most: int, _release: PublishedFiles) -> Marks | None:
    """The published points, thinned for a screen."""
    if _release.synopsis is None or _release.box.d == 1:
        return None
    return run_view.marks(_release.synopsis, (0, 1), most)


@st.cache_resource(max_entries=32, show_spinner=False, scope="session")
def rows(
    digest: str, centers: tuple[tuple[float, ...], ...], _release: PublishedFiles
) -> list[CenterRow]:
    """Centers with their places and shares, in the order of the files."""
    values = ReleasedCenters(centers, _release.box)
    part_of_center = run_view.shares_of(_release.synopsis, _release.box, values.value)
    shares = (
        [""] * len(centers)
        if part_of_center is None
        else [percent(share) for share in part_of_center.tolist()]
    )
    named = is_map(_release) and in_new_york(_release.box)
    places = run_view.places(values.value) if named else [""] * len(centers)
    return [
        CenterRow(number, at, place, share)
        for number, (at, place, share) in enumerate(
            zip(centers, places, shares, strict=True), start=1
        )
    ]


def rows_of(release: PublishedFiles, centers: ReleasedCenters | None = None) -> list[CenterRow]:
    """The rows of the published centers, or of others found from what was published."""
    places = (release.centers if centers is None else centers).value
    return rows(release.certificate["digest"], tuple(map(tuple, places.tolist())), release)


def is_map(release: PublishedFiles) -> bool:
    return bool(release.certificate["geographic"]) and release.box.d in (2, 4)


def draw(
    release: PublishedFiles,
    key: str,
    centers: Sequence[CenterRow],
    height: int = 430,
    areas: Sequence[Row] = (),
    on_drawn: Callable[[], None] | None = None,
) -> None:
    """The map with the published points and centers, or a plane where there is no map."""
    unit = release.certificate["unit"]["name"]
    unit = "row" if release.certificate["unit"]["ids"] else unit
    most = run_view.MOST_ON_MAP if is_map(release) else run_view.MOST_POINTS
    dots = marks(release.certificate["digest"], most, release)
    if is_map(release):
        canvas = on_the_map(release, centers, dots, unit, height)
        canvas.areas = [*leveled(release, palette.current()), *areas]
        canvas.draw = on_drawn is not None
        city_map.show(canvas, key, **({"on_drawn_change": on_drawn} if on_drawn else {}))
    elif release.box.d > 1:
        st.plotly_chart(
            plane(release, centers, dots, unit, height),
            key=key,
            theme=None,
            config={"displayModeBar": False},
            alt=words(release, centers),
        )


def on_the_map(
    release: PublishedFiles,
    centers: Sequence[CenterRow],
    dots: Marks | None,
    unit: str,
    height: int,
) -> CityMap:
    colors = palette.current()
    canvas = CityMap(words(release, centers), first_view(release.box, centers, dots), height=height)
    canvas.centers = [
        {
            "number": str(each.number),
            "at": list(each.at[i : i + 2]),
            "color": "private",
            "tip": each.tip(unit),
        }
        for each in centers
        for i in range(0, len(each.at), 2)
    ]
    if release.box.d == 4:
        canvas.arcs = [
            {"from": list(each.at[:2]), "to": list(each.at[2:]), "color": "private"}
            for each in centers
        ]
    disc = {"mark": "disc", "color": colors.private, "size": 16, "words": "Published center"}
    canvas.legend = [disc]
    if dots is not None and dots.cell:
        canvas.cells = city_map.cells(dots, plural(unit))
        square = f"Published count, darker for more {plural(unit)}"
        canvas.legend.append({"mark": "square", "color": colors.points, "words": square})
    elif dots is not None:
        canvas.points = city_map.points(dots, plural(unit))
        canvas.legend += sizes(float(dots.rows[:, 2].sum()), unit, colors.points)
    return canvas


def first_view(whole: Box, centers: Sequence[CenterRow], dots: Marks | None) -> Box:
    """The first view of the map: every center and nearly all points, or the box without points."""
    box = whole.take((0, 1))
    low, high = box.low, box.high
    if dots is not None and len(dots.frame):
        sides = [dots.frame[axis].quantile([STRAYS, 1 - STRAYS]).tolist() for axis in ("x", "y")]
        (west, east), (south, north) = sides
        low, high = (west, south), (east, north)
    ends = [each.at[i : i + 2] for each in centers for i in range(0, len(each.at), 2)]
    corners = [*ends, low, high]
    (west, east), (south, north) = (
        wide_enough([corner[axis] for corner in corners], LEAST_PART * (high - low))
        for axis, (low, high) in enumerate(zip(box.low, box.high, strict=True))
    )
    return Box((west, south), (east, north))


def wide_enough(ends: Sequence[float], least: float) -> tuple[float, float]:
    """The least and the greatest of some numbers, moved apart to be at least so far apart."""
    low, high = min(ends), max(ends)
    middle = (low + high) / 2
    return min(low, middle - least / 2), max(high, middle + least / 2)


def leveled(release: PublishedFiles, colors: Palette) -> list[Row]:
    """The areas of a release that have a level of their own, the stricter the darker."""
    areas: list[Row] = []
    for feature in release.certificate.get("areas", {}).get("map", {}).get("features", ()):
        own, shape = feature["properties"], feature["geometry"]
        several = shape["type"] == "MultiPolygon"
        parts = shape["coordinates"] if several else [shape["coordinates"]]
        rings = [ring for part in parts for ring in part]
        level = explain.nearest_level(own["epsilon"])
        color = area_run.rgba(area_run.tint(level.name, colors), 0.5)
        tip = f"{own['name']}: ε {at_most(own['epsilon'])}"
        areas.append(
            {"name": own["name"], "rings": rings, "color": color, "outline": colors.text}
            | {"tip": [tip]}
        )
    return areas


def sizes(whole: float, unit: str, color: str) -> list[Row]:
    """The sizes of the discs of some round numbers."""
    entries: list[Row] = []
    for radius in EXPLAINED if whole > 0 else ():
        weight = round_number(whole * (radius / city_map.WHOLE_RADIUS) ** 2)
        size = 2 * city_map.WHOLE_RADIUS * math.sqrt(weight / whole)
        words = f"Published point: {weight:,} {plural(unit)}"
        entries.append({"mark": "point", "color": color, "size": size, "words": words})
    return entries


def round_number(value: float) -> int:
    """The largest of 1, 2, 5, 10, 20, 50 ... that is no larger."""
    power = 10 ** max(0, math.floor(math.log10(max(value, 1))))
    return next(digit * power for digit in (5, 2, 1) if digit * power <= max(value, 1))


def words(release: PublishedFiles, centers: Sequence[CenterRow]) -> str:
    """The picture in a sentence, for people who cannot see it."""
    points = (
        "" if release.synopsis is None else f" and {people_count(len(release.synopsis))} points"
    )
    name = release.certificate["data set"]
    return f"{name}: {len(centers)} centers{points}. The table says the same in words."


def plane(
    release: PublishedFiles,
    centers: Sequence[CenterRow],
    dots: Marks | None,
    unit: str,
    height: int,
) -> go.Figure:
    """Two coordinates as a chart."""
    colors, box = palette.current(), release.box
    chart = go.Figure()
    if dots is not None:
        chart.add_trace(scatter_plot.marks(dots, unit, colors))
    chart.add_trace(
        go.Scatter(
            x=[each.at[0] for each in centers],
            y=[each.at[1] for each in centers],
            text=[str(each.number) for each in centers],
            hovertext=["<br>".join(map(plain_in_chart, each.tip(unit))) for each in centers],
            mode="markers+text",
            textfont={"color": colors.number, "size": 12},
            marker={
                "size": 22,
                "color": colors.private,
                "opacity": 1,
                "line": {"width": 2, "color": colors.rim},
            },
            hoverinfo="text",
        )
    )
    chart.update_layout(**scatter_plot.layout(box, colors, height), dragmode=False)
    return chart


def table(release: PublishedFiles, centers: Sequence[CenterRow]) -> None:
    """The centers in words."""
    digits = 5 if is_map(release) else 4
    names = release.box.names
    lines = []
    for each in centers:
        line = {"Center": str(each.number)}
        if any(row.place for row in centers):
            line["Where"] = plain(each.place)
        if any(row.share for row in centers):
            line["Share"] = each.share
        for name, value in list(zip(names, each.at, strict=True))[:6]:
            line[plain(name)] = f"{value:.{digits}f}" if is_map(release) else f"{value:.{digits}g}"
        lines.append(line)
    st.table(lines, border="horizontal", hide_index=True)
