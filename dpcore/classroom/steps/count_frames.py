"""Frames about counts: the true ones, the noisy ones, and the cells that stand out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dpcore.classroom.steps.frame_builder import Frame, Telling
from dpcore.classroom.steps.marks import MarkKind, dyadic_cells, grid_cells
from dpcore.geometry.domain import FloatArray, Grid, IntArray
from dpcore.geometry.dyadic import DyadicCells
from dpcore.geometry.halved import as_squares
from dpcore.geometry.voronoi import Voronoi
from dpcore.privacy.explain import plural
from dpcore.results.steps import (
    AliveNote,
    CoresetNote,
    CountsNote,
    FinalistsNote,
    LeavesNote,
    RunStep,
    SizeNote,
    StartsNote,
)


def size(story: Telling, note: SizeNote) -> Iterator[Frame]:
    yield story.frame(
        "How many are there?",
        f"Even the number of {plural(story.unit)} gets noise: about {note.n:,}. "
        f"In truth it is {story.data.n:,}.",
        story.all_rows(),
    )


def counts(story: Telling, note: CountsNote, step: RunStep) -> Iterator[Frame]:
    partition, noisy = as_squares(note.partition), note.counts
    if isinstance(partition, Voronoi):
        yield _weighed(story, partition.centers, noisy)
        return
    behind = step.truth.value["counts"] if step.truth else None
    if isinstance(partition, Grid):
        noisy_cells = grid_cells(MarkKind.NOISY_CELLS, partition, noisy)
        side = partition.cells_per_side
        title = f"{side} × {side} cells"
        true = None if behind is None else grid_cells(MarkKind.TRUE_CELLS, partition, behind)
    elif isinstance(partition, DyadicCells):
        noisy_cells = dyadic_cells(MarkKind.NOISY_CELLS, story.box, partition, noisy)
        title = f"{partition.n_cells:,} cells"
        true = (
            None
            if behind is None
            else dyadic_cells(MarkKind.TRUE_CELLS, story.box, partition, behind)
        )
    else:
        return
    if true is not None:
        yield story.frame(
            f"{title}: the true counts",
            f"How many {plural(story.unit)} lie in each cell. A cell with one in it would "
            "give that one away.",
            true,
            paid=False,
        )
    empty = "" if behind is None else _lifted(behind, noisy)
    yield story.frame(
        f"{title}: the noisy counts",
        f"Every cell gets noise, the empty ones too, and only that leaves.{empty}",
        noisy_cells,
    )


def _lifted(exact: IntArray, noisy: IntArray) -> str:
    """A sentence on the number of empty cells whose noisy count is positive."""
    phantoms = int(((exact == 0) & (noisy > 0)).sum())
    if not phantoms:
        return ""
    return f" {phantoms:,} of the cells that seem full are empty in truth."


def _weighed(story: Telling, points: FloatArray, noisy: IntArray) -> Frame:
    above_zero = noisy > 0
    return story.frame(
        "How many are near each point?",
        f"{len(points):,} points, some of them put down blindly, are weighed: noise is added "
        f"to the number of {plural(story.unit)} nearest to each.",
        story.published(points[above_zero], noisy[above_zero].astype(np.float64)),
    )


def alive(story: Telling, note: AliveNote, later: Sequence[RunStep]) -> Iterator[Frame]:
    cells, alive = note.cells, note.alive
    assert isinstance(cells, DyadicCells)
    further = any(isinstance(each.note, AliveNote) for each in later)
    fate = (
        "The others are cut into parts, the finer the fuller they are."
        if further
        else "The others are left: no cell is cut any further."
    )
    yield story.frame(
        f"Stage {note.stage}: which cells stay?",
        f"{int((~alive).sum()):,} of {len(alive):,} counts could be pure noise: we drop "
        f"these cells. {fate} Looking at noisy counts costs nothing.",
        dyadic_cells(MarkKind.DEAD, story.box, cells, (~alive).astype(np.float64)),
        dyadic_cells(MarkKind.ALIVE, story.box, cells, alive.astype(np.float64)),
    )


def leaves(story: Telling, note: LeavesNote) -> Iterator[Frame]:
    squares = as_squares(note.cells)
    assert isinstance(squares, DyadicCells)
    yield story.frame(
        f"A tree with {squares.n_cells:,} leaves",
        "A cell is cut into four where its noisy count is high enough, and then each of its parts. "
        "Each further cut asks for more rows, so the price is the same however deep the tree is. "
        "Only the cells are published, not what decided them.",
        dyadic_cells(MarkKind.ALIVE, story.box, squares, np.ones(squares.n_cells)),
    )


def starts(story: Telling, note: StartsNote) -> Iterator[Frame]:
    starts = note.centers
    yield story.frame(
        f"{len(starts)} starts",
        "k-means is tried from many starts. It reads noisy counts only, so it may be tried as "
        "often as one likes: that costs nothing.",
        story.at(MarkKind.STARTS, starts.reshape(-1, 2)),
    )


def finalists(story: Telling, note: FinalistsNote) -> Iterator[Frame]:
    candidates = note.centers
    best = int(np.argmin(note.cost))
    others = np.delete(candidates, best, axis=0).reshape(-1, 2)
    yield story.frame(
        "The winner",
        "Of all results, the noisy counts themselves say which is best.",
        story.at(MarkKind.STARTS, others) if len(others) else None,
        story.at(MarkKind.PRIVATE, candidates[best]),
    )


def coreset(story: Telling, note: CoresetNote) -> Iterator[Frame]:
    yield story.frame(
        f"{len(note.points):,} points stand for all",
        f"Each stands for the {plural(story.unit)} near it. They may be published: whatever is "
        "computed from them costs nothing more.",
        story.published(note.points, note.weights),
    )
