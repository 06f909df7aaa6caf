"""The conclusion that measurements lead to about a paper's claim."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Conclusion(StrEnum):
    """The conclusion on a claim that was measured again."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    CANNOT_RUN = "cannot be run"


@dataclass(frozen=True)
class Check:
    """The conclusion on a claim and its side claims, in words with numbers."""

    finding: Conclusion
    words: str
    sides: tuple[Check, ...] = ()
    #: What else must be said, such as what was left out.
    notes: tuple[str, ...] = ()

    @property
    def lines(self) -> list[str]:
        """The headline, the side claims and the notes, a line each."""
        return [
            self.words,
            *(f"{side.finding.capitalize()}: {side.words}" for side in self.sides),
            *self.notes,
        ]
