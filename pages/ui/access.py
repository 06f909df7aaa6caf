"""Rights: one table of actions for each mode and role, asked by every page."""

from __future__ import annotations

from enum import StrEnum

import streamlit as st

from pages.server import settings
from pages.server.settings import Mode, Role


class Action(StrEnum):
    #: See public data, and everything that is computed from them.
    LOOK = "look at public data"
    #: Upload files, and see them.
    BRING = "bring data"
    #: Name files on the server, inside the data folder.
    READ_FILES = "read files of this server"
    #: Go through the steps up to a release.
    PLAN = "plan a release"
    SPEND = "publish"
    #: See every release and download its files.
    HISTORY = "see the releases"
    CHOOSE_LEDGER = "choose a ledger"


_VIEWER = frozenset({Action.LOOK})
_CURATOR = _VIEWER | {Action.BRING, Action.READ_FILES, Action.PLAN}
OF_ROLE = {
    Role.VIEWER: _VIEWER,
    Role.CURATOR: _CURATOR,
    Role.PUBLISHER: _CURATOR | {Action.SPEND, Action.HISTORY},
    Role.AUDITOR: _VIEWER | {Action.HISTORY},
}
OF_MODE = {Mode.PERSONAL: frozenset(Action), Mode.CLASSROOM: _VIEWER}


def is_shared() -> bool:
    return settings.mode() is Mode.SHARED


def user() -> str | None:
    """The person who signed in, in shared mode: as Streamlit or the proxy says.

    At some providers people may write any address into their account. The provider then says that
    it is not verified, and it is nobody's here.
    """
    email = st.user.get("email") if st.user else None
    signed_in = settings.user_header() or st.user.get("is_logged_in")
    if not email or not signed_in or unverified():
        return None
    return str(email).strip() or None


def unverified() -> bool:
    """Whether the provider says that the email address is not verified."""
    claim = st.user.get("email_verified", True) if st.user else True
    return str(claim).casefold() == "false"  # some providers send words


def allowed() -> frozenset[Action]:
    """The actions that this visit may do."""
    if not is_shared():
        return OF_MODE[settings.mode()]
    name = user()
    role = settings.roles().role(name) if name else None
    return OF_ROLE[role] if role else frozenset()


def may(*actions: Action) -> bool:
    """Whether this visit may do any of these."""
    return not allowed().isdisjoint(actions)


def require(*actions: Action) -> None:
    """Raise PermissionError unless this visit may do any of these."""
    if not may(*actions):
        raise PermissionError(f"This visit may not {actions[0]}.")


def needs_approval() -> bool:
    """Whether a release waits until a second publisher approves it."""
    return is_shared() and settings.roles().four_eyes


def admit(*actions: Action) -> None:
    """Draw the page only for a visit that may do any of these; it ends for others."""
    if is_shared() and user() is None:
        sign_in()
    if may(*actions):
        return
    if is_shared() and not may(Action.LOOK):
        st.title("You have no role here")
        st.markdown("Ask whoever runs this dashboard to give you one.")
        st.stop()
    st.title("This page is not for you")
    if settings.mode() is Mode.CLASSROOM:
        st.markdown("In a class everybody works with public data, and nothing is published.")
    else:
        st.markdown(f"Your role does not let you {actions[0]}.")
    st.page_link("app.py", label="Open Explore", icon=":material/map:")
    st.stop()


def sign_in() -> None:
    st.title("Please sign in")
    if settings.user_header():
        st.markdown("Nobody is signed in. Open this dashboard through its sign-in page.")
    else:
        if unverified():
            st.markdown("Your provider has not verified your email address. Verify it there first.")
        st.button("Sign in", type="primary", on_click=st.login)
    st.stop()


def sign_out() -> None:
    """In the menu: who is signed in, and the way out."""
    if not is_shared():
        return
    st.caption(f"Signed in as {user()}")
    if not settings.user_header():
        st.button("Sign out", icon=":material/logout:", on_click=st.logout)
