"""The map of a release as one file: opens offline, on a phone, by day and by night.

Shapes that ship and what the run released are drawn as SVG inside the page. There is no program in
it and nothing to fetch, and its policy forbids both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore._html import render
from dpcore.algorithms import get
from dpcore.datasets.city_shapes import BEYOND, place_of
from dpcore.geometry.domain import FloatArray
from dpcore.privacy import explain
from dpcore.privacy.accounting import Neighbors
from dpcore.release import map_areas, map_labels
from dpcore.release.amounts import Amount
from dpcore.release.certificate_page import date_in_words
from dpcore.release.map_drawing import (
    WIDTH,
    PageFrame,
    borders,
    fitted,
    land_of,
    points_of_map,
    scale_bar,
    surrounded,
)
from dpcore.study.run_view import marks, shares_of

if TYPE_CHECKING:
    from dpcore.release.published import Published

NAME = "map.html"
#: How many times as large the map can be shown.
ZOOMS = (1, 2, 4)


def map_page(certificate: Mapping[str, Any], published: Published) -> str:
    """The page, for data of two coordinates, or of two places as a way from one to the other.

    Made from what a certificate says and from the published numbers, and from nothing else.
    """
    synopsis = published.synopsis
    dots = None if synopsis is None else marks(synopsis)
    ends = published.centers[:, :2]
    if published.centers.shape[1] == 4:
        ends = np.vstack([ends, published.centers[:, 2:]])
    box = fitted(published.box.take((0, 1)), ends, None if dots is None else dots.rows)
    box = surrounded(box) if certificate["geographic"] else box
    frame = PageFrame(box, certificate["geographic"])
    unit, neighbors = certificate["unit"], Neighbors(certificate["neighbors"])
    title = f"{certificate['data set']}: {certificate['k']} centers"
    label = f"Map of {certificate['k']} private centers" + (
        " and the points published with them" * bool(dots)
    )
    price = Amount.of(certificate["epsilon"], certificate["delta"])
    lead = "Each blue disc is the middle of a busy area."
    if published.box.d == 4:
        lead = "Each blue disc is the middle of many starts, and its line leads to their ends."
    sentences = [
        f"Published on {date_in_words(certificate['time'])} with differential privacy ({price}), "
        f"by the method {get(certificate['algorithm']).title}.",
        explain.protected(unit["name"], neighbors, unit["ids"], unit["rows"]),
        *certificate.get("areas", {}).get("statement", ()),
    ]
    if dots is not None and dots.published > len(dots.rows):
        sentences.append(f"{dots.published:,} points were published; near ones are drawn as one.")
    if dots is not None:
        sentences.append(
            "The map shows nearly all of the points; noise put a few of them farther out."
        )
    land = land_of(frame, box) if certificate["geographic"] else ()
    row = "row" if unit["ids"] else unit["name"]
    weights = np.array([]) if dots is None else dots.rows[:, 2]
    head, rows = _table(certificate, published)
    return render(
        "map.html",
        title=title,
        lead=f"{lead} {explain.attack(certificate['epsilon'], unit['name'], neighbors)}",
        text=" ".join(sentences),
        label=label,
        width=WIDTH,
        height=frame.height,
        land=list(land),
        borders=borders(frame, box) if certificate["geographic"] else "",
        areas=list(map_areas.shapes(certificate, frame, box)),
        levels=map_areas.legend(certificate),
        points=[] if dots is None else list(points_of_map(frame, dots)),
        ways=_ways(frame, published.centers),
        centers=(frame(published.centers[:, :2]) / [frame.width, frame.height]).tolist(),
        names=map_labels.labels(frame, box, published.centers) if certificate["geographic"] else [],
        widths=map_labels.WIDTHS[1:],
        bars=[(zoom, *scale_bar(box, zoom)) for zoom in ZOOMS] if certificate["geographic"] else [],
        sizes=map_labels.sizes(weights, frame.height, row),
        busiest=int(rows[0][0]),
        where=1 if len(head) > len(published.box.names) + 2 else -1,
        head=head,
        rows=rows,
    )


def _ways(frame: PageFrame, centers: FloatArray) -> list[list[float]]:
    """Both ends of each center that is a way from one place to another."""
    if centers.shape[1] != 4:
        return []
    return np.hstack([frame(centers[:, :2]), frame(centers[:, 2:])]).tolist()


def _table(
    certificate: Mapping[str, Any], published: Published
) -> tuple[list[str], list[list[str]]]:
    """Head and rows of a table with what the map shows, largest share first."""
    box, centers = published.box, published.centers
    synopsis_shares = shares_of(published.synopsis, box, centers)
    shares = np.full(len(centers), np.nan) if synopsis_shares is None else synopsis_shares
    where = place_of(centers) if certificate["geographic"] and box.d == 2 else []
    named = not all(name.startswith(BEYOND) for name in where)
    rows = []
    for index in np.argsort(-shares, kind="stable").tolist():
        percent = "" if np.isnan(shares[index]) else f"{100 * shares[index]:.0f} %"
        place = [where[index]] if named else []
        numbers = [f"{value:.5f}" for value in centers[index]]
        rows.append([f"{index + 1}", *place, *numbers, percent])
    return ["center", *["where"] * named, *box.names, "share"], rows
