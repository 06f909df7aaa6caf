"""Nine small maps: the same ε with other luck, then other levels with the same luck."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import DpcoreError
from dpcore.geometry.domain import Box
from dpcore.privacy import explain
from pages.ui import address, cached_work, palette, url_keys
from pages.ui.cached_work import Picture
from pages.ui.choice import Choice
from pages.ui.learn import presenter
from pages.ui.learn import run_choice as choices
from pages.ui.learn.small_map import SmallMap
from pages.ui.wording import NOT_PRIVATE

METHOD = "adaptive"
VARY = {"luck": "One level, nine draws of luck", "level": "One luck, nine levels"}
#: The named levels, and two more between and beside them.
EPSILONS = (4.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
WINDOW = Box((-74.03, 40.695), (-73.915, 40.815))
#: Diameter, in hundredths of the height, of a disc whose area is that of all trips.
WHOLE, HEAVIEST = 16.0, 250
STYLE = """
<style>
.nine { display: grid; grid-template-columns: repeat(5, 1fr); gap: .6rem; }
.nine figure { margin: 0; }
.nine figcaption { font-size: .875rem; line-height: 1.3; padding-top: .15rem; }
.nine .small-map {
  display: block; width: 100%; border-radius: .4rem; border: 1px solid rgba(128,144,160,.45);
}
@media (max-width: 640px) { .nine { grid-template-columns: repeat(2, 1fr); } }
</style>
"""
PRESENTED = """
<style>
.nine { gap: .3rem .5rem; }
.nine .small-map { height: 8.4rem; object-fit: cover; }
</style>
"""


def part() -> None:
    st.html(STYLE + PRESENTED * presenter.presenting())
    with st.container(horizontal=True, vertical_alignment="center"):
        vary = address.tabs("What differs", url_keys.VARY, VARY)
        choices.other_luck()
        choice = choices.chosen(METHOD)
        st.markdown(f"**ε = {choice.request.epsilon:g}** " * (vary == "luck") + NOT_PRIVATE)
    choices.sidebar(METHOD, level=vary == "luck")
    st.html(f'<div class="nine">{"".join(small(each, vary) for each in nine(choice, vary))}</div>')
    if not presenter.presenting():
        st.markdown(sentence(choice, vary))


def nine(choice: Choice, vary: str) -> list[Choice]:
    if vary == "level":
        return [choice.at(epsilon) for epsilon in EPSILONS]
    return [choice.with_seed((choice.request.seed or 0) + i) for i in range(9)]


def sentence(choice: Choice, vary: str) -> str:
    if vary == "luck":
        return (
            f"ε = {choice.request.epsilon:g} every time, and only the noise differs. Where the "
            "blue discs agree, they tell of the city; where they do not, of luck. Red rings are "
            "found without privacy."
        )
    return (
        "The same luck every time, and only ε differs, from what leaks most to what leaks least. "
        "Red rings are found without privacy."
    )


def small(choice: Choice, vary: str) -> str:
    title = f"Luck {choice.request.seed}" if vary == "luck" else level_words(choice.request.epsilon)
    try:
        picture = cached_work.picture(choice, (0, 1))
    except DpcoreError as problem:
        return f"<figure><figcaption><b>{title}</b>: no answer. {problem}</figcaption></figure>"
    shift = picture.truth.value.partners["shift"]
    far = explain.distance(float(shift.median()), True)
    caption = f"<b>{title}</b><br>Half within {far}"
    drawing = drawn(picture, f"{title}: half of the private centers lie within {far} of their own")
    return f"<figure>{drawing}<figcaption>{caption}</figcaption></figure>"


def level_words(epsilon: float) -> str:
    level = explain.level_of(epsilon)
    name = f"{level.name}, " if level else ""
    return f"{name}ε = {epsilon:g}"


def drawn(picture: Picture, words: str) -> str:
    colors = palette.current()
    small_map = SmallMap(WINDOW, colors, words)
    if picture.marks and not picture.marks.cell:
        frame = picture.marks.frame.nlargest(HEAVIEST, "weight")
        sizes = WHOLE * (frame["weight"] / picture.marks.frame["weight"].sum()) ** 0.5 / 2
        places = frame[["x", "y"]].to_numpy().tolist()
        small_map.circles(places, sizes.tolist(), colors.points, opacity=0.45)
    partners = picture.truth.value.partners
    centers = picture.centers[[0, 1]].to_numpy().tolist()
    rings = partners[[0, 1]].to_numpy().tolist()
    small_map.non_private(rings)
    small_map.private(centers, picture.verdict.holds)
    return small_map.image()
