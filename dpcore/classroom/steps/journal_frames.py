"""The journal of a run as frames: one idea each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dpcore.classroom.steps import ball_frames, block_frames, count_frames, lloyd_frames
from dpcore.classroom.steps.frame_builder import Frame, Telling
from dpcore.classroom.steps.marks import Mark, MarkKind
from dpcore.datasets.base import Dataset
from dpcore.errors import BadInput
from dpcore.privacy.explain import people_count, plural
from dpcore.privacy.rounding import at_least
from dpcore.results import steps as notes
from dpcore.results.run_result import BaselineResult, RunResult
from dpcore.results.steps import RunStep
from dpcore.study.shifts import matched


def frames(
    result: RunResult, data: Dataset, reference: BaselineResult | None = None
) -> tuple[Frame, ...]:
    """A run that kept a journal, from its first question to its answer."""
    if data.d != 2:
        raise BadInput(f"Steps are drawn in 2 dimensions; these data have {data.d}.")
    return tuple(_told(result, data, reference))


def _told(result: RunResult, data: Dataset, reference: BaselineResult | None) -> Iterator[Frame]:
    story = Telling(result, data)
    yield story.frame(
        "The data",
        f"{people_count(data.n)} {plural(story.unit)}, of which a thousand at most are drawn. "
        f"Nobody may learn whether any one {story.unit} is among them. "
        f"ε = {at_least(result.transcript.budget.epsilon)} may be used.",
        story.all_rows(),
    )
    for i, step in enumerate(result.steps):
        story.begin(step)
        yield from _step(story, step, result.steps[i + 1 :])
    story.account.close()
    yield _answer(story, result, reference)


def _step(story: Telling, step: RunStep, later: Sequence[RunStep]) -> Iterator[Frame]:
    """The frames of one step. `later` are the steps after it; some kinds of steps have no frame."""
    match step.note:
        case notes.SizeNote() as note:
            yield from count_frames.size(story, note)
        case notes.CountsNote() as note:
            yield from count_frames.counts(story, note, step)
        case notes.AliveNote() as note:
            yield from count_frames.alive(story, note, later)
        case notes.LeavesNote() as note:
            yield from count_frames.leaves(story, note)
        case notes.StartsNote() as note:
            yield from count_frames.starts(story, note)
        case notes.FinalistsNote() as note:
            yield from count_frames.finalists(story, note)
        case notes.CoresetNote() as note:
            yield from count_frames.coreset(story, note)
        case notes.StartNote() as note:
            yield from lloyd_frames.start(story, note)
        case notes.TotalsNote() as note:
            yield from lloyd_frames.totals(story, note, step, later)
        case notes.CentersNote() as note:
            yield from lloyd_frames.centers(story, note)
        case notes.RoundNote() | notes.NetNote() as note:
            yield from lloyd_frames.one_round(story, note)
        case notes.MergedNote() as note:
            yield from lloyd_frames.merged(story, note)
        case notes.RemovalNote():
            ball_frames.remember_removal(story, step)
        case notes.BallNote() as note:
            yield from ball_frames.ball(story, note)
        case notes.RangeNote() as note:
            yield from block_frames.quartiles(story, note)
        case notes.AnswerNote() as note:
            yield from block_frames.block_mean(story, note, step)


def _answer(story: Telling, result: RunResult, reference: BaselineResult | None) -> Frame:
    places = np.asarray(result.centers)
    discs = Mark(MarkKind.PRIVATE, places)
    if reference is None:
        return story.frame("The answer", f"{len(places)} centers.", discs)
    best = np.asarray(reference.centers)
    apart = Mark(MarkKind.MOVES, best[matched(best, places, story.box)], places)
    return story.frame(
        "The answer",
        f"{len(places)} centers, {story.how_far(apart)} from those that one would find by looking "
        f"at every {story.unit}.",
        apart,
        Mark(MarkKind.NON_PRIVATE, best),
        discs,
    )
