"""Nine small maps: nine draws of noise at one level, or one draw at each of nine levels."""

from __future__ import annotations

import html

import streamlit as st

from dpcore.errors import DpcoreError
from dpcore.geometry.domain import Box
from dpcore.privacy import explain
from dpcore.study import repeats
from pages.ui import address, cached_work, fragments, palette, url_keys
from pages.ui.background import Job
from pages.ui.cached_work import Picture
from pages.ui.choice import Choice
from pages.ui.learn import presenter
from pages.ui.learn import run_choice as choices
from pages.ui.learn.small_map import SmallMap
from pages.ui.palette import Palette
from pages.ui.wording import NOT_PRIVATE

METHOD = "adaptive"
VARY = {"luck": "Nine draws, one level", "level": "Nine levels"}
#: The named levels, and two more between and beside them.
EPSILONS = (4.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
WINDOW = Box((-74.095, 40.704), (-73.855, 40.804))
#: Seconds between looks at what is measured.
PAUSE = 2.0
#: Diameter, in hundredths of the height, of a disc whose area is that of all trips.
WHOLE, HEAVIEST = 17.0, 250
DISC, RING = 4.4, 5.8
STYLE = """
<style>
.nine { display: grid; grid-template-columns: repeat(3, 1fr); gap: .5rem; }
.nine figure { margin: 0; position: relative; }
.nine figcaption {
  position: absolute; left: .4rem; top: .4rem; padding: .1rem .45rem; border-radius: .35rem;
  font-size: .8125rem; line-height: 1.3; max-width: 46%;
  background: light-dark(rgba(255,255,255,.9), rgba(15,21,28,.88));
}
.nine .small-map {
  display: block; width: 100%; border-radius: .4rem; border: 1px solid rgba(128,144,160,.45);
}
@media (max-width: 640px) { .nine { grid-template-columns: 1fr; } }
</style>
"""
#: On a projector the nine fill what is left of the screen.
PRESENTED = """
<style>
.nine { gap: .3rem; }
.nine .small-map { height: calc((100vh - ROOM) / 3); object-fit: cover; }
.nine figcaption { font-size: .85rem; }
</style>
"""
ROOM, LESSON_ROOM = "5.2rem", "8.2rem"


def part() -> None:
    presented = presenter.presenting()
    room = LESSON_ROOM if url_keys.LESSON.get() else ROOM
    st.html(STYLE + PRESENTED.replace("ROOM", room) * presented)
    with st.container(horizontal=True, vertical_alignment="center"):
        vary = address.tabs("What differs", url_keys.VARY, VARY)
        choices.draw_again()
        choice = choices.in_address(METHOD)
        st.markdown(f"**{level_words(choice.request.epsilon)}** " * (vary == "luck") + NOT_PRIVATE)
    choices.sidebar(METHOD, level=vary == "luck")
    if vary == "luck":
        draws = nine_draws(choice)
        st.html(f'<div class="nine">{"".join(map(draw_picture, draws))}</div>')
    else:
        jobs = {each: measured(each) for each in nine_levels(choice)}
        done = all(job is None or job.done for job in jobs.values())
        fragments.until_done(draw_levels, not done, choice, every=PAUSE)
    if not presented:
        st.markdown(sentence(vary))


def nine_draws(choice: Choice) -> list[Choice]:
    first = choice.request.seed or 0
    return [choice.with_seed(first + i) for i in range(9)]


def nine_levels(choice: Choice) -> list[Choice]:
    return [choice.at(epsilon) for epsilon in EPSILONS]


def measured(choice: Choice) -> Job[repeats.Draw] | None:
    """Runs at this level with other noise, or None where the method has no answer."""
    try:
        cached_work.picture(choice, (0, 1))
        return cached_work.repeated(choice)
    except DpcoreError:
        return None


def draw_levels(choice: Choice) -> bool:
    """Draw nine levels, with what is typical of each as soon as it is measured."""
    jobs = {each: measured(each) for each in nine_levels(choice)}
    pictures = (level_picture(each, job) for each, job in jobs.items())
    st.html(f'<div class="nine">{"".join(pictures)}</div>')
    return all(job is None or job.done for job in jobs.values())


def sentence(vary: str) -> str:
    if vary == "luck":
        return (
            "The level is the same in every picture, and only the noise differs. Where the blue "
            "discs agree, they tell about the city. Where they do not, they tell about the noise. "
            "Red rings are the centers found without privacy."
        )
    return (
        "Each picture is one draw at its level. The distance under it is typical: the median over "
        f"{repeats.DRAWS} draws, so a lucky draw changes nothing. Red rings are the centers found "
        "without privacy."
    )


def draw_picture(choice: Choice) -> str:
    """One of nine draws, with how far off its own centers are."""
    title = f"Draw {(choice.request.seed or 0) + 1}"
    try:
        picture = cached_work.picture(choice, (0, 1))
    except DpcoreError as problem:
        return refused(title, problem)
    shift = picture.truth.value.partners["shift"]
    far = explain.distance(float(shift.max()), True)
    return figure(picture, title, f"{far} off at most")


def level_picture(choice: Choice, job: Job[repeats.Draw] | None) -> str:
    """One draw at its level, with how far off centers typically are."""
    title = level_words(choice.request.epsilon)
    try:
        picture = cached_work.picture(choice, (0, 1))
    except DpcoreError as problem:
        return refused(title, problem)
    if job is None or not job.done:
        return figure(picture, title, "measuring …")
    if job.failure:
        return figure(picture, title, "some draws have no answer")
    typical = explain.distance(repeats.spread(job.results).shift, True)
    return figure(picture, title, f"typically {typical} off")


def figure(picture: Picture, title: str, far: str) -> str:
    image = drawing(picture, palette.current(), f"{title}: private centers are {far}").image()
    caption = f"<b>{html.escape(title)}</b><br>{far}"
    return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"


def refused(title: str, problem: DpcoreError) -> str:
    words = f"<b>{title}</b>: no answer. {html.escape(str(problem))}"
    return f"<figure><figcaption>{words}</figcaption></figure>"


def level_words(epsilon: float) -> str:
    level = explain.level_of(epsilon)
    name = f"{level.name}, " if level else ""
    return f"{name}ε = {epsilon:g}"


def drawing(
    picture: Picture, colors: Palette, words: str, kind: type[SmallMap] = SmallMap
) -> SmallMap:
    small_map = kind(WINDOW, colors, words)
    if picture.marks and not picture.marks.cell:
        frame = picture.marks.frame.nlargest(HEAVIEST, "weight")
        sizes = WHOLE * (frame["weight"] / picture.marks.frame["weight"].sum()) ** 0.5 / 2
        places = frame[["x", "y"]].to_numpy().tolist()
        small_map.circles(places, sizes.tolist(), colors.points, opacity=0.4)
    partners = picture.truth.value.partners
    centers = picture.centers[[0, 1]].to_numpy().tolist()
    small_map.non_private(partners[[0, 1]].to_numpy().tolist(), RING)
    small_map.private(centers, picture.verdict.holds, DISC)
    return small_map
