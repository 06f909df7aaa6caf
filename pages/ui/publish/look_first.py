"""Look before you publish, without leaking: a private twin, public data, or the words alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.errors import DpcoreError
from dpcore.privacy import explain
from dpcore.privacy.accounting import MIN_EPSILON
from dpcore.privacy.rounding import at_most
from dpcore.release.ledger import Ledger
from dpcore.release.plan import TWIN
from dpcore.release.twin import twin_of, twin_plan
from pages.ui import access, address, fragments, own_data, url_keys
from pages.ui.access import Action
from pages.ui.confirmation import is_typed
from pages.ui.own_data import SessionData
from pages.ui.publish import approval, ledger_choice, step_list
from pages.ui.publish.publish_once import forget, refuse, running, ticket
from pages.ui.publish.publish_source import Subject
from pages.ui.visibility import STAND_IN
from pages.ui.wording import plain

if TYPE_CHECKING:
    from pages.ui.publish.level_step import Terms

MAKING = "making a twin"
#: Percent of the budget that a twin is offered for, and at least.
USUAL_PART, LEAST_PART = 10.0, 0.1


def draw(subject: Subject, ledger: Ledger, terms: Terms) -> None:
    st.markdown(
        "Moving the slider over the data themselves and choosing by what you see would tell "
        "something about them, and no budget accounts for that. These ways do not leak:"
    )
    st.page_link(
        "pages/7_choose.py",
        label="Say how accurate it must be, and see the strictest level that does it",
        icon=":material/tune:",
        query_params=address.link(),
    )
    explore("Look at a public month of trips", STAND_IN, ":material/public:")
    if not subject.is_own:
        st.caption("These data are public themselves: look at them on Explore and Curves.")
        return
    st.divider()
    twin(subject, ledger, terms)
    st.divider()
    st.caption(
        "Or look at the raw data, for your eyes only, without letting them choose the level. "
        "Explore keeps them hidden until you switch them on."
    )
    explore("Open Explore with these data", subject.key, ":material/visibility_off:")


def twins(subject: Subject) -> None:
    """The private twins that this visit holds."""
    for key, own in own_data.of_session().items():
        if own.twin_of == subject.key:
            with st.container(horizontal=True, vertical_alignment="center", key=f"twin-{key}"):
                st.success(f"{plain(own.about.title)} is here.", icon=":material/content_copy:")
                explore("Look at it on Explore", key, ":material/map:")


def explore(label: str, data: str, icon: str) -> None:
    query = address.link(url_keys.DATA.at(data), without=(url_keys.STEP, url_keys.SOURCE))
    st.page_link("app.py", label=label, icon=icon, query_params=query)


def twin(subject: Subject, ledger: Ledger, terms: Terms) -> None:
    """A small part of the budget, once; then look as long and as often as one likes."""
    st.markdown(
        "**A private twin.** For a small part of the budget, once, rows are drawn from a noisy "
        "grid of yours. Explore and Curves then work on the twin, for any method and level, at no "
        "further cost."
    )
    if any(own.twin_of == subject.key for own in own_data.of_session().values()):
        st.caption(":material/check: One is here: look at it on Explore or Curves.")
        return
    for entry in ledger.entries(terms.name):
        if entry.purpose == TWIN and entry.failure is None:
            st.button(
                f"Open the twin made on {entry.time[:10]} for {entry.charged}, at no cost",
                key=f"reopen-{entry.number}",
                on_click=keep,
                args=(subject, ledger, entry.number),
            )
    if not access.may(Action.SPEND):
        st.caption("A publisher can make one.")
        return
    total = float(terms.allowed.epsilon)
    part = step_list.remembered(
        st.number_input,
        "Part of the budget for the twin, in %",
        f"twin {subject.key}",
        USUAL_PART,
        min_value=LEAST_PART,
        max_value=100.0,
        step=None,
        format="%g",
    )
    price = max(part * total / 100, MIN_EPSILON)
    fixed = " Making the twin fixes the name and the budget for life."
    fixed *= ledger_choice.account(ledger, terms.name) is None
    st.caption(explain.attack(price, subject.unit.name, terms.request.neighbors) + fixed)
    meant = (MAKING, subject.key, str(ledger.folder))
    is_meant = is_typed(terms.name, f"confirm twin {subject.key}")
    if st.button(
        f"Make the twin, and use {at_most(part)} % of the budget for good",
        key="make-twin",
        icon=":material/paid:",
        disabled=not is_meant,
    ):
        try:
            plan = twin_plan(
                terms.name,
                subject.source,
                price,
                neighbors=terms.request.neighbors,
                unit=subject.unit,
                allowed=terms.allowed,
            )
        except DpcoreError as reason:
            refuse(reason)
            return
        approval.begin(ticket(meant), plan, ledger)
    if (request := approval.request_of(ticket(meant))) and not running(ticket(meant)):
        approval.draw_asked(request)
    job = running(ticket(meant))
    if job is not None and fragments.watch(job):
        approval.withdraw(ticket(meant))
        forget(meant)
        if job.failure:
            refuse(job.failure)
        else:
            keep(subject, ledger, job.result)
            st.rerun()


def keep(subject: Subject, ledger: Ledger, number: int) -> None:
    """The twin, to be chosen on Explore and Curves in this visit."""
    entry = ledger.entry(number)
    data = twin_of(ledger, number)
    own_data.keep(
        SessionData(
            replace(
                data.about,
                key=own_data.new_key(),
                title=f"Private twin of {subject.about.title}",
                description=f"Rows drawn from what release {number} of “{plain(entry.account)}” "
                f"published for {entry.charged}, paid on {entry.time[:10]}.",
                unit=subject.about.unit,
                simulated=False,
            ),
            data,
            twin_of=subject.key,
        )
    )
