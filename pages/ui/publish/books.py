"""Which ledger: a folder on this machine that the person can choose."""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path

import streamlit as st

from dpcore.release import Account, Ledger
from pages.ui.publish import steps

#: A folder for the ledger, for everybody who uses this server.
VARIABLE = "DPCORE_LEDGER"
FOLDER = "ledger folder"


def usual_folder() -> str:
    """The one that is set for this server, or a place of this user's data."""
    if given := os.environ.get(VARIABLE):
        return given
    if sys.platform == "darwin":
        home = Path.home() / "Library" / "Application Support"
    elif sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return str(home / "dpcore")


def folder() -> str:
    chosen: str = steps.memory().get(FOLDER) or usual_folder()
    return chosen


def ledger() -> Ledger | None:
    """The ledger, or why it cannot be used, in words."""
    try:
        return Ledger(folder())
    except (OSError, ValueError, sqlite3.Error) as problem:
        st.error(
            f"**The ledger in {folder()} cannot be used.** {problem} Choose another folder under "
            "History.",
            icon=":material/error:",
        )
        return None


def folder_control() -> None:
    with st.expander("Where the ledger is kept", icon=":material/folder:"):
        st.caption(
            "The ledger remembers what was spent on which data, and every file that was published. "
            "Who loses it loses count. It belongs on a disk of this machine, in a backup, and in "
            "nobody else's hands."
        )
        given = steps.remembered(
            st.text_input, "Folder", FOLDER, usual_folder(), placeholder=usual_folder()
        )
        steps.memory()[FOLDER] = given.strip() or usual_folder()
        st.caption(
            f"Remembered for this visit. To change it for good, set `{VARIABLE}` where the server "
            "starts."
        )


def account(books: Ledger, name: str) -> Account | None:
    return books.account(name) if name.strip() else None
