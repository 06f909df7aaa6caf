"""Frames about sample and aggregate: the range, the centers of the blocks, and their noisy mean."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import numpy as np

from dpcore.classroom.steps.frame_builder import Frame, Telling
from dpcore.classroom.steps.marks import MarkKind
from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import FloatArray
from dpcore.kmeans.blocks import block_centers
from dpcore.privacy.explain import plural
from dpcore.queries.questions import BlockCenters
from dpcore.results.steps import AnswerNote, RangeNote, RunStep

#: Centers drawn at most.
MOST = 1000


def quartiles(story: Telling, note: RangeNote) -> Iterator[Frame]:
    low, high = note.low, note.high
    yield story.frame(
        "Where are most of them?",
        f"A quarter of the {plural(story.unit)} lie left of the frame, a quarter right, and so "
        "above and below: four borders, chosen with noise. What blocks say will be moved "
        "into it.",
        story.all_rows(),
        story.line(MarkKind.AREA, low[None], high[None]),
    )


def block_mean(story: Telling, note: AnswerNote, step: RunStep) -> Iterator[Frame]:
    behind = step.truth.value if step.truth else {}
    question = behind.get("question")
    if not isinstance(question, BlockCenters):
        return
    block_means = some_block_centers(question, story.data)
    area = story.line(MarkKind.AREA, question.low[None], question.high[None])
    blocks = story.at(MarkKind.BLOCKS, block_means)
    yield story.frame(
        f"{question.blocks:,} blocks",
        f"The {plural(story.unit)} are dealt into {question.blocks:,} blocks, and each block "
        f"finds {question.k} centers of its own. One {story.unit} is in one block only.",
        area,
        blocks,
        paid=False,
    )
    mean = question.mean(behind["values"])
    noisy_mean = np.clip(question.mean(note.values), -1.0, 1.0)
    noise = story.line(MarkKind.NOISE, mean, noisy_mean)
    yield story.frame(
        "The mean of the blocks, with noise",
        f"The blocks' centers are averaged. Noise moves the averages by "
        f"{story.how_far(noise)}, and only that leaves.",
        area,
        noise,
        story.at(MarkKind.NON_PRIVATE, mean),
        story.at(MarkKind.PRIVATE, noisy_mean),
    )


def some_block_centers(question: BlockCenters, data: Dataset) -> FloatArray:
    """Centers (m, 2) of the first blocks, clipped to the range of the answers.

    The same coins assign rows to blocks as in the run.
    """
    own_question = copy.deepcopy(question)
    positions, weights = data.positions()
    dealt = own_question.dealt(positions, weights)
    batches, number = [], 0
    for centers in block_centers(
        positions, dealt, own_question.k, data.resolution, own_question.coins.rng
    ):
        batches.append(centers.transpose(2, 1, 0).reshape(-1, data.d))
        number += len(batches[-1])
        if number >= MOST:
            break
    return np.clip(np.concatenate(batches)[:MOST], own_question.low, own_question.high)
