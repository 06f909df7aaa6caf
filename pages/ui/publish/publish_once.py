"""The one place where a page spends: each plan that was shown is published at most once."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Hashable

import streamlit as st

from dpcore.errors import DpcoreError
from dpcore.release.ledger import Actors, Ledger
from dpcore.release.plan import ReleasePlan
from dpcore.release.publish import Progress, Unanswered, publish
from pages.ui import access
from pages.ui.access import Action
from pages.ui.publish.tasks import Once, Task
from pages.ui.wording import plain

TICKETS = "tickets"


@st.cache_resource
def releases() -> Once:
    """All that were begun on this server. They go on when a visit ends."""
    return Once()


def ticket(what: Hashable) -> str:
    """The same for one thing in one visit, until what came of it was told."""
    return tickets().setdefault(what, secrets.token_hex(8))


def forget(what: Hashable) -> None:
    """What came of it was told: from now on it could be meant again."""
    tickets().pop(what, None)


def tickets() -> dict[Hashable, str]:
    found: dict[Hashable, str] = st.session_state.setdefault(TICKETS, {})
    return found


def begin(
    ticket: Hashable, plan: ReleasePlan, ledger: Ledger, asked: str | None = None
) -> Task[int]:
    """Publish a plan, and give its number; a second call with its ticket gets the same task.

    Where somebody else asked for it, this visit approves it.
    """
    access.require(Action.SPEND)
    user = access.user() if access.is_shared() else None
    by = Actors(asked, user) if asked else Actors(user)

    def make() -> Task[int]:
        seen = [Progress("looking at the ledger", 0.0)]

        def tell(progress: Progress) -> None:
            seen[0] = progress

        return Task(
            lambda: publish(plan, ledger, tell, by).entry.number,
            lambda: (seen[0].doing.capitalize(), seen[0].part),
        )

    return releases().begin(ticket, make)


def running(ticket: Hashable) -> Task[int] | None:
    """What was begun with that ticket."""
    return releases().get(ticket)


def refuse(reason: Exception) -> None:
    """Why nothing was published, in words; faults of the program are not for a page."""
    if isinstance(reason, sqlite3.Error):
        st.error(
            f"**The ledger could not be written.** {plain(str(reason))}. History says whether the "
            "release was kept and charged; if it is not there, nothing was spent.",
            icon=":material/error:",
        )
        return
    if not isinstance(reason, (DpcoreError, OSError)):
        raise reason
    spent = "" if isinstance(reason, Unanswered) else "Nothing was spent."
    st.error(f"**Nothing was published.** {plain(str(reason))} {spent}", icon=":material/block:")
