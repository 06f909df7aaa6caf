"""The steps of a release, in order."""

from __future__ import annotations

from enum import StrEnum


class Step(StrEnum):
    DATA = "data"
    PROTECT = "protect"
    LEVEL = "level"
    CONFIRM = "confirm"
    RELEASED = "released"

    @property
    def number(self) -> int:
        return list(Step).index(self) + 1
