"""A small map painted as pixels, for slides: the same marks, drawn with Pillow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path

import streamlit
from PIL import Image, ImageDraw, ImageFont

from dpcore.geometry.domain import Box
from pages.ui.learn import ground
from pages.ui.learn.small_map import Disc, Place, SmallMap
from pages.ui.palette import Palette

Pen = ImageDraw.ImageDraw
#: Painted at twice the size and then halved, so that edges are smooth.
FINE = 2


@cache
def font(size: int, bold: bool = False) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The typeface of the pages, which comes with Streamlit; else the one of Pillow."""
    folder = Path(streamlit.__file__).with_name("static")
    for file in sorted(folder.rglob("SourceSans*Upright*.woff2")):
        try:
            typeface = ImageFont.truetype(str(file), size)
            typeface.set_variation_by_axes([700 if bold else 400])
            return typeface
        except OSError:  # this Pillow reads no fonts for the web
            break
    return ImageFont.load_default(size)


class PaintedMap(SmallMap):
    """Marks on water and land, painted."""

    def __init__(self, window: Box, colors: Palette, words: str):
        super().__init__(window, colors, words)
        #: What is painted, one after the other; strokes of one kind share a sheet.
        self.strokes: list[tuple[str, Callable[[Pen, float], None]]] = []

    def discs(
        self, discs: Sequence[Disc], fill: str, stroke: str, width: float, opacity: float
    ) -> None:
        def paint(pen: Pen, scale: float) -> None:
            for x, y, r in discs:
                pen.ellipse(
                    [(x - r) * scale, (y - r) * scale, (x + r) * scale, (y + r) * scale],
                    fill=None if fill == "none" else shade(fill, opacity),
                    outline=None if stroke == "none" else shade(stroke, opacity),
                    width=max(1, round(width * scale)),
                )

        self.strokes.append(("circles", paint))

    def lines(self, ends: Iterable[tuple[Place, Place]], color: str, width: float = 0.7) -> None:
        pairs = [(self.at(one), self.at(other)) for one, other in ends]

        def paint(pen: Pen, scale: float) -> None:
            for pair in pairs:
                pen.line(
                    [(x * scale, y * scale) for x, y in pair],
                    fill=color,
                    width=max(1, round(width * self.unit * scale)),
                )

        self.strokes.append(("lines", paint))

    def cells(self, low: Place, high: Place, fill: str, opacity: float, line: float = 0.4) -> None:
        (x0, y1), (x1, y0) = self.at(low), self.at(high)

        def paint(pen: Pen, scale: float) -> None:
            pen.rectangle(
                [x0 * scale, y0 * scale, x1 * scale, y1 * scale],
                fill=shade(fill, opacity),
                outline=fill,
                width=max(1, round(line * self.unit * scale)),
            )

        self.strokes.append(("cells", paint))

    def polygon(self, ring: Iterable[Place], fill: str, opacity: float, outline: str) -> None:
        corners = [self.at(place) for place in ring]

        def paint(pen: Pen, scale: float) -> None:
            spots = [(x * scale, y * scale) for x, y in corners]
            pen.polygon(spots, fill=shade(fill, opacity), outline=outline)

        self.strokes.append(("polygon", paint))

    def text(self, place: Place, words: str, color: str, size: float = 6.0) -> None:
        x, y = self.at(place)

        def paint(pen: Pen, scale: float) -> None:
            letters = round(size * self.unit * scale)
            pen.text(
                (x * scale, y * scale),
                words,
                fill=color,
                font=font(letters, True),
                anchor="mm",
                stroke_width=max(1, letters // 8),
                stroke_fill=self.colors.halo,
            )

        self.strokes.append(("text", paint))

    def painted(self, width: int, height: int) -> Image.Image:
        """The drawing in as many pixels; what does not fit is cut off at both sides alike."""
        scale = FINE * max(width / self.width, height / self.height)
        size = round(self.width * scale), round(self.height * scale)
        picture = Image.new("RGB", size, self.colors.water)
        pen = ImageDraw.Draw(picture)
        for kind in ground.KINDS:
            for ring in ground.seen(self.window)[kind]:
                corners = [(x * scale, y * scale) for x, y in map(self.at, ring)]
                pen.polygon(corners, fill=getattr(self.colors, kind))
        for _, strokes in groupby(self.strokes, key=lambda stroke: stroke[0]):
            sheet = Image.new("RGBA", picture.size)
            on_sheet = ImageDraw.Draw(sheet)
            for _, paint in strokes:
                paint(on_sheet, scale)
            picture.paste(sheet, (0, 0), sheet)
        left, top = (size[0] - width * FINE) // 2, (size[1] - height * FINE) // 2
        cut = picture.crop((left, top, left + width * FINE, top + height * FINE))
        return cut.resize((width, height), Image.Resampling.LANCZOS)


def shade(color: str, opacity: float) -> tuple[int, int, int, int]:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue, round(255 * opacity)
