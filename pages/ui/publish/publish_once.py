"""The one place where a page uses budget: a confirmed plan is published at most once."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Hashable
from threading import Event

import streamlit as st

from dpcore.errors import DpcoreError, ReadingStopped
from dpcore.release.ledger import Actors, Ledger
from dpcore.release.note import ReleaseNote
from dpcore.release.plan import ReleasePlan
from dpcore.release.publish import COUNTING, LOOKING, Progress, Unanswered, publish
from pages.ui import access, background, workers
from pages.ui.access import Action
from pages.ui.background import Job
from pages.ui.session_keys import SessionKey
from pages.ui.wording import plain

TICKETS = SessionKey[dict[Hashable, str]]("tickets")
#: While it does this, nothing is charged yet, and it can be stopped.
FREE = (LOOKING, COUNTING)


def ticket(what: Hashable) -> str:
    """A token for one plan in one visit, the same until its outcome was shown."""
    return tickets().setdefault(what, secrets.token_hex(8))


def forget(what: Hashable) -> None:
    """Drop the token after the outcome was shown: the plan may be published again."""
    tickets().pop(what, None)


def tickets() -> dict[Hashable, str]:
    return TICKETS.start({})


def begin(
    ticket: Hashable,
    plan: ReleasePlan,
    ledger: Ledger,
    requester: str | None = None,
    note: ReleaseNote | None = None,
) -> Job[int]:
    """Publish a plan and return the job, which ends with the release's number.

    A second call with the same ticket returns the same job.

    Where somebody else asked for it, this visit approves it.
    """
    access.require(Action.SPEND)
    user = access.user() if access.is_shared() else None
    by = Actors(requester, user) if requester else Actors(user)

    def make() -> Job[int]:
        seen, stopped = [Progress(LOOKING, 0.0)], Event()

        def tell(progress: Progress) -> None:
            seen[0] = progress
            if stopped.is_set() and progress.doing in FREE:
                raise ReadingStopped(plan.name)

        return background.begin(
            lambda: publish(plan, ledger, tell, by, note).entry.number,
            lambda: (seen[0].doing.capitalize(), seen[0].part),
            stopped.set,
            lambda: seen[0].doing in FREE,
        )

    return workers.worker().begin_once(ticket, make)


def running(ticket: Hashable) -> Job[int] | None:
    """The job that was started with this ticket, if any."""
    return workers.worker().begun(ticket)


def refuse(reason: Exception, outcome: str = "Nothing was published.") -> None:
    """Show that something did not happen, and why. Errors of the program itself are raised."""
    if isinstance(reason, sqlite3.Error):
        st.error(
            f"**The ledger could not be written.** {plain(str(reason))}. History says whether the "
            "release was kept and charged; if it is not there, nothing was used.",
            icon=":material/error:",
        )
        return
    if isinstance(reason, ReadingStopped):
        st.info(f"**Stopped.** {outcome} Nothing was used.", icon=":material/stop_circle:")
        return
    if not isinstance(reason, (DpcoreError, OSError)):
        raise reason
    spent = "" if isinstance(reason, Unanswered) else "Nothing was used."
    st.error(f"**{outcome}** {plain(str(reason))} {spent}", icon=":material/block:")
