"""Step 4: publish once, or again and again as a series, and what all periods together cost."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

import streamlit as st

from dpcore.privacy.accounting import Neighbors
from dpcore.release.amounts import Amount
from dpcore.release.ledger import Entry, Ledger
from dpcore.release.plan import RELEASE
from dpcore.release.series import LONGEST, PARALLEL, Series, releases_left
from pages.ui.publish import step_list
from pages.ui.publish.publish_source import Subject
from pages.ui.wording import plain, printable

ONCE, AGAIN = "once", "again"
TITLES = {ONCE: "Publish this once", AGAIN: "Publish every month"}
WORDS = {
    ONCE: "One release. More of the same data can follow while there is budget.",
    AGAIN: "Or every week or year: a series, with new data each time.",
}
#: The series that somebody wants to go on with, from History.
NEXT = "next series"
MONTH = re.compile(r"(\d{4})-(\d{2})")
#: On this page rows are added or removed.
RELATION = Neighbors.ADD_REMOVE


def draw(subject: Subject, ledger: Ledger) -> None:
    """The choice and, for a series, its name, its period, and whether rows can be in two."""
    key = subject.key
    goes_on = step_list.memory().get(NEXT)
    often = step_list.remembered(
        st.radio,
        "How often?",
        f"often {key}",
        AGAIN if goes_on else ONCE,
        options=list(TITLES),
        format_func=TITLES.__getitem__,
        captions=list(WORDS.values()),
        horizontal=True,
    )
    if often == ONCE:
        return
    series = made(ledger.entries())
    title, when = st.columns(2)
    with title:
        step_list.remembered(
            st.text_input,
            "Name of the series",
            f"series {key}",
            goes_on or step_list.memory().get(f"name {key}", subject.about.title)[:LONGEST],
            max_chars=LONGEST,
            help="The same for each period. It stands on the certificates.",
        )
    before = series.get(entered(f"series {key}"), [])
    with when:
        step_list.remembered(
            st.text_input,
            "The period of this release",
            f"period {key}",
            following(before),
            max_chars=LONGEST,
            placeholder="such as 2015-01",
        )
    if before:
        periods = ", ".join(each.plan["series"]["period"] for each in before[-4:])
        st.caption(plain(f"Published of this series so far: {periods}."))
    if subject.unit.ids is None:
        step_list.remembered(
            st.checkbox,
            f"Each {subject.unit.name} is in the data of one period only",
            f"disjoint {key}",
            bool(before and before[-1].plan["series"]["disjoint"]),
            help="You state this, and the certificate says that you do: nobody can check it from "
            "one file. The costs of the periods are then not added up.",
        )


def series_of(subject: Subject) -> Series | None:
    """The period that is published, or None without a series or while something is missing."""
    if not is_series(subject) or missing(subject):
        return None
    disjoint = bool(step_list.memory().get(f"disjoint {subject.key}"))
    name, period = (entered(f"{what} {subject.key}") for what in ("series", "period"))
    return Series(name, period, disjoint and subject.unit.ids is None)


def is_series(subject: Subject) -> bool:
    return bool(step_list.memory().get(f"often {subject.key}") == AGAIN)


def missing(subject: Subject) -> str:
    """The part that a series still lacks, in a sentence."""
    if not is_series(subject):
        return ""
    if not entered(f"series {subject.key}"):
        return "Name the series."
    return "" if entered(f"period {subject.key}") else "Say which period this is."


def entered(name: str) -> str:
    return printable(" ".join(str(step_list.memory().get(name) or "").split()))


def explained(subject: Subject, series: Series, remainder: Amount, price: Amount) -> str:
    """An explanation of how the periods compose, and of what the rest of the budget buys."""
    unit = subject.unit
    number = releases_left(remainder, price)
    releases = "1 release" if number == 1 else f"{number:,} releases"
    if series.composition(unit, RELATION) == PARALLEL:
        return (
            f"Each period has a budget of its own. You state that each {unit.name} is in one "
            f"period only, so all periods together cost one {unit.name} no more than the most "
            f"expensive one. What is left of this period’s budget pays for {releases} like this "
            "one."
        )
    why = (
        f"one {unit.name} may have rows in several"
        if unit.ids is not None
        else "you do not state that each row is in one period only"
    )
    return (
        f"All periods share one budget and add up, because {why}. What is left pays for "
        f"{releases} like this one; then the series ends."
    )


def made(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """The releases of each series, in order."""
    releases: dict[str, list[Entry]] = {}
    for entry in entries:
        series = entry.plan.get("series")
        if series and entry.purpose == RELEASE and entry.failure is None:
            releases.setdefault(series["name"], []).append(entry)
    return releases


def following(before: list[Entry]) -> str:
    """The month after the last one, where periods are months."""
    month = MONTH.fullmatch(before[-1].plan["series"]["period"]) if before else None
    if month is None or not 1 <= int(month[2]) <= 12:
        return ""
    after = date(int(month[1]) + int(month[2]) // 12, int(month[2]) % 12 + 1, 1)
    return f"{after:%Y-%m}"
