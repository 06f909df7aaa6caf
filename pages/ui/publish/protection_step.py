"""Step 2: who is protected. Nothing is chosen in advance, and no row is read to choose it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import streamlit as st

from dpcore.privacy import explain
from dpcore.release.unit import MOST_ROWS, Unit
from pages.ui.publish import rows_question, step_list
from pages.ui.publish.data_step import files
from pages.ui.publish.publish_step import PublishStep
from pages.ui.wording import plain

PERSON, DAY, ROW = "person", "day", "row"
#: A choice is known to Streamlit by its words: they must not change while somebody types.
WHO = {
    PERSON: "A person, with everything they did",
    DAY: "One day of a person",
    ROW: "A single row: one trip, one visit, one measurement",
}
PROMISES = (
    "The strongest promise, and the usual one for data about people. The file needs a column that "
    "tells people apart.",
    "Everything one person did on one day. The file needs a column that tells days of people "
    "apart, such as card and date together.",
    "Each row by itself. Somebody with many rows is not protected as a whole.",
)
SAME, DIFFERENT = "same", "different"
MEANINGS = {
    SAME: "Rows of the same {} have the same entry",
    DIFFERENT: "Every row has an entry of its own",
}
#: Words in the name of a column that tells people apart.
PEOPLE = frozenset(
    {"card", "customer", "device", "driver", "employee", "guest", "household", "imei", "license"}
    | {"medallion", "member", "owner", "passenger", "patient", "people", "person", "phone"}
    | {"rider", "student", "subscriber", "user", "visitor"}
)
#: Names, without marks between words, of columns that number rows.
NUMBERS_OF_ROWS = re.compile(
    r"(unnamed\d*|index|id|no|nr|number|uuid|guid|(row|record|trip|ride|event|line)s?"
    r"(id|index|no|nr|number|uuid)?)$"
)


class Answer(NamedTuple):
    """The answers of this step: who is protected, what one row is called, and what is still
    missing."""

    unit: Unit | None
    row: str
    missing: str = ""


@dataclass(frozen=True)
class Group:
    """The difference between a person and a person's day."""

    name: str
    column: str
    most: str
    example: str


GROUPS = {
    PERSON: Group(
        "person",
        "Column that tells people apart",
        "Most rows counted of each person",
        "hardly anybody takes more than 20 taxis a month",
    ),
    DAY: Group(
        "person's day",
        "Column that tells days of people apart",
        "Most rows counted of each person and day",
        "hardly anybody takes more than 4 taxis a day",
    ),
}


def draw() -> None:
    opened = files()
    assert opened is not None
    with step_list.opened(PublishStep.PROTECT):
        ask(list(opened.source.schema))
        answer = current()
        if answer.unit is None:
            step_list.footer("who", PublishStep.PLACE, missing=answer.missing)
        else:
            step_list.footer("who", PublishStep.PLACE, promise(answer.unit, answer.row))


def ask(columns: list[str]) -> None:
    """Draw the questions of this step."""
    left, right = st.columns([3, 2], gap="large")
    with left:
        who = step_list.remembered(
            st.radio,
            "Whose presence in these data must nobody be able to detect?",
            "who",
            None,
            options=list(WHO),
            format_func=WHO.__getitem__,
            captions=PROMISES,
        )
    with right:
        typed_word = step_list.remembered(
            st.text_input, "What is one row?", "row", "", placeholder="trip, visit, measurement"
        )
        row = word(typed_word) or "row"
        if who == ROW:
            owner = explain.OWNERS.get(row)
            whoever = (
                f"A {owner} with many {explain.plural(row)}" if owner else "Somebody with many"
            )
            st.warning(
                f"Each {row} is protected by itself. {whoever} may stand out.",
                icon=":material/info:",
            )
        elif who is not None:
            ask_of_group(GROUPS[who], columns, row)


