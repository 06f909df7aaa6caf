"""Step 5: the files and the certificate of a release, and how anybody can check them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import streamlit as st

from dpcore.errors import DpcoreError
from dpcore.release.ledger import Ledger
from dpcore.release.plan import TWIN
from dpcore.release.publish import Release, reopened
from pages.ui import url_keys
from pages.ui.publish import step_list
from pages.ui.publish.ledger_words import when
from pages.ui.publish.publish_step import PublishStep
from pages.ui.wording import plain

#: What a file is, by how its name ends; the first that fits.
WORDS = {
    "certificate.json": ("Certificate", "What was promised and how, with the digest of each file."),
    "certificate.html": ("Certificate to print", "The same on one page, for people."),
    "map.html": ("Map", "Opens offline in any browser."),
    "centers.csv": ("Centers, CSV", "For a spreadsheet."),
    "centers.geojson": ("Centers, GeoJSON", "For a map program."),
    "centers.parquet": ("Centers, Parquet", "For a data program."),
    "points.csv": ("Points, CSV", "The weighted points that stand for the rows."),
    "points.geojson": ("Points, GeoJSON", "The same for a map program."),
    "points.parquet": ("Points, Parquet", "The same for a data program."),
    "check_with_opendp.py": ("Check, Python", "Checks every charge with OpenDP, without dpcore."),
    ".py": ("Procedure, Python", "Does the same with other data, or other noise."),
}
MIME = {
    "csv": "text/csv",
    "json": "application/json",
    "geojson": "application/geo+json",
    "html": "text/html",
    "py": "text/x-python",
    "parquet": "application/vnd.apache.parquet",
}


def draw(ledger: Ledger) -> None:
    number = url_keys.RELEASE.get()
    try:
        release = reopened(ledger, number)
    except DpcoreError as problem:
        st.error(f"{plain(str(problem))} Was it made with another ledger?", icon=":material/error:")
        return
    with step_list.opened(PublishStep.RELEASED):
        entry = release.entry
        if entry.failure is None:
            st.success(
                f"**Release {entry.number} of “{plain(entry.account)}”** was made on "
                f"{when(entry)}. It cost {entry.charged}.",
                icon=":material/verified:",
            )
        if account := ledger.account(entry.account):
            st.caption(f"{account.left} of {account.allowed} is left for these data.")
        downloads(release)
        check(release)
        with st.container(horizontal=True):
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


def downloads(release: Release) -> None:
    """A button for each file, and one for all; every one of them may leave."""
    stem = f"release-{release.entry.number}"
    if not release.files:
        entry = release.entry
        st.warning(
            f"**Nothing came of release {entry.number}**, asked for on {when(entry)}: "
            f"{plain(entry.failure or '').rstrip('.')}. "
            f"It was charged {entry.charged} all the same."
        )
        return
    st.download_button(
        "Download everything",
        packed(release.files),
        f"{stem}.zip",
        "application/zip",
        key=f"{stem}-all",
        type="primary",
        icon=":material/folder_zip:",
        on_click="ignore",
    )
    with st.container(key=f"{stem}-files", gap="xsmall"):
        for name in sorted(release.files, key=place):
            content, (label, words) = release.files[name], told(name)
            with st.container(horizontal=True, vertical_alignment="center"):
                st.download_button(
                    label,
                    content,
                    name,
                    MIME.get(name.rpartition(".")[2], "application/octet-stream"),
                    key=f"{stem}-{name}",
                    icon=":material/download:",
                    on_click="ignore",
                    width=220,
                )
                st.caption(words)


def told(name: str) -> tuple[str, str]:
    return next((words for end, words in WORDS.items() if name.endswith(end)), (name, ""))


def place(name: str) -> int:
    """Where a file stands in the list: as in WORDS, and what these do not know at the end."""
    return next((i for i, end in enumerate(WORDS) if name.endswith(end)), len(WORDS))


def packed(files: Mapping[str, bytes]) -> bytes:
    """All files in one archive, the same bytes each time."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packing:
        for name, content in files.items():
            packing.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def check(release: Release) -> None:
    """Nobody needs to take our word."""
    if release.entry.purpose == TWIN or "certificate.json" not in release.files:
        return
    with st.expander("How anybody can check this", icon=":material/fact_check:"):
        st.markdown(
            "In the folder of the files, without the data. It compares the digests, adds up what "
            "was spent, and says what cannot be checked without the data."
        )
        st.code("dpcore verify certificate.json", language="bash")
