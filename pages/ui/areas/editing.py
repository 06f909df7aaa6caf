"""Controls that choose areas: in a list, by a click, drawn, typed or loaded; and their levels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from dpcore import regions
from dpcore.datasets.city_shapes import Area
from dpcore.errors import BadInput, listed
from dpcore.geometry.domain import Box
from dpcore.privacy import explain
from dpcore.privacy.rounding import at_most
from pages.ui import address, city_map, session_keys, url_keys
from pages.ui.areas.chosen import (
    FIRST_LEVEL,
    LEVEL_NAMES,
    MOST_AREAS,
    MOST_CORNERS,
    Chosen,
    new_name,
    plain_name,
)
from pages.ui.session_keys import SessionKey
from pages.ui.wording import plain

#: Outlines of files, by name, which no address could hold.
LOADED = SessionKey[dict[str, Area]]("loaded areas")
PROBLEM = SessionKey[str]("problem with an area")
NOTE = SessionKey[str]("note on areas")
#: Areas that show at once what this page is for.
EXAMPLE = [
    Chosen("Upper East Side-Carnegie Hill", "Strictest"),
    Chosen("Upper East Side-Yorkville", "Strictest"),
    Chosen("Midtown-Times Square", "Looser"),
]


def loaded() -> dict[str, Area]:
    """Outlines of files that this visit brought."""
    return LOADED.start({})


def put(areas: Sequence[Chosen]) -> None:
    url_keys.AREAS.put(list(areas)[:MOST_AREAS])


def add(*new: Chosen) -> None:
    """Add areas, or replace those of the same name."""
    names = {each.name for each in new}
    put([*(each for each in url_keys.AREAS.get() if each.name not in names), *new])


def remove(name: str) -> None:
    put([each for each in url_keys.AREAS.get() if each.name != name])


def place_names(box: Box) -> tuple[str, ...]:
    """Neighborhoods and boroughs that lie in the box."""
    if not city_map.in_new_york(box):
        return ()
    layers = (regions.boroughs(box), regions.neighborhoods(box))
    return tuple(
        dict.fromkeys(name for layer in layers for name in layer.names if name != regions.ELSEWHERE)
    )


def choose(box: Box) -> None:
    """Controls that add and take away areas."""
    if names := place_names(box):
        places(names)
    if problem := PROBLEM.pop():
        st.warning(plain(problem))
    if note := NOTE.pop():
        st.info(plain(note))
    with st.expander("Draw, type or load an area", icon=":material/draw:"):
        st.caption(
            "On the map press the rectangle or the polygon at its right, then click the corners. "
            "By keyboard: the arrow keys move the map, Enter takes its middle as a corner, and "
            "Enter again ends a polygon."
        )
        typed(box)
        st.file_uploader(
            "GeoJSON file",
            type=["geojson", "json"],
            key="areas-file",
            on_change=load,
            args=(box,),
            help="Polygons with a name each. A number `epsilon` sets an area's level.",
        )


def places(names: tuple[str, ...]) -> None:
    """The list of public places. What is added starts at one of the strict levels."""
    own_places = [
        each.name for each in url_keys.AREAS.get() if each.is_place and each.name in names
    ]
    label = "areas-list"
    state = address.current_key(label, own_places)

    def write() -> None:
        if state != address.latest_key(label):
            return
        names_shown = session_keys.of_widget(state)
        before = url_keys.AREAS.get()
        others = [
            each for each in before if each.name not in own_places or each.name in names_shown
        ]
        there = {each.name for each in before}
        put([*others, *(Chosen(name, FIRST_LEVEL) for name in names_shown if name not in there)])

    st.multiselect(
        "Neighborhoods and boroughs",
        names,
        default=own_places,
        key=state,
        on_change=write,
        placeholder="Choose here, or click on the map",
    )


def typed(box: Box) -> None:
    """A rectangle by its corners."""
    with st.form("typed-area", border=False):
        name = st.text_input("Name", placeholder="Home")
        (west, south), (east, north) = box.low[:2], box.high[:2]
        step = 10.0 ** -max(2, 4 - math.ceil(math.log10(max(east - west, 1e-3))))
        sides = (
            ("West", west, east, west + 0.45 * (east - west)),
            ("East", west, east, west + 0.55 * (east - west)),
            ("South", south, north, south + 0.45 * (north - south)),
            ("North", south, north, south + 0.55 * (north - south)),
        )
        corners = [
            st.number_input(
                label, low, high, round(value, 5), step=step, format="%.5f", key=f"typed-{label}"
            )
            for label, low, high, value in sides
        ]
        if st.form_submit_button("Add the rectangle", icon=":material/add:"):
            x0, x1, y0, y1 = corners
            shape = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
            own = plain_name(name) or new_name(url_keys.AREAS.get())
            if own in place_names(box):
                PROBLEM.put(f"{own} is a public place: give your area another name.")
            else:
                add(Chosen(own, FIRST_LEVEL, shape))
            st.rerun()


def load(box: Box) -> None:
    """Take the areas of a GeoJSON file, with their levels."""
    file = session_keys.of_widget("areas-file")
    if file is None:
        return
    try:
        own_map = regions.parsed(file.getvalue(), box, file.name)
    except BadInput as problem:
        PROBLEM.put(str(problem))
        return
    rest = own_map.levels.get(regions.ELSEWHERE)
    if rest is not None:
        url_keys.EPSILON.clear()
        url_keys.PRIVACY.put(explain.nearest_level(rest).name)
    if moved := [name for name, own in own_map.levels.items() if not explain.level_of(own)]:
        NOTE.put(
            "This page knows the levels of its sliders only, so these areas have the nearest one: "
            f"{listed(moved)}. The command line and Python take any level."
        )
    new: list[Chosen] = []
    for area in own_map.outlines:
        name = plain_name(area.name) or new_name(new)
        epsilon = own_map.levels.get(area.name)
        level = FIRST_LEVEL if epsilon is None else explain.nearest_level(epsilon).name
        if is_public(area, box):
            new.append(Chosen(name, level))
            continue
        corners = outline(area)
        if not corners:
            loaded()[name] = area
        new.append(Chosen(name, level, corners, not corners))
    add(*new)


def is_public(area: Area, box: Box) -> bool:
    """Whether an area is a public place, by its name and its outline."""
    return area.name in place_names(box) and area.shape.equals(regions.place(area.name).shape)


def outline(area: Area) -> tuple[tuple[float, float], ...]:
    """The corners of an area that an address can hold: one ring of few corners."""
    rings = [ring for polygon in area.polygons for ring in polygon]
    if len(rings) != 1 or len(rings[0]) - 1 > MOST_CORNERS:
        return ()
    return tuple((float(x), float(y)) for x, y in rings[0][:-1])


def clicks(key: str, box: Box) -> dict[str, Callable[[], None]]:
    """The effects of a click on the map: a place is added or taken away; a drawing is added."""

    def picked() -> None:
        name = session_keys.of_widget(key).picked
        by_name = {each.name: each for each in url_keys.AREAS.get()}
        if name in by_name:
            remove(name)
        elif name in place_names(box):
            add(Chosen(name, FIRST_LEVEL))

    def take_drawing() -> None:
        corners: Any = session_keys.of_widget(key).drawn
        if not corners:
            return
        shape = tuple((float(x), float(y)) for x, y in corners)[:MOST_CORNERS]
        if len(shape) >= 3:
            add(Chosen(new_name(url_keys.AREAS.get()), FIRST_LEVEL, shape))

    return {"on_picked_change": picked, "on_drawn_change": take_drawing}


def levels(areas: Sequence[Chosen], unit: str) -> None:
    """A slider for each area."""
    for each in areas:
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            level_of(each)
            st.button(
                "",
                icon=":material/close:",
                key=f"remove-{each.name}",
                help=f"Remove {plain(each.name)}",
                on_click=remove,
                args=(each.name,),
            )


def level_of(area: Chosen) -> None:
    label = f"area-{area.name}"
    state = address.current_key(label, area.level)

    def write() -> None:
        if state == address.latest_key(label):
            level = session_keys.of_widget(state)
            put([e.at(level) if e.name == area.name else e for e in url_keys.AREAS.get()])

    st.select_slider(
        f"{plain(area.name)}: {explain.odds(area.epsilon)}",
        LEVEL_NAMES,
        value=area.level,
        key=state,
        on_change=write,
        help=f"ε = {at_most(area.epsilon)}",
    )
