"""The steps of a release, in order."""

from __future__ import annotations

from enum import StrEnum


class PublishStep(StrEnum):
    DATA = "data"
    PROTECT = "protect"
    PLACE = "place"
    LEVEL = "level"
    CONFIRM = "confirm"
    RELEASED = "released"

    @property
    def number(self) -> int:
        return list(PublishStep).index(self) + 1
