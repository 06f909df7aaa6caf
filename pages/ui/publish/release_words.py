"""Step 5: words on the certificate, which are public, and a note, which stays in the ledger."""

from __future__ import annotations

import streamlit as st

from dpcore.release.note import LONGEST as LONGEST_NOTE
from dpcore.release.note import ReleaseNote
from dpcore.release.plan import ReleasePlan
from dpcore.release.publication import LONGEST, Publication
from dpcore.release.sources import DataSource
from dpcore.release.unit import Unit
from dpcore.runs.request import Request
from pages.ui import session_keys
from pages.ui.publish import step_list
from pages.ui.session_keys import SessionKey
from pages.ui.wording import plain, printable

#: Each entry of the certificate: its question, and an example.
WORDS = {
    "publisher": ("Who publishes?", "Transit Office"),
    "contact": ("Where can people ask?", "privacy@transit.example"),
    "purpose": ("What is it for?", "Where taxis should wait"),
    "description": ("What are the data?", "Taxi trips of January 2015, about 50,000"),
    "license": ("What may others do with it?", "CC BY 4.0"),
}
WHO, WHY = "note who", "note why"
ACCURACY = SessionKey[dict[tuple[DataSource, Unit, Request], str]]("known accuracy")


def draw(plan: ReleasePlan) -> None:
    """The entries, all of them optional."""
    left, right = st.columns(2, gap="large")
    with left.expander("Words for the certificate (public)", icon=":material/description:"):
        for name, (question, example) in WORDS.items():
            step_list.remembered(
                st.text_input, question, name, "", max_chars=LONGEST, placeholder=example
            )
        if accuracy := publication(plan).accuracy:
            st.caption(f"It will also say how accurate the result is: {plain(accuracy)}")
    with right.expander("A note for yourselves (not published)", icon=":material/edit_note:"):
        for name, question, example in (
            (WHO, "Who publishes this?", "Ann, planning"),
            (WHY, "Why, or for whom?", "for the report of May"),
        ):
            step_list.remembered(
                st.text_input, question, name, "", max_chars=LONGEST_NOTE, placeholder=example
            )
        st.caption("The ledger keeps it, and History shows it. No published file contains it.")


def publication(plan: ReleasePlan) -> Publication:
    """The words for the certificate, also in the moment in which a button is pressed; and the
    accuracy of this run, if step 4 showed it."""
    run = (plan.data, plan.unit, plan.request.with_seed(0))
    accuracy = printable(" ".join(known_accuracy().get(run, "").split()))
    return Publication(**{name: entered(name) for name in WORDS}, accuracy=accuracy[:LONGEST])


def known_accuracy() -> dict[tuple[DataSource, Unit, Request], str]:
    """The accuracy of the runs that step 4 showed, in words. No private row has a part in it."""
    return ACCURACY.start({})


def note() -> ReleaseNote:
    """The words for the ledger."""
    return ReleaseNote(entered(WHO), entered(WHY))


def entered(name: str) -> str:
    """One line, with a mark in place of what cannot be printed."""
    newest = session_keys.of_widget(step_list.latest_key(name))
    text = step_list.memory().get(name, "") if newest is None else newest
    return printable(" ".join(str(text).split()))
