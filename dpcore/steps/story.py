"""The journal of a run as frames: one idea each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore.algorithms import ALGORITHMS
from dpcore.datasets.base import Dataset
from dpcore.domain import FloatArray, Grid
from dpcore.dyadic import DyadicCells
from dpcore.explain import distance, people_count, plural
from dpcore.metrics import matched
from dpcore.picture import marks
from dpcore.questions import BlockCenters
from dpcore.results import BaselineResult, RunResult, Step
from dpcore.steps.account import Ledger
from dpcore.steps.blocks import some_block_centers
from dpcore.steps.marks import (
    Kind,
    Mark,
    borders,
    dyadic_cells,
    grid_cells,
    lengths,
    nearest,
    some_rows,
)
from dpcore.synopsis import Coreset
from dpcore.voronoi import Voronoi


@dataclass(frozen=True, eq=False)
class Frame:
    """One idea: what it is called, what it says, what it shows, what is spent by now."""

    title: str
    sentence: str
    marks: tuple[Mark, ...]
    #: Lines of the account that are booked, and what they add up to.
    booked: int
    epsilon: float

    @property
    def looks_at_data(self) -> bool:
        return any(mark.kind.looks_at_data for mark in self.marks)

    def mark(self, kind: Kind) -> Mark | None:
        return next((mark for mark in self.marks if mark.kind is kind), None)


def playable(dimensions: int = 2) -> list[str]:
    """The algorithms whose runs can be told on a map: those that leave more than an answer."""
    return [key for key, a in ALGORITHMS.items() if a.obstacle(dimensions, None, 5) is None]


def frames(
    result: RunResult, data: Dataset, reference: BaselineResult | None = None
) -> tuple[Frame, ...]:
    """A run that kept a journal, from its first question to its answer."""
    if data.d != 2:
        raise ValueError(f"Steps are drawn in 2 dimensions; these data have {data.d}.")
    return tuple(_Story(result, data, reference).told())


class _Story:
    """Goes through a journal and remembers what the next step needs of those before."""

    def __init__(self, result: RunResult, data: Dataset, reference: BaselineResult | None):
        self.result, self.data, self.reference = result, data, reference
        self.box = data.box
        self.unit = data.about.unit
        self.ledger = Ledger(result.transcript)
        self.rows = some_rows(data)
        self.there = np.ones(len(self.rows), dtype=bool)
        self.round = 0
        self.removed_within, self.rows_left = 0.0, 0

    def told(self) -> Iterator[Frame]:
        steps = self.result.steps
        yield self.frame(
            "The data",
            f"{people_count(self.data.n)} {plural(self.unit)}, of which a thousand at most are "
            f"drawn. Nobody may learn whether any one {self.unit} is among them. "
            f"ε = {self.result.transcript.budget.epsilon:g} may be spent.",
            self.all_rows(),
        )
        for i, step in enumerate(steps):
            self.ledger.pass_step(step.kind)
            tell = _TELLERS.get(step.kind)
            if tell is not None:
                yield from tell(self, step, steps[i + 1 :])
        self.ledger.close()
        yield self.answer()

    def frame(self, title: str, sentence: str, *marks: Mark | None, unpaid: int = 0) -> Frame:
        """A frame; of what is booked, it may come before some of the last lines are paid."""
        shown = tuple(mark for mark in marks if mark is not None and len(mark))
        booked = max(0, self.ledger.booked - unpaid)
        return Frame(title, sentence, shown, booked, self.ledger.epsilon_of(booked))

    def at(self, kind: Kind, unit_points: FloatArray, **more: Any) -> Mark:
        return Mark(kind, self.box.from_unit(np.atleast_2d(unit_points)), **more)

    def line(self, kind: Kind, start: FloatArray, end: FloatArray) -> Mark:
        return Mark(kind, self.box.from_unit(start), self.box.from_unit(end))

    def all_rows(self) -> Mark:
        return self.at(Kind.ROWS, self.rows[self.there])

    def published(self, points: FloatArray, weights: FloatArray) -> Mark:
        """Weighted points, thinned for a screen."""
        frame = marks(Coreset(points, weights, self.box)).frame
        places = frame[["x", "y"]].to_numpy()
        return Mark(Kind.POINTS, places, weights=frame["weight"].to_numpy())

    def how_far(self, mark: Mark) -> str:
        """The shortest and the longest of some lines, in words."""
        on_map = self.data.about.geographic
        told = lengths(mark, on_map, self.box)
        least, most = distance(float(told.min()), on_map), distance(float(told.max()), on_map)
        return least if least == most else f"{least} to {most}"

    # One teller for each kind of step.

    def size(self, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
        n = step.released["n"]
        yield self.frame(
            "How many are there?",
            f"Even the number of {plural(self.unit)} gets noise: about {n:,}. "
            f"In truth it is {self.data.n:,}.",
            self.all_rows(),
        )

    def start(self, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
        centers = step.released["centers"]
        yield self.frame(
            "The start looks at nothing",
            f"{len(centers)} centers are put down without a look at any {self.unit}. "
            "That costs nothing.",
            borders(centers, self.box),
            self.at(Kind.PRIVATE, centers),
        )

    def totals(self, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
        self.round += 1
        before = step.released["centers"]
        told = _next_centers(later)
        after = before if told is None or told.shape != before.shape else told
        behind = step.truth.value if step.truth else None
        edges = borders(before, self.box)
        groups = nearest(self.rows, before)
        title = f"Round {self.round}"
        rows = self.at(Kind.ROWS, self.rows, groups=groups)
        yield self.frame(
            f"{title}: who is nearest?",
            f"Every {self.unit} belongs to the center nearest to it.",
            rows,
            edges,
            self.at(Kind.PRIVATE, before),
            unpaid=2,
        )
        if behind is None:
            return
        counts = np.asarray(behind["counts"], dtype=np.float64)[:, None]
        means = np.where(counts >= 1, behind["sums"] / np.maximum(counts, 1), before)
        yield self.frame(
            f"{title}: the true means",
            f"Without privacy, each center would go to the middle of its {plural(self.unit)}. "
            "To say where that is would tell too much.",
            rows,
            edges,
            self.line(Kind.MOVES, before, means),
            self.at(Kind.NON_PRIVATE, means),
            unpaid=2,
        )
        noise = self.line(Kind.NOISE, means, after)
        yield self.frame(
            f"{title}: noise, and out",
            f"Noise is added to every number and every sum. What comes out lies "
            f"{self.how_far(noise)} from the truth, and only that leaves.",
            edges,
            noise,
            self.at(Kind.NON_PRIVATE, means),
            self.at(Kind.PRIVATE, after),
        )

    def counts(self, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
        partition, noisy = step.released["partition"], step.released["counts"]
        if isinstance(partition, Voronoi):
            yield self.weighed(partition.centers, noisy)
            return
        behind = step.truth.value["counts"] if step.truth else None
        if isinstance(partition, Grid):
            said = grid_cells(Kind.NOISY_CELLS, partition, noisy)
            side = partition.cells_per_side
            title = f"{side} × {side} cells"
            true = None if behind is None else grid_cells(Kind.TRUE_CELLS, partition, behind)
        elif isinstance(partition, DyadicCells):
            said = dyadic_cells(Kind.NOISY_CELLS, self.box, partition, noisy)
            title = f"{partition.n_cells:,} cells"
            true = (
                None
                if behind is None
                else dyadic_cells(Kind.TRUE_CELLS, self.box, partition, behind)
            )
        else:
            return
        if true is not None:
            yield self.frame(
                f"{title}: the true counts",
                f"How many {plural(self.unit)} lie in each cell. A cell with one in it would "
                "give that one away.",
                true,
                unpaid=1,
            )
        empty = "" if behind is None else self.lifted(behind, noisy)
        yield self.frame(
            f"{title}: the noisy counts",
            f"Every cell gets noise, the empty ones too, and only that leaves.{empty}",
            said,
        )

    def lifted(self, exact: FloatArray, noisy: FloatArray) -> str:
        """How many empty cells noise has filled."""
        phantoms = int(((exact == 0) & (noisy > 0)).sum())
        if not phantoms:
            return ""
        return f" {phantoms:,} of the cells that seem full are empty in truth."

    def weighed(self, points: FloatArray, noisy: FloatArray) -> Frame:
        shown = noisy > 0
        return self.frame(
            "How many are near each point?",
            f"{len(points):,} points, some of them put down blindly, are weighed: noise is added "
            f"to the number of {plural(self.unit)} nearest to each.",
            self.published(points[shown], noisy[shown].astype(np.float64)),
        )

    def alive(self, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
        cells, alive = step.released["cells"], step.released["alive"]
        further = any(each.kind == "alive" for each in later)
        fate = (
            "The others are cut into parts, the finer the fuller they are."
            if further
            else "The others are left: no cell is cut any further."
        )
        yield self.frame(
            f"Stage {step.released['stage']}: which cells live?",
            f"{int((~alive).sum()):,} of {len(alive):,} counts may be noise alone: these cells "
            f"die. {fate} To look at noisy counts costs nothing.",
            dyadic_cells(Kind.DEAD, self.box, cells, (~alive).astype(np.float64)),
            dyadic_cells(Kind.ALIVE, self.box, cells, alive.astype(np.float64)),
        )

    def ball(self, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
        center, radius = step.released["center"], np.asarray(step.released["radius"])
        number, rows = step.released["round"], step.released["rows"]
        ball = self.line(Kind.AREA, (center - radius)[None], (center + radius)[None])
        yield self.frame(
            f"Ball {number}: found",
            f"A small box that holds about {rows:,} {plural(self.unit)}, chosen with noise "
            "among all places and sizes.",
            self.all_rows(),
            ball,
            self.at(Kind.PRIVATE, center),
        )
        gone = self.there & (((self.rows - center) ** 2).sum(axis=1) <= self.removed_within**2)
        self.there &= ~gone
        yield self.frame(
            f"Ball {number}: emptied",
            f"The {rows:,} {plural(self.unit)} nearest to its middle are set aside. The next ball "
            f"is looked for among the {self.rows_left:,} that are left.",
            self.all_rows(),
            self.at(Kind.REMOVED, self.rows[gone]),
            self.at(Kind.PRIVATE, center),
        )

    def removal(self, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
        if step.truth is not None:
            behind = step.truth.value
            self.removed_within, self.rows_left = behind["radius"], behind["rows left"]
        return iter(())

    def range(self, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
        low, high = step.released["low"], step.released["high"]
        yield self.frame(
            "Where are most of them?",
            f"A quarter of the {plural(self.unit)} lie left of the frame, a quarter right, and so "
            "above and below: four borders, chosen with noise. What blocks say will be moved "
            "into it.",
            self.all_rows(),
            self.line(Kind.AREA, low[None], high[None]),
        )

    def block_mean(self, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
        behind = step.truth.value if step.truth else {}
        question = behind.get("question")
        if not isinstance(question, BlockCenters):
            return
        found = some_block_centers(question, self.data)
        area = self.line(Kind.AREA, question.low[None], question.high[None])
        blocks = self.at(Kind.BLOCKS, found)
        yield self.frame(
            f"{question.blocks:,} blocks",
            f"The {plural(self.unit)} are dealt into {question.blocks:,} blocks, and each block "
            f"finds {question.k} centers of its own. One {self.unit} is in one block only.",
            area,
            blocks,
            unpaid=1,
        )
        mean = question.mean(behind["values"])
        said = np.clip(question.mean(step.released["values"]), -1.0, 1.0)
        noise = self.line(Kind.NOISE, mean, said)
        yield self.frame(
            "The mean of the blocks, with noise",
            f"The blocks' centers are averaged. Noise moves the averages by "
            f"{self.how_far(noise)}, and only that leaves.",
            area,
            noise,
            self.at(Kind.NON_PRIVATE, mean),
            self.at(Kind.PRIVATE, said),
        )

    def starts(self, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
        starts = step.released["centers"]
        yield self.frame(
            f"{len(starts)} starts",
            "k-means is tried from many starts. It reads noisy counts only, so it may be tried as "
            "often as one likes: that costs nothing.",
            self.at(Kind.STARTS, starts.reshape(-1, 2)),
        )

    def finalists(self, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
        found, cost = step.released["centers"], step.released["cost"]
        best = int(np.argmin(cost))
        others = np.delete(found, best, axis=0).reshape(-1, 2)
        yield self.frame(
            "The winner",
            f"Of {len(found)} results, the noisy counts themselves say which is best.",
            self.at(Kind.STARTS, others) if len(others) else None,
            self.at(Kind.PRIVATE, found[best]),
        )

    def coreset(self, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
        points, weights = step.released["points"], step.released["weights"]
        yield self.frame(
            f"{len(points):,} points stand for all",
            f"Each stands for the {plural(self.unit)} near it. They may be published: whatever is "
            "computed from them costs nothing more.",
            self.published(points, weights),
        )

    def centers(self, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
        """Nothing new where a teller has shown them already, or the answer will."""
        if "round" in step.released and not self.round:
            yield self.moved(step)

    def moved(self, step: Step) -> Frame:
        number = step.released.get("round", 1)
        centers = np.asarray(step.released["centers"]).reshape(-1, 2)
        return self.frame(
            f"Round {number}",
            f"{len(centers):,} centers, after what was asked so far.",
            self.at(Kind.PRIVATE, centers),
        )

    def one_round(self, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
        yield self.moved(step)

    def merged(self, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
        centers = step.released["centers"]
        yield self.frame(
            "Near centers are merged",
            f"{len(centers)} are left. Only what was released is read: this costs nothing.",
            self.at(Kind.PRIVATE, centers),
        )

    def answer(self) -> Frame:
        centers = self.box.to_unit(np.asarray(self.result.centers))
        said = self.at(Kind.PRIVATE, centers)
        if self.reference is None:
            return self.frame("The answer", f"{len(centers)} centers.", said)
        best = np.asarray(self.reference.centers)
        order = matched(best, np.asarray(self.result.centers), self.box)
        noise = Mark(Kind.MOVES, best[order], said.places)
        return self.frame(
            "The answer",
            f"{len(centers)} centers, {self.how_far(noise)} from those that one would find "
            f"by looking at every {self.unit}.",
            noise,
            Mark(Kind.NON_PRIVATE, best),
            said,
        )


def _next_centers(later: Sequence[Step]) -> FloatArray | None:
    """Where the centers are once a step's answer is used."""
    for step in later:
        if "centers" in step.released:
            return np.asarray(step.released["centers"])
    return None


_TELLERS = {
    "size": _Story.size,
    "start": _Story.start,
    "totals": _Story.totals,
    "counts": _Story.counts,
    "alive": _Story.alive,
    "removal": _Story.removal,
    "ball": _Story.ball,
    "range": _Story.range,
    "answer": _Story.block_mean,
    "starts": _Story.starts,
    "finalists": _Story.finalists,
    "coreset": _Story.coreset,
    "centers": _Story.centers,
    "round": _Story.one_round,
    "net": _Story.one_round,
    "merged": _Story.merged,
}
