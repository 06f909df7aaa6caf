"""Parsers that turn text from the address into values, and values back into text."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Parse = Callable[[str], T]
Point = tuple[float, float]


@dataclass(frozen=True)
class OneOf(Generic[T]):
    """Parser for one of several options: strings, numbers, or members of an enumeration."""

    options: Collection[T]

    def __call__(self, text: str) -> T:
        for kind in {type(option): None for option in self.options}:
            value = kind(text)  # type: ignore[call-arg] # each kind of option reads its own text
            if value in self.options:
                return value
        raise ValueError(f"{text!r} is none of {', '.join(map(str, self.options))}.")

    @property
    def limits(self) -> dict[str, Any]:
        """Arguments that limit a control to these options."""
        return {"options": list(self.options)}


@dataclass(frozen=True)
class SomeOf:
    """Parser for several options, separated by commas. Empty text means none."""

    options: Collection[str]

    def __call__(self, text: str) -> list[str]:
        return list(dict.fromkeys(map(OneOf(self.options), words(text))))

    @property
    def limits(self) -> dict[str, Any]:
        return {"options": list(self.options)}


@dataclass(frozen=True)
class InRange(Generic[T]):
    """Parser for a number within optional limits."""

    kind: Callable[[Any], T]
    low: float | None = None
    high: float | None = None

    def __call__(self, text: str) -> T:
        value: Any = self.kind(text)
        if (self.low is not None and not value >= self.low) or (
            self.high is not None and not value <= self.high
        ):
            raise ValueError(f"{value} is not from {self.low} to {self.high}.")
        return value

    @property
    def limits(self) -> dict[str, Any]:
        return {
            "min_value": None if self.low is None else self.kind(self.low),
            "max_value": None if self.high is None else self.kind(self.high),
        }


@dataclass(frozen=True)
class NumberOrNone:
    """Parser for one of several numbers. Without one the address says nothing."""

    options: Collection[float]

    def __call__(self, text: str) -> float | None:
        return OneOf(self.options)(text)

    @property
    def limits(self) -> dict[str, Any]:
        return {"options": [None, *self.options]}


def yes_or_no(text: str) -> bool:
    return {"true": True, "false": False}[OneOf(("true", "false"))(text)]


def words(text: str) -> list[str]:
    """Split text at its commas; empty text has no parts."""
    return text.split(",") if text else []


def points(text: str) -> list[Point]:
    """Parse points on a map, such as `-74.0100,40.7000_-73.9800,40.7500`."""
    return [(float(x), float(y)) for x, y in (each.split(",") for each in text.split("_"))]


def points_text(places: list[Point]) -> str:
    return "_".join(f"{x:.4f},{y:.4f}" for x, y in places)


def plain_text(value: Any) -> str:
    """Format a value for the address."""
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
