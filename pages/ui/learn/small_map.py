"""Small maps as drawings: many fit on one page, and none needs WebGL."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence
from functools import cache

from dpcore.geometry.domain import Box
from dpcore.privacy.explain import people_count
from pages.server.shores import shores
from pages.ui.palette import Palette

#: How much narrower a degree of longitude is than one of latitude, here.
NARROW = 0.757
#: Corners of a shore nearer than this, in degrees, are not told apart on a small map.
COARSE = 0.0012
Place = Sequence[float]


class SmallMap:
    """Marks on water and land, seen through a window of the city; units of 10^-4 degrees."""

    def __init__(self, window: Box, colors: Palette, words: str):
        self.window, self.colors, self.words = window, colors, words
        self.width = round((window.high[0] - window.low[0]) * 1e4 * NARROW)
        self.height = round((window.high[1] - window.low[1]) * 1e4)
        #: One part in a hundred of the height: what marks are sized by.
        self.unit = self.height / 100
        self.shapes: list[str] = []

    def at(self, place: Place) -> tuple[float, float]:
        x = (place[0] - self.window.low[0]) * 1e4 * NARROW
        y = (self.window.high[1] - place[1]) * 1e4
        return round(x, 1), round(y, 1)

    def circles(
        self,
        places: Iterable[Place],
        radii: float | Iterable[float],
        fill: str,
        stroke: str = "none",
        width: float = 0.0,
        opacity: float = 1.0,
    ) -> None:
        """Circles of one kind; sizes in hundredths of the height."""
        spots = list(places)
        sizes = [radii] * len(spots) if isinstance(radii, float | int) else list(radii)
        drawn = "".join(
            f'<circle cx="{x}" cy="{y}" r="{radius * self.unit:.1f}"/>'
            for (x, y), radius in zip(map(self.at, spots), sizes, strict=True)
        )
        self.shapes.append(
            f'<g fill="{fill}" stroke="{stroke}" stroke-width="{width * self.unit:.1f}" '
            f'opacity="{opacity}">{drawn}</g>'
        )

    def private(self, places: Iterable[Place], holds: bool = True, size: float = 2.6) -> None:
        """Solid discs in a white rim."""
        fill = self.colors.private if holds else self.colors.unproven
        self.circles(places, size, fill, self.colors.rim, size / 4)

    def non_private(self, places: Iterable[Place], size: float = 3.4) -> None:
        """Hollow red rings."""
        self.circles(places, size, "none", self.colors.non_private, size / 4)

    def lines(self, ends: Iterable[tuple[Place, Place]], color: str, width: float = 0.7) -> None:
        drawn = "".join(
            f'<path d="M{a[0]} {a[1]}L{b[0]} {b[1]}"/>'
            for a, b in ((self.at(one), self.at(other)) for one, other in ends)
        )
        self.shapes.append(
            f'<g stroke="{color}" stroke-width="{width * self.unit:.1f}">{drawn}</g>'
        )

    def cells(self, low: Place, high: Place, fill: str, opacity: float) -> None:
        (x0, y1), (x1, y0) = self.at(low), self.at(high)
        self.shapes.append(
            f'<rect x="{x0}" y="{y0}" width="{x1 - x0:.1f}" height="{y1 - y0:.1f}" fill="{fill}" '
            f'fill-opacity="{opacity:.2f}" stroke="{fill}" stroke-width="{self.unit * 0.4:.1f}"/>'
        )

    def text(self, place: Place, words: str, color: str, size: float = 6.0) -> None:
        """Words on a halo of land, so that they can be read on anything."""
        x, y = self.at(place)
        self.shapes.append(
            f'<text x="{x}" y="{y}" font-size="{size * self.unit:.0f}" font-weight="600" '
            f'text-anchor="middle" dominant-baseline="central" fill="{color}" '
            f'stroke="{self.colors.land}" stroke-width="{self.unit:.1f}" paint-order="stroke" '
            f'font-family="sans-serif">{html.escape(words)}</text>'
        )

    def image(self) -> str:
        """The drawing as an image in HTML, which takes no other kind of drawing."""
        data = base64.b64encode(self.svg().encode()).decode()
        words = html.escape(self.words, quote=True)
        return f'<img class="small-map" alt="{words}" src="data:image/svg+xml;base64,{data}">'

    def svg(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}">'
            f'<rect width="{self.width}" height="{self.height}" fill="{self.colors.water}"/>'
            f'<path d="{self.land()}" fill="{self.colors.land}" fill-rule="evenodd" '
            f'stroke="{self.colors.shore}" stroke-width="{self.unit * 0.25:.1f}"/>'
            f"{''.join(self.shapes)}</svg>"
        )

    def land(self) -> str:
        return "".join(
            "M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in map(self.at, ring)) + "Z"
            for ring in shores_within(self.window)
        )


@cache
def shores_within(window: Box) -> list[list[list[float]]]:
    """Rings of the shores that a window shows, coarsely."""
    found = []
    for area in shores():
        for ring in area["rings"]:
            xs, ys = [p[0] for p in ring], [p[1] for p in ring]
            if (
                min(xs) < window.high[0]
                and max(xs) > window.low[0]
                and min(ys) < window.high[1]
                and max(ys) > window.low[1]
            ):
                thinned = coarse(ring)
                if len(thinned) > 3:
                    found.append(thinned)
    return found


def coarse(ring: list[list[float]]) -> list[list[float]]:
    kept = ring[:1]
    for x, y in ring[1:]:
        if max(abs(x - kept[-1][0]), abs(y - kept[-1][1])) >= COARSE:
            kept.append([x, y])
    return kept


def count_words(count: int) -> str:
    """A noisy count as it stands in a cell; noise may have made it negative."""
    return people_count(count).replace("-", "−")
