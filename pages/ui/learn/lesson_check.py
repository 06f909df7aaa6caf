"""Checks of a lesson against the pages: does every step open what its author meant?"""

from __future__ import annotations

from collections.abc import Iterator

from dpcore._suggestion import did_you_mean
from dpcore.classroom.lesson_plans import Lesson
from dpcore.errors import shortened
from pages.ui import url_keys
from pages.ui.address import Key
from pages.ui.url_keys import Page


def keys_of_learn() -> dict[str, Key[object]]:
    """The keys that an address of Learn may have."""
    return {key.name: key for key in url_keys.declared() if Page.LEARN in key.pages}


def problems(lesson: Lesson) -> Iterator[str]:
    """The faults in the addresses of a lesson's steps, in words."""
    keys = keys_of_learn()
    for number, step in enumerate(lesson.steps, 1):
        for name, text in step.opens.items():
            where = f"Step {number}, “{step.title}”:"
            if name not in keys:
                hint = did_you_mean(name, keys)
                yield f"{where} Learn has no setting {shortened(name)!r}.{hint}"
                continue
            try:
                keys[name].parse(text)
            except ValueError as problem:
                yield f"{where} {name} = {shortened(text)!r} does not work. {problem}"
