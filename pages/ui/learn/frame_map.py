"""A frame on the map: each kind of mark as a layer, and a line that says what the marks mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pydeck as pdk
import streamlit as st

from dpcore.classroom.steps import Frame, Mark, MarkKind
from dpcore.geometry.domain import Box
from dpcore.privacy.explain import plural
from pages.ui import maps, palette, url_keys
from pages.ui.learn import presenter
from pages.ui.legend import circle, entry, swatch
from pages.ui.palette import Palette
from pages.ui.wording import NOT_PRIVATE

#: Middle and zoom: of the city's middle, and of the whole box, in which blind starts lie.
NEAR = ((-73.972, 40.755), 11.2)
WHOLE = ((-74.0, 40.8), 10.35)
#: What the near view shows even on a narrow screen.
SHOWN = Box((-74.025, 40.69), (-73.92, 40.815))
HEIGHT, PRESENTED, IN_LESSON = 540, 660, 600
#: Marks glide to where the next frame has them, in milliseconds.
GLIDE = 350
#: An arrow's head: as long as this part of it, and at most so many degrees.
HEAD, LONGEST_HEAD = 0.4, 0.006
#: Trips of one cluster share a color; red and the blue of private centers are none of them.
GROUPS = 6
Row = dict[str, Any]


def city(layers: list[pdk.Layer], colors: Palette, whole: bool) -> maps.Map:
    """Layers on the city's map, from one place above it."""
    deck = maps.city_map(layers, colors)
    (longitude, latitude), zoom = WHOLE if whole else NEAR
    deck.initial_view_state = pdk.ViewState(longitude, latitude, zoom=zoom, min_zoom=9, max_zoom=17)
    return deck


def needs_whole_box(frames: Iterable[Frame]) -> bool:
    """Whether a center ever lies beyond the near view, as blind starts do. The camera stays for a
    whole run."""
    return any(
        not SHOWN.contains(mark.places).all()
        for frame in frames
        for mark in frame.marks
        if mark.kind in (MarkKind.PRIVATE, MarkKind.NON_PRIVATE)
    )


def layers(frame: Frame, colors: Palette, holds: bool, scale: float) -> list[pdk.Layer]:
    draw = _Drawing(colors, "private" if holds else "unproven", scale)
    return [layer for mark in frame.marks for layer in draw.layers(mark)]


