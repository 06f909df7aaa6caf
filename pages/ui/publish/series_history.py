"""The series of a ledger: their periods, what they cost together, their union, and the next one."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import DpcoreError
from dpcore.release.ledger import Entry, Ledger
from dpcore.release.publish import Release, reopened
from dpcore.release.release_zip import zipped
from dpcore.release.series_union import cost_of_union, union_files
from pages.ui import url_keys
from pages.ui.publish import data_step, series_choice, step_list
from pages.ui.publish.ledger_words import when
from pages.ui.publish.publish_step import PublishStep
from pages.ui.wording import plain


def draw(ledger: Ledger, entries: list[Entry]) -> None:
    """A card for each series."""
    for name, releases in series_choice.made(entries).items():
        with st.container(border=True, key=f"series-{releases[0].number}"):
            st.markdown(f"#### Series: {plain(name)}")
            st.table(
                [
                    {
                        "Period": plain(each.plan["series"]["period"]),
                        "Release": each.number,
                        "Published on": when(each),
                        "Used": str(each.charged),
                    }
                    for each in releases
                ],
                border="horizontal",
                hide_index=True,
            )
            union(name, releases, ledger)


@st.cache_data(max_entries=8, show_spinner=False, scope="session")
def archive(digests: tuple[str, ...], _releases: list[Release]) -> bytes:
    """The union of these releases in a ZIP."""
    return zipped(union_files(_releases))


def union(name: str, releases: list[Entry], ledger: Ledger) -> None:
    """The cost of all periods to one unit, their points as one, and the way to the next period."""
    opened = [reopened(ledger, each.number) for each in releases]
    try:
        st.caption(plain(cost_of_union(opened)))
    except DpcoreError as reason:  # of a series whose periods protect different things
        st.caption(plain(str(reason)))
    with st.container(horizontal=True, gap="small"):
        try:
            digests = tuple(each.certificate["digest"] for each in opened)
            content = archive(digests, opened)
        except DpcoreError as reason:
            st.caption(plain(str(reason)))
        else:
            st.download_button(
                f"All {len(opened)} periods as one (ZIP)"
                if len(opened) > 1
                else "Points of this period (ZIP)",
                content,
                f"series-{releases[0].number}.zip",
                "application/zip",
                key=f"union-{releases[0].number}",
                icon=":material/folder_zip:",
                on_click="ignore",
                help="The published points of all periods together, and what they cost. It costs "
                "nothing more.",
            )
        st.button(
            "Publish the next period",
            key=f"next-{releases[0].number}",
            icon=":material/event_repeat:",
            on_click=go_on,
            args=(name,),
        )


def go_on(name: str) -> None:
    """Open the steps for the next period of a series."""
    step_list.memory()[series_choice.NEXT] = name
    for key in (url_keys.PUBLISH_VIEW, url_keys.SOURCE, data_step.DATA):
        key.clear()
    step_list.go(PublishStep.DATA)
