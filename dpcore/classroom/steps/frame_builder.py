"""The builder of frames, and what it remembers from one step of a run to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore.classroom.steps.marks import Mark, MarkKind, lengths, some_rows
from dpcore.classroom.steps.running_account import RunningAccount
from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import FloatArray
from dpcore.privacy.explain import distance
from dpcore.results.run_result import RunResult
from dpcore.results.steps import RunStep
from dpcore.results.synopsis import Coreset
from dpcore.study.run_view import marks


@dataclass(frozen=True, eq=False)
class Frame:
    """One screen of a run: a title, a sentence, marks, and the budget used so far."""

    title: str
    sentence: str
    marks: tuple[Mark, ...]
    #: How many charges are booked by now, and their sum.
    booked: int
    epsilon: float

    @property
    def looks_at_data(self) -> bool:
        return any(mark.kind.looks_at_data for mark in self.marks)

    def mark(self, kind: MarkKind) -> Mark | None:
        return next((mark for mark in self.marks if mark.kind is kind), None)


class Telling:
    """State and helpers for replaying a run as frames, from one step to the next."""

    def __init__(self, result: RunResult, data: Dataset):
        self.data = data
        self.box = data.box
        self.unit = data.about.unit
        self.account = RunningAccount(result)
        #: Lines of the account before the present step, and their sum.
        self.before = (0, 0.0)
        #: Some of the rows, and which of them no step has removed.
        self.rows = some_rows(data)
        self.there = np.ones(len(self.rows), dtype=bool)
        self.round = 0
        #: Of the last removal: how far it reached, and how many rows it left.
        self.removed_within, self.rows_left = 0.0, 0

    def frame(self, title: str, sentence: str, *marks: Mark | None, paid: bool = True) -> Frame:
        """A frame from before the step's charges are booked (`paid=False`) or after."""
        visible_marks = tuple(mark for mark in marks if mark is not None and len(mark))
        spent = (len(self.account.lines), self.account.epsilon) if paid else self.before
        return Frame(title, sentence, visible_marks, *spent)

    def begin(self, step: RunStep) -> None:
        """Go on to the next step: its charges are booked."""
        self.before = len(self.account.lines), self.account.epsilon
        self.account.book(step.charges)

    def at(self, kind: MarkKind, unit_points: FloatArray, **more: Any) -> Mark:
        return Mark(kind, self.box.from_unit(np.atleast_2d(unit_points)), **more)

    def line(self, kind: MarkKind, start: FloatArray, end: FloatArray) -> Mark:
        return Mark(kind, self.box.from_unit(start), self.box.from_unit(end))

    def all_rows(self) -> Mark:
        return self.at(MarkKind.ROWS, self.rows[self.there])

    def published(self, points: FloatArray, weights: FloatArray) -> Mark:
        """Weighted points, thinned for a screen."""
        rows = marks(Coreset(points, weights, self.box)).rows
        return Mark(MarkKind.POINTS, rows[:, :2], weights=rows[:, 2])

    def how_far(self, mark: Mark) -> str:
        """The shortest and the longest of some lines, in words."""
        on_map = self.data.about.geographic
        distances = lengths(mark, on_map, self.box)
        least, most = (
            distance(float(distances.min()), on_map),
            distance(float(distances.max()), on_map),
        )
        return least if least == most else f"{least} to {most}"
