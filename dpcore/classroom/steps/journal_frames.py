"""The journal of a run as frames: one idea each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from dpcore.algorithms import ALGORITHMS
from dpcore.classroom.steps import ball_frames, block_frames, count_frames, lloyd_frames
from dpcore.classroom.steps.frame_builder import Frame, Telling
from dpcore.classroom.steps.marks import Kind, Mark
from dpcore.datasets.base import Dataset
from dpcore.privacy.explain import people_count, plural
from dpcore.privacy.rounding import at_least
from dpcore.results.run_result import BaselineResult, RunResult, Step
from dpcore.study.metrics import matched

Teller = Callable[[Telling, Step, Sequence[Step]], Iterator[Frame]]
#: Who tells of a step, given those that follow it. Of other steps nothing is told.
TELLERS: Mapping[str, Teller] = MappingProxyType(
    {
        "size": count_frames.size,
        "start": lloyd_frames.start,
        "totals": lloyd_frames.totals,
        "counts": count_frames.counts,
        "alive": count_frames.alive,
        "removal": ball_frames.removal,
        "ball": ball_frames.ball,
        "range": block_frames.quartiles,
        "answer": block_frames.block_mean,
        "starts": count_frames.starts,
        "finalists": count_frames.finalists,
        "coreset": count_frames.coreset,
        "centers": lloyd_frames.centers,
        "round": lloyd_frames.one_round,
        "net": lloyd_frames.one_round,
        "merged": lloyd_frames.merged,
    }
)


def playable() -> list[str]:
    """The algorithms that run on a map."""
    return [key for key, a in ALGORITHMS.items() if a.obstacle(2, None, 5) is None]


def frames(
    result: RunResult, data: Dataset, reference: BaselineResult | None = None
) -> tuple[Frame, ...]:
    """A run that kept a journal, from its first question to its answer."""
    if data.d != 2:
        raise ValueError(f"Steps are drawn in 2 dimensions; these data have {data.d}.")
    return tuple(_told(result, data, reference))


def _told(result: RunResult, data: Dataset, reference: BaselineResult | None) -> Iterator[Frame]:
    story = Telling(result, data)
    yield story.frame(
        "The data",
        f"{people_count(data.n)} {plural(story.unit)}, of which a thousand at most are drawn. "
        f"Nobody may learn whether any one {story.unit} is among them. "
        f"ε = {at_least(result.transcript.budget.epsilon)} may be spent.",
        story.all_rows(),
    )
    for i, step in enumerate(result.steps):
        story.ledger.pass_step(step.kind)
        if step.kind in TELLERS:
            yield from TELLERS[step.kind](story, step, result.steps[i + 1 :])
    story.ledger.close()
    yield _answer(story, result, reference)


def _answer(story: Telling, result: RunResult, reference: BaselineResult | None) -> Frame:
    places = np.asarray(result.centers)
    said = Mark(Kind.PRIVATE, places)
    if reference is None:
        return story.frame("The answer", f"{len(places)} centers.", said)
    best = np.asarray(reference.centers)
    apart = Mark(Kind.MOVES, best[matched(best, places, story.box)], places)
    return story.frame(
        "The answer",
        f"{len(places)} centers, {story.how_far(apart)} from those that one would find by looking "
        f"at every {story.unit}.",
        apart,
        Mark(Kind.NON_PRIVATE, best),
        said,
    )
