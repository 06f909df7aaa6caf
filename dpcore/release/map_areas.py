"""The regions of a release on its map: tinted by level, the strictest darkest, and in a legend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from html import escape
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

STYLE = """\
.area { fill: var(--center); stroke: var(--center); stroke-width: 1.5; }
.swatch { display: inline-block; width: 1.1em; height: .8em; background: var(--center);
  border: 1px solid var(--center); vertical-align: baseline; }
"""

Said = Mapping[str, Any]


def style(said: Said) -> str:
    """The rules by which regions are drawn; nothing where a release has none."""
    return STYLE if "areas" in said else ""


def shapes(said: Said, frame: Callable[[FloatArray], FloatArray], box: Box) -> Iterator[str]:
    """The regions as SVG, each with its name and level; nothing where a release has none."""
    if "areas" not in said:
        return
    opacity = _opacity(_levels(said))
    low, high = np.asarray(box.low), np.asarray(box.high)
    for feature in _features(said):
        own = feature["properties"]
        path = ""
        for polygon in city_shapes.polygons(feature["geometry"]):
            for ring in polygon:
                if (ring.max(axis=0) >= low).all() and (ring.min(axis=0) <= high).all():
                    path += outline(frame(ring))
        title = escape(f"{own['name']}: ε {at_most(own['epsilon'])}")
        yield (
            f'<path class="area" fill-rule="evenodd" fill-opacity="{opacity[own["epsilon"]]:.2f}" '
            f'd="{path}"><title>{title}</title></path>'
        )


def outline(spots: FloatArray) -> str:
    """A ring as part of an SVG path; corners that fall on one spot are drawn once, and a ring that
    is smaller than a spot is not drawn."""
    corners = np.rint(spots).astype(int)
    moved = np.r_[True, (np.diff(corners, axis=0) != 0).any(axis=1)]
    if moved.sum() <= 3:
        return ""
    return "M" + "L".join(f"{x} {y}" for x, y in corners[moved].tolist()) + "Z"


def legend(said: Said) -> str:
    """Each level with the regions that have it, strictest first."""
    levels = _levels(said)
    if not levels:
        return ""
    rows = ""
    for level, shade in sorted(_opacity(levels).items()):
        names = sorted(name for name, own in levels.items() if own == level)
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        words = escape(", ".join(names[:MOST_NAMES]) + more)
        rows += (
            f'<tr><td><span class="swatch" style="opacity:{shade + 0.1:.2f}"></span></td>'
            f"<td>ε {at_most(level)}</td><td>{words}</td></tr>"
        )
    return (
        "<div class=table><table><thead><tr><th>level</th><th></th><th>areas</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>\n"
    )


def _features(said: Said) -> list[Mapping[str, Any]]:
    return said["areas"]["map"]["features"] if "areas" in said else []


def _levels(said: Said) -> dict[str, float]:
    """The level of each region, and of the rest of the map."""
    own = {each["properties"]["name"]: each["properties"]["epsilon"] for each in _features(said)}
    rest = said["areas"]["map"].get(ELSEWHERE) if "areas" in said else None
    return own | ({"the rest of the map": rest["epsilon"]} if rest else {})


def _opacity(levels: Mapping[str, float]) -> dict[float, float]:
    """How dark each level is: by its rank, so that near levels can be told apart."""
    known = sorted(set(levels.values()))
    steps = np.linspace(DARKEST, LIGHTEST, len(known)) if len(known) > 1 else [DARKEST / 2]
    return dict(zip(known, map(float, steps), strict=True))
