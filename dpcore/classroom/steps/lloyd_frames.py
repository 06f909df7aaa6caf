"""Rounds of Lloyd told: who is nearest, where the means are, what noise does to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dpcore.classroom.steps.frame_builder import Frame, Telling
from dpcore.classroom.steps.marks import Kind, borders, nearest
from dpcore.geometry.domain import FloatArray
from dpcore.privacy.explain import plural
from dpcore.results.run_result import Step


def start(story: Telling, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
    centers = step.released["centers"]
    yield story.frame(
        "The start looks at nothing",
        f"{len(centers)} centers are put down without a look at any {story.unit}. "
        "That costs nothing.",
        borders(centers, story.box),
        story.at(Kind.PRIVATE, centers),
    )


def totals(story: Telling, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
    story.round += 1
    before = step.released["centers"]
    told = _next_centers(later)
    after = before if told is None or told.shape != before.shape else told
    behind = step.truth.value if step.truth else None
    edges = borders(before, story.box)
    groups = nearest(story.rows, before)
    title = f"Round {story.round}"
    rows = story.at(Kind.ROWS, story.rows, groups=groups)
    yield story.frame(
        f"{title}: who is nearest?",
        f"Every {story.unit} belongs to the center nearest to it.",
        rows,
        edges,
        story.at(Kind.PRIVATE, before),
        unpaid=2,
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
        story.line(Kind.MOVES, before, means),
        story.at(Kind.NON_PRIVATE, means),
        unpaid=2,
    )
    noise = story.line(Kind.NOISE, means, after)
    yield story.frame(
        f"{title}: noise, and out",
        f"Noise is added to every number and every sum. What comes out lies "
        f"{story.how_far(noise)} from the truth, and only that leaves.",
        edges,
        noise,
        story.at(Kind.NON_PRIVATE, means),
        story.at(Kind.PRIVATE, after),
    )


def centers(story: Telling, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
    """Nothing new where they were shown already, or the answer will show them."""
    if "round" in step.released and not story.round:
        yield _moved(story, step)


def _moved(story: Telling, step: Step) -> Frame:
    number = step.released.get("round", 1)
    centers = np.asarray(step.released["centers"]).reshape(-1, 2)
    return story.frame(
        f"Round {number}",
        f"{len(centers):,} centers, after what was asked so far.",
        story.at(Kind.PRIVATE, centers),
    )


def one_round(story: Telling, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
    yield _moved(story, step)


def merged(story: Telling, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
    centers = step.released["centers"]
    yield story.frame(
        "Near centers are merged",
        f"{len(centers)} are left. Only what was released is read: this costs nothing.",
        story.at(Kind.PRIVATE, centers),
    )


def _next_centers(later: Sequence[Step]) -> FloatArray | None:
    """Where the centers are once a step's answer is used."""
    for step in later:
        if "centers" in step.released:
            return np.asarray(step.released["centers"])
    return None