class _Drawing:
    """Turns marks into layers."""

    def __init__(self, colors: Palette, private: str, scale: float):
        self.colors, self.private, self.scale = colors, private, scale

    def layers(self, mark: Mark) -> list[pdk.Layer]:
        drawers: dict[MarkKind, Callable[[Mark], list[pdk.Layer]]] = {
            MarkKind.ROWS: self.rows,
            MarkKind.REMOVED: lambda m: [self.dots(m, "text", 200, 2.2)],
            MarkKind.TRUE_CELLS: lambda m: [self.cells(m, "non_private")],
            MarkKind.NOISY_CELLS: lambda m: [self.cells(m, "points")],
            MarkKind.ALIVE: lambda m: [self.outlines(m, "private", 40)],
            MarkKind.DEAD: lambda m: [self.outlines(m, "quiet", 90)],
            MarkKind.AREA: lambda m: [self.outlines(m, "private", 25, 3)],
            MarkKind.BORDERS: lambda m: [self.lines(m, "quiet", 1.5)],
            MarkKind.MOVES: lambda m: [self.lines(m, "non_private", 2)],
            MarkKind.NOISE: self.arrows,
            MarkKind.POINTS: self.points,
            MarkKind.STARTS: lambda m: [self.dots(m, self.private, 110, 3)],
            MarkKind.BLOCKS: lambda m: [self.dots(m, "non_private", 110, 3)],
            MarkKind.PRIVATE: lambda m: [self.discs(m)],
            MarkKind.NON_PRIVATE: lambda m: [self.rings(m)],
        }
        return drawers[mark.kind](mark)

    def layer(self, kind: str, name: str, rows: list[Row], **options: Any) -> pdk.Layer:
        return pdk.Layer(kind, rows, id=name, **options)

    def rows(self, mark: Mark) -> list[pdk.Layer]:
        if mark.groups is None:
            return [self.dots(mark, "non_private", 130, 1.8)]
        hues = [rgb(self.colors.series[1 + group % GROUPS], 190) for group in mark.groups.tolist()]
        rows = [{"at": at, "color": hue} for at, hue in zip(places(mark), hues, strict=True)]
        return [self.scatter("rows", rows, 2.2, get_fill_color="color")]

    def scatter(self, name: str, rows: list[Row], radius: float, **options: Any) -> pdk.Layer:
        return self.layer(
            "ScatterplotLayer",
            name,
            rows,
            get_position="at",
            get_radius=radius * self.scale,
            radius_units="'pixels'",
            **options,
        )

    def dots(self, mark: Mark, color: str, alpha: int, radius: float) -> pdk.Layer:
        rows = [{"at": at} for at in places(mark)]
        fill = self.colors.rgb(color, alpha)
        return self.scatter(mark.kind.value, rows, radius, get_fill_color=fill)

    def discs(self, mark: Mark) -> pdk.Layer:
        fill = self.colors.rgb(self.private)
        glide = {"getPosition": GLIDE}
        return self.outlined(mark, 6.5, "rim", 2, get_fill_color=fill, transitions=glide)

    def rings(self, mark: Mark) -> pdk.Layer:
        return self.outlined(mark, 8.5, "non_private", 2.5 * self.scale, filled=False)

    def outlined(
        self, mark: Mark, radius: float, line: str, width: float, **options: Any
    ) -> pdk.Layer:
        return self.scatter(
            mark.kind.value,
            [{"at": at} for at in places(mark)],
            radius,
            stroked=True,
            get_line_color=self.colors.rgb(line),
            get_line_width=width,
            line_width_units="'pixels'",
            **options,
        )

    def lines(self, mark: Mark, color: str, width: float, name: str = "") -> pdk.Layer:
        rows = [{"from": a, "to": b} for a, b in zip(places(mark), ends(mark), strict=True)]
        return self.layer(
            "LineLayer",
            name or mark.kind.value,
            rows,
            get_source_position="from",
            get_target_position="to",
            get_color=self.colors.rgb(color, 230),
            get_width=width * self.scale,
        )

    def arrows(self, mark: Mark) -> list[pdk.Layer]:
        heads = [
            {"ring": ring}
            for a, b in zip(places(mark), ends(mark), strict=True)
            if (ring := arrow_head(a, b))
        ]
        head = self.layer(
            "SolidPolygonLayer",
            "arrow-heads",
            heads,
            get_polygon="ring",
            get_fill_color=self.colors.rgb("text"),
        )
        return [self.lines(mark, "text", 3), head]

    def cells(self, mark: Mark, color: str) -> pdk.Layer:
        weights = [] if mark.weights is None else mark.weights.tolist()
        most = max(weights, default=1.0)
        rows = [
            {"ring": ring, "color": self.colors.rgb(color, round(14 + 190 * (w / most) ** 0.5))}
            for ring, w in zip(squares(mark, 0.03), weights, strict=True)
        ]
        return self.layer(
            "SolidPolygonLayer", "cells", rows, get_polygon="ring", get_fill_color="color"
        )

    def outlines(self, mark: Mark, color: str, alpha: int, width: float = 1) -> pdk.Layer:
        return self.layer(
            "PolygonLayer",
            mark.kind.value,
            [{"ring": ring} for ring in squares(mark)],
            get_polygon="ring",
            get_fill_color=self.colors.rgb(color, alpha),
            get_line_color=self.colors.rgb(color, 220),
            get_line_width=width * self.scale,
            line_width_units="'pixels'",
        )

    def points(self, mark: Mark) -> list[pdk.Layer]:
        weights = [] if mark.weights is None else mark.weights.tolist()
        whole = sum(weights) or 1.0
        size = maps.WHOLE_RADIUS * self.scale * 0.8
        rows = [
            {"at": at, "radius": round(size * (w / whole) ** 0.5, 2)}
            for at, w in zip(places(mark), weights, strict=True)
        ]
        fill = self.colors.rgb("points", 165)
        return [
            self.layer(
                "ScatterplotLayer",
                "points",
                rows,
                get_position="at",
                get_radius="radius",
                radius_units="'pixels'",
                radius_min_pixels=1,
                get_fill_color=fill,
            )
        ]


