"""Lesson plans: what to show a class, in which order, and what to say.

A lesson is one TOML file in data/lessons:

    title = "What noise buys"
    aim = "See that noise hides one trip and not the city."
    minutes = 10

    [[steps]]
    title = "The loosest level"
    ask = "What does the class see or answer?"
    note = "What the teacher should know. It is never projected."
    open = { part = "luck", privacy = "Loosest" }

`open` holds what the address of the page says after the question mark. `picture = 2` puts the
picture of the second step on the lesson's card.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from dpcore._html import render
from dpcore.datasets.data_folder import data_file
from dpcore.errors import BadInput

FOLDER = "lessons"


@dataclass(frozen=True)
class LessonStep:
    """One thing to show."""

    title: str
    #: What is put to the class, and projected.
    ask: str
    #: For the teacher alone.
    note: str
    #: What the address of the page says.
    opens: Mapping[str, str]


@dataclass(frozen=True)
class Lesson:
    """Steps with an aim, for about so many minutes."""

    key: str
    title: str
    aim: str
    minutes: int
    steps: tuple[LessonStep, ...]
    #: The step whose picture stands on its card.
    picture: int = 1

    def address(self, step: int) -> dict[str, str]:
        """The keys of the page's address at a step, counted from 1."""
        return {**self.steps[step - 1].opens, "lesson": self.key, "at": str(step)}


def parse(key: str, text: str) -> Lesson:
    """A lesson from its file, or a ValueError that says what is wrong with it."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise BadInput(f"Lesson {key!r} is no TOML file: {problem}") from None
    minutes = table.pop("minutes", 10)
    if not isinstance(minutes, int) or isinstance(minutes, bool) or minutes < 1:
        raise BadInput(f"Lesson {key!r}: minutes is a whole number, not {minutes!r}.")
    picture = table.pop("picture", 1)
    steps = table.pop("steps", None)
    if not isinstance(steps, list) or not steps:
        raise BadInput(f"Lesson {key!r} has no steps: each begins with a line [[steps]].")
    if type(picture) is not int or not 1 <= picture <= len(steps):
        raise BadInput(
            f"Lesson {key!r}: picture is the number of a step, from 1 to {len(steps)}, "
            f"not {picture!r}."
        )
    title, aim = _texts(f"Lesson {key!r}", table, "title", "aim")
    read_steps = tuple(_step(key, i, each) for i, each in enumerate(steps, 1))
    return Lesson(key, title, aim, minutes, read_steps, picture)


def _step(key: str, number: int, table: dict[str, Any]) -> LessonStep:
    where = f"Lesson {key!r}, step {number}"
    opens = table.pop("open", None)
    if not isinstance(opens, dict) or not opens:
        raise BadInput(f"{where} opens nothing: it needs open = {{ part = … }}.")
    title, ask, note = _texts(where, table, "title", "ask", "note")
    return LessonStep(title, ask, note, {name: _address_text(v) for name, v in opens.items()})


def _texts(where: str, table: dict[str, Any], *names: str) -> list[str]:
    """The named texts, and no others."""
    if unknown := sorted(table.keys() - set(names)):
        raise BadInput(f"{where} has no {unknown[0]!r}; it has {', '.join(names)}.")
    for name in names:
        if not isinstance(table.get(name), str) or not table[name].strip():
            raise BadInput(f"{where} needs a text for {name!r}.")
    return [" ".join(table[name].split()) for name in names]


def _address_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def read(folder: Path) -> tuple[Lesson, ...]:
    """Every lesson of a folder, in the order of the files' names."""
    return tuple(
        parse(path.stem.partition("-")[2] or path.stem, path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.toml"))
    )


@cache
def shipped() -> Mapping[str, Lesson]:
    """The lessons that ship, by key."""
    return {lesson.key: lesson for lesson in read(data_file(FOLDER))}


def notes(lessons: Sequence[Lesson], page: str = "/learn") -> str:
    """The teacher's notes of some lessons as one HTML file, to read or to print."""
    title = lessons[0].title if len(lessons) == 1 else "Lessons"
    return render("lessons.html", title=title, lessons=lessons, page=page)
