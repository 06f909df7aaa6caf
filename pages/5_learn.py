"""Learn: for a teacher with a projector and twenty minutes."""

from __future__ import annotations

import streamlit as st

from pages.ui import address, frame, url_keys
from pages.ui.learn import game, guess_centers, lessons, presenter, repeated_runs, step_by_step

PARTS = {
    "steps": ("Step by step", step_by_step.part),
    "game": ("Is this trip in the data?", game.part),
    "luck": ("Same ε, other luck", repeated_runs.part),
    "guess": ("Guess, then look", guess_centers.part),
    "lessons": ("Lessons", lessons.part),
}


def main() -> None:
    frame.frame("Learn")
    presenter.style()
    if presenter.presenting():
        chosen = url_keys.PART.get()
        with presenter.bar():
            lessons.turns_while_presenting()
            presenter.switch()
    else:
        title, bar = st.columns([3, 1], vertical_alignment="center")
        title.title("Privacy in class", anchor=False)
        with bar, presenter.bar():
            presenter.switch()
        st.caption("Public data only: what no noise protects may be shown here, and is marked.")
        titles = {key: title for key, (title, _) in PARTS.items()}
        chosen = address.tabs("What to look at", url_keys.PART, titles)
    lessons.strip()
    PARTS[chosen][1]()


main()