def places(mark: Mark) -> list[list[float]]:
    return mark.places.round(5).tolist()


def ends(mark: Mark) -> list[list[float]]:
    return [] if mark.ends is None else mark.ends.round(5).tolist()


def squares(mark: Mark, margin: float = 0.0) -> list[list[list[float]]]:
    """The four corners of each cell, with a margin so that neighbors are told apart."""
    rings = []
    for (x0, y0), (x1, y1) in zip(places(mark), ends(mark), strict=True):
        dx, dy = margin * (x1 - x0), margin * (y1 - y0)
        rings.append(
            [[x0 + dx, y0 + dy], [x1 - dx, y0 + dy], [x1 - dx, y1 - dy], [x0 + dx, y1 - dy]]
        )
    return rings


def arrow_head(start: list[float], end: list[float]) -> list[list[float]] | None:
    """A triangle at the end of a line. A degree of latitude is 1.32 of longitude wide here."""
    wide = 0.757
    dx, dy = (end[0] - start[0]) * wide, end[1] - start[1]
    length = (dx**2 + dy**2) ** 0.5
    if length < 1e-6:
        return None
    size = min(HEAD * length, LONGEST_HEAD)
    ux, uy = dx / length * size, dy / length * size
    base = end[0] - ux / wide, end[1] - uy
    return [
        end,
        [base[0] - uy / 2 / wide, base[1] + ux / 2],
        [base[0] + uy / 2 / wide, base[1] - ux / 2],
    ]


def legend(frame: Frame, unit: str, holds: bool) -> None:
    """What the marks of a frame mean."""
    colors = palette.current()
    private = colors.private if holds else colors.unproven
    words = {
        MarkKind.ROWS: (circle(3, colors.non_private, "none", 0), f"some of the {plural(unit)}"),
        MarkKind.REMOVED: (circle(3, colors.text, "none", 0), f"{plural(unit)} set aside now"),
        MarkKind.TRUE_CELLS: (swatch(colors.non_private), "true counts"),
        MarkKind.NOISY_CELLS: (swatch(colors.points, 0.55), "noisy counts"),
        MarkKind.ALIVE: (swatch(colors.private, 0.35), "live cells"),
        MarkKind.DEAD: (swatch(colors.quiet, 0.5), "dead cells"),
        MarkKind.NOISE: (stroke(colors.text), "noise"),
        MarkKind.POINTS: (circle(4, colors.points, "none", 0), "published points"),
        MarkKind.STARTS: (circle(4, private, "none", 0), "starts"),
        MarkKind.BLOCKS: (circle(4, colors.non_private, "none", 0), "centers of blocks"),
        MarkKind.PRIVATE: (
            circle(7, private, colors.rim, 2),
            f"{'private' if holds else 'unproven'} centers",
        ),
        MarkKind.NON_PRIVATE: (circle(7, "none", colors.non_private, 3), "without privacy"),
    }
    entries = []
    for mark in frame.marks:
        if mark.groups is not None:
            dots = "".join(circle(3, hue, "none", 0) for hue in colors.series[1:4])
            entries.append(entry(dots, f"{plural(unit)} by cluster"))
        elif mark.kind in words:
            entries.append(entry(*words[mark.kind]))
    badge = f"&emsp; {NOT_PRIVATE}" if frame.looks_at_data else ""
    st.markdown("&emsp; ".join(entries) + badge, unsafe_allow_html=True)


def stroke(color: str) -> str:
    return (
        '<svg width="26" height="20" style="vertical-align:-5px">'
        f'<path d="M1 10H18" stroke="{color}" stroke-width="3"/>'
        f'<path d="M16 4L25 10L16 16z" fill="{color}"/></svg>'
    )


def show(frame: Frame, unit: str, holds: bool, whole: bool) -> None:
    presented = presenter.presenting()
    height = IN_LESSON if url_keys.LESSON.get() else PRESENTED
    drawn = layers(frame, palette.current(), holds, 1.4 if presented else 1.0)
    st.pydeck_chart(
        city(drawn, palette.current(), whole),
        height=height if presented else HEIGHT,
        key="stage",
        alt=f"{frame.title}. {frame.sentence}",
    )


def rgb(color: str, alpha: int) -> list[int]:
    return [*(int(color[i : i + 2], 16) for i in (1, 3, 5)), alpha]
