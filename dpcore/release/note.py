"""A note on a release: who made it and why. The ledger keeps it; no published file has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpcore.errors import BadInput

#: Letters of each part.
LONGEST = 300
#: Under this name a line of the ledger holds its note, beside the plan.
KEY = "kept note"


@dataclass(frozen=True)
class ReleaseNote:
    """A note about the publisher and the purpose, for those who keep the ledger. Nobody checks it.

    Parameters
    ----------
    who : str, default=""
        Who made it.
    why : str, default=""
        Why, or for whom.

    Raises
    ------
    ValueError
        If a part is longer than 300 characters or has more than one line.

    Examples
    --------
    >>> from dpcore.release import ReleaseNote
    >>> ReleaseNote("Ann", "monthly report").words()
    'Ann: monthly report'
    """

    who: str = ""
    why: str = ""

    def __post_init__(self) -> None:
        for name, text in (("who", self.who), ("why", self.why)):
            if not isinstance(text, str) or len(text) > LONGEST or not text.isprintable():
                raise BadInput(
                    f"In a note, {name} is one line of at most {LONGEST} characters, not {text!r}."
                )
            object.__setattr__(self, name, text.strip())

    def words(self) -> str:
        """The note in a line; nothing if it is empty."""
        return ": ".join(filter(None, (self.who, self.why)))

    def beside(self, plan: Mapping[str, Any]) -> dict[str, Any]:
        """A plan as the ledger keeps it, with the note beside it."""
        note = {"who": self.who, "why": self.why}
        return {**plan, **({KEY: note} if self.words() else {})}

    @classmethod
    def of(cls, plan: Mapping[str, Any]) -> ReleaseNote:
        """The note beside a plan in the ledger."""
        return cls(**plan.get(KEY, {}))


def without_note(plan: Mapping[str, Any]) -> dict[str, Any]:
    """The plan that the ledger keeps, as it was made."""
    return {name: value for name, value in plan.items() if name != KEY}
