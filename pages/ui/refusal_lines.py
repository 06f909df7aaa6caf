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
    """A method that cannot run, where, and the whole reason."""

    method: str
    where: str
    reason: str


def of_curves(curves: Iterable[Curve]) -> list[RefusalLine]:
    """The epsilons at which each method has no answer, and why there at the largest of them."""
    lines = []
    for curve in curves:
        if curve.refusals:
            at = ", ".join(f"{epsilon:g}" for epsilon in sorted(curve.refusals))
            reason = curve.refusals[max(curve.refusals)]
            lines.append(RefusalLine(title(curve.algorithm), f"at ε = {at}", reason))
    return lines


def draw(lines: Iterable[RefusalLine]) -> None:
    """The first clause of each reason; the whole reason is one hover away."""
    for line in lines:
        st.caption(
            f":material/block: **{plain(line.method)}** cannot run {line.where}: "
            f"{plain(brief(line.reason))}.",
            help=line.reason,
        )


def brief(reason: str) -> str:
    """The first clause of a reason."""
    return CLAUSE.split(reason, maxsplit=1)[0]
