"""Approval, where two publishers are needed: one asks for a release, another approves it, then it
is made.

A request lives in the visit that made it, with the data it would read. When that visit ends, the
request is gone, and nothing is spent.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from weakref import WeakValueDictionary

import streamlit as st

from dpcore.release.ledger import Ledger
from dpcore.release.note import ReleaseNote
from dpcore.release.plan import ReleasePlan
from pages.ui import access, fragments
from pages.ui.access import Action
from pages.ui.publish import publish_once
from pages.ui.session_keys import SessionKey
from pages.ui.wording import plain

REQUESTS = SessionKey[dict[Hashable, "ApprovalRequest"]]("requests")
NO_NOTE = ReleaseNote()
#: Seconds between looks at whether somebody decided.
PAUSE = 2.0


@dataclass(eq=False)
class ApprovalRequest:
    """A release that one publisher asks for, and another may approve."""

    ticket: str
    plan: ReleasePlan
    ledger: Ledger
    by: str
    note: ReleaseNote = NO_NOTE
    declined_by: str | None = None


@st.cache_resource
def requests() -> WeakValueDictionary[str, ApprovalRequest]:
    """The requests of all visits. Each is held by its own visit alone."""
    return WeakValueDictionary()


def begin(ticket: str, plan: ReleasePlan, ledger: Ledger, note: ReleaseNote = NO_NOTE) -> None:
    """Publish a plan, or ask for it where a second publisher has to approve."""
    if not access.needs_approval():
        publish_once.begin(ticket, plan, ledger, note=note)
        return
    access.require(Action.SPEND)
    request = ApprovalRequest(ticket, plan, ledger, access.user() or "", note)
    REQUESTS.start({})[ticket] = request
    requests()[ticket] = request


def request_of(ticket: Hashable) -> ApprovalRequest | None:
    """The request of this visit that nobody approved yet."""
    return REQUESTS.start({}).get(ticket)


def withdraw(ticket: Hashable) -> None:
    REQUESTS.start({}).pop(ticket, None)


def draw_asked(request: ApprovalRequest) -> None:
    """In place of a button to publish: that another publisher has to decide."""
    if request.declined_by:
        st.warning(
            f"{plain(request.declined_by)} declined this release. Nothing was used.",
            icon=":material/block:",
        )
    else:
        st.info(
            "**Waiting for another publisher to approve this.** Nothing is used yet. Keep this "
            "page open: the request ends with your visit.",
            icon=":material/group:",
        )
        fragments.until_done(_is_decided, True, request, every=PAUSE)
    st.button("Withdraw", key="withdraw", on_click=withdraw, args=(request.ticket,))


def _is_decided(request: ApprovalRequest) -> bool:
    return bool(request.declined_by or publish_once.running(request.ticket))


def draw_requests() -> None:
    """The requests of others that this visit may approve."""
    if not (access.needs_approval() and access.may(Action.SPEND)):
        return
    me = (access.user() or "").casefold()
    for request in list(requests().values()):
        decided = request.declined_by or publish_once.running(request.ticket)
        if decided or request.by.casefold() == me:
            continue
        with st.container(border=True, key=f"request-{request.ticket}"):
            st.markdown(f"**{plain(request.by)} asks you to approve a release.**")
            st.markdown("\n".join(f"- {plain(each)}" for each in request.plan.statement()))
            for name, text in request.plan.publication.as_dict().items():
                st.markdown(f"- On the certificate, {name}: {plain(text)}")
            if words := request.note.words():
                st.caption(f"Note: {plain(words)}")
            with st.container(horizontal=True):
                st.button(
                    f"Approve, and use {request.plan.price} for good",
                    key=f"approve-{request.ticket}",
                    type="primary",
                    on_click=approve,
                    args=(request.ticket,),
                )
                st.button(
                    "Decline",
                    key=f"decline-{request.ticket}",
                    on_click=decline,
                    args=(request.ticket,),
                )


def approve(ticket: str) -> None:
    if request := _open_to_me(ticket):
        publish_once.begin(ticket, request.plan, request.ledger, request.by, request.note)


def decline(ticket: str) -> None:
    if request := _open_to_me(ticket):
        request.declined_by = access.user()


def _open_to_me(ticket: str) -> ApprovalRequest | None:
    """The request, if it still stands and somebody else made it."""
    access.require(Action.SPEND)
    request = requests().get(ticket)
    if request is None or request.declined_by:
        return None
    return None if request.by.casefold() == (access.user() or "").casefold() else request
