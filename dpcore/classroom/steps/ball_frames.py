"""Frames of methods that find one ball of rows after another."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dpcore.classroom.steps.frame_builder import Frame, Telling
from dpcore.classroom.steps.marks import MarkKind
from dpcore.privacy.explain import plural
from dpcore.results.steps import BallNote, RunStep


def ball(story: Telling, note: BallNote) -> Iterator[Frame]:
    center, radius = note.center, np.asarray(note.radius)
    number, rows = note.round, note.rows
    ball = story.line(MarkKind.AREA, (center - radius)[None], (center + radius)[None])
    yield story.frame(
        f"Ball {number}: found",
        f"A small box that holds about {rows:,} {plural(story.unit)}, chosen with noise "
        "among all places and sizes.",
        story.all_rows(),
        ball,
        story.at(MarkKind.PRIVATE, center),
    )
    gone = story.there & (((story.rows - center) ** 2).sum(axis=1) <= story.removed_within**2)
    story.there &= ~gone
    yield story.frame(
        f"Ball {number}: emptied",
        f"The {rows:,} {plural(story.unit)} nearest to its middle are set aside. The next ball "
        f"is looked for among the {story.rows_left:,} that are left.",
        story.all_rows(),
        story.at(MarkKind.REMOVED, story.rows[gone]),
        story.at(MarkKind.PRIVATE, center),
    )


def remember_removal(story: Telling, step: RunStep) -> None:
    """Remember the radius of a removal, which the frames of its ball need."""
    if step.truth is not None:
        behind = step.truth.value
        story.removed_within, story.rows_left = behind["radius"], behind["rows left"]
