"""The score of the class in the guessing game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class ClassScore:
    """The score of the class against one contestant at one ε, kept in the address."""

    who: str
    epsilon: float
    seed: int
    number: int = 1
    right: int = 0
    #: The answer of the class in this round: "in", "out", or "" if there is none yet.
    answer: str = ""

    @classmethod
    def parse(cls, text: str) -> Self:
        parts = text.split(",")
        if len(parts) != 6:
            raise ValueError(f"{text!r} is no tally.")
        who, epsilon, seed, number, right, answer = parts
        tally = cls(who, float(epsilon), int(seed), int(number), int(right), answer)
        if (
            answer not in ("", "in", "out")
            or tally.number < 1
            or not 0 <= tally.right <= tally.number
        ):
            raise ValueError(f"{text!r} is no tally.")
        return tally

    def __str__(self) -> str:
        parts = (self.who, f"{self.epsilon:g}", self.seed, self.number, self.right, self.answer)
        return ",".join(map(str, parts))

    @property
    def played(self) -> int:
        return self.number - (not self.answer)
