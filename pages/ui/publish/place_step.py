"""Step 3: which columns are positions, and the public area in which they lie."""

from __future__ import annotations

import streamlit as st

from dpcore.datasets import engines
from dpcore.datasets.engines import Kind, guess_columns
from dpcore.datasets.engines.position_columns import ZONE_IDS
from dpcore.datasets.engines.source import Zones
from dpcore.datasets.files import coordinates, looks_geographic
from dpcore.datasets.named_boxes import LONGITUDE_LATITUDE, PLACES
from dpcore.errors import DpcoreError
from dpcore.geometry.domain import Box
from pages.ui import access, data_root
from pages.ui.access import Action
from pages.ui.publish import area_map, first_rows, protection_step, step_list
from pages.ui.publish.area_map import DRAWN
from pages.ui.publish.data_step import Opened, files, refuse
from pages.ui.publish.publish_source import Subject
from pages.ui.publish.publish_step import PublishStep
from pages.ui.publish.row_count import CLIP, DROP, PlaceAnswers, count, tell
from pages.ui.wording import plain

TYPED = "Type its corners"
OUTSIDE = {DROP: "Ignore them", CLIP: "Move them to its border"}
#: Coordinates that a line names.
SHOWN = 3


def draw() -> None:
    opened = files()
    assert opened is not None
    answer = protection_step.current()
    with step_list.opened(PublishStep.PLACE):
        left, right = st.columns([3, 2], gap="large")
        with right:
            columns = columns_control(opened.source.schema)
            zones = zones_control(columns)
            names = named(opened, columns, zones)
            box = box_control(names)
            outside = step_list.remembered(
                st.radio,
                "Rows outside this area",
                "outside",
                DROP,
                options=list(OUTSIDE),
                format_func=OUTSIDE.__getitem__,
                horizontal=True,
            )
        answers = (
            None
            if box is None or answer.unit is None
            else PlaceAnswers(
                opened.mark, tuple(columns), box, outside, answer.unit, answer.row, zones
            )
        )
        with left:
            if len(names) == 2 and (box is None or looks_geographic(box)):
                area_map.draw(box, names)
            first_rows.draw(opened)
            tell(answers)
        count(opened, answers)


def columns_control(schema: dict[str, Kind]) -> list[str]:
    usable = [name for name, kind in schema.items() if kind is not Kind.OTHER]
    guess = list(guess_columns(usable))
    names: list[str] = step_list.remembered(
        st.multiselect,
        "Columns with the positions, longitude before latitude",
        "columns",
        guess,
        options=usable,
        placeholder="Choose the columns that say where something is",
    )
    if guess and names == guess:
        st.caption(":material/auto_awesome: Guessed by their names. Please check.")
    return names


def zones_control(columns: list[str]) -> str | None:
    """Taxi files of later years name zones in place of positions."""
    if not any(name.strip().casefold() in ZONE_IDS for name in columns):
        return None
    if not access.may(Action.READ_FILES):
        return None
    file = step_list.remembered(
        st.text_input,
        "These are ids of zones: a CSV file with LocationID, longitude and latitude",
        "zones",
        "",
    ).strip()
    if not file:
        return None
    try:
        return data_root.file(file)
    except engines.DataFileError as problem:
        refuse(problem)
        return None


def named(opened: Opened, columns: list[str], zones: str | None) -> tuple[str, ...]:
    """The coordinates of these columns; none where a file lacks one of them, and it is said."""
    if not columns:
        return ()
    try:
        return coordinates(opened.source.reading(tuple(columns), Zones("", ()) if zones else None))
    except engines.DataFileError as problem:
        refuse(problem)
        return ()


def box_control(names: tuple[str, ...]) -> Box | None:
    """The public box, from a list, drawn or typed; never from the rows."""
    if not names:
        return None
    if len(names) != 2:
        return typed(names)
    place = step_list.remembered(
        st.selectbox,
        "Which area do the data cover?",
        "place",
        None,
        options=[DRAWN, TYPED, *PLACES],
        placeholder="Search a city, a country, the world",
    )
    if place is None:
        st.caption(
            "Choose from what everybody knows, such as “all trips are in New York”, not from the "
            "rows: an area that just fits them would reveal the outermost ones."
        )
        return None
    if place == TYPED:
        return typed(names)
    if place == DRAWN:
        own_box = typed(names)
        return None if own_box is None else on_a_map(own_box, names)
    box = PLACES[place]
    ends = (
        f"{axis} {low:g} to {high:g}"
        for axis, low, high in zip(LONGITUDE_LATITUDE, box.low, box.high, strict=True)
    )
    st.caption(f"In degrees: {', '.join(ends)}.")
    return on_a_map(box, names)


def on_a_map(box: Box, names: tuple[str, ...]) -> Box:
    """The box under names by which everybody sees that it is one of longitudes and latitudes."""
    under_names = Box(box.low, box.high, names)
    if looks_geographic(under_names):
        return under_names
    return Box(box.low, box.high, LONGITUDE_LATITUDE)


def typed(names: tuple[str, ...]) -> Box | None:
    """Two ends for each coordinate."""
    st.caption(
        "Type what is publicly known. The smallest and largest values in the file belong to "
        "single rows, and would give them away."
    )
    ends = []
    for i, name in enumerate(names):
        left, right = st.columns(2)
        with left:
            lowest = end(f"{plain(name)}: lowest", f"low {i} {name}")
        with right:
            highest = end(f"{plain(name)}: highest", f"high {i} {name}")
        if lowest is not None and highest is not None:
            ends.append((lowest, highest))
    if len(ends) < len(names):
        return None
    try:
        low, high = zip(*ends, strict=True)
        return Box(low, high, names)
    except DpcoreError as problem:
        st.error(plain(str(problem)))
        return None


def end(label: str, name: str) -> float | None:
    number: float | None = step_list.remembered(
        st.number_input, label, name, None, step=None, format="%g", placeholder="number"
    )
    return number


def summary(on: Subject) -> str:
    """The public box, in a line."""
    box = on.source.box
    ends = [
        f"{name} {low:g} to {high:g}"
        for name, low, high in zip(box.names, box.low, box.high, strict=True)
    ]
    more = f" and {len(ends) - SHOWN} more" * (len(ends) > SHOWN)
    named = next((f"{name}: " for name, place in PLACES.items() if same_ends(place, box)), "")
    return plain(f"{named}{', '.join(ends[:SHOWN])}{more}")


def same_ends(one: Box, other: Box) -> bool:
    return (one.low, one.high) == (other.low, other.high)
