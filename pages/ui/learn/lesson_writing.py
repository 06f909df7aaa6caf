"""For teachers: slides and notes of every lesson, and a place to write a lesson of one's own."""

from __future__ import annotations

import html
from collections.abc import Mapping

import streamlit as st

from dpcore.classroom import lesson_plans
from dpcore.classroom.lesson_plans import Lesson
from dpcore.errors import DpcoreError
from pages.ui import address, palette, session_keys
from pages.ui.learn import lesson_check, lessons, slides
from pages.ui.learn.lessons import DrawCard
from pages.ui.learn.slides import Draw
from pages.ui.session_keys import SessionKey
from pages.ui.wording import plain

#: Where the text of a lesson is kept while its steps are tried.
DRAFT, UPLOADED = SessionKey[str]("lesson-draft"), SessionKey[str]("lesson-uploaded")
TYPED = "lesson-typed"
LONGEST = 50_000
EXAMPLE = """\
title = "My lesson"
aim = "See that noise hides one trip and not the city."
minutes = 10

[[steps]]
title = "Almost no noise"
ask = "Nine runs, nine draws of noise. Can you tell them apart?"
note = "For the teacher. It is printed, and never projected."
open = { part = "luck", privacy = "Loosest" }

[[steps]]
title = "A lot of noise"
ask = "The same data. Which discs would you still trust?"
note = "What all nine agree on is the city. The rest is noise."
open = { part = "luck", privacy = "Strictest" }
"""
STYLE = """
<style>
.lesson-preview .small-map {
  width: 100%; aspect-ratio: 2; object-fit: cover; border-radius: .4rem;
}
</style>
"""


def part(card: DrawCard, pictures: Draw) -> None:
    """Draw the page. `card` and `pictures` make the maps of a step."""
    st.html(STYLE)
    take_along(pictures)
    st.subheader("Write a lesson", anchor=False)
    st.markdown(
        "A lesson is one small text file. Write it here, and see at once what it becomes. The "
        "address of each page of Learn holds all of its settings: set up a page as you want it, "
        "and copy what stands after the question mark into `open`."
    )
    writing, preview = st.columns(2, gap="medium")
    with writing:
        text = editor()
    with preview:
        show(text, card, pictures)


def take_along(pictures: Draw) -> None:
    """Draw slides and notes of the lessons that ship."""
    st.subheader("Take a lesson to class", anchor=False)
    row = st.container(horizontal=True, vertical_alignment="bottom")
    titles = {key: lesson.title for key, lesson in lessons.shelf().items()}
    with row:
        key = st.selectbox("Lesson", list(titles), format_func=titles.__getitem__, width=420)
        lesson = lessons.shelf()[key]
        downloads(lesson, "shelf", pictures)
        lessons.download(list(lessons.shelf().values()), "Notes of all lessons", "all-lessons")


def downloads(lesson: Lesson, place: str, pictures: Draw) -> None:
    st.download_button(
        "Slides (ZIP of PNG)",
        lambda: slides.as_zip(lesson, pictures),
        file_name=f"{lesson.key}-slides.zip",
        mime="application/zip",
        icon=":material/slideshow:",
        key=f"slides-{place}",
        on_click="ignore",
    )
    lessons.download([lesson], "Teacher’s notes", f"{lesson.key}-notes-{place}")


def editor() -> str:
    """Draw the text of the lesson, and return it."""
    uploaded = st.file_uploader(
        "Open a lesson file", type="toml", key="lesson-file", max_upload_size=1
    )
    if uploaded is not None and UPLOADED.get() != uploaded.file_id:
        UPLOADED.put(uploaded.file_id)
        DRAFT.put(uploaded.getvalue().decode("utf-8", "replace")[:LONGEST])
        session_keys.forget_widget(TYPED)
    draft = DRAFT.start(EXAMPLE)
    text: str = st.text_area(
        "The lesson file", draft, height=460, max_chars=LONGEST, key=TYPED, on_change=keep
    )
    st.download_button(
        "Save as my-lesson.toml",
        text,
        file_name="my-lesson.toml",
        mime="application/toml",
        icon=":material/download:",
        key="lesson-save",
        on_click="ignore",
    )
    return text


def keep() -> None:
    DRAFT.put(session_keys.of_widget(TYPED))


def show(text: str, card: DrawCard, pictures: Draw) -> None:
    """Draw the lesson that the text describes, or what is wrong with it."""
    try:
        lesson = lesson_plans.parse("my-lesson", text)
    except DpcoreError as problem:
        st.error(plain(str(problem)))
        return
    wrong = list(lesson_check.problems(lesson))
    for each in wrong:
        st.error(plain(each))
    st.markdown(f"#### {plain(lesson.title)}")
    st.markdown(f"{plain(lesson.aim)} {lesson.minutes} minutes.")
    if wrong:
        return
    with st.container(horizontal=True):
        downloads(lesson, "draft", pictures)
    for number, step in enumerate(lesson.steps, 1):
        with st.container(border=True, gap="xsmall"):
            picture, words = st.columns([1, 2], vertical_alignment="center")
            with picture:
                draw_picture(step.opens, card)
            with words:
                st.markdown(f"**{number}. {plain(step.title)}**")
                st.html(f"<p>{html.escape(step.ask)}</p>")
                st.caption(plain(step.note))
                st.button(
                    "Try this step",
                    key=f"try-{number}",
                    on_click=try_step,
                    args=(dict(step.opens),),
                )


def draw_picture(opens: Mapping[str, str], card: DrawCard) -> None:
    try:
        st.html(f'<div class="lesson-preview">{card(opens, palette.current())}</div>')
    except DpcoreError as problem:
        st.caption(plain(str(problem)))


def try_step(opens: dict[str, str]) -> None:
    """Open what a step opens. The text stays; Teachers leads back to it."""
    address.replace_all(opens)
    address.remember()
