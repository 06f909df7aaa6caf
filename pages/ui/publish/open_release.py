"""The release that is checked or asked: one of the ledger, or a ZIP from anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import streamlit as st

from dpcore.errors import DpcoreError
from dpcore.release.opening import TooManyBytes, unpacked
from dpcore.release.publish import reopened
from dpcore.release.published_files import PublishedFiles
from pages.server import uploads
from pages.ui import access, forgetting, limits, url_keys
from pages.ui.access import Action
from pages.ui.publish import ledger_choice
from pages.ui.session_keys import SessionKey
from pages.ui.wording import plain

HELD = SessionKey["OpenedRelease"]("release of a ZIP")
#: Bytes that the files of a ZIP may have here, where many visitors share the memory.
MOST_BYTES = 1 << 28


@dataclass(frozen=True, eq=False)
class OpenedRelease:
    """The files of a release as they came. Nobody vouches for them."""

    title: str
    files: PublishedFiles

    @cached_property
    def mark(self) -> str:
        """The identity of the release: a digest of all files."""
        digest = sha256()
        for name, content in sorted(self.files.files.items()):
            digest.update(f"{name} {len(content)} ".encode() + content)
        return digest.hexdigest()


def choose() -> OpenedRelease | None:
    """The release in the address, or one that is dropped here."""
    release = HELD.get()
    if url_keys.RELEASE.get() and access.may(Action.HISTORY):
        return of_ledger(url_keys.RELEASE.get())
    if release is not None:
        named(release)
        return release
    st.markdown("**Drop a release here**, as the ZIP that its publisher gives away.")
    if not limits.room_for_uploads():
        return None
    file = st.file_uploader("A release (ZIP)", type=["zip"], key=f"zip-{forgetting.times()}")
    if file is not None:
        take(file.name, file.getvalue())
    st.caption(
        "It is read in memory and goes nowhere. No budget is used: all answers come from files "
        "that are public already."
    )
    return None


def take(name: str, content: bytes) -> None:
    """Keep the files of a ZIP for this visit, or say why not."""
    room = uploads.room()
    try:
        files = unpacked(content, min(MOST_BYTES, max(room, 1)))
    except DpcoreError as problem:
        if isinstance(problem, TooManyBytes) and room < MOST_BYTES:
            st.info(uploads.FULL, icon=":material/memory:")
            return
        st.error(f"**This is no release.** {plain(str(problem))}", icon=":material/error:")
        return
    opened = OpenedRelease(name, PublishedFiles(files=files))
    uploads.hold_unpacked(opened, sum(map(len, files.values())))
    HELD.put(opened)
    st.rerun()


def named(release: OpenedRelease) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/folder_zip: **{plain(release.title)}**", width="content")
        st.button("Another release", key="another", type="tertiary", on_click=drop)


def drop() -> None:
    HELD.pop()
    url_keys.RELEASE.clear()


def of_ledger(number: int) -> OpenedRelease | None:
    ledger = ledger_choice.ledger()
    if ledger is None:
        return None
    try:
        release = reopened(ledger, number)
    except DpcoreError as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return None
    release_files = OpenedRelease(f"Release {number} of “{release.entry.account}”", release)
    named(release_files)
    if release.files:
        return release_files
    st.info("Nothing came of this release: there is nothing to look at.")
    return None
