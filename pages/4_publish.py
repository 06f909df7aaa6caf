"""Publish: use budget once, download a release, and see all charges."""

from __future__ import annotations

import streamlit as st

from pages.ui import access, address, frame, url_keys, visibility
from pages.ui.access import Action
from pages.ui.publish import (
    approval,
    ask_release,
    check_release,
    confirm_step,
    data_step,
    history,
    ledger_choice,
    level_step,
    place_step,
    protection_step,
    released_step,
    step_list,
)
from pages.ui.publish.publish_source import Subject, subject
from pages.ui.publish.publish_step import PublishStep
from pages.ui.url_parsers import OneOf
from pages.ui.wording import plain

PUBLISH, ASK, CHECK, HISTORY = "publish", "ask", "check", "history"
VIEWS = {
    PUBLISH: "Publish",
    ASK: "Ask a release",
    CHECK: "Check a release",
    HISTORY: "History",
}
#: Steps that ask about files whose rows nobody has read.
OF_FILES = (PublishStep.PROTECT, PublishStep.PLACE)
NEEDS = {PUBLISH: Action.PLAN, ASK: Action.LOOK, CHECK: Action.LOOK, HISTORY: Action.HISTORY}


def main() -> None:
    frame.frame("Publish")
    step_list.style()
    st.title("Publish")
    st.caption(
        "From your data to files that you can share with anyone. No budget is used before you "
        "confirm."
    )
    views = {view: title for view, title in VIEWS.items() if access.may(NEEDS[view])}
    first = next(view for view in (PUBLISH, HISTORY) if view in views)
    key = url_keys.PUBLISH_VIEW.narrowed(OneOf(views), first)
    view = address.tabs("View", key, views)
    approval.draw_requests()
    if view == HISTORY:
        history.draw()
    elif view == ASK:
        ask_release.draw()
    elif view == CHECK:
        check_release.draw()
    else:
        path()
        step_list.from_top()


def path() -> None:
    """The steps, one of them open."""
    step = step_list.current()
    if step is PublishStep.RELEASED and access.may(Action.HISTORY):
        if ledger := ledger_choice.ledger():
            released_step.draw(ledger)
        return
    if step is PublishStep.RELEASED:
        step = PublishStep.DATA
    key = data_of(step)
    if step in OF_FILES and data_step.files() is None and key is None:
        step = PublishStep.DATA
    if step is PublishStep.DATA:
        data_step.draw()
        step_list.ahead(
            PublishStep.PROTECT, PublishStep.PLACE, PublishStep.LEVEL, PublishStep.CONFIRM
        )
    elif step in OF_FILES and data_step.files() is not None:
        of_files(step)
    elif key is not None:
        of_chosen_data(step, subject(key))


def of_files(step: PublishStep) -> None:
    """The steps that ask about files, before their rows are read."""
    step_list.finished(PublishStep.DATA, data_step.summary())
    unit = protection_step.current().unit
    if step is PublishStep.PROTECT or unit is None:
        protection_step.draw()
        step_list.ahead(PublishStep.PLACE, PublishStep.LEVEL, PublishStep.CONFIRM)
        return
    step_list.finished(PublishStep.PROTECT, protection_step.words(unit))
    place_step.draw()
    step_list.ahead(PublishStep.LEVEL, PublishStep.CONFIRM)


def data_of(step: PublishStep) -> str | None:
    """The data that the address names, or None where another step comes first."""
    if step is PublishStep.DATA:
        return None
    visibility.stop_if_absent()
    key: str | None = url_keys.DATA.by_default(None).get()
    return key if key or step in OF_FILES else url_keys.DATA.default


def of_chosen_data(step: PublishStep, on: Subject) -> None:
    step_list.finished(PublishStep.DATA, plain(on.about.title))
    can_change = on.is_own and bool(data_step.files())
    step_list.finished(PublishStep.PROTECT, protection_step.words(on.unit), change=can_change)
    step_list.finished(PublishStep.PLACE, place_step.summary(on), change=can_change)
    ledger = ledger_choice.ledger()
    if ledger is None:
        return
    if step is not PublishStep.CONFIRM:
        level_step.draw(on, ledger)
        step_list.ahead(PublishStep.CONFIRM)
        return
    own_terms = level_step.terms(on, ledger_choice.account(ledger, level_step.name(on)))
    step_list.finished(PublishStep.LEVEL, level_step.summary(own_terms, on))
    if plan := level_step.plan_of(on, own_terms):
        confirm_step.draw(plan, ledger)


main()
