"""Step 4: how strictly, at what price out of what budget, and how to choose without leaking."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpcore.algorithms import ALGORITHMS
from dpcore.errors import DpcoreError
from dpcore.privacy import explain
from dpcore.privacy.accounting import MAX_DELTA, Neighbors
from dpcore.privacy.rounding import at_most
from dpcore.release.amounts import Amount
from dpcore.release.ledger import Account, Ledger
from dpcore.release.plan import ReleasePlan
from dpcore.release.series import Series
from dpcore.runs.request import Request
from pages.ui import address, controls, session_keys, too_few_rows, url_keys
from pages.ui.areas import area_run
from pages.ui.choice import Choice
from pages.ui.publish import (
    ledger_choice,
    lifetime_budget,
    look_first,
    needed_accuracy,
    series_choice,
    step_list,
)
from pages.ui.publish.ledger_words import affordable, refuse
from pages.ui.publish.publish_source import Subject
from pages.ui.publish.publish_step import PublishStep
from pages.ui.wording import plain

#: The most areas that are named; the others are counted.
SHOWN = 6
PROVED = tuple(key for key, system in ALGORITHMS.items() if system.verdict.holds)


@dataclass(frozen=True)
class Terms:
    """The terms that this step settles."""

    #: Of the account.
    name: str
    #: At the level of one unit.
    request: Request
    allowed: Amount
    series: Series | None = None

    def choice(self, subject: Subject) -> Choice:
        """The same run with simulated noise."""
        return Choice(subject.key, self.request.with_seed(0))

    def plan(self, subject: Subject) -> ReleasePlan:
        """The release that is meant, or BadInput where the areas of the address do not fit."""
        request = area_run.by_area(self.request, subject.source.box, url_keys.AREAS.get())
        return ReleasePlan(
            self.name,
            subject.source,
            request,
            unit=subject.unit,
            allowed=self.allowed,
            series=self.series,
        )


def draw(subject: Subject, ledger: Ledger) -> None:
    with step_list.opened(PublishStep.LEVEL):
        account = ledger_choice.account(ledger, name(subject))
        controls.level_slider(f"How strictly is each {subject.unit.name} protected?")
        st.html(controls.ENDS)
        protection, accuracy = st.columns([2, 5], gap="large")
        with protection:
            gain(subject, terms(subject, account))
        with accuracy:
            needed_accuracy.draw(subject, terms(subject, account).request)
        budget, more = st.columns(2, gap="large")
        with more.expander("Centers, method, exact values of ε", icon=":material/tune:"):
            controls.centers_control()
            method_control(subject)
            exact_controls(subject)
            if account is None:
                lifetime_budget.exact(subject.key)
            exact_words(terms(subject, account))
        with budget:
            series_choice.draw(subject, ledger)
            if not series_choice.is_series(subject):
                name_control(subject)
            account = ledger_choice.account(ledger, name(subject))
            own_terms = terms(subject, account)
            price = Amount.of(own_terms.request.epsilon, own_terms.request.delta)
            buys = None if own_terms.series is None else ""
            lifetime_budget.draw(subject.key, account, price, subject.unit.name, buys)
            own_terms = terms(subject, account)  # with the budget that was just typed
            if own_terms.series is not None:
                remainder = account.left if account else own_terms.allowed
                st.info(
                    plain(series_choice.explained(subject, own_terms.series, remainder, price)),
                    icon=":material/event_repeat:",
                )
        areas_note(subject, plan_of(subject, own_terms, quietly=True))
        look_first.twins(subject)
        with more.expander(
            "Look before you publish, without leaking", icon=":material/travel_explore:"
        ):
            look_first.draw(subject, ledger, own_terms)
        if lacking := series_choice.missing(subject):
            step_list.footer("settled", PublishStep.CONFIRM, missing=lacking)
            return
        plan = plan_of(subject, own_terms)
        too_few_rows.offer(own_terms.choice(subject))
        if plan and affordable(plan, ledger):
            remainder = (account.left if account else own_terms.allowed) - plan.price
            step_list.footer(
                "settled",
                PublishStep.CONFIRM,
                f"After this release, **{lifetime_budget.part(remainder, own_terms.allowed)}** of "
                "the budget is left.",
            )


def name_control(subject: Subject) -> None:
    step_list.remembered(
        st.text_input,
        "Name of these data",
        f"name {subject.key}",
        subject.about.title,
        max_chars=100,
        help="It is printed on the certificate, and the budget is kept under it. Data that were "
        "published before keep their name.",
    )


def name(subject: Subject) -> str:
    """The account that pays: of the data or, in a series, of the period or of all periods."""
    if series := series_choice.series_of(subject):
        return series.account(subject.unit, series_choice.RELATION)
    title: str = step_list.memory().get(f"name {subject.key}", subject.about.title)
    return title.strip()


def method_control(subject: Subject) -> None:
    """Only what is proved can be published."""
    possible = methods(subject)
    current = method(subject)
    key = controls_key("algorithm", current)
    st.selectbox(
        "Method",
        possible,
        index=possible.index(current),
        format_func=lambda each: ALGORITHMS[each].title,
        key=key,
        on_change=lambda: url_keys.ALGORITHM.put(session_keys.of_widget(key)),
        help="Methods whose privacy claim does not hold cannot be published.",
    )


def controls_key(control: str, value: object) -> str:
    return f"publish-{control}-{value}"


def methods(subject: Subject) -> list[str]:
    d = subject.source.box.d
    return [key for key in PROVED if not ALGORITHMS[key].obstacle(d, None, controls.CENTERS)]


def method(subject: Subject) -> str:
    """The one in the address, if it can be published; else the one that suits most data."""
    possible = methods(subject)
    key = url_keys.ALGORITHM.get()
    usual = controls.ALGORITHM if controls.ALGORITHM in possible else controls.FALLBACK
    return key if key in possible else usual


def exact_controls(subject: Subject) -> None:
    left, right = st.columns(2)
    with left:
        address.control(
            st.number_input,
            "ε (epsilon)",
            url_keys.EPSILON,
            step=None,
            format="%g",
            placeholder="as the slider says",
            help="Overrides the slider. Leave empty to use its level.",
        )
    if ALGORITHMS[method(subject)].uses_delta:
        with right:
            controls.delta_control()


def exact_words(own_terms: Terms) -> None:
    """The price and the budget in numbers."""
    price = Amount.of(own_terms.request.epsilon, own_terms.request.delta)
    st.caption(
        "ε (epsilon) is the number behind the words: the smaller, the stricter. This release "
        f"uses {price} of a budget of {own_terms.allowed}."
    )


def terms(subject: Subject, account: Account | None) -> Terms:
    """The terms that the controls and the address state."""
    key = method(subject)
    system = ALGORITHMS[key]
    delta = url_keys.DELTA.get()
    total = lifetime_budget.total_budget(subject.key)
    used = delta if system.uses_delta else 0.0
    request = Request(
        key,
        url_keys.CENTERS.get(),
        controls.epsilon_in_address(),
        used,
        account.neighbors if account else Neighbors.ADD_REMOVE,
    )
    return Terms(
        name(subject),
        request,
        account.allowed if account else Amount.of(total, MAX_DELTA if used else 0.0),
        series_choice.series_of(subject),
    )


def gain(subject: Subject, own_terms: Terms) -> None:
    """The knowledge that an attacker gains at this level, in words."""
    unit = subject.unit.name
    st.metric(
        f"What an attacker can gain about one {unit}", explain.odds(own_terms.request.epsilon)
    )
    sentences = [
        explain.attack(own_terms.request.epsilon, unit, own_terms.request.neighbors),
        explain.slip(own_terms.request.delta),
    ]
    st.caption(" ".join(filter(None, sentences)))
    if caution := explain.caution(own_terms.request.epsilon):
        st.caption(f":orange[:material/warning: **{caution}**]")


def areas_note(subject: Subject, plan: ReleasePlan | None) -> None:
    """The areas that have a level of their own, and what that protects."""
    areas = url_keys.AREAS.get()
    if not areas:
        return
    named = ", ".join(f"{plain(each.name)} ({each.level})" for each in areas[:SHOWN])
    more = f" and {len(areas) - SHOWN} more" * (len(areas) > SHOWN)
    with st.container(border=True, key="areas-note"):
        st.markdown(f":material/dashboard: **A level of its own:** {named}{more}.")
        st.caption("The slider says the level everywhere else.")
        if plan is not None:
            st.caption(" ".join(map(plain, plan.protection_by_region)))
        with st.container(horizontal=True):
            st.page_link("pages/6_areas.py", label="Change them", query_params=address.link())
            st.button("Leave the areas out", key="no-areas", on_click=url_keys.AREAS.clear)


def plan_of(subject: Subject, own_terms: Terms, quietly: bool = False) -> ReleasePlan | None:
    """The plan, or why there can be none, in words unless they stand elsewhere."""
    try:
        return own_terms.plan(subject)
    except DpcoreError as reason:
        if not quietly:
            refuse(reason)
        return None


def summary(own_terms: Terms, subject: Subject) -> str:
    level, spent = explain.level_of(own_terms.request.epsilon), at_most(own_terms.request.epsilon)
    named = level.name if level else f"ε {spent}"
    own = len(url_keys.AREAS.get())
    areas = f", {own} area{'s' * (own > 1)} with a level of {'their' if own > 1 else 'its'} own"
    areas *= own > 0
    return (
        f"{named}, {explain.odds(own_terms.request.epsilon)}{areas}; {own_terms.request.k} "
        f"centers, {own_terms.request.system.title}"
    )
