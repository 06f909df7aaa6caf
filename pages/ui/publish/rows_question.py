"""Step 2: an administrator who does not know how many rows each person has can ask the data."""

from __future__ import annotations

from collections.abc import Hashable

import streamlit as st

from dpcore.geometry.domain import Box
from dpcore.privacy import explain
from dpcore.privacy.accounting import MAX_EPSILON, MIN_EPSILON
from dpcore.privacy.rounding import at_most
from dpcore.release.amounts import Amount
from dpcore.release.contribution_bound import ask_rows_of_each, rows_of_each
from dpcore.release.ledger import Actors, Entry, Ledger
from dpcore.release.sources import FileData
from dpcore.release.unit import Unit
from pages.ui import access, background, fragments, workers
from pages.ui.access import Action
from pages.ui.background import Job
from pages.ui.confirmation import spending_button
from pages.ui.publish import ledger_choice, lifetime_budget, step_list
from pages.ui.publish.data_step import Opened
from pages.ui.publish.publish_once import forget, refuse, ticket
from pages.ui.wording import plain

#: Under these keys a visit remembers what it typed, and the account that paid for the answer.
NAME, TOTAL, PAID = "asked name", "asked total", "asked account"
USUAL = 0.05


def draw(opened: Opened, unit: Unit) -> None:
    """The question with its price; once answered, what it settled."""
    if not access.may(Action.SPEND) or access.needs_approval():
        return
    meant = ("rows of each", opened.mark, unit.ids)
    job: Job[Entry] | None = workers.worker().begun(ticket(meant))
    if job is not None:
        if fragments.watch(job):
            forget(meant)
            finish(job)
        return
    with st.expander("I do not know: ask the data", icon=":material/help:"):
        question(opened, unit, meant)


def question(opened: Opened, unit: Unit, meant: Hashable) -> None:
    st.caption(
        f"The answer is the number of rows that about 95 in 100 "
        f"{explain.plural(plain(unit.name))} do not exceed, with noise. Asking uses part of the "
        "budget for good."
    )
    name = step_list.remembered(
        st.text_input, "Name of these data", NAME, opened.title, max_chars=100
    ).strip()
    ledger = ledger_choice.ledger()
    if ledger is None or not name:
        return
    account = ledger_choice.account(ledger, name)
    if account:
        lifetime_budget.meter(account)
        total = None
    else:
        total = step_list.remembered(
            st.number_input,
            "Budget for life, in ε",
            TOTAL,
            lifetime_budget.SUGGESTED,
            min_value=MIN_EPSILON,
            max_value=MAX_EPSILON,
            step=None,
            format="%g",
        )
    epsilon = step_list.remembered(
        st.number_input,
        "Budget for this question, in ε",
        "asked price",
        USUAL,
        min_value=MIN_EPSILON,
        max_value=MAX_EPSILON,
        step=None,
        format="%g",
    )
    fixed = "" if account else " The name and the budget for life are fixed with it."
    st.caption(explain.attack(epsilon, plain(unit.name)) + fixed)
    spending_button(
        f"Ask, and use ε {at_most(epsilon)} for good",
        name,
        "ask-rows",
        begin,
        *(ticket(meant), opened, unit, ledger, name, epsilon, total),
        icon=":material/paid:",
    )


def begin(
    ticket: str,
    opened: Opened,
    unit: Unit,
    ledger: Ledger,
    name: str,
    epsilon: float,
    total: float | None,
) -> None:
    """Ask once, however often the button is pressed."""
    access.require(Action.SPEND)
    assert unit.ids is not None
    data = FileData(
        opened.path,
        (unit.ids,),
        Box((0.0,), (1.0,), (unit.ids,)),
        engine=opened.engine,
        format=opened.format,
    )
    user = access.user() if access.is_shared() else None
    allowed = None if total is None else Amount.of(total)

    def ask() -> Entry:
        return ask_rows_of_each(ledger, name, data, unit, epsilon, allowed, Actors(user))

    workers.worker().begin_once(
        ticket,
        lambda: background.begin(
            ask, lambda: (f"Counting the rows of each {plain(unit.name)}", data.progress)
        ),
    )


def finish(job: Job[Entry]) -> None:
    """Take the answer for the number of rows, or say why there is none."""
    if job.failure is not None:
        refuse(job.failure, "There is no answer.")
        return
    step_list.put("rows", rows_of_each(job.result))
    step_list.memory()[PAID] = job.result.account
    st.rerun()