def ask_of_group(group: Group, columns: list[str], row: str) -> None:
    """Somebody with several rows: told apart by which column, and how many rows are counted."""
    ids = step_list.remembered(
        st.selectbox,
        group.column,
        "ids",
        by_name(columns),
        options=columns,
        placeholder="Choose a column",
    )
    if ids is None:
        return
    meaning = step_list.remembered(
        st.radio,
        f"What does “{plain(ids)}” hold?",
        f"meaning {ids}",
        None,
        options=list(MEANINGS),
        format_func=lambda each: MEANINGS[each].format(group.name),
    )
    if meaning is None and numbers_rows(ids):
        st.warning("By its name this column numbers rows.", icon=":material/warning:")
    if meaning == DIFFERENT:
        st.error(
            f"Every row its own {group.name}: this would protect single {explain.plural(row)} and "
            "nobody behind them. Choose another column.",
            icon=":material/error:",
        )
    if meaning != SAME:
        return
    if group is GROUPS[PERSON]:
        step_list.remembered(st.text_input, "What do you call one of them?", "person", group.name)
    step_list.remembered(
        st.number_input,
        group.most,
        "rows",
        None,
        min_value=1,
        max_value=MOST_ROWS,
        placeholder="a whole number",
        help=f"Choose from what you know, not from the file: say, {group.example}. Of those who "
        "have more, so many rows are chosen at random. Fewer rows mean less noise and a less "
        "complete picture.",
    )
    opened = files()
    if opened is not None:
        name = word(step_list.memory().get("person") or "") if group is GROUPS[PERSON] else ""
        rows_question.draw(opened, Unit(name or group.name, ids))


def current() -> Answer:
    """The answers to the questions of this step, also after other steps were opened."""
    memory = step_list.memory()
    row, who = word(memory.get("row") or "") or "row", memory.get("who")
    if who is None:
        return Answer(None, row, "Choose who is protected.")
    if who == ROW:
        return Answer(Unit(row), row)
    group, ids, rows = GROUPS[who], memory.get("ids"), memory.get("rows")
    if ids is None:
        return Answer(None, row, f"Choose the column that tells one {group.name} from another.")
    meaning = memory.get(f"meaning {ids}")
    if meaning is None:
        return Answer(None, row, f"Say what “{plain(ids)}” holds.")
    if meaning == DIFFERENT:
        return Answer(None, row, f"“{plain(ids)}” does not tell people apart.")
    if rows is None:
        return Answer(None, row, f"Say how many rows of each {group.name} are counted at most.")
    person = word(memory.get("person") or "") if who == PERSON else ""
    return Answer(Unit(person or group.name, ids, rows), row)


def by_name(columns: list[str]) -> str | None:
    """The one column whose name says that it tells people apart."""
    names = [name for name in columns if not PEOPLE.isdisjoint(parts(name))]
    return names[0] if len(names) == 1 else None


def parts(name: str) -> list[str]:
    """The words of a column's name: `hackLicense` and `hack_license` have two."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return re.sub(r"[\W_]+", " ", apart).casefold().split()


def numbers_rows(name: str) -> bool:
    """Whether a column by its name holds another number in every row."""
    return not name.strip() or bool(NUMBERS_OF_ROWS.match("".join(parts(name))))


def promise(unit: Unit, row: str) -> str:
    """The protection that the choice gives, in a sentence."""
    if unit.ids is None:
        return f"Protected: {explain.scope(unit.name)}."
    many = row if unit.rows == 1 else explain.plural(row)
    louder = f"; the noise is {unit.rows:,} times as large" * (unit.rows > 1)
    return f"Protected: one {unit.name}, with up to {unit.rows:,} {many}{louder}."


def word(text: str) -> str:
    """Only letters, digits, spaces and hyphens: it will stand in sentences everywhere."""
    return re.sub(r"[^\w -]|_", "", text).strip()


def words(unit: Unit) -> str:
    """The protected unit, in a line."""
    most = f", with up to {unit.rows:,} rows" * bool(unit.ids)
    return plain(f"each {unit.name}{most}")
