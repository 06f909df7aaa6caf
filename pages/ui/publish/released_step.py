"""Step 6: what the world sees of a release, its files, and what can be done with it."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import DpcoreError
from dpcore.privacy import explain
from dpcore.privacy.accounting import Neighbors
from dpcore.release.certificate import NAME as CERTIFICATE
from dpcore.release.certificate import PAGE
from dpcore.release.ledger import Ledger
from dpcore.release.plan import TWIN
from dpcore.release.publish import Release, reopened
from pages.ui import url_keys
from pages.ui.publish import lifetime_budget, release_files, release_map, step_list
from pages.ui.publish.ledger_words import when
from pages.ui.publish.publish_step import PublishStep
from pages.ui.wording import plain

#: As high as the map beside it, in pixels.
HEIGHT, LABEL = 460, 35
#: Views that go on from a release: their name in the address, label and icon.
NEXT_VIEWS = (
    ("ask", "Ask this release", ":material/question_answer:"),
    ("check", "Check it", ":material/fact_check:"),
)


def draw(ledger: Ledger) -> None:
    number = url_keys.RELEASE.get()
    try:
        release = reopened(ledger, number)
    except DpcoreError as problem:
        st.error(f"{plain(str(problem))} Was it made with another ledger?", icon=":material/error:")
        return
    if CERTIFICATE not in release.files:
        downloads(release)
        others()
        return
    entry, statement = release.entry, release.certificate
    st.markdown("### :green[:material/verified:] Published. This is what the world sees.")
    relation = Neighbors(statement["neighbors"])
    gain = explain.attack(statement["epsilon"], statement["unit"]["name"], relation)
    st.caption(
        f"Release {entry.number} of “{plain(entry.account)}” was made on {when(entry)} and used "
        f"{entry.charged}. {plain(gain)}"
    )
    centers = release_map.rows_of(release)
    is_certified = PAGE in release.files and entry.purpose != TWIN
    map_column, beside, *last = st.columns([5, 3, 4] if is_certified else [3, 2], gap="medium")
    with map_column:
        release_map.draw(release, "released-map", centers, HEIGHT)
    with beside:
        downloads(release)
        if account := ledger.account(entry.account):
            lifetime_budget.meter(account)
        if entry.purpose != TWIN:
            with st.container(horizontal=True, gap="small"):
                for view, label, icon in NEXT_VIEWS:
                    st.button(
                        label,
                        icon=icon,
                        key=view,
                        on_click=url_keys.PUBLISH_VIEW.put,
                        args=(view,),
                    )
        others()
    for column in last:
        with column:
            certificate(release)
    release_map.table(release, centers)


def certificate(release: Release) -> None:
    """The first page of the certificate, as it is printed."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("**The certificate**", width="stretch")
        st.download_button(
            "To print",
            release.files[PAGE],
            PAGE,
            "text/html",
            key="print-certificate",
            type="tertiary",
            icon=":material/print:",
            on_click="ignore",
        )
    st.iframe(release.files[PAGE].decode(), height=HEIGHT - LABEL)


def others() -> None:
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Publish something else",
            key="again",
            on_click=step_list.go,
            args=(PublishStep.DATA,),
        )
        st.button(
            "All releases",
            key="to-history",
            on_click=url_keys.PUBLISH_VIEW.put,
            args=("history",),
        )


def nothing(release: Release) -> None:
    """Words about a charge of which nothing came."""
    entry = release.entry
    st.warning(
        f"**Nothing came of release {entry.number}**, asked for on {when(entry)}: "
        f"{plain(entry.failure or '').rstrip('.')}. "
        f"It used {entry.charged} of the budget all the same."
    )


def downloads(release: Release) -> None:
    """The files of a release; every one of them may leave."""
    if not release.files:
        nothing(release)
        return
    stem = f"release-{release.entry.number}"
    if CERTIFICATE in release.files:  # a count of wishes has none
        release_files.everything(release, stem)
    release_files.one_by_one(release, stem)
