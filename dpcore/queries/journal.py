"""The journal of a run: its steps, with the charges that each of them took."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dpcore.results.non_private import NonPrivate
from dpcore.results.steps import Note, RunStep

if TYPE_CHECKING:
    from dpcore.privacy.transcript import Charge, Transcript


class Journal:
    """The steps of a run in order, each with the charges booked since the step before.

    Only a journal that keeps the truth holds exact answers, and only as `NonPrivate`. `watch` is
    told each step as it is written.
    """

    def __init__(
        self,
        transcript: Transcript,
        keeps_truth: bool = False,
        watch: Callable[[RunStep], None] | None = None,
    ):
        self.keeps_truth = keeps_truth
        self._watch = watch
        self._steps: list[RunStep] = []
        #: Each account, with the number of its charges that a step carries.
        self._accounts = [(transcript, 0)]

    @property
    def steps(self) -> tuple[RunStep, ...]:
        return tuple(self._steps)

    def follow(self, transcript: Transcript) -> None:
        """Take in the charges of an account that was set aside, too."""
        self._accounts.append((transcript, 0))

    def of_part(self, transcript: Transcript) -> Journal:
        """An empty journal of the same kind, for a part of the rows with its own account."""
        return Journal(transcript, self.keeps_truth, self._watch)

    def write(self, note: Note, truth: Callable[[], Mapping[str, Any]] | None = None) -> None:
        """Add a step: its public part and, in a journal that keeps it, the truth behind it."""
        exact = NonPrivate(truth()) if truth is not None and self.keeps_truth else None
        if not isinstance(note, Note):
            raise TypeError(f"A step is noted as a Note of dpcore.results.steps, not {note!r}.")
        step = RunStep(note, self._new_charges(), exact)
        self._steps.append(step)
        if self._watch is not None:
            self._watch(step)

    def extend(self, steps: Sequence[RunStep]) -> None:
        """Add the steps of a part, which carry charges of their own."""
        self._steps.extend(steps)

    def _new_charges(self) -> tuple[Charge, ...]:
        """The charges booked since the last call."""
        booked: list[Charge] = []
        for i, (transcript, seen) in enumerate(self._accounts):
            fresh = transcript[seen:]
            booked += fresh
            self._accounts[i] = transcript, seen + len(fresh)
        return tuple(booked)
