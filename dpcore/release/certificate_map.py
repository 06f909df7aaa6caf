"""The small map on a certificate, around most of the published points."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpcore.privacy import explain
from dpcore.release.map_drawing import (
    PageFrame,
    fitted,
    land_of,
    points_of_map,
    scale_bar,
    surrounded,
)
from dpcore.release.published import KINDS, Published, described_box, read
from dpcore.study.run_view import marks

#: Points that are drawn.
MOST_POINTS = 350
#: Standard deviations within which noise stays 19 times in 20.
TIMES_19_IN_20 = 1.96


@dataclass(frozen=True)
class CertificateMap:
    """The shapes of a drawing, in its own units."""

    width: float
    height: float
    land: list[tuple[str, str]]
    points: list[tuple[float, float, float, float]]
    centers: list[list[float]]
    #: Length and words of the scale bar; None where there is no map.
    bar: tuple[float, str] | None
    label: str
    #: How right counts are, by the noise that is known; empty where none is.
    counts: str = ""


def drawn_from(certificate: Mapping[str, Any]) -> set[str]:
    """The files with the numbers that the page draws."""
    return {f"{kind}.parquet" for kind in KINDS} & certificate["files"].keys()


def map_of(certificate: Mapping[str, Any], files: Mapping[str, bytes]) -> CertificateMap | None:
    """The map of the numbers in the files of a release; None where there are none to draw."""
    box = described_box(certificate)
    centers, points = (read(kind, files, box) for kind in KINDS)
    return None if centers is None else small_map(certificate, Published(box, centers, points))


def small_map(certificate: Mapping[str, Any], published: Published) -> CertificateMap | None:
    """The map of a release, or None where its data have no two coordinates to draw."""
    if published.box.d != 2 and not (certificate["geographic"] and published.box.d == 4):
        return None
    synopsis, whole = published.synopsis, published.box.take((0, 1))
    dots = None if synopsis is None else marks(synopsis, most=MOST_POINTS)
    centers = published.centers[:, :2]
    box = fitted(whole, centers, None if dots is None else dots.rows)
    box = surrounded(box) if certificate["geographic"] else box
    frame = PageFrame(box, certificate["geographic"])
    inside = [] if dots is None else list(points_of_map(frame, dots))
    visible = [p for p in inside if 0 <= p[0] <= frame.width and 0 <= p[1] <= frame.height]
    unit = "row" if certificate["unit"]["ids"] else certificate["unit"]["name"]
    return CertificateMap(
        width=frame.width,
        height=frame.height,
        land=list(land_of(frame, box)) if certificate["geographic"] else [],
        points=visible,
        centers=frame(centers).tolist(),
        bar=scale_bar(box) if certificate["geographic"] else None,
        label=f"Map of {len(centers)} published centers" + " and points" * bool(inside),
        counts=_counts(published, unit),
    )


def _counts(published: Published, unit: str) -> str:
    """The accuracy of the count of an area that holds a tenth of the points. The noise in each
    weight is drawn by itself, so the variances add up."""
    if published.noise is None:
        return ""
    off = TIMES_19_IN_20 * math.sqrt(float((published.noise**2).sum()) / 10)
    about = explain.people_count(max(off, 1))
    return (
        f"By the noise that is known, the count of an area with a tenth of the published points is "
        f"right to about {about} {explain.plural(unit)}, 19 times in 20."
    )
