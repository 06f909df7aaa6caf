"""Step 2: columns, the public box, and what must stay hidden."""

from __future__ import annotations

import re

import streamlit as st

from dpcore.datasets import engines
from dpcore.datasets.engines import Kind, guess_columns
from dpcore.datasets.engines.position_columns import ZONE_IDS
from dpcore.datasets.engines.source import Zones
from dpcore.datasets.files import coordinates, looks_geographic
from dpcore.datasets.named_boxes import LONGITUDE_LATITUDE, PLACES
from dpcore.errors import DpcoreError
from dpcore.geometry.domain import Box
from dpcore.privacy import explain
from dpcore.release import Unit
from dpcore.release.unit import MOST_ROWS
from pages.ui import access, data_root
from pages.ui.access import Action
from pages.ui.publish import step_list
from pages.ui.publish.data_step import Opened, files, refuse
from pages.ui.publish.publish_source import Subject
from pages.ui.publish.publish_step import PublishStep
from pages.ui.publish.row_count import CLIP, DROP, Asked, count
from pages.ui.wording import plain

TYPED = "Type the box"
OUTSIDE = {DROP: "Leave them out", CLIP: "Move them to its edge"}
#: Coordinates, and columns, that a line names.
SHOWN, COLUMNS_SHOWN = 3, 12
ROW, PERSON = "row", "person"
WHO = {
    ROW: "Whether one row is in the data",
    PERSON: "Whether one person is in the data, who may have several rows",
}


def draw() -> None:
    opened = files()
    assert opened is not None
    with step_list.opened(PublishStep.PROTECT):
        schema = opened.source.schema
        first = plain(", ".join(list(schema)[:COLUMNS_SHOWN]))
        more = " …" * (len(schema) > COLUMNS_SHOWN)
        st.caption(f"{len(schema)} columns: {first}{more}")
        columns = columns_control(schema)
        zones = zones_control(columns)
        unit, row = unit_control(list(schema))
        box = box_control(named(opened, columns, zones))
        outside = step_list.remembered(
            st.radio,
            "Rows outside the box",
            "outside",
            DROP,
            options=list(OUTSIDE),
            format_func=OUTSIDE.__getitem__,
            horizontal=True,
        )
        asked = (
            None
            if box is None or unit is None
            else Asked(opened.mark, tuple(columns), box, outside, unit, row, zones)
        )
        count(opened, asked)


def columns_control(schema: dict[str, Kind]) -> list[str]:
    usable = [name for name, kind in schema.items() if kind is not Kind.OTHER]
    guess = list(guess_columns(usable))
    chosen = step_list.remembered(
        st.multiselect,
        "Columns to group by, longitude before latitude",
        "columns",
        guess,
        options=usable,
        placeholder="Choose the columns that say where something is",
    )
    if guess and chosen == guess:
        st.caption(":material/auto_awesome: Guessed by their names. Please check.")
    return chosen


def zones_control(columns: list[str]) -> str | None:
    """Taxi files of later years name zones in place of positions."""
    if not any(name.strip().casefold() in ZONE_IDS for name in columns):
        return None
    if not access.may(Action.READ_FILES):
        return None
    given = step_list.remembered(
        st.text_input,
        "These are ids of zones: a CSV file with LocationID, longitude and latitude",
        "zones",
        "",
    ).strip()
    if not given:
        return None
    try:
        return data_root.file(given)
    except engines.DataFileError as problem:
        refuse(problem)
        return None


def unit_control(columns: list[str]) -> tuple[Unit | None, str]:
    """What an attacker must not learn: of one row, or of somebody with several."""
    given = step_list.remembered(
        st.text_input, "What is one row?", "row", "row", placeholder="trip, visit, measurement"
    )
    row = word(given) or "row"
    # A choice is known to Streamlit by its words: they must not change while somebody types.
    who = step_list.remembered(
        st.radio,
        "What must nobody be able to find out?",
        "who",
        ROW,
        options=list(WHO),
        format_func=WHO.__getitem__,
    )
    if who == ROW:
        return Unit(row), row
    left, middle, right = st.columns(3)
    with left:
        ids = step_list.remembered(
            st.selectbox,
            "Column that tells people apart",
            "ids",
            columns[0],
            options=columns,
        )
    with middle:
        rows = step_list.remembered(
            st.number_input,
            "Most rows kept of each",
            "rows",
            5,
            min_value=1,
            max_value=MOST_ROWS,
        )
    with right:
        person = step_list.remembered(st.text_input, "What is one of them?", "person", "person")
    st.caption(
        f"Of each {person} up to {rows} {explain.plural(row)} are kept, chosen at random, and the "
        f"noise is {rows} times as large. Fewer kept means less noise and a less complete picture."
    )
    return Unit(word(person) or "person", ids, rows), row


def word(text: str) -> str:
    """Only letters, digits, spaces and hyphens: it will stand in sentences everywhere."""
    return re.sub(r"[^\w -]|_", "", text).strip()


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
    """The public box, from a list or typed; never from the rows."""
    if not names:
        return None
    if len(names) != 2:
        return typed(names)
    place = step_list.remembered(
        st.selectbox,
        "Where can positions be? Choose by what everybody knows, not by the rows",
        "place",
        None,
        options=[*PLACES, TYPED],
        placeholder="New York, a city, a country, the world, or typed",
    )
    if place is None:
        return None
    if place == TYPED:
        return typed(names)
    box = PLACES[place]
    ends = (
        f"{axis} {low:g} to {high:g}"
        for axis, low, high in zip(LONGITUDE_LATITUDE, box.low, box.high, strict=True)
    )
    st.caption(f"Its box in degrees: {', '.join(ends)}.")
    under_names = Box(box.low, box.high, names)
    return under_names if looks_geographic(under_names) else box


def typed(names: tuple[str, ...]) -> Box | None:
    """Two ends for each coordinate."""
    st.caption(
        "From what is publicly known: the smallest and largest values in the file belong to single "
        "rows, and would give them away."
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
    return step_list.remembered(
        st.number_input, label, name, None, step=None, format="%g", placeholder="number"
    )


def summary(on: Subject) -> str:
    """What is protected, in a line."""
    box = on.source.box
    ends = [
        f"{name} {low:g} to {high:g}"
        for name, low, high in zip(box.names, box.low, box.high, strict=True)
    ]
    more = f" and {len(ends) - SHOWN} more" * (len(ends) > SHOWN)
    return plain(f"each {on.unit.name}; in the box {', '.join(ends[:SHOWN])}{more}")
