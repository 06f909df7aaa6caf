"""Frames of a round of Lloyd: assign rows, average them, add noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dpcore.classroom.steps.frame_builder import Frame, Telling
from dpcore.classroom.steps.marks import MarkKind, borders, nearest
from dpcore.geometry.domain import FloatArray
from dpcore.privacy.explain import plural
from dpcore.results.steps import (
    CentersNote,
    MergedNote,
    NetNote,
    RoundNote,
    RunStep,
    StartNote,
    TotalsNote,
)


def start(story: Telling, note: StartNote) -> Iterator[Frame]:
    centers = note.centers
    yield story.frame(
        "The start looks at nothing",
        f"{len(centers)} centers are put down without a look at any {story.unit}. "
        "That costs nothing.",
        borders(centers, story.box),
        story.at(MarkKind.PRIVATE, centers),
    )


def totals(
    story: Telling, note: TotalsNote, step: RunStep, later: Sequence[RunStep]
) -> Iterator[Frame]:
    story.round += 1
    before = note.centers
    next_centers = _next_centers(later)
    after = before if next_centers is None or next_centers.shape != before.shape else next_centers
    behind = step.truth.value if step.truth else None
    edges = borders(before, story.box)
    groups = nearest(story.rows, before)
    title = f"Round {story.round}"
    rows = story.at(MarkKind.ROWS, story.rows, groups=groups)
    yield story.frame(
        f"{title}: who is nearest?",
        f"Every {story.unit} belongs to the center nearest to it.",
        rows,
        edges,
        story.at(MarkKind.PRIVATE, before),
        paid=False,
    )
    if behind is None:
        return
    counts = np.asarray(behind["counts"], dtype=np.float64)[:, None]
    means = np.where(counts >= 1, behind["sums"] / np.maximum(counts, 1), before)
    yield story.frame(
        f"{title}: the true means",
        f"Without privacy, each center would go to the middle of its {plural(story.unit)}. "
        "To say where that is would tell too much.",
        rows,
        edges,
        story.line(MarkKind.MOVES, before, means),
        story.at(MarkKind.NON_PRIVATE, means),
        paid=False,
    )
    noise = story.line(MarkKind.NOISE, means, after)
    yield story.frame(
        f"{title}: noise, and out",
        f"Noise is added to every number and every sum. What comes out lies "
        f"{story.how_far(noise)} from the truth, and only that leaves.",
        edges,
        noise,
        story.at(MarkKind.NON_PRIVATE, means),
        story.at(MarkKind.PRIVATE, after),
    )


def centers(story: Telling, note: CentersNote) -> Iterator[Frame]:
    """The centers after a round, unless the frames before or the answer show them."""
    if note.round is not None and not story.round:
        yield from one_round(story, note)


def one_round(story: Telling, note: CentersNote | RoundNote | NetNote) -> Iterator[Frame]:
    centers = note.centers.reshape(-1, 2)
    yield story.frame(
        f"Round {note.round}",
        f"{len(centers):,} centers, from the answers so far.",
        story.at(MarkKind.PRIVATE, centers),
    )


def merged(story: Telling, note: MergedNote) -> Iterator[Frame]:
    centers = note.centers
    yield story.frame(
        "Near centers are merged",
        f"{len(centers)} are left. Only what was released is read: this costs nothing.",
        story.at(MarkKind.PRIVATE, centers),
    )


def _next_centers(later: Sequence[RunStep]) -> FloatArray | None:
    """The centers that a later step computed from this step's answer."""
    for step in later:
        if "centers" in step.released:
            return np.asarray(step.released["centers"])
    return None
