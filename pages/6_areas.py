"""Areas: a privacy level of its own for each part of the map."""

from __future__ import annotations

import json
from collections.abc import Sequence

import streamlit as st

from dpcore import regions
from dpcore.algorithms import ALGORITHMS
from dpcore.algorithms.base import SynopsisAlgorithm
from dpcore.errors import BadInput, DpcoreError
from dpcore.privacy import explain
from dpcore.privacy.explain import LEVELS
from dpcore.privacy.rounding import at_most
from dpcore.runs.request import Request
from pages.ui import (
    address,
    cached_work,
    city_map,
    controls,
    figures,
    frame,
    palette,
    run_map,
    run_picture,
    url_keys,
    visibility,
)
from pages.ui.areas import area_run, editing, track_view, wishes_view
from pages.ui.areas.chosen import LEVEL_NAMES, Chosen
from pages.ui.choice import Choice
from pages.ui.legend import Layers
from pages.ui.url_parsers import OneOf
from pages.ui.wording import plain

#: Methods whose answers of several areas can be joined.
BY_AREA = tuple(
    key
    for key, each in ALGORITHMS.items()
    if isinstance(each, SynopsisAlgorithm) and each.verdict.holds
)
SIDES = (url_keys.LEFT, url_keys.IN_THE_MIDDLE, url_keys.RIGHT)
MINE, WISHES = "mine", "wishes"
VIEWS = {"levels": "Levels by area", MINE: "My own map", WISHES: "Wishes of several people"}
MAP = "areas-map"
REST = "Everywhere else"


def main() -> None:
    frame.frame("Areas")
    view = url_keys.AREAS_VIEW.get()
    choice = choose(view in (MINE, WISHES))
    st.title("Areas: a level of its own for each part of the map")
    unit = choice.about.unit
    st.caption(
        f"Protect each {unit} strictly where people live, and less along the highway. Choose "
        "areas in the list, click them on the map, or draw them; then move their sliders."
    )
    if not (choice.about.geographic and choice.box.d == 2):
        no_map()
        return
    areas = url_keys.AREAS.get()
    address.tabs("View", url_keys.AREAS_VIEW, VIEWS)
    if view == MINE:
        track_view.draw(choice, areas)
    elif view == WISHES:
        wishes_view.draw(choice, areas)
    else:
        by_area(choice, areas)


def by_area(choice: Choice, areas: Sequence[Chosen]) -> None:
    """A level for each area: the areas, their sliders, the map, and what they protect."""
    unit = choice.about.unit
    if not visibility.show(choice.data):
        return
    if url_keys.THREE.get() and areas:
        panel, drawing = st.container(), st.container()
    else:
        drawing, panel = st.columns([2.05, 1], gap="medium")
    with panel:
        editing.choose(choice.box)
        if areas:
            editing.levels(areas, unit)
        elif editing.place_names(choice.box):
            st.button(
                "Show me an example",
                icon=":material/lightbulb:",
                on_click=editing.put,
                args=(editing.EXAMPLE,),
            )
        controls.level_slider(REST if areas else "The whole map")
        three = address.control(st.toggle, "Three levels side by side", url_keys.THREE)
    with drawing:
        try:
            at = area_run.with_areas(choice, areas)
        except BadInput as problem:
            st.warning(plain(str(problem)))
            picture_map(None, choice, areas)
            return
        if three and areas:
            three_levels(choice, areas)
        else:
            one_picture(at, areas)
    visibility.public_badges(choice.data)
    words(at, choice, areas)
    take_away(at, areas)


def choose(without_run: bool) -> Choice:
    """The sidebar's choice, with the methods that can run area by area; where nothing is run, the
    data alone."""
    with st.sidebar:
        data = controls.data_control()
    if without_run:
        level = LEVELS[LEVEL_NAMES.index(controls.level_name())]
        epsilon = url_keys.EPSILON.get() or level.epsilon
        return Choice(data, Request("adaptive", 1, epsilon, neighbors=url_keys.NEIGHBORS.get()))
    with st.sidebar:
        method = address.control(
            st.selectbox,
            "Method",
            url_keys.ALGORITHM.narrowed(OneOf(BY_AREA), url_keys.ALGORITHM.default),
            format_func=lambda key: ALGORITHMS[key].title,
        )
        controls.noise_button()
    return controls.choose(data=data, method=method)


def no_map() -> None:
    st.info("Areas need data on a map: one longitude and one latitude per row.")
    st.button(
        "Use the taxi pickups", type="primary", on_click=url_keys.DATA.clear, key="use-pickups"
    )


def attempt(choice: Choice) -> cached_work.Picture | None:
    """The picture, or in words why there is none."""
    try:
        return cached_work.picture(choice, (0, 1))
    except DpcoreError as problem:
        st.warning(f"{choice.request.system.title} has no answer here. {plain(str(problem))}")
        return None


def one_picture(at: Choice, areas: Sequence[Chosen]) -> None:
    picture = attempt(at)
    if city_map.in_new_york(at.box):
        address.control(
            st.segmented_control,
            "A click on the map adds or removes",
            url_keys.CLICKS,
            format_func={"neighborhoods": "a neighborhood", "boroughs": "a borough"}.__getitem__,
            required=True,
        )
    picture_map(picture, at, areas)
    if picture is not None:
        figures.figures(at, picture)
        with st.expander("The centers in words", icon=":material/table:"):
            figures.table(at, picture)


