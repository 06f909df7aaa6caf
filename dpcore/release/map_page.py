"""The map of a release as one file: opens offline, on a phone, by day and by night.

Shapes that ship and what the run released are drawn as SVG inside the page. There is no program in
it and nothing to fetch, and its policy forbids both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

import numpy as np

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
#: Forbids programs and everything from elsewhere; styles are in the page.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"

STYLE = """\
:root { color-scheme: light dark; --ground: #F7F6F2; --water: #D4E4EF; --shore: #B0BAC2;
  --point: #14181C; --center: #005ADC; --rim: #FFFFFF; --paper: #FFFFFF; --ink: #14181C;
  --quiet: #56616B; }
@media (prefers-color-scheme: dark) { :root { --ground: #202830; --water: #0B1A26;
  --shore: #425060; --point: #ECF0F4; --center: #569CFF; --rim: #0B1A26; --paper: #11181F;
  --ink: #ECF0F4; --quiet: #A5B0BA; } }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.35rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
p { margin: .25rem 0 .75rem; } .quiet { color: var(--quiet); }
svg { display: block; width: 100%; height: auto; max-height: 85vh; background: var(--water);
  border-radius: .25rem; }
.land { fill: var(--ground); stroke: var(--shore); } .point { fill: var(--point); }
.center { fill: var(--center); stroke: var(--rim); stroke-width: 3; }
.way { stroke: var(--center); stroke-width: 3; }
.number { fill: var(--rim); font: bold 14px system-ui, sans-serif; text-anchor: middle; }
.table { overflow-x: auto; } table { border-collapse: collapse; margin-top: .75rem; }
th, td { text-align: right; padding: .2rem .9rem .2rem 0; font-variant-numeric: tabular-nums; }
th { font-weight: 600; } thead { border-bottom: 1px solid var(--shore); }
"""


class PageFrame:
    """Where a place of the box is on the drawing."""

    def __init__(self, box: Box, geographic: bool):
        self._low = np.asarray(box.low)
        spans = np.asarray(box.high) - self._low
        # A degree of longitude is shorter than one of latitude, the more so the further north.
        middle = math.radians(float(self._low[1] + spans[1] / 2))
        shape = spans[1] / (spans[0] * max(math.cos(middle), 0.05)) if geographic else 1.0
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
    layers = [
        *(_land(frame, box) if said["geographic"] else ()),
        *map_areas.shapes(said, frame, box),
        *(_points(frame, drawn) if drawn is not None else ()),
        *_centers(frame, published.centers),
    ]
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
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}{map_areas.style(said)}</style></head><body>\n"
        f"<h1>{escape(title)}</h1>\n<p class=quiet>{escape(' '.join(told))}</p>\n"
        f'<svg viewBox="0 0 {WIDTH:g} {frame.height:g}" role="img" aria-label="{escape(label)}">\n'
        + "\n".join(layers)
        + f"\n</svg>\n{map_areas.legend(said)}{_table(published)}\n</body></html>\n"
    )


def _land(frame: PageFrame, box: Box) -> Iterator[str]:
    """The shapes that reach into the box. Corners that fall on one spot are drawn once."""
    low, high = np.asarray(box.low), np.asarray(box.high)
    for area in boroughs():
        path = ""
        for ring in area.rings():
            if (ring.max(axis=0) < low).any() or (ring.min(axis=0) > high).any():
                continue
            path += map_areas.outline(frame(ring))
        if path:
            yield f'<path class="land" d="{path}"><title>{escape(area.name)}</title></path>'


def _points(frame: PageFrame, drawn: Marks) -> Iterator[str]:
    weights = drawn.frame["weight"].to_numpy()
    if not len(weights):
        return
    spots = frame(drawn.frame[["x", "y"]].to_numpy())
    ink = INK * WIDTH * frame.height / math.pi
    radii = np.clip(np.sqrt(ink * weights / weights.sum()), SMALLEST, LARGEST)
    for (x, y), radius, weight in zip(
        spots.tolist(), radii.tolist(), weights.tolist(), strict=True
    ):
        yield (
            f'<circle class="point" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}">'
            f"<title>weight {weight:.6g}</title></circle>"
        )


def _centers(frame: PageFrame, centers: FloatArray) -> Iterator[str]:
    """Numbered as in the files; of a way, the number stands where it begins."""
    if centers.shape[1] == 4:
        for (x0, y0), (x1, y1) in zip(
            frame(centers[:, :2]).tolist(), frame(centers[:, 2:]).tolist(), strict=True
        ):
            yield f'<line class="way" x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}"/>'
    for number, (x, y) in enumerate(frame(centers[:, :2]).tolist(), start=1):
        yield (
            f'<circle class="center" cx="{x:.1f}" cy="{y:.1f}" r="13">'
            f"<title>center {number}</title></circle>"
            f'<text class="number" x="{x:.1f}" y="{y + 5:.1f}">{number}</text>'
        )


def _table(published: Published) -> str:
    """In text what the map shows, largest share first."""
    box, centers = published.box, published.centers
    head = "".join(f"<th>{escape(name)}</th>" for name in ("center", *box.names, "share"))
    found = shares_of(published.synopsis, box, centers)
    shares = np.full(len(centers), np.nan) if found is None else found
    rows = ""
    for index in np.argsort(-shares, kind="stable").tolist():
        cells = "".join(f"<td>{value:.5f}</td>" for value in centers[index])
        percent = "" if np.isnan(shares[index]) else f"{100 * shares[index]:.0f} %"
        rows += f"<tr><td>{index + 1}</td>{cells}<td>{percent}</td></tr>"
    return (
        f"<div class=table><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
