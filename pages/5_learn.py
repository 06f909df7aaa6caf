"""Learn: games, lessons and a step-by-step view, for a class and for the curious."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.ui import address, frame, url_keys
from pages.ui.learn import (
    attacking,
    game,
    guess_centers,
    lesson_writing,
    lessons,
    presenter,
    repeated_runs,
    room,
    screen_tools,
    step_by_step,
    step_picture,
    welcome,
)

PARTS: dict[str, tuple[str, Callable[[], None]]] = {
    "start": ("Start", welcome.part),
    "lessons": ("Lessons", partial(lessons.part, step_picture.card)),
    "game": ("Game", game.part),
    "attack": ("Attack", attacking.part),
    "moves": ("Move", attacking.part),
    "guess": ("Guess", guess_centers.part),
    "steps": ("Steps", step_by_step.part),
    "luck": ("Nine maps", repeated_runs.part),
    "room": ("Room", room.part),
    "write": ("Teachers", partial(lesson_writing.part, step_picture.card, step_picture.pictures)),
}


def main() -> None:
    frame.frame("Learn")
    presenter.style()
    part = url_keys.PART.get()
    if presenter.presenting():
        with presenter.bar():
            lessons.turns_while_presenting()
            presenter.switch()
    elif room.is_pupil():
        part = "room"
    else:
        with st.container(horizontal=True, vertical_alignment="center", key="learn-bar"):
            titles = {key: title for key, (title, _) in PARTS.items()}
            part = address.tabs("Parts of Learn", url_keys.PART, titles)
            screen_tools.draw()
            with presenter.bar():
                presenter.switch()
    lessons.strip()
    PARTS[part][1]()


main()
