"""The regions of a release on its map: tinted by level, the strictest darkest, and in a legend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from dpcore.datasets import city_shapes
from dpcore.datasets.city_shapes import ELSEWHERE
from dpcore.geometry.domain import Box, FloatArray
from dpcore.privacy.rounding import at_most

#: How dark the loosest and the strictest level are.
LIGHTEST, DARKEST = 0.08, 0.5
#: Names in a line of the legend.
MOST_NAMES = 12

Certificate = Mapping[str, Any]


def shapes(
    certificate: Certificate, frame: Callable[[FloatArray], FloatArray], box: Box
) -> Iterator[tuple[str, str, float]]:
    """Words, outline and opacity of each region; nothing where a release has none."""
    if "areas" not in certificate:
        return
    opacity = _opacity(_levels(certificate))
    low, high = np.asarray(box.low), np.asarray(box.high)
    for feature in _features(certificate):
        own = feature["properties"]
        path = ""
        for polygon in city_shapes.polygons(feature["geometry"]):
            for ring in polygon:
                if (ring.max(axis=0) >= low).all() and (ring.min(axis=0) <= high).all():
                    path += outline(frame(ring))
        yield f"{own['name']}: ε {at_most(own['epsilon'])}", path, opacity[own["epsilon"]]


def outline(spots: FloatArray) -> str:
    """A ring as part of an SVG path; corners that fall on one spot are drawn once, and a ring that
    is smaller than a spot is not drawn."""
    corners = np.rint(spots).astype(int)
    moved = np.r_[True, (np.diff(corners, axis=0) != 0).any(axis=1)]
    if moved.sum() <= 3:
        return ""
    return "M" + "L".join(f"{x} {y}" for x, y in corners[moved].tolist()) + "Z"


def legend(certificate: Certificate) -> list[tuple[float, str, str]]:
    """Opacity, epsilon and names of the regions of each level, strictest first."""
    levels = _levels(certificate)
    if not levels:
        return []
    rows = []
    for level, shade in sorted(_opacity(levels).items()):
        names = sorted(name for name, own in levels.items() if own == level)
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        rows.append((shade + 0.1, at_most(level), ", ".join(names[:MOST_NAMES]) + more))
    return rows


def _features(certificate: Certificate) -> list[Mapping[str, Any]]:
    return certificate["areas"]["map"]["features"] if "areas" in certificate else []


def _levels(certificate: Certificate) -> dict[str, float]:
    """The level of each region, and of the rest of the map."""
    own = {
        each["properties"]["name"]: each["properties"]["epsilon"] for each in _features(certificate)
    }
    rest = certificate["areas"]["map"].get(ELSEWHERE) if "areas" in certificate else None
    return own | ({"the rest of the map": rest["epsilon"]} if rest else {})


def _opacity(levels: Mapping[str, float]) -> dict[float, float]:
    """The opacity of each level: by its rank, so that near levels can be told apart."""
    epsilons = sorted(set(levels.values()))
    steps = np.linspace(DARKEST, LIGHTEST, len(epsilons)) if len(epsilons) > 1 else [DARKEST / 2]
    return dict(zip(epsilons, map(float, steps), strict=True))
