"""The end of step 3: count the rows in one pass, show the result, and keep the data."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from dpcore.datasets import DataInfo, Dataset, engines
from dpcore.datasets.engines import Tally, open_source
from dpcore.datasets.files import looks_geographic, with_tally
from dpcore.geometry.domain import Box
from dpcore.privacy import explain
from dpcore.release.sources import FileData
from dpcore.release.unit import Unit
from dpcore.results.non_private import NonPrivate
from pages.ui import background, fragments, own_data, url_keys
from pages.ui.background import Job
from pages.ui.own_data import SessionData
from pages.ui.publish import rows_question, step_list
from pages.ui.publish.data_step import Opened, refuse
from pages.ui.publish.publish_step import PublishStep
from pages.ui.session_keys import SessionKey
from pages.ui.wording import NOT_PRIVATE, plain

COUNTING = SessionKey[Job["Counted"]]("counting rows")
COUNTED = SessionKey["Counted"]("counted rows")
#: What becomes of rows outside the area.
DROP, CLIP = "drop", "clip"


@dataclass(frozen=True)
class PlaceAnswers:
    """The answers of this step. Equal answers need not be counted again."""

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

    answers: PlaceAnswers
    dataset: Dataset
    tally: NonPrivate[Tally]
    trouble: NonPrivate[str] | None = None
    #: Columns in an order in which rows would lie in the box.
    better: tuple[str, ...] = ()


def count(opened: Opened, answers: PlaceAnswers | None) -> None:
    """Count the rows in one pass, and offer the next step. It is the foot of the step."""
    counted = fresh(answers)
    with step_list.foot("counted"):
        if counted is not None and counted.trouble is None:
            tally = counted.tally.value
            st.markdown(
                f"{tally.inside:,} {explain.plural(counted.answers.row)} in the area {NOT_PRIVATE}",
                width="stretch",
            )
            st.button(
                "Continue", type="primary", key="protected", on_click=keep, args=(opened, counted)
            )
            return
        next_step = "Next, count the rows." if answers else "Choose the columns and an area."
        st.markdown(f":material/info: {next_step}", width="stretch")
        if st.button("Count the rows", type="primary", key="count", disabled=answers is None):
            assert answers is not None
            if (before := COUNTING.get()) is not None:
                before.stop()
            COUNTING.put(begin(opened, answers))
    last = fragments.result_of(COUNTING, refuse)
    if last is not None:
        COUNTED.put(last)
        st.rerun()


def fresh(answers: PlaceAnswers | None) -> Counted | None:
    """The last count, if it answers the present questions."""
    counted = COUNTED.get()
    return counted if counted is not None and counted.answers == answers else None


def begin(opened: Opened, answers: PlaceAnswers) -> Job[Counted]:
    engine = opened.engine
    return background.begin(
        lambda: counting(opened, answers),
        lambda: ("Counting the rows", engine.progress()),
        engine.stop if engine.can_stop else None,
    )


def counting(opened: Opened, answers: PlaceAnswers) -> Counted:
    source = open_source(
        opened.engine,
        opened.path,
        answers.columns,
        answers.zones,
        opened.format,
        answers.outside == CLIP,
    )
    about = DataInfo(
        "own", opened.title, unit=answers.row, geographic=looks_geographic(answers.box)
    )
    dataset, tally = with_tally(opened.engine, source, answers.box, about)
    trouble = engines.explain_empty(opened.engine, source, answers.box)
    if trouble is None:
        return Counted(answers, dataset, tally)
    swapped = engines.in_other_order(opened.engine, source, answers.box)
    better = swapped.columns if swapped else ()
    return Counted(answers, dataset, tally, NonPrivate(trouble), better)


def tell(answers: PlaceAnswers | None) -> None:
    """Show how many rows were kept. Only their owner may see this; no file contains it."""
    counted = fresh(answers)
    if counted is None:
        return
    tally, row = counted.tally.value, counted.answers.row
    with st.container(key="tally"):
        st.markdown(f"What became of the rows {NOT_PRIVATE}")
        for column, (label, number) in zip(
            st.columns(3),
            (
                (f"{explain.plural(row).capitalize()} in the area", tally.inside),
                ("Outside the area", tally.outside),
                ("Unreadable", tally.unreadable),
            ),
            strict=True,
        ):
            column.metric(label, f"{number:,}")
    if counted.trouble is not None:
        st.error(plain(counted.trouble.value), icon=":material/error:")
        if counted.better:
            st.button("Swap the two columns", key="swap", on_click=swap, args=(counted.better,))
    elif tally.outside > tally.inside:
        st.warning("Most rows lie outside the area. Is it the right one?")


def swap(columns: tuple[str, ...]) -> None:
    step_list.put("columns", list(columns))


def keep(opened: Opened, counted: Counted) -> None:
    """Keep the data, so that this visit can choose them."""
    answers = counted.answers
    source = FileData(
        opened.path,
        answers.columns,
        answers.box,
        answers.zones,
        answers.outside,
        opened.engine,
        opened.format,
    )
    already = [k for k, own in own_data.of_session().items() if own.source == source]
    unit = answers.unit
    promise = f"A release protects one {unit.name} with {unit.rows} rows: more noise than here."
    about = replace(
        counted.dataset.about,
        key=already[0] if already else own_data.new_key(),
        description=f"Your own data, held in this visit: {plain(', '.join(answers.box.names))}. "
        + promise * bool(unit.ids),
    )
    own = SessionData(about, counted.dataset, source, unit, counted.tally)
    own_data.keep(own)
    if (name := step_list.memory().get(rows_question.PAID)) and unit.ids:
        step_list.put(f"name {own.key}", name)
    url_keys.DATA.put(own.key)
    step_list.go(PublishStep.LEVEL)