def picture_map(
    picture: cached_work.Picture | None, at: Choice, areas: Sequence[Chosen], key: str = MAP
) -> None:
    """The map with its areas, and the run on it where there is one."""
    colors = palette.current()
    box = at.box.take((0, 1))
    if picture is None:
        canvas = city_map.CityMap("The map without a run.", run_map.first_view(box, []))
    else:
        centers = run_picture.centers(picture, at)
        description = run_picture.describe(picture, at)
        canvas = run_map.canvas_of(picture, at, centers, Layers(), description)
    canvas.areas = area_run.tinted(area_run.drawable(areas), colors, at.about.unit)
    canvas.legend = [*area_run.legend(areas, colors), *canvas.legend]
    canvas.words += f" Areas: {'; '.join(f'{e.name}, {e.level}' for e in areas) or 'none'}."
    is_single = key == MAP
    canvas.draw = is_single
    if is_single and city_map.in_new_york(box):
        canvas.pick = url_keys.CLICKS.get()
    city_map.show(canvas, key, **(editing.clicks(key, box) if is_single else {}))


def three_levels(choice: Choice, areas: Sequence[Chosen]) -> None:
    """The same run with one area at three levels."""
    names = [*(each.name for each in areas), REST]
    varied = address.control(
        st.selectbox, "The level of", url_keys.VARIED.narrowed(OneOf(names), names[0])
    )
    for column, key in zip(st.columns(3), SIDES, strict=True):
        with column:
            level = controls.level_slider(f"{key.name.capitalize()}: {plain(varied)}", key)
            epsilon = LEVELS[LEVEL_NAMES.index(level)].epsilon
            changed = [e.at(level) if e.name == varied else e for e in areas]
            at = area_run.with_areas(choice.at(epsilon) if varied == REST else choice, changed)
            picture = attempt(at)
            if picture is not None:
                picture_map(picture, at, changed, key=f"{MAP}-{key.name}")
                figures.figures(at, picture)


def words(at: Choice, choice: Choice, areas: Sequence[Chosen]) -> None:
    """Words about the protection at each level, and about the cost of moving between two areas."""
    unit, request = at.about.unit, at.request
    st.subheader("What is protected")
    if request.regions is None:
        st.markdown(explain.attack(request.epsilon, unit, request.neighbors))
        return
    levels = {each.name: each.level for each in areas}
    rows = [
        {
            "Area": plain(REST if name == regions.ELSEWHERE else name),
            "Level": levels.get(name, controls.level_name()),
            f"What an attacker can gain about one {unit} there": explain.odds(epsilon),
            "ε": at_most(epsilon),
        }
        for name, epsilon in zip(
            request.regions.names, request.regions.epsilons(request.epsilon), strict=True
        )
    ]
    st.table(rows, border="horizontal", hide_index=True)
    st.markdown(
        f"**Whether** a {unit} is in the data is protected at the level of its area. **Where** it "
        f"lies is protected less: a {unit} that moves from one area to another changes both, so "
        "the costs add up."
        if request.neighbors.size_is_private
        else f"**Which** of two places a {unit} has is protected at the level of the area, if both "
        "lie in the same one, and at the mean of both levels if they lie in two."
    )
    moving(at)
    with st.expander("The statement that a certificate would hold", icon=":material/verified:"):
        for sentence in request.regions.sentences(request.epsilon, unit, request.neighbors):
            st.markdown(plain(sentence))


def moving(at: Choice) -> None:
    """The cost of being seen moving between two areas."""
    areas = at.request.regions
    assert areas is not None
    names, unit = list(areas.names), at.about.unit
    called = {regions.ELSEWHERE: REST}
    left, right = st.columns(2)
    with left:
        leaves = address.control(
            st.selectbox,
            f"A {unit} moves from",
            url_keys.LEAVES.narrowed(OneOf(names), names[0]),
            format_func=lambda name: called.get(name, name),
        )
    with right:
        enters = address.control(
            st.selectbox,
            "to",
            url_keys.ENTERS.narrowed(OneOf(names), names[-1]),
            format_func=lambda name: called.get(name, name),
        )
    cost = areas.epsilon_of_move(leaves, enters, at.request.epsilon, at.request.neighbors)
    epsilons = dict(zip(names, areas.epsilons(at.request.epsilon), strict=True))
    st.metric(
        f"What an attacker can gain about where the {unit} was",
        explain.odds(cost),
        help="From even odds between the two places.",
    )
    st.caption(
        f"ε {at_most(epsilons[leaves])} where it leaves and {at_most(epsilons[enters])} where it "
        f"enters: together at most {at_most(cost)}."
    )


def take_away(at: Choice, areas: Sequence[Chosen]) -> None:
    """The areas as a file, the command that repeats the run, and the way to Publish."""
    regions = at.request.regions
    if regions is None:
        return
    st.subheader("Use these areas")
    st.page_link(
        "pages/4_publish.py",
        label="Publish with these areas",
        icon=":material/publish:",
        query_params=address.link(),
    )
    if not visibility.may_leave(at.data):
        return
    st.download_button(
        "Areas as GeoJSON",
        json.dumps(regions.as_geojson()),
        "areas.geojson",
        "application/geo+json",
        icon=":material/download:",
    )
    if visibility.of(at.data).name != "PUBLIC":
        return
    st.code(at.request.command(at.data, "areas.geojson"), language="shell", wrap_lines=True)


main()
