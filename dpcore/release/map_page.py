"""The map of a release as one file: opens offline, on a phone, by day and by night.

Shapes that ship and what the run released are drawn as SVG inside the page. There is no program in
it and nothing to fetch, and its policy forbids both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dpcore._html import render
from dpcore.algorithms import get
from dpcore.datasets.city_shapes import boroughs
from dpcore.geometry.domain import Box, FloatArray
from dpcore.privacy import explain
from dpcore.privacy.accounting import Neighbors
from dpcore.release import map_areas
from dpcore.release.amounts import Amount
from dpcore.release.published import Published
from dpcore.study.run_view import Marks, marks, shares_of

NAME = "map.html"
#: Width of the drawing, in its own units; what is smaller than half of one is not drawn.
WIDTH = 1000.0
#: The widest and the narrowest drawing, height to width.
FLATTEST, TALLEST = 0.4, 1.8
#: Area of all points together, as part of the drawing; radius of one at most and at least.
INK, LARGEST, SMALLEST = 0.04, 16.0, 1.1


class PageFrame:
    """Where a place of the box is on the drawing."""

    def __init__(self, box: Box, geographic: bool):
        self._low = np.asarray(box.low)
        spans = np.asarray(box.high) - self._low
        # A degree of longitude is shorter than one of latitude, the more so the further north.
        middle = math.radians(float(self._low[1] + spans[1] / 2))
        shape = spans[1] / (spans[0] * max(math.cos(middle), 0.05)) if geographic else 1.0
        self.width = WIDTH
        self.height = WIDTH * min(max(float(shape), FLATTEST), TALLEST)
        self._scale = np.array([WIDTH, -self.height]) / spans

    def __call__(self, places: FloatArray) -> FloatArray:
        """Positions in data units to those of the drawing, y downwards."""
        return (places - self._low) * self._scale + [0.0, self.height]


def map_page(said: Mapping[str, Any], published: Published) -> str:
    """The page, for data of two coordinates, or of two places as a way from one to the other.

    Made from what a certificate says and from the published numbers, and from nothing else.
    """
    box = published.box.take((0, 1))
    frame = PageFrame(box, said["geographic"])
    synopsis = published.synopsis
    drawn = None if synopsis is None else marks(synopsis)
    unit, neighbors = said["unit"], Neighbors(said["neighbors"])
    title = f"{said['data set']}: {said['k']} centers"
    label = f"Map of {said['k']} private centers" + (
        " and the points published with them" * bool(drawn)
    )
    price = Amount.of(said["epsilon"], said["delta"])
    told = [
        f"{get(said['algorithm']).title}, {price}, {neighbors}, {said['time']}.",
        explain.protected(unit["name"], neighbors, unit["ids"], unit["rows"]),
        *said.get("areas", {}).get("statement", ()),
        explain.attack(said["epsilon"], unit["name"], neighbors),
    ]
    if drawn is not None and drawn.published > len(drawn.frame):
        told.append(f"Of {drawn.published:,} published points near ones are drawn as one.")
    land = land_of(frame, box) if said["geographic"] else ()
    head, rows = _table(published)
    return render(
        "map.html",
        title=title,
        text=" ".join(told),
        label=label,
        width=WIDTH,
        height=frame.height,
        land=list(land),
        areas=list(map_areas.shapes(said, frame, box)),
        levels=map_areas.legend(said),
        points=[] if drawn is None else list(points_of_map(frame, drawn)),
        ways=_ways(frame, published.centers),
        centers=frame(published.centers[:, :2]).tolist(),
        head=head,
        rows=rows,
    )


def land_of(frame: PageFrame, box: Box) -> Iterator[tuple[str, str]]:
    """Names and outlines of the shapes that reach into the box.

    Corners that fall on one spot are drawn once.
    """
    low, high = np.asarray(box.low), np.asarray(box.high)
    for area in boroughs():
        path = ""
        for ring in area.rings():
            if (ring.max(axis=0) < low).any() or (ring.min(axis=0) > high).any():
                continue
            path += map_areas.outline(frame(ring))
        if path:
            yield area.name, path


def points_of_map(frame: PageFrame, drawn: Marks) -> Iterator[tuple[float, float, float, float]]:
    """Place, radius and weight of each point."""
    weights = drawn.frame["weight"].to_numpy()
    if not len(weights):
        return
    spots = frame(drawn.frame[["x", "y"]].to_numpy())
    ink = INK * WIDTH * frame.height / math.pi
    radii = np.clip(np.sqrt(ink * weights / weights.sum()), SMALLEST, LARGEST)
    for (x, y), radius, weight in zip(
        spots.tolist(), radii.tolist(), weights.tolist(), strict=True
    ):
        yield x, y, radius, weight


def _ways(frame: PageFrame, centers: FloatArray) -> list[list[float]]:
    """Both ends of each center that is a way from one place to another."""
    if centers.shape[1] != 4:
        return []
    return np.hstack([frame(centers[:, :2]), frame(centers[:, 2:])]).tolist()


def _table(published: Published) -> tuple[list[str], list[list[str]]]:
    """Head and rows of a table with what the map shows, largest share first."""
    box, centers = published.box, published.centers
    found = shares_of(published.synopsis, box, centers)
    shares = np.full(len(centers), np.nan) if found is None else found
    rows = []
    for index in np.argsort(-shares, kind="stable").tolist():
        percent = "" if np.isnan(shares[index]) else f"{100 * shares[index]:.0f} %"
        rows.append([f"{index + 1}", *(f"{value:.5f}" for value in centers[index]), percent])
    return ["center", *box.names, "share"], rows
