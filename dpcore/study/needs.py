"""Needs: how accurate a result has to be, in words that name no epsilon."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore.errors import BadInput, shortened
from dpcore.privacy import explain

#: A need is met so often unless told otherwise.
OFTEN = 0.9


@dataclass(frozen=True)
class Need:
    """A limit on an error, and how often the error must stay below it.

    Parameters
    ----------
    limit : float
        The largest error.
    often : float, default=0.9
        The part of all cases in which the error stays below the limit.

    Raises
    ------
    ValueError
        If a number is out of range.

    Examples
    --------
    >>> from dpcore.study.needs import CentersWithin
    >>> CentersWithin(200).words(True)
    'centers within 200\\xa0m, 9 times in 10'
    """

    limit: float
    often: float = OFTEN
    #: How the need is called on the command line and in addresses.
    key: ClassVar[str] = ""
    #: The largest limit that means anything.
    most: ClassVar[float] = math.inf

    def __post_init__(self) -> None:
        if not 0 < self.limit <= self.most or not math.isfinite(self.limit):
            raise BadInput(f"A limit is above 0 and at most {self.most:g}, not {self.limit!r}.")
        if not 0.5 <= self.often < 1:
            raise BadInput(f"A need is met from 0.5 to 0.999 of the times, not {self.often!r}.")

    def reached(self, errors: Iterable[float]) -> float:
        """The error that so many of these stay below."""
        return float(np.quantile(np.fromiter(errors, dtype=np.float64), self.often))

    def error_words(self, error: float, in_meters: bool) -> str:
        """An error in words."""
        raise NotImplementedError

    def words(self, in_meters: bool, unit: str = "row") -> str:
        """The need in words."""
        raise NotImplementedError

    @property
    def times(self) -> str:
        """The part of all times, as people say it: 9 times in 10."""
        if math.isclose(self.often, 0.5):
            return "half of the time"
        for of in (2, 3, 4, 5, 10, 20, 50, 100, 1000):
            part = self.often * of
            if math.isclose(part, round(part), abs_tol=1e-9):
                return f"{round(part)} times in {of:,}"
        return f"{100 * self.often:g} % of the time"

    @property
    def part(self) -> str:
        """The part of all cases, as people say it: 9 in 10."""
        if math.isclose(self.often, 0.5):
            return "half"
        return self.times.replace(" times", "").replace(" of the time", "")

    def sentence(self, reached: str, half: str, unit: str) -> str:
        """The accuracy in a sentence without its end."""
        raise NotImplementedError


@dataclass(frozen=True)
class CentersWithin(Need):
    """Centers lie within a distance of where they would lie without privacy: in meters on a map,
    elsewhere in percent of the width of the box.

    Examples
    --------
    >>> from dpcore.study.needs import CentersWithin
    >>> CentersWithin(200, 0.5).times
    'half of the time'
    """

    key: ClassVar[str] = "centers"

    def error_words(self, error: float, in_meters: bool) -> str:
        return explain.distance(error, in_meters)

    def words(self, in_meters: bool, unit: str = "row") -> str:
        limit = f"{self.limit:,g}{explain.NO_BREAK}{'m' if in_meters else '% of the box'}"
        return f"centers within {limit}, {self.times}"

    def sentence(self, reached: str, half: str, unit: str) -> str:
        return f"{self.part} centers lie within {reached}, half of them within {half}"

    def in_errors(self, in_meters: bool) -> float:
        """The limit in the units of shifts: meters, or unit coordinates."""
        return self.limit if in_meters else self.limit * 2 / 100


@dataclass(frozen=True)
class WorseBy(Need):
    """A limit on how much more the clustering costs than without privacy, in percent.

    Examples
    --------
    >>> from dpcore.study.needs import WorseBy
    >>> WorseBy(1).words(True)
    'clustering at most 1 % worse, 9 times in 10'
    """

    key: ClassVar[str] = "worse"
    most: ClassVar[float] = 1000.0

    def error_words(self, error: float, in_meters: bool) -> str:
        return explain.change(error)

    def words(self, in_meters: bool, unit: str = "row") -> str:
        return f"clustering at most {self.limit:g} % worse, {self.times}"

    def sentence(self, reached: str, half: str, unit: str) -> str:
        return f"{self.times} the clustering is at most {reached} worse, half of the time {half}"


@dataclass(frozen=True)
class CountsWithin(Need):
    """A limit on the error of the number of rows in a neighborhood, in rows.

    Examples
    --------
    >>> from dpcore.study.needs import CountsWithin
    >>> CountsWithin(100).words(True, "trip")
    'neighborhood counts within 100 trips, 9 times in 10'
    """

    key: ClassVar[str] = "counts"

    def error_words(self, error: float, in_meters: bool) -> str:
        return explain.people_count(error)

    def words(self, in_meters: bool, unit: str = "row") -> str:
        counted = explain.plural(unit)
        return f"neighborhood counts within {self.limit:,g} {counted}, {self.times}"

    def sentence(self, reached: str, half: str, unit: str) -> str:
        counted = explain.plural(unit)
        return f"{self.part} counts are right to within {reached} {counted}, half of them to {half}"


NEEDS: dict[str, type[Need]] = {each.key: each for each in (CentersWithin, WorseBy, CountsWithin)}

_NUMBER = r"(\d[\d,]*(?:\.\d+)?)"
_SHAPES: tuple[tuple[type[Need], str], ...] = (
    (CentersWithin, rf"centers?\s+within\s+{_NUMBER}\s*(km|m|meters?|%)"),
    (WorseBy, rf"(?:clustering\s+)?at\s+most\s+{_NUMBER}\s*(%|percent)\s+worse"),
    (CountsWithin, rf"(?:neighborhood\s+|area\s+)?counts?\s+within\s+{_NUMBER}\s*([a-z]+)?"),
)
_OFTEN = rf"(?:,|\s)\s*(?:(\d+)\s+times\s+(?:in|out\s+of)\s+(\d+)|{_NUMBER}\s*%\s+of\s+the\s+time)"
EXAMPLES = (
    "centers within 200 m, 9 times in 10",
    "clustering at most 1 % worse",
    "neighborhood counts within 100 trips",
)


def parsed_need(text: str) -> Need:
    """The need that a sentence tells.

    Parameters
    ----------
    text : str
        Such as "centers within 200 m, 9 times in 10".

    Returns
    -------
    Need

    Raises
    ------
    ValueError
        If it is no such sentence.

    Examples
    --------
    >>> from dpcore.study.needs import parsed_need
    >>> parsed_need("neighborhood counts within 100 trips, 19 times in 20")
    CountsWithin(limit=100.0, often=0.95)
    """
    words = text.strip().lower().rstrip(".")
    for kind, shape in _SHAPES:
        match = re.fullmatch(rf"{shape}(?:{_OFTEN})?", words, re.ASCII)
        if match is None:
            continue
        limit = _number(match[1]) * (1000 if match[2] == "km" else 1)
        if match[3]:
            of = int(match[4])
            return kind(limit, int(match[3]) / of if of else math.nan)
        return kind(limit, _number(match[5]) / 100 if match[5] else OFTEN)
    examples = "; ".join(f"“{each}”" for each in EXAMPLES)
    raise BadInput(
        f"{shortened(text)!r} is not a need that dpcore understands. Write one such as {examples}."
    )


def _number(text: str) -> float:
    return float(text.replace(",", ""))
