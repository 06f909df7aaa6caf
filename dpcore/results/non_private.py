"""A wrapper for values that look at the data without protection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class NonPrivate(Generic[T]):
    """A value that looks at the data without protection: only the owner of the data may see it."""

    value: T

    def __repr__(self) -> str:
        return "NonPrivate(for your eyes only: .value opens it)"


def guarded(value: T, public: bool) -> T | NonPrivate[T]:
    """The value, wrapped unless the data it looked at are public anyway."""
    return value if public else NonPrivate(value)


def opened(value: T | NonPrivate[T]) -> T:
    """The plain value, for use inside the program or for the owner of the data."""
    return value.value if isinstance(value, NonPrivate) else value
