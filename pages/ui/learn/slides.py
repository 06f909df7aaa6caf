"""Slides of a lesson: one picture for each step, 1280 × 720, in one ZIP file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence

from PIL import Image, ImageDraw

from dpcore.classroom.lesson_plans import Lesson, LessonStep
from dpcore.errors import DpcoreError
from pages.ui.learn.painted_map import PaintedMap, font
from pages.ui.learn.small_map import SmallMap
from pages.ui.palette import LIGHT, Palette

#: Makes the maps of a step, of a kind, from what its address says.
Draw = Callable[[Mapping[str, str], Palette, type[SmallMap]], Sequence[SmallMap]]
WIDTH, HEIGHT = 1280, 720
MARGIN, GAP = 48, 8
#: Where the picture begins, and where words end.
PICTURE, WORDS = 520, 480
#: Sizes in which a question may stand, the largest that fits.
SIZES = (52, 46, 40, 36, 32, 28)
#: What a ZIP file says of its making; the same slides make the same file.
WHEN = (2000, 1, 1, 0, 0, 0)


def as_zip(lesson: Lesson, draw: Draw) -> bytes:
    """All slides of a lesson. `draw` makes the maps of a step."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for number, step in enumerate(lesson.steps, 1):
            picture = io.BytesIO()
            slide(lesson, number, step, draw).save(picture, "PNG")
            name = zipfile.ZipInfo(f"{lesson.key}-{number}.png", WHEN)
            archive.writestr(name, picture.getvalue())
    return file.getvalue()


def slide(
    lesson: Lesson, number: int, step: LessonStep, draw: Draw, colors: Palette = LIGHT
) -> Image.Image:
    """One step: its question on the left, its picture on the right."""
    page = Image.new("RGB", (WIDTH, HEIGHT), colors.paper)
    pen = ImageDraw.Draw(page)
    pen.text((MARGIN, 44), lesson.title, fill=colors.quiet, font=font(24))
    pen.text((MARGIN, 78), f"{number}. {step.title}", fill=colors.private, font=font(30, True))
    question(pen, step.ask, colors)
    private = "Real, public data: New York, January 2015"
    pen.text((MARGIN, HEIGHT - 52), private, fill=colors.quiet, font=font(18))
    try:
        pictures = draw(step.opens, colors, PaintedMap)
    except DpcoreError as problem:
        pen.text((PICTURE, HEIGHT // 2), str(problem)[:60], fill=colors.quiet, font=font(18))
        return page
    maps = [each for each in pictures if isinstance(each, PaintedMap)]
    paste(page, maps)
    return page


def question(pen: ImageDraw.ImageDraw, ask: str, colors: Palette) -> None:
    """The question, as large as it fits."""
    for size in SIZES:
        lines = wrapped(pen, ask, size)
        if len(lines) * size * 1.25 <= HEIGHT - 240 or size == SIZES[-1]:
            spacing = size * 0.25
            pen.multiline_text(
                (MARGIN, 140),
                "\n".join(lines),
                fill=colors.text,
                font=font(size, True),
                spacing=spacing,
            )
            return


def wrapped(pen: ImageDraw.ImageDraw, text: str, size: int) -> list[str]:
    """Lines no wider than the column of words."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if pen.textlength(longer, font=font(size, True)) > WORDS - MARGIN and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def paste(page: Image.Image, maps: list[PaintedMap]) -> None:
    """One map as large as the right side, or nine in three rows."""
    across = 1 if len(maps) == 1 else 3
    wide = (WIDTH - PICTURE - GAP * (across - 1)) // across
    high = (HEIGHT - GAP * (across - 1)) // across
    for i, each in enumerate(maps):
        row, column = divmod(i, across)
        place = PICTURE + column * (wide + GAP), row * (high + GAP)
        page.paste(each.painted(wide, high), place)
