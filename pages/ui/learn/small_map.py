"""Small maps as drawings: many fit on one page."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence

from dpcore.geometry.domain import Box
from dpcore.privacy.explain import people_count
from pages.ui.learn import ground
from pages.ui.palette import Palette

#: How much narrower a degree of longitude is than one of latitude, here.
NARROW = 0.757
Place = Sequence[float]
#: The middle and the radius of a circle.
Disc = tuple[float, float, float]


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
        spots = [self.at(place) for place in places]
        sizes = [radii] * len(spots) if isinstance(radii, float | int) else list(radii)
        discs = [(*spot, size * self.unit) for spot, size in zip(spots, sizes, strict=True)]
        self.discs(discs, fill, stroke, width * self.unit, opacity)

    def discs(
        self, discs: Sequence[Disc], fill: str, stroke: str, width: float, opacity: float
    ) -> None:
        """Circles in units of the drawing."""
        circles = "".join(f'<circle cx="{x}" cy="{y}" r="{r:.1f}"/>' for x, y, r in discs)
        self.shapes.append(
            f'<g fill="{fill}" stroke="{stroke}" stroke-width="{width:.1f}" '
            f'opacity="{opacity}">{circles}</g>'
        )

    def private(self, places: Iterable[Place], holds: bool = True, size: float = 2.6) -> None:
        """Solid discs in a white rim."""
        fill = self.colors.private if holds else self.colors.unproven
        self.circles(places, size, fill, self.colors.rim, size / 4)

    def non_private(self, places: Iterable[Place], size: float = 3.4) -> None:
        """Hollow red rings."""
        self.circles(places, size, "none", self.colors.non_private, size / 4)

    def lines(self, ends: Iterable[tuple[Place, Place]], color: str, width: float = 0.7) -> None:
        paths = "".join(
            f'<path d="M{a[0]} {a[1]}L{b[0]} {b[1]}"/>'
            for a, b in ((self.at(one), self.at(other)) for one, other in ends)
        )
        self.shapes.append(
            f'<g stroke="{color}" stroke-width="{width * self.unit:.1f}">{paths}</g>'
        )

    def cells(self, low: Place, high: Place, fill: str, opacity: float, line: float = 0.4) -> None:
        (x0, y1), (x1, y0) = self.at(low), self.at(high)
        self.shapes.append(
            f'<rect x="{x0}" y="{y0}" width="{x1 - x0:.1f}" height="{y1 - y0:.1f}" fill="{fill}" '
            f'fill-opacity="{opacity:.2f}" stroke="{fill}" stroke-width="{self.unit * line:.1f}"/>'
        )

    def polygon(self, ring: Iterable[Place], fill: str, opacity: float, outline: str) -> None:
        corners = "L".join(f"{x} {y}" for x, y in map(self.at, ring))
        self.shapes.append(
            f'<path d="M{corners}Z" fill="{fill}" fill-opacity="{opacity}" stroke="{outline}" '
            f'stroke-width="{self.unit * 0.5:.1f}"/>'
        )

    def text(self, place: Place, words: str, color: str, size: float = 6.0) -> None:
        """Words on a halo of land, so that they can be read on anything."""
        x, y = self.at(place)
        self.shapes.append(
            f'<text x="{x}" y="{y}" font-size="{size * self.unit:.0f}" font-weight="600" '
            f'text-anchor="middle" dominant-baseline="central" fill="{color}" '
            f'stroke="{self.colors.halo}" stroke-width="{self.unit * size / 8:.1f}" '
            f'stroke-linejoin="round" paint-order="stroke" '
            f'font-family="sans-serif">{html.escape(words)}</text>'
        )

    def names(self, *kinds: str, size: float = 4.0, most: int = 8) -> None:
        """The most important names of these kinds that lie well inside the window."""
        (west, south), (east, north) = self.window.low[:2], self.window.high[:2]
        margin, wide = (north - south) * size / 50, (east - west) / 8
        inner = Box((west + wide, south + margin), (east - wide, north - margin))
        hues = {"borough": "borough", "region": "borough", "water": "sea", "park": "grove"}
        names = [n for n in ground.names() if n.kind in kinds and inner.contains(n.at)]
        for name in names[:most]:
            color = getattr(self.colors, hues.get(name.kind, "name"))
            self.text(name.at, name.text, color, size)

    def image(self) -> str:
        """The drawing as an image in HTML, which takes no other kind of drawing."""
        data = base64.b64encode(self.svg().encode()).decode()
        words = html.escape(self.words, quote=True)
        return f'<img class="small-map" alt="{words}" src="data:image/svg+xml;base64,{data}">'

    def svg(self) -> str:
        land = "".join(
            f'<path d="{self.path(kind)}" fill="{getattr(self.colors, kind)}" fill-rule="evenodd"/>'
            for kind in ground.KINDS
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}">'
            f'<rect width="{self.width}" height="{self.height}" fill="{self.colors.water}"/>'
            f"{land}{''.join(self.shapes)}</svg>"
        )

    def path(self, kind: str) -> str:
        return "".join(
            "M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in map(self.at, ring)) + "Z"
            for ring in ground.seen(self.window)[kind]
        )


def count_words(count: int) -> str:
    """A noisy count as it stands in a cell; noise may have made it negative."""
    return people_count(count).replace("-", "−")
