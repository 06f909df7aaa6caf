"""Prepared lessons: a list to start from, and a strip that leads from step to step."""

from __future__ import annotations

import html
from collections.abc import Mapping
from urllib.parse import urlencode

import streamlit as st

from dpcore.classroom import lessons
from dpcore.classroom.lessons import Lesson
from pages.ui import address, palette, url_keys
from pages.ui.learn import presenter


def shelf() -> Mapping[str, Lesson]:
    return lessons.shipped()


def part() -> None:
    """Draw every lesson with its aim, steps and notes."""
    st.markdown("Each takes about ten minutes. Notes are for the teacher and are never projected.")
    download(list(shelf().values()), "Notes of all lessons", "lessons")
    left, right = st.columns(2)
    for i, lesson in enumerate(shelf().values()):
        with (left, right)[i % 2], st.container(border=True):
            card(lesson)


def card(lesson: Lesson) -> None:
    st.markdown(f"#### {lesson.title}")
    st.caption(f"{lesson.aim} {lesson.minutes} minutes.")
    links = (link(lesson, number) for number in range(1, len(lesson.steps) + 1))
    st.html(f"<ol>{''.join(f'<li>{each}</li>' for each in links)}</ol>")
    download([lesson], "Notes", lesson.key)


def link(lesson: Lesson, number: int) -> str:
    """A link to a step. Streamlit's own link to the same page would not change the address."""
    title = html.escape(lesson.steps[number - 1].title)
    query = urlencode(lesson.address(number))
    color = palette.current().private
    return f'<a href="?{query}" target="_self" style="color: {color}">{title}</a>'


def download(chosen: list[Lesson], label: str, name: str) -> None:
    st.download_button(
        label,
        lessons.notes(chosen),
        file_name=f"{name}.html",
        mime="text/html",
        icon=":material/print:",
        key=f"notes-{name}",
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
    found = current()
    if found is None:
        return
    lesson, number = found
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
    if found := current():
        turns(*found)


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
    """Open a step exactly as its link does; presenting continues."""
    kept = url_keys.PRESENTER.at(True) if presenter.presenting() else {}
    address.replace_all({**lesson.address(number), **kept})


def end_lesson() -> None:
    url_keys.LESSON.clear()
    url_keys.LESSON_STEP.clear()
