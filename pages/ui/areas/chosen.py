"""Areas that somebody chose, as the address has them: `Chelsea*Strict~Home*Strict*-74,40.7_…`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from dpcore.privacy.explain import LEVELS
from pages.ui.url_parsers import Point, points, points_text

LEVEL_NAMES = tuple(level.name for level in LEVELS)
#: The level that a new area starts at.
FIRST_LEVEL = LEVELS[-2].name
#: Stands for the corners of an area that was loaded from a file.
FILE = "file"
MOST_CORNERS, MOST_AREAS, LONGEST_NAME = 60, 400, 80
BETWEEN, WITHIN = "~", "*"


@dataclass(frozen=True)
class Chosen:
    """An area and its level: a public place by its name, a drawn shape, or one of a file."""

    name: str
    level: str
    corners: tuple[Point, ...] = ()
    is_loaded: bool = False

    @property
    def is_place(self) -> bool:
        return not self.corners and not self.is_loaded

    @property
    def epsilon(self) -> float:
        return LEVELS[LEVEL_NAMES.index(self.level)].epsilon

    def at(self, level: str) -> Chosen:
        """The same area at another level."""
        return replace(self, level=level)


def parse(text: str) -> list[Chosen]:
    """The areas that an address names, or ValueError."""
    areas = [_parsed(each) for each in text.split(BETWEEN)] if text else []
    if len(areas) > MOST_AREAS:
        raise ValueError(f"There are {len(areas)} areas: name at most {MOST_AREAS}.")
    return list({each.name: each for each in areas}.values())


def _parsed(text: str) -> Chosen:
    name, level, *rest = text.split(WITHIN)
    if name != plain_name(name) or level not in LEVEL_NAMES or len(rest) > 1:
        raise ValueError(f"{text!r} is not an area with a level.")
    if rest == [FILE]:
        return Chosen(name, level, is_loaded=True)
    corners = tuple(points(rest[0])) if rest else ()
    if rest and not 3 <= len(corners) <= MOST_CORNERS:
        raise ValueError(f"An area has from 3 to {MOST_CORNERS} corners, not {len(corners)}.")
    return Chosen(name, level, corners)


def text(areas: Iterable[Chosen]) -> str:
    """The areas as an address has them."""
    return BETWEEN.join(_text(each) for each in areas)


def _text(area: Chosen) -> str:
    shape = [FILE] if area.is_loaded else [points_text(list(area.corners))] * bool(area.corners)
    return WITHIN.join([area.name, area.level, *shape])


def plain_name(name: str) -> str:
    """A name without what separates names in an address."""
    return re.sub(r"[^\w .,&'()/-]", " ", name).strip()[:LONGEST_NAME].strip()


def new_name(areas: Iterable[Chosen]) -> str:
    """A name that no area has."""
    names = {each.name for each in areas}
    return next(name for i in range(1, MOST_AREAS + 2) if (name := f"Area {i}") not in names)
