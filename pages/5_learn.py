"""Learn: for a teacher with a projector and twenty minutes."""

from __future__ import annotations

import streamlit as st

from pages.ui import address, frame
from pages.ui.learn import presenter, steps

PARTS = {
    "steps": ("Step by step", steps.part),
}
FIRST = next(iter(PARTS))
KNOWN = address.one_of(PARTS)


def main() -> None:
    frame.frame("Learn")
    presenter.style()
    if presenter.presenting():
        chosen = address.get("part", FIRST, KNOWN)
        presenter.switch()
    else:
        chooser, switch = st.columns([5, 1], vertical_alignment="bottom")
        with chooser:
            chosen = part_control()
        with switch:
            presenter.switch()
        st.caption("Public data only: what no noise protects may be shown here, and is marked.")
    PARTS[chosen][1]()


def part_control() -> str:
    return address.control(
        st.segmented_control,
        "What to look at",
        "part",
        FIRST,
        KNOWN,
        options=list(PARTS),
        format_func=lambda name: PARTS[name][0],
        required=True,
        label_visibility="collapsed",
    )


main()
