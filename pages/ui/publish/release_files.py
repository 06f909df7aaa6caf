"""The files of a release: all in one ZIP, or one by one, by reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from dpcore.release.published_files import PublishedFiles
from dpcore.release.release_zip import packed

MIME = {
    "csv": "text/csv",
    "json": "application/json",
    "geojson": "application/geo+json",
    "html": "text/html",
    "ipynb": "application/x-ipynb+json",
    "py": "text/x-python",
    "parquet": "application/vnd.apache.parquet",
}


class Recipient(NamedTuple):
    """Somebody who takes files, and which."""

    title: str
    icon: str
    #: What each file is called here, by how its name ends.
    files: dict[str, str]


READERS = (
    Recipient(
        "For a map",
        ":material/map:",
        {
            "map.html": "Map for any browser",
            "centers.geojson": "Centers, GeoJSON",
            "points.geojson": "Points, GeoJSON",
            "areas.geojson": "Areas, GeoJSON",
        },
    ),
    Recipient(
        "For a spreadsheet or a program",
        ":material/table:",
        {
            "centers.csv": "Centers, CSV",
            "points.csv": "Points, CSV",
            "centers.parquet": "Centers, Parquet",
            "points.parquet": "Points, Parquet",
        },
    ),
    Recipient(
        "For a reviewer",
        ":material/fact_check:",
        {
            "certificate.html": "Certificate to print",
            "certificate.json": "Certificate, JSON",
            "verify.html": "Check in a browser",
            "check_with_opendp.py": "Check with OpenDP, Python",
            ".py": "Script (Python)",
            "": "",
        },
    ),
)


@st.cache_data(max_entries=4, show_spinner=False, scope="session")
def archive(digest: str, _release: PublishedFiles) -> bytes:
    return packed(_release)


def everything(release: PublishedFiles, stem: str) -> None:
    """One button for all files."""
    content = archive(release.certificate["digest"], release)
    st.download_button(
        f"Download everything (ZIP, {size(len(content))})",
        content,
        f"{stem}.zip",
        "application/zip",
        key=f"{stem}-all",
        type="primary",
        icon=":material/folder_zip:",
        on_click="ignore",
        width="stretch",
    )


def one_by_one(release: PublishedFiles, stem: str) -> None:
    """Single files, folded by reader."""
    names_left = list(release.files)
    for reader in READERS:
        named = []
        for end, label in reader.files.items():
            names = [name for name in names_left if name.endswith(end)]
            named += [(name, label or name) for name in names]
            names_left = [name for name in names_left if name not in names]
        if named:
            with st.expander(reader.title, icon=reader.icon):
                buttons(release, stem, named)


def buttons(release: PublishedFiles, stem: str, named: Sequence[tuple[str, str]]) -> None:
    with st.container(horizontal=True, gap="small"):
        for name, label in named:
            st.download_button(
                label,
                release.files[name],
                name,
                MIME.get(name.rpartition(".")[2], "application/octet-stream"),
                key=f"{stem}-{name}",
                icon=":material/download:",
                on_click="ignore",
            )


def size(number: int) -> str:
    """Bytes as people say them."""
    return f"{number / 1e6:.1f} MB" if number >= 1e6 else f"{max(1, round(number / 1e3))} kB"
