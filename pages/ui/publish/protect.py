"""Step 2: columns, the public box, and what must stay hidden; then one pass that counts."""

from __future__ import annotations

import re
from dataclasses import dataclass

import streamlit as st

from dpcore import engines, explain
from dpcore.datasets import About, Dataset
from dpcore.datasets.files import coordinates, looks_geographic, with_tally
from dpcore.datasets.places import LONGITUDE_LATITUDE, PLACES
from dpcore.domain import Box
from dpcore.engines import Kind, Tally, guess_columns, open_source
from dpcore.engines.positions import ZONE_IDS
from dpcore.release import FileData, Unit
from dpcore.release.contribution import MOST_ROWS
from dpcore.results import NonPrivate
from pages.ui import address, own_data
from pages.ui.own_data import OwnData
from pages.ui.publish import steps
from pages.ui.publish.data import Opened, files, refuse
from pages.ui.publish.steps import Step
from pages.ui.publish.subject import Subject
from pages.ui.publish.tasks import Task, watch
from pages.ui.wording import NOT_PRIVATE, plain

COUNTING, COUNTED = "counting rows", "counted rows"
TYPED = "Type the box"
DROP, CLIP = "drop", "clip"
OUTSIDE = {DROP: "Leave them out", CLIP: "Move them to its edge"}
#: Coordinates, and columns, that a line names.
SHOWN, COLUMNS_SHOWN = 3, 12
ROW, PERSON = "row", "person"
WHO = {
    ROW: "Whether one row is in the data",
    PERSON: "Whether one person is in the data, who may have several rows",
}


@dataclass(frozen=True)
class Asked:
    """What was settled in this step; equal answers need not be counted again."""

    mark: str
    columns: tuple[str, ...]
    box: Box
    outside: str
    unit: Unit
    row: str
    zones: str | None = None


@dataclass(frozen=True)
class Counted:
    """The rows inside the box, and why there are none if so."""

    asked: Asked
    dataset: Dataset
    tally: NonPrivate[Tally]
    trouble: NonPrivate[str] | None = None
    #: Columns in an order in which rows would lie in the box.
    better: tuple[str, ...] = ()


