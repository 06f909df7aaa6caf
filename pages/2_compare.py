"""Compare: methods side by side, and the papers' findings measured again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.ui import address, frame, url_keys
from pages.ui.compare import (
    accuracy_duel,
    auto_choices,
    coreset_sizes,
    findings,
    k_by_d,
    own_method,
    predicted_winners,
    ranking,
    run_times,
)

#: Views by their name in the address: what the tab says, and what draws it.
VIEWS: dict[str, tuple[str, Callable[[], None]]] = {
    "rank": ("Rank at one ε", ranking.show),
    "duel": ("One against one", accuracy_duel.show),
    "mine": ("Your own method", partial(own_method.show, ranking.beside)),
    "map": ("Map over k and d", k_by_d.show),
    "time": ("Run time", run_times.show),
    "size": ("Coreset size", coreset_sizes.show),
    "predict": ("Predictions", predicted_winners.show),
    "auto": ("What “auto” chooses", auto_choices.show),
    "papers": ("Findings", findings.show),
}


def main() -> None:
    frame.frame("Compare")
    st.title("Methods side by side")
    titles = {key: title for key, (title, _) in VIEWS.items()}
    VIEWS[address.tabs("View", url_keys.COMPARE_VIEW, titles)][1]()


main()
