"""A frame of a run on the city map: each kind of mark as a layer, and a legend of the marks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import streamlit as st

from dpcore.classroom.steps.frame_builder import Frame
from dpcore.classroom.steps.marks import Mark, MarkKind
from dpcore.geometry.domain import Box
from dpcore.privacy.explain import plural
from pages.ui import city_map, palette, url_keys
from pages.ui.city_map import CityMap
from pages.ui.learn import presenter
from pages.ui.legend import circle, entry, swatch
from pages.ui.palette import Palette
from pages.ui.wording import NOT_PRIVATE

#: The middle of the city, and the whole box, in which blind starts lie.
NEAR = Box((-74.028, 40.697), (-73.928, 40.812))
WHOLE = Box((-74.1, 40.7), (-73.9, 40.9))
HEIGHT, PRESENTED, IN_LESSON = 560, 650, 590
#: Trips of one cluster share a color; red and the blue of private centers are none of them.
GROUPS = 6
#: How much larger marks are on a projector.
PRESENTED_SCALE = 1.5
Row = dict[str, Any]


def needs_whole_box(frames: Iterable[Frame]) -> bool:
    """Whether a center ever lies beyond the near view, as blind starts do. The camera stays for a
    whole run."""
    return any(
        not NEAR.contains(mark.places).all()
        for frame in frames
        for mark in frame.marks
        if mark.kind in (MarkKind.PRIVATE, MarkKind.NON_PRIVATE)
    )


def canvas_of(
    frame: Frame, colors: Palette, holds: bool, whole: bool, scale: float = 1.0
) -> CityMap:
    """The map of a frame."""
    result = CityMap(f"{frame.title}. {frame.sentence}", WHOLE if whole else NEAR)
    layers = FrameLayers(colors, "private" if holds else "unproven", scale)
    for mark in frame.marks:
        if mark.kind is MarkKind.PRIVATE:
            result.centers = [
                {"at": at, "color": layers.private, "tip": [], "number": ""} for at in places(mark)
            ]
        elif mark.kind is MarkKind.NON_PRIVATE:
            result.partners = [{"at": at, "tip": []} for at in places(mark)]
        else:
            result.drawing += layers.of(mark)
    return result


class FrameLayers:
    """Turns marks into layers of dots, boxes and lines."""

    def __init__(self, colors: Palette, private: str, scale: float):
        self.colors, self.private, self.scale = colors, private, scale

    def of(self, mark: Mark) -> list[Row]:
        layers: dict[MarkKind, Callable[[Mark], list[Row]]] = {
            MarkKind.ROWS: self.rows,
            MarkKind.REMOVED: lambda m: [self.dots(places(m), self.colors.text, 0.8, 2.2)],
            MarkKind.TRUE_CELLS: lambda m: [self.cells(m, self.colors.non_private)],
            MarkKind.NOISY_CELLS: lambda m: [self.cells(m, self.colors.points)],
            MarkKind.ALIVE: lambda m: [self.boxes(m, self.colors.private, 0.16)],
            MarkKind.DEAD: lambda m: [self.boxes(m, self.colors.quiet, 0.35)],
            MarkKind.AREA: lambda m: [self.boxes(m, self.colors.private, 0.1, 3)],
            MarkKind.BORDERS: lambda m: [self.lines(m, self.colors.quiet, 1.5)],
            MarkKind.MOVES: lambda m: [self.lines(m, self.colors.non_private, 2.5, True)],
            MarkKind.NOISE: lambda m: [self.lines(m, self.colors.text, 3, True)],
            MarkKind.POINTS: self.points,
            MarkKind.STARTS: lambda m: [
                self.dots(places(m), getattr(self.colors, self.private), 0.5, 3)
            ],
            MarkKind.BLOCKS: lambda m: [self.dots(places(m), self.colors.non_private, 0.45, 3)],
        }
        return layers[mark.kind](mark)

    def dots(self, at: list[list[float]], color: str, alpha: float, radius: float) -> Row:
        radius = round(radius * self.scale, 2)
        return {"kind": "dots", "at": at, "color": color, "alpha": alpha, "radius": radius}

    def rows(self, mark: Mark) -> list[Row]:
        if mark.groups is None:
            return [self.dots(places(mark), self.colors.non_private, 0.55, 1.9)]
        groups = [group % GROUPS for group in mark.groups.tolist()]
        return [
            self.dots(
                [at for at, own in zip(places(mark), groups, strict=True) if own == group],
                self.colors.series[1 + group],
                0.75,
                2.2,
            )
            for group in sorted(set(groups))
        ]

    def points(self, mark: Mark) -> list[Row]:
        """Weighted points as discs, in classes of equal size."""
        weights = [] if mark.weights is None else mark.weights.tolist()
        whole = sum(weights) or 1.0
        sizes: dict[float, list[list[float]]] = {}
        for at, weight in zip(places(mark), weights, strict=True):
            radius = max(0.8, round(city_map.WHOLE_RADIUS * 0.8 * (weight / whole) ** 0.5, 1))
            sizes.setdefault(radius, []).append(at)
        return [self.dots(at, self.colors.points, 0.62, size) for size, at in sorted(sizes.items())]

    def lines(self, mark: Mark, color: str, width: float, arrow: bool = False) -> Row:
        lines = [[*a, *b] for a, b in zip(places(mark), ends(mark), strict=True)]
        width = round(width * self.scale, 2)
        return {"kind": "lines", "lines": lines, "color": color, "width": width, "arrow": arrow}

    def cells(self, mark: Mark, color: str) -> Row:
        weights = [] if mark.weights is None else mark.weights.tolist()
        most = max(weights, default=1.0)
        shades = [round(0.06 + 0.72 * (weight / most) ** 0.5, 3) for weight in weights]
        boxes = [
            [*low, *high, shade]
            for low, high, shade in zip(places(mark), ends(mark), shades, strict=True)
        ]
        return {"kind": "boxes", "boxes": boxes, "color": color}

    def boxes(self, mark: Mark, color: str, alpha: float, line: float = 1) -> Row:
        boxes = [[*low, *high, alpha] for low, high in zip(places(mark), ends(mark), strict=True)]
        return {"kind": "boxes", "boxes": boxes, "color": color, "line": line * self.scale}


def places(mark: Mark) -> list[list[float]]:
    return mark.places.round(5).tolist()


def ends(mark: Mark) -> list[list[float]]:
    return [] if mark.ends is None else mark.ends.round(5).tolist()


def legend(frame: Frame, unit: str, holds: bool) -> None:
    """The meanings of the marks of a frame."""
    colors = palette.current()
    private = colors.private if holds else colors.unproven
    words = {
        MarkKind.ROWS: (circle(3, colors.non_private, "none", 0), f"some of the {plural(unit)}"),
        MarkKind.REMOVED: (circle(3, colors.text, "none", 0), f"{plural(unit)} set aside now"),
        MarkKind.TRUE_CELLS: (swatch(colors.non_private), "true counts"),
        MarkKind.NOISY_CELLS: (swatch(colors.points, 0.55), "noisy counts"),
        MarkKind.ALIVE: (swatch(colors.private, 0.35), "cells that stay"),
        MarkKind.DEAD: (swatch(colors.quiet, 0.5), "cells that are dropped"),
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


def show(frame: Frame, holds: bool, whole: bool) -> None:
    presented = presenter.presenting()
    scale = PRESENTED_SCALE if presented else 1.0
    result = canvas_of(frame, palette.current(), holds, whole, scale)
    if presented:
        result.height = IN_LESSON if url_keys.LESSON.get() else PRESENTED
    else:
        result.height = HEIGHT
    city_map.show(result, "stage")
