"""Step 5: the plan in words; typing the name of the data confirms it, once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from dpcore.algorithms.base import PublishesPoints
from dpcore.privacy import explain
from dpcore.privacy.rounding import up
from dpcore.release.amounts import Amount
from dpcore.release.ledger import Entry, Ledger
from dpcore.release.note import without_note
from dpcore.release.plan import RELEASE, TWIN, ReleasePlan
from dpcore.release.plan_toml import plan_files
from dpcore.release.release_zip import zipped
from pages.ui import access, fragments, url_keys
from pages.ui.access import Action
from pages.ui.background import Job
from pages.ui.confirmation import is_typed
from pages.ui.publish import approval, lifetime_budget, release_words, step_list
from pages.ui.publish.ledger_words import affordable, when
from pages.ui.publish.publish_once import forget, refuse, running, ticket
from pages.ui.publish.publish_step import PublishStep
from pages.ui.wording import plain

#: What a release publishes beside its centers.
POINTS = {
    PublishesPoints.NEVER: "",
    PublishesPoints.USUALLY: ", and **summary points** if there are enough rows to show more than "
    "noise",
    PublishesPoints.ALWAYS: ", and the **summary points** that they come from",
}


def draw(plan: ReleasePlan, ledger: Ledger) -> None:
    # Of two files with equal plans in words, only the sources themselves tell which is meant; of
    # two maps with equal names and levels, only a digest of the map.
    meant = repr((plan, plan.request.regions and plan.request.regions.map_key, ledger.folder))
    job = running(ticket(meant))
    with step_list.opened(PublishStep.CONFIRM):
        if job is not None:
            finish(job, meant)
            return
        if not affordable(plan, ledger):
            return
        st.markdown(
            f"We will publish **{plan.request.k} centers** of “{plain(plan.name)}”"
            f"{POINTS[plan.system.publishes_points]}. "
            "Anyone may see and keep them. **Nothing is used yet.**"
        )
        three_lines(plan, ledger)
        before(plan, ledger)
        release_words.draw(plan)
        with st.expander("Every detail of this release", icon=":material/description:"):
            st.markdown("\n".join(f"- {plain(sentence)}" for sentence in plan.statement()))
            save_plan(replace(plan, publication=release_words.publication(plan)))
        spend(ticket(meant), plan, ledger)


def save_plan(plan: ReleasePlan) -> None:
    """The plan as a file, with which `dpcore release` makes this release later."""
    files = plan_files(plan)
    name = "plan.toml" if len(files) == 1 else "plan.zip"
    content = {name: text.encode() for name, text in files.items()}
    st.download_button(
        "Save this plan",
        content.get(name) or zipped(content),
        name,
        key="save-plan",
        icon=":material/save:",
        help="A file for `dpcore release plan.toml`. It names your data; keep it to yourself.",
        on_click="ignore",
    )


def three_lines(plan: ReleasePlan, ledger: Ledger) -> None:
    """This release, all so far with it, and what is left."""
    account = ledger.account(plan.name)
    used = (account.used if account else Amount()) + plan.price
    remainder = plan.allowed - used
    twins = [e for e in ledger.entries(plan.name) if e.purpose == TWIN]
    apart = " The private twin counts, though it stays with you." * bool(twins)
    rest = lifetime_budget.part(remainder, plan.allowed)
    lines = {
        "This release": (gained(plan.price, plan), f"{plan.price}"),
        "All so far together": (f"{gained(used, plan)}{apart}", f"{used}"),
        "Left after it": (f"{rest} of the budget.", f"{remainder} of {plan.allowed}"),
    }
    with st.container(key="three-lines", gap="xsmall"):
        for title, (words, amount) in lines.items():
            st.markdown(f"**{title}:** {words} :gray[({amount})]")


def gained(amount: Amount, plan: ReleasePlan) -> str:
    """The knowledge that an attacker gains by so much of the budget, in words."""
    return plain(explain.attack(up(amount.epsilon), plan.unit.name, plan.request.neighbors))


def spend(ticket: str, plan: ReleasePlan, ledger: Ledger) -> None:
    """The button, live once the name of the data is typed."""
    if not access.may(Action.SPEND):
        st.info("Your role lets you prepare a release; a publisher makes it.")
        return
    if request := approval.request_of(ticket):
        approval.draw_asked(request)
        return
    is_meant = is_typed(plan.name, f"confirm-{ticket}")
    uses = f"{lifetime_budget.used(plan.price, plan.allowed)} of the budget for good"
    with step_list.foot("publish"):
        st.markdown(
            "Used budget never comes back."
            if is_meant
            else ":material/info: Type the name of the data to confirm.",
            width="stretch",
        )
        st.button(
            f"Ask to publish, and to use {uses}"
            if access.needs_approval()
            else f"Publish, and use {uses}",
            type="primary",
            key="publish",
            icon=":material/publish:",
            disabled=not is_meant,
            on_click=begin,
            args=(ticket, plan, ledger),
        )


def begin(ticket: str, plan: ReleasePlan, ledger: Ledger) -> None:
    """Publish the plan with the words that stand there now."""
    described_plan = replace(plan, publication=release_words.publication(plan))
    approval.begin(ticket, described_plan, ledger, release_words.note())


def before(plan: ReleasePlan, ledger: Ledger) -> None:
    """Releases from the same data, so that nobody makes one twice without meaning to."""
    made = [e for e in ledger.entries(plan.name) if e.purpose == RELEASE and e.failure is None]
    if plan.series is not None:
        made = [e for e in made if e.plan.get("series") == plan.series.as_dict()]
    if not made:
        return
    last = made[-1]
    same = " with exactly this plan" * same_plan(last, plan)
    times = "once" if len(made) == 1 else f"{len(made)} times"
    st.warning(
        f"These data were published from {times} before, last on {when(last)}{same} (release "
        f"{last.number}). Another one uses budget again.",
        icon=":material/history:",
    )
    st.button(
        f"Show release {last.number} instead", key="instead", on_click=show, args=(last.number,)
    )


def same_plan(entry: Entry, plan: ReleasePlan) -> bool:
    words = replace(plan, publication=release_words.publication(plan))
    return without_note(entry.plan) == words.as_dict()


def finish(job: Job[Any], meant: str) -> None:
    st.markdown("**Being published.** This plan is published once, however often it is asked for.")
    if not fragments.watch(job):
        st.caption("Publishing continues if you close the page; History then shows the result.")
        return
    approval.withdraw(ticket(meant))
    forget(meant)
    if job.failure:
        refuse(job.failure)
        return
    show(job.result)
    st.rerun()


def show(number: int) -> None:
    url_keys.RELEASE.put(number)
    step_list.go(PublishStep.RELEASED)
