"""Publish: spend the budget once, take what may leave, and see what was ever spent."""

from __future__ import annotations

import streamlit as st

from pages.ui import address, frame, own_data, standing
from pages.ui.publish import books, confirm, data, history, level, protect, released, steps
from pages.ui.publish.steps import Step
from pages.ui.publish.subject import Subject, subject
from pages.ui.wording import plain

PUBLISH, HISTORY = "publish", "history"
VIEWS = {PUBLISH: "Publish", HISTORY: "History"}


def main() -> None:
    frame.frame("Publish")
    st.title("Publish once")
    st.caption(
        "From data to files that anybody may have. Nothing is spent before you confirm it, and "
        "what is spent stays spent."
    )
    view = address.control(
        st.segmented_control,
        "View",
        "view",
        PUBLISH,
        address.one_of(VIEWS),
        options=list(VIEWS),
        format_func=VIEWS.__getitem__,
        required=True,
        label_visibility="collapsed",
    )
    if view == HISTORY:
        history.draw()
    else:
        path()


def path() -> None:
    """The steps, one of them open."""
    step = steps.current()
    if step is Step.RELEASED:
        if ledger := books.ledger():
            released.draw(ledger)
        return
    key = chosen(step)
    if step is Step.PROTECT and data.files() is None and key is None:
        step = Step.DATA
    if step is Step.DATA:
        data.draw()
        for later in (Step.PROTECT, Step.LEVEL, Step.CONFIRM):
            steps.ahead(later)
    elif step is Step.PROTECT and data.files() is not None:
        steps.finished(Step.DATA, data.summary())
        protect.draw()
        for later in (Step.LEVEL, Step.CONFIRM):
            steps.ahead(later)
    elif key is not None:
        of_chosen_data(step, subject(key))


def chosen(step: Step) -> str | None:
    """The data that the address names, or None where another step comes first."""
    if step is Step.DATA:
        return None
    standing.stop_if_absent()
    key = address.link().get("data")
    if key is None and step is Step.PROTECT:
        return None
    try:
        return own_data.facts(key or "nyc-taxi").key
    except ValueError:
        address.put("data", None)
        return "nyc-taxi"


def of_chosen_data(step: Step, on: Subject) -> None:
    steps.finished(Step.DATA, plain(on.title))
    steps.finished(Step.PROTECT, protect.summary(on), change=on.is_own and bool(data.files()))
    ledger = books.ledger()
    if ledger is None:
        return
    if step is not Step.CONFIRM:
        level.draw(on, ledger)
        steps.ahead(Step.CONFIRM)
        return
    found = level.terms(on, books.account(ledger, level.name(on)))
    steps.finished(Step.LEVEL, level.summary(found, on))
    if plan := level.plan_of(on, found):
        confirm.draw(plan, ledger)


main()
