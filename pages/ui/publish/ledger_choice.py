"""The choice of a ledger: a folder on this machine."""

from __future__ import annotations

import sqlite3

import streamlit as st

from dpcore.errors import DpcoreError
from dpcore.release.ledger import Account, Ledger
from dpcore.release.ledger_folder import VARIABLE, usual_folder
from pages.ui import access, data_root
from pages.ui.access import Action
from pages.ui.publish import step_list
from pages.ui.wording import plain

FOLDER = "ledger folder"


def folder() -> str:
    """The folder of the server's settings; in personal mode, one that the person chose."""
    usual = str(usual_folder())
    own_folder: str = step_list.memory().get(FOLDER) or usual
    if own_folder == usual or not access.may(Action.CHOOSE_LEDGER):
        return usual
    return data_root.inside(own_folder)


def ledger() -> Ledger | None:
    """The ledger, or why it cannot be used, in words."""
    try:
        return Ledger(folder())
    except (OSError, DpcoreError, sqlite3.Error) as problem:
        if access.may(Action.CHOOSE_LEDGER):
            why = f"{plain(str(problem))} Choose another folder under History."
        else:
            why = "Tell whoever runs this dashboard."
        st.error(f"**The ledger cannot be used.** {why}", icon=":material/error:")
        return None


def folder_control() -> None:
    if not access.may(Action.CHOOSE_LEDGER):
        return
    with st.expander("Where the ledger is kept", icon=":material/folder:"):
        st.caption(
            "The ledger remembers how much budget each data set has used, and every file that was "
            "published. If it is lost, the count is lost. Keep it on a disk of this machine, "
            "back it up, and give it to nobody else."
        )
        folder = step_list.remembered(
            st.text_input, "Folder", FOLDER, str(usual_folder()), placeholder=str(usual_folder())
        )
        step_list.memory()[FOLDER] = folder.strip() or str(usual_folder())
        st.caption(
            f"Remembered for this visit. To change it for good, set `{VARIABLE}` where the server "
            "starts."
        )


def account(books: Ledger, name: str) -> Account | None:
    return books.account(name) if name.strip() else None
