"""Balls told: one is found, its rows are set aside, and what is left is looked through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dpcore.classroom.steps.frame_builder import Frame, Telling
from dpcore.classroom.steps.marks import Kind
from dpcore.privacy.explain import plural
from dpcore.results.run_result import Step


def ball(story: Telling, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
    center, radius = step.released["center"], np.asarray(step.released["radius"])
    number, rows = step.released["round"], step.released["rows"]
    ball = story.line(Kind.AREA, (center - radius)[None], (center + radius)[None])
    yield story.frame(
        f"Ball {number}: found",
        f"A small box that holds about {rows:,} {plural(story.unit)}, chosen with noise "
        "among all places and sizes.",
        story.all_rows(),
        ball,
        story.at(Kind.PRIVATE, center),
    )
    gone = story.there & (((story.rows - center) ** 2).sum(axis=1) <= story.removed_within**2)
    story.there &= ~gone
    yield story.frame(
        f"Ball {number}: emptied",
        f"The {rows:,} {plural(story.unit)} nearest to its middle are set aside. The next ball "
        f"is looked for among the {story.rows_left:,} that are left.",
        story.all_rows(),
        story.at(Kind.REMOVED, story.rows[gone]),
        story.at(Kind.PRIVATE, center),
    )


def removal(story: Telling, step: Step, later: Sequence[Step]) -> Iterator[Frame]:
    if step.truth is not None:
        behind = step.truth.value
        story.removed_within, story.rows_left = behind["radius"], behind["rows left"]
    return iter(())
