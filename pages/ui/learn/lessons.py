"""Prepared lessons: cards to start from, and a strip that leads from step to step."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpcore.classroom import lesson_plans
from dpcore.classroom.lesson_plans import Lesson
from dpcore.errors import DpcoreError
from pages.ui import address, palette, url_keys
from pages.ui.learn import presenter
from pages.ui.palette import DARK, LIGHT, Palette

#: Makes a small map from what the address of a step says.
DrawCard = Callable[[Mapping[str, str], Palette], str]
STYLE = """
<style>
[class*="st-key-lesson-card-"] .small-map {
  display: block; width: 100%; aspect-ratio: 2; object-fit: cover; border-radius: .4rem;
}
.lesson-minutes { opacity: .75; font-size: .875rem; margin: 0; }
</style>
"""


def shelf() -> Mapping[str, Lesson]:
    return lesson_plans.shipped()


def part(draw: DrawCard) -> None:
    """Draw a card for every lesson. `draw` makes the picture of a step."""
    st.html(STYLE)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"{len(shelf())} lessons of about ten minutes each, in the order of a course.")
        download(list(shelf().values()), "Teacher’s notes of all lessons", "lessons")
    cards = list(enumerate(shelf().values()))
    for start in range(0, len(cards), 3):
        for column, (number, lesson) in zip(st.columns(3), cards[start : start + 3], strict=False):
            with column, card_box(lesson):
                card(number, lesson, draw)


def card_box(lesson: Lesson) -> DeltaGenerator:
    return st.container(border=True, key=f"lesson-card-{lesson.key}", gap="small", height="stretch")


def card(number: int, lesson: Lesson, draw: DrawCard) -> None:
    """Draw a picture, the aim, the minutes and the ways into one lesson."""
    if picture := card_picture(lesson.key, palette.current() is palette.DARK, draw):
        st.html(picture)
    st.markdown(f"#### {number}. {lesson.title}")
    st.markdown(lesson.aim)
    st.html(f'<p class="lesson-minutes">{lesson.minutes} minutes, {len(lesson.steps)} steps</p>')
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Start",
            key=f"start-{lesson.key}",
            type="primary",
            icon=":material/play_arrow:",
            on_click=open_step,
            args=(lesson, 1),
        )
        with st.popover("Steps"):
            links(lesson)
        download([lesson], "Notes", lesson.key)


@st.cache_resource(show_spinner=False, max_entries=64)
def card_picture(key: str, is_dark: bool, _draw: DrawCard) -> str:
    """The small map on a card; nothing where the first step has none."""
    lesson = shelf()[key]
    try:
        return _draw(lesson.steps[lesson.picture - 1].opens, DARK if is_dark else LIGHT)
    except DpcoreError:
        return ""


def links(lesson: Lesson) -> None:
    for number, step in enumerate(lesson.steps, 1):
        st.button(
            f"{number}. {step.title}",
            key=f"open-{lesson.key}-{number}",
            type="tertiary",
            on_click=open_step,
            args=(lesson, number),
        )


def download(some: Sequence[Lesson], label: str, name: str) -> None:
    st.download_button(
        label,
        lambda: lesson_plans.notes(some),
        file_name=f"{name}.html",
        mime="text/html",
        icon=":material/print:",
        key=f"notes-{name}",
        on_click="ignore",
    )


def current() -> tuple[Lesson, int] | None:
    """The lesson and the step in the address."""
    key = url_keys.LESSON.get()
    if key is None:
        return None
    lesson = shelf()[key]
    return lesson, min(url_keys.LESSON_STEP.get(), len(lesson.steps))


def strip() -> None:
    """Draw the step of a lesson: its question, and buttons that PageUp and PageDown press."""
    lesson_step = current()
    if lesson_step is None:
        return
    lesson, number = lesson_step
    step = lesson.steps[number - 1]
    ask = f'<p class="lesson-ask">{html.escape(step.ask)}</p>'
    if presenter.presenting():
        st.html(ask)
        return
    with st.container(border=True, key="lesson", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{lesson.title}**, {number} of {len(lesson.steps)}: {step.title}")
            turns(lesson, number)
            st.button("End", key="lesson-end", icon=":material/close:", on_click=end_lesson)
        st.html(ask)
        with st.expander("Note for the teacher", icon=":material/edit_note:", expanded=True):
            st.markdown(step.note)


def turns_while_presenting() -> None:
    """Draw the buttons of a lesson beside the presenter's switch."""
    if lesson_step := current():
        turns(*lesson_step)


def turns(lesson: Lesson, number: int) -> None:
    turn(lesson, number - 1, "Previous", "PageUp")
    turn(lesson, number + 1, "Next step", "PageDown")


def turn(lesson: Lesson, number: int, label: str, key: str) -> None:
    st.button(
        label,
        key=f"lesson-{key}",
        shortcut=key,
        disabled=not 1 <= number <= len(lesson.steps),
        on_click=open_step,
        args=(lesson, number),
    )


def open_step(lesson: Lesson, number: int) -> None:
    """Open a step exactly as its address does; presenting continues."""
    presenter_key = url_keys.PRESENTER.at(True) if presenter.presenting() else {}
    address.replace_all({**lesson.address(number), **presenter_key})
    address.remember()


def end_lesson() -> None:
    url_keys.LESSON.clear()
    url_keys.LESSON_STEP.clear()
