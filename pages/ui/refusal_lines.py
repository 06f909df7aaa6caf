"""Refusals under a chart: one line for each method that cannot run, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import streamlit as st

from dpcore.study.curves import Curve
from pages.ui.chart_frame import title
from pages.ui.wording import plain

#: Where the first clause of a reason ends.
CLAUSE = re.compile(r"[:;] |\. |\.$")


class RefusalLine(NamedTuple):
    """Who cannot run, where, and why in full."""

    who: str
    where: str
    why: str


def of_curves(found: Iterable[Curve]) -> list[RefusalLine]:
    """The epsilons at which each method has no answer, and why there at the largest of them."""
    lines = []
    for curve in found:
        if curve.refusals:
            at = ", ".join(f"{epsilon:g}" for epsilon in sorted(curve.refusals))
            why = curve.refusals[max(curve.refusals)]
            lines.append(RefusalLine(title(curve.algorithm), f"at ε = {at}", why))
    return lines


def draw(lines: Iterable[RefusalLine]) -> None:
    """The first clause of each reason; the whole reason is one hover away."""
    for who, where, why in lines:
        st.caption(
            f":material/block: **{plain(who)}** cannot run {where}: {plain(brief(why))}.", help=why
        )


def brief(why: str) -> str:
    """The first clause of a reason."""
    return CLAUSE.split(why, maxsplit=1)[0]
