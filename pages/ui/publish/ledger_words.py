"""A ledger's facts about a release, in words: when it was, and whether it can be paid for."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import DpcoreError
from dpcore.release.ledger import Entry, Ledger
from dpcore.release.plan import ReleasePlan
from pages.ui.wording import plain


def when(entry: Entry) -> str:
    return f"{entry.time[:10]} at {entry.time[11:16]} UTC"


def affordable(plan: ReleasePlan, ledger: Ledger) -> bool:
    """Whether the ledger can pay for it, or why not, in words. Nothing private is read."""
    try:
        ledger.check(plan.claim())
    except DpcoreError as reason:
        refuse(reason)
        return False
    return True


def refuse(reason: DpcoreError) -> None:
    """Say on the page why something cannot be published."""
    st.error(f"**This cannot be published.** {plain(str(reason))}", icon=":material/block:")
