"""Explore: the map and the slider. Run by Streamlit itself, the dashboard behind its gate."""

from __future__ import annotations

import time

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.starlette import App

from dpcore.algorithms import ALGORITHMS
from dpcore.errors import DpcoreError
from dpcore.privacy import explain
from pages.server import start
from pages.ui import (
    address,
    browser_state,
    cached_work,
    center_counts,
    controls,
    figures,
    fragments,
    frame,
    legend,
    own_data,
    run_files,
    run_panel,
    run_picture,
    too_few_rows,
    url_keys,
    visibility,
    workers,
)
from pages.ui.areas import explore_areas
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
#: Seconds by which a picture comes before its words. A browser that gets them together draws the
#: words first, and a person waits for the picture.
HEAD_START = 0.03
#: From so many rows on, noise drowns among them.
MANY_ROWS = 1_000_000


def main() -> None:
    frame.frame("Explore")
    explore()


def explore() -> None:
    visibility.stop_if_absent()
    three = url_keys.THREE.get()
    if three:
        panel, drawing = st.container(), st.container()
    else:
        drawing, panel = st.columns([2.05, 1], gap="medium")
    with panel:
        places = run_panel.panel()
    choice = controls.in_address()
    if not choice.about.geographic:
        browser_state.watch_width()
    with drawing:
        may_look = visibility.show(choice.data, badges=True)
    with places.intro:
        run_panel.introduce(choice)
    below_centers = run_panel.draw_controls(places, choice)
    if not may_look:
        return
    with below_centers:
        center_counts.button(choice)
    with drawing:
        if three:
            with workers.turns().turn():
                three_levels(places, choice, legend.in_address())
        else:
            with places.badges:
                visibility.public_badges(choice.data)
            one_level(places)


@st.fragment
def one_level(places: run_panel.RunPanel) -> None:
    """Draw the slider, the picture and what it means. A move of the slider draws only this."""
    address.restore()
    choice_here = controls.in_address()
    is_move = fragments.is_redrawing()
    if not is_move:  # the first picture takes a while
        level(choice_here, places)
    choice = explore_areas.applied(choice_here)
    with workers.turns().turn():
        picture = draw_picture(choice)
    if is_move:
        time.sleep(HEAD_START)
        level(choice_here, places)
    if picture is None:
        for place in (places.answer, places.actions, places.table):
            place.empty()  # the place must be known when another level has a picture
        offer_another(choice)
    else:
        beside_the_map(choice, picture, places)


def level(choice: Choice, places: run_panel.RunPanel) -> None:
    """Draw the slider, and which areas have a level of their own."""
    with places.level:
        run_panel.level_slider(choice)
        explore_areas.note(choice)


def draw_picture(choice: Choice) -> cached_work.Picture | None:
    """Draw the picture, or say in words why there is none."""
    axes = axes_shown(choice)
    picture = attempt(choice, axes)
    if picture is not None:
        layers = legend.in_address()
        with st.container(key="stage"):
            run_picture.draw(picture, choice, axes, layers, key="picture")
        legend.legend(picture, choice, layers)
    return picture


def beside_the_map(
    choice: Choice, picture: cached_work.Picture, places: run_panel.RunPanel
) -> None:
    """Draw what the picture means, and what to do with it."""
    with places.answer:
        figures.figures(choice, picture, odds=True)
        run_panel.protection(choice)
        notes(choice, picture)
    with places.actions:
        run_files.offer({"": (choice, picture)})
        run_panel.publish_link()
    with places.table:
        figures.table(choice, picture)


def three_levels(places: run_panel.RunPanel, choice: Choice, layers: Layers) -> None:
    """The same data, centers and seed at three levels, like figure 8 of Feldman et al. (2017)."""
    explore_areas.note(choice)
    axes = axes_shown(choice)
    pictures: dict[str, tuple[Choice, cached_work.Picture]] = {}
    for column, (key, label) in zip(st.columns(3), SIDES, strict=True):
        with column:
            level_name = controls.level_slider(label, key)
            level = next(lv.epsilon for lv in explain.LEVELS if lv.name == level_name)
            at = explore_areas.applied(choice.at(level))
            holds = at.request.system.verdict.holds
            words = explain.odds(at.request.epsilon) if holds else run_panel.UNPROVED
            st.markdown(f"**{level_name}**: {words}")
            picture = attempt(at, axes)
            if picture is None:
                continue
            run_picture.draw(picture, at, axes, layers, key=f"picture-{key.name}")
            figures.figures(at, picture)
            pictures[level_name] = at, picture
    if not pictures:
        offer_another(choice)
        return
    with places.actions:
        run_files.offer(pictures)
        visibility.public_badges(choice.data)
    _, picture = next(reversed(pictures.values()))
    legend.legend(picture, choice, layers)
    notes(choice, picture)


def axes_shown(choice: Choice) -> tuple[int, int]:
    """The two coordinates that are drawn: the only two, pickups, or a person's choice."""
    names = choice.box.names
    if len(names) == 2 or choice.about.geographic:
        return (0, 1)
    axes = []
    written = axes_in_address(choice)
    with st.container(key="axes"):
        columns = st.columns(2)
    for column, label, key, first in zip(
        columns, ("Across", "Up"), (url_keys.ACROSS, url_keys.UP), written, strict=False
    ):
        with column:
            name = address.control(
                st.selectbox,
                label,
                key.narrowed(OneOf(written), first),
                format_func=dict(zip(written, names, strict=True)).__getitem__,
            )
        axes.append(written.index(name))
    x, y = axes
    st.caption(
        f"These data have {len(names)} coordinates; the picture shows two of them: "
        f"**{plain(names[x])}** and **{plain(names[y])}**. Distances and figures count all "
        f"{len(names)}."
    )
    return x, y


def axes_in_address(choice: Choice) -> tuple[str, ...]:
    """The word for each coordinate in the address: its name, or its number in data that somebody
    brought, since an address goes to others, and names of columns may tell what the data are."""
    names = choice.box.names
    if own_data.is_own(choice.data):
        return tuple(str(number) for number in range(1, len(names) + 1))
    return names


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
    pressed = too_few_rows.offer(choice)
    fallback = ALGORITHMS[controls.FALLBACK]
    if choice.request.algorithm != fallback.key:
        pressed |= st.button(
            f"Use “{fallback.title}” instead",
            key="instead",
            on_click=url_keys.ALGORITHM.put,
            args=(fallback.key,),
        )
    if pressed:
        st.rerun()  # the whole page: the controls change, too


def notes(choice: Choice, picture: cached_work.Picture) -> None:
    """Notes about the data, to read before drawing conclusions."""
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
