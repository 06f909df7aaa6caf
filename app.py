"""Explore: the map and the slider. Run by Streamlit itself, the dashboard behind its gate."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.starlette import App

from dpcore.algorithms import ALGORITHMS
from dpcore.errors import DpcoreError
from dpcore.privacy import explain
from dpcore.privacy.rounding import at_most
from pages.server import start
from pages.ui import (
    address,
    cached_work,
    controls,
    figures,
    frame,
    legend,
    run_picture,
    too_few_rows,
    url_keys,
    visibility,
    workers,
)
from pages.ui.choice import Choice
from pages.ui.legend import Layers
from pages.ui.url_parsers import OneOf
from pages.ui.wording import plain

#: The three levels that stand side by side at first: ends and middle.
SIDES = (
    (url_keys.LEFT, "First level"),
    (url_keys.IN_THE_MIDDLE, "Second level"),
    (url_keys.RIGHT, "Third level"),
)
UNPROVED = "no protection is proved"
#: From so many rows on, noise drowns among them.
MANY_ROWS = 1_000_000


def main() -> None:
    frame.frame("Explore")
    with workers.turns().turn():
        explore()


def explore() -> None:
    choice = controls.choose()
    st.title("What privacy costs")
    unit = choice.about.unit
    noisy = (
        f"**Blue:** the same after noise is added, so that no single {unit} can be detected."
        if choice.request.system.verdict.holds
        else f"**Orange:** from a method that claims to hide each {unit}, without a valid proof."
    )
    st.caption(
        f"**Red:** {choice.request.k} centers computed from every {unit}. {noisy} Drag the slider: "
        "more privacy, less accuracy."
    )
    if not visibility.show(choice.data):
        return
    with st.sidebar:
        three = address.control(st.toggle, "Three levels side by side", url_keys.THREE)
        layers = legend.layer_switches(choice.data)
    if three:
        three_levels(choice, layers)
    else:
        one_level(choice, layers)


def one_level(choice: Choice, layers: Layers) -> None:
    slider, words = st.columns([3, 2], gap="medium")
    with slider:
        level_slider(choice)
    with words, st.container(key="words", gap="xsmall"):
        protection(choice)
    axes = axes_shown(choice)
    picture = attempt(choice, axes)
    if picture is None:
        offer_another(choice)
        return
    run_picture.draw(picture, choice, axes, layers, key="picture")
    legend.legend(picture, choice, layers)
    notes(choice, picture)
    figures.figures(choice, picture)
    figures.table(choice, picture)


def three_levels(choice: Choice, layers: Layers) -> None:
    """The same data, centers and seed at three levels, like figure 8 of Feldman et al. (2017)."""
    axes = axes_shown(choice)
    shown = None
    for column, (key, label) in zip(st.columns(3), SIDES, strict=True):
        with column:
            chosen = controls.level_slider(label, key)
            at = choice.at(next(lv.epsilon for lv in explain.LEVELS if lv.name == chosen))
            said = explain.odds(at.request.epsilon) if at.request.system.verdict.holds else UNPROVED
            st.markdown(f"**{chosen}**: {said}")
            picture = attempt(at, axes)
            if picture is None:
                continue
            run_picture.draw(picture, at, axes, layers, key=f"picture-{key.name}")
            figures.figures(at, picture, key.name)
            shown = picture
    if shown is None:
        offer_another(choice)
    else:
        legend.legend(shown, choice, layers)
        notes(choice, shown)


def level_slider(choice: Choice) -> None:
    controls.level_slider(f"How strictly is each {choice.about.unit} protected?")
    st.html(controls.ENDS)
    if controls.is_exact(choice):
        st.caption(
            f"You typed ε = {at_most(choice.request.epsilon)}; the slider shows the nearest level."
        )


def protection(choice: Choice) -> None:
    """What the level means, in words."""
    unit = choice.about.unit
    if not choice.request.system.verdict.holds:
        st.warning(
            f"**{UNPROVED.capitalize()}.** {explain.attack(float('inf'), unit)} "
            "This method's privacy claim does not hold."
        )
        return
    st.metric(f"What an attacker can gain about one {unit}", explain.odds(choice.request.epsilon))
    sentences = [
        explain.attack(choice.request.epsilon, unit, choice.request.neighbors),
        f"Protected is {explain.scope(unit)}.",
        explain.slip(choice.request.delta),
    ]
    st.caption(" ".join(filter(None, sentences)))
    if caution := explain.caution(choice.request.epsilon):
        st.caption(f":orange[:material/warning: **{caution}**]")


def axes_shown(choice: Choice) -> tuple[int, int]:
    """The two coordinates that are drawn: the only two, pickups, or a person's choice."""
    names = choice.box.names
    if len(names) == 2 or choice.about.geographic:
        return (0, 1)
    left, right = st.columns(2)
    known = OneOf(names)
    with left:
        x = address.control(st.selectbox, "Across", url_keys.ACROSS.narrowed(known, names[0]))
    with right:
        y = address.control(st.selectbox, "Up", url_keys.UP.narrowed(known, names[1]))
    st.caption(
        f"These data have {len(names)} coordinates; the picture shows two of them: "
        f"**{plain(x)}** and **{plain(y)}**. Distances and figures count all {len(names)}."
    )
    return names.index(x), names.index(y)


def attempt(choice: Choice, axes: tuple[int, int]) -> cached_work.Picture | None:
    """The picture, or in words why there is none."""
    title = choice.request.system.title
    if obstacle := controls.obstacle(choice):
        st.warning(f"{title} cannot run on these data: {obstacle}")
        return None
    try:
        return cached_work.picture(choice, axes)
    except DpcoreError as problem:
        st.warning(f"{title} has no answer here. {plain(str(problem))}")
        return None


def offer_another(choice: Choice) -> None:
    """One click from a method that cannot run to where it can, or to one that can."""
    too_few_rows.offer(choice)
    fallback = ALGORITHMS[controls.FALLBACK]
    if choice.request.algorithm != fallback.key:
        st.button(
            f"Use “{fallback.title}” instead",
            key="instead",
            on_click=url_keys.ALGORITHM.put,
            args=(fallback.key,),
        )


def notes(choice: Choice, picture: cached_work.Picture) -> None:
    """What to know about the data before drawing conclusions."""
    about, rows = choice.about, picture.truth.value.rows
    sentences: list[str] = []
    sentences += filter(None, (picture.because, picture.note))
    if about.simulated:
        sentences.append(":material/science: **Simulated data.**")
    if rows >= MANY_ROWS:
        sentences.append(explain.price(rows, about.unit))
    if sentences:
        st.caption(" ".join(sentences))


# A visit runs this file as a page. `streamlit run app.py` first looks in it for an App to serve.
if get_script_run_ctx(suppress_warning=True):
    main()
else:
    app = App(__file__, **start.options())