def draw() -> None:
    opened = files()
    assert opened is not None
    with steps.opened(Step.PROTECT):
        schema = opened.source.schema
        names = plain(", ".join(list(schema)[:COLUMNS_SHOWN]))
        more = " …" * (len(schema) > COLUMNS_SHOWN)
        st.caption(f"{len(schema)} columns: {names}{more}")
        columns = columns_control(schema)
        zones = zones_control(columns)
        unit, row = unit_control(list(schema))
        box = box_control(opened, columns, zones)
        outside = steps.remembered(
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
    chosen = steps.remembered(
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
    return (
        steps.remembered(
            st.text_input,
            "These are ids of zones: a CSV file with LocationID, longitude and latitude",
            "zones",
            "",
        ).strip()
        or None
    )


def unit_control(columns: list[str]) -> tuple[Unit | None, str]:
    """What an attacker must not learn: of one row, or of somebody with several."""
    given = steps.remembered(
        st.text_input, "What is one row?", "row", "row", placeholder="trip, visit, measurement"
    )
    row = word(given) or "row"
    # A choice is known to Streamlit by its words: they must not change while somebody types.
    who = steps.remembered(
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
        ids = steps.remembered(
            st.selectbox,
            "Column that tells people apart",
            "ids",
            columns[0],
            options=columns,
        )
    with middle:
        rows = steps.remembered(
            st.number_input,
            "Most rows kept of each",
            "rows",
            5,
            min_value=1,
            max_value=MOST_ROWS,
        )
    with right:
        person = steps.remembered(st.text_input, "What is one of them?", "person", "person")
    st.caption(
        f"Of each {person} up to {rows} {explain.plural(row)} are kept, chosen at random, and the "
        f"noise is {rows} times as large. Fewer kept means less noise and a less complete picture."
    )
    return Unit(word(person) or "person", ids, rows), row


def word(text: str) -> str:
    """Only letters, digits, spaces and hyphens: it will stand in sentences everywhere."""
    return re.sub(r"[^\w -]", "", text).strip()


def box_control(opened: Opened, columns: list[str], zones: str | None) -> Box | None:
    """The public box, from a list or typed; never from the rows."""
    if not columns:
        return None
    source = opened.source
    names = coordinates(
        source.reading(tuple(columns), engines.positions.Zones("", ()) if zones else None)
    )
    if len(names) != 2:
        return typed(names)
    place = steps.remembered(
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
    named = Box(box.low, box.high, names)
    return named if looks_geographic(named) else box


def typed(names: tuple[str, ...]) -> Box | None:
    """Two ends for each coordinate."""
    st.caption(
        "From what is publicly known: the smallest and largest values in the file belong to single "
        "rows, and would give them away."
    )
    lows, highs = [], []
    for i, name in enumerate(names):
        left, right = st.columns(2)
        with left:
            lows.append(end(f"{name}: lowest", f"low {i} {name}"))
        with right:
            highs.append(end(f"{name}: highest", f"high {i} {name}"))
    if None in lows or None in highs:
        return None
    try:
        return Box(tuple(lows), tuple(highs), names)
    except ValueError as problem:
        st.error(str(problem))
        return None


def end(label: str, name: str) -> float | None:
    return steps.remembered(
        st.number_input, label, name, None, step=None, format="%g", placeholder="number"
    )


def count(opened: Opened, asked: Asked | None) -> None:
    """One pass over the rows, and what came of it; then the next step."""
    counted: Counted | None = st.session_state.get(COUNTED)
    fresh = counted is not None and counted.asked == asked
    if st.button(
        "Count the rows",
        type="secondary" if fresh else "primary",
        key="count",
        disabled=asked is None,
        help=None if asked else "Choose columns and a box first.",
    ):
        assert asked is not None
        fresh = False
        st.session_state[COUNTING] = begin(opened, asked)
    task: Task[Counted] | None = st.session_state.get(COUNTING)
    if task is not None:
        if not watch(task):
            return
        del st.session_state[COUNTING]
        if task.failure:
            refuse(task.failure)
            return
        counted = st.session_state[COUNTED] = task.result
        fresh = counted is not None and counted.asked == asked
    if fresh and counted is not None:
        told(opened, counted)


def begin(opened: Opened, asked: Asked) -> Task[Counted]:
    engine = opened.engine
    progress = getattr(engine, "progress", lambda: 0.0)
    return Task(lambda: counting(opened, asked), lambda: ("Counting the rows", progress()))


def counting(opened: Opened, asked: Asked) -> Counted:
    source = open_source(
        opened.engine,
        opened.path,
        asked.columns,
        asked.zones,
        opened.format,
        asked.outside == CLIP,
    )
    about = About("own", opened.title, unit=asked.row, geographic=looks_geographic(asked.box))
    dataset, tally = with_tally(opened.engine, source, asked.box, about)
    trouble = engines.explain_empty(opened.engine, source, asked.box)
    if trouble is None:
        return Counted(asked, dataset, tally)
    swapped = engines.in_other_order(opened.engine, source, asked.box)
    better = swapped.columns if swapped else ()
    return Counted(asked, dataset, tally, NonPrivate(trouble), better)


def told(opened: Opened, counted: Counted) -> None:
    """What became of the rows: for the eyes of who holds them, and in no file."""
    found, row = counted.tally.value, counted.asked.row
    with st.container(key="tally"):
        st.markdown(f"What became of the rows {NOT_PRIVATE}")
        for column, (label, number) in zip(
            st.columns(3),
            (
                (f"{explain.plural(row).capitalize()} in the box", found.inside),
                ("Outside the box", found.outside),
                ("Unreadable", found.unreadable),
            ),
            strict=True,
        ):
            column.metric(label, f"{number:,}")
    if counted.trouble is not None:
        st.error(counted.trouble.value, icon=":material/error:")
        if counted.better:
            st.button("Swap the two columns", key="swap", on_click=swap, args=(counted.better,))
        return
    if found.outside > found.inside:
        st.warning("Most rows lie outside the box. Is it the right one?")
    st.button("Go on", type="primary", key="protected", on_click=keep, args=(opened, counted))


def swap(columns: tuple[str, ...]) -> None:
    steps.forget("columns")
    steps.memory()["columns"] = list(columns)


def keep(opened: Opened, counted: Counted) -> None:
    """From now on these data can be chosen in this visit."""
    asked = counted.asked
    source = FileData(
        opened.path,
        asked.columns,
        asked.box,
        asked.zones,
        asked.outside,
        opened.engine,
        opened.format,
    )
    already = [k for k, own in own_data.held().items() if own.source == source]
    unit = asked.unit
    kept = f"A release protects one {unit.name} with {unit.rows} rows: more noise than here."
    own = OwnData(
        opened.title,
        f"Your own data, held in this visit: {plain(', '.join(asked.box.names))}. "
        + kept * bool(unit.ids),
        asked.box,
        asked.row,
        source.geographic,
        counted.dataset,
        source,
        unit,
        counted.tally,
        key=already[0] if already else own_data.new_key(),
    )
    own_data.keep(own)
    address.put("data", own.key)
    steps.go(Step.LEVEL)


def summary(on: Subject) -> str:
    """What is protected, in a line."""
    box = on.source.box
    ends = [
        f"{name} {low:g} to {high:g}"
        for name, low, high in zip(box.names, box.low, box.high, strict=True)
    ]
    more = f" and {len(ends) - SHOWN} more" * (len(ends) > SHOWN)
    return plain(f"each {on.unit.name}; in the box {', '.join(ends[:SHOWN])}{more}")
