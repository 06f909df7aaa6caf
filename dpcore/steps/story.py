"""The journal of a run as frames: one idea each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from dpcore.algorithms import ALGORITHMS
from dpcore.datasets.base import Dataset
from dpcore.explain import people_count, plural
from dpcore.metrics import matched
from dpcore.results import BaselineResult, RunResult, Step
from dpcore.steps import balls, blocks, counts, lloyd
from dpcore.steps.marks import Kind, Mark
from dpcore.steps.telling import Frame, Telling

Teller = Callable[[Telling, Step, Sequence[Step]], Iterator[Frame]]
#: Who tells of a step, given those that follow it. Of other steps nothing is told.
TELLERS: Mapping[str, Teller] = MappingProxyType(
    {
        "size": counts.size,
        "start": lloyd.start,
        "totals": lloyd.totals,
        "counts": counts.counts,
        "alive": counts.alive,
        "removal": balls.removal,
        "ball": balls.ball,
        "range": blocks.quartiles,
        "answer": blocks.block_mean,
        "starts": counts.starts,
        "finalists": counts.finalists,
        "coreset": counts.coreset,
        "centers": lloyd.centers,
        "round": lloyd.one_round,
        "net": lloyd.one_round,
        "merged": lloyd.merged,
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
        f"ε = {result.transcript.budget.epsilon:g} may be spent.",
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
