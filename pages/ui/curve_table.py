"""The table of curves across epsilon, for screen readers too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pandas as pd
import streamlit as st

from dpcore.study.curves import Curve, Point
from dpcore.study.metrics import Metric
from pages.ui.chart_frame import title


def draw(
    all_curves: Iterable[Curve],
    epsilons: Sequence[float],
    metric: Metric,
    say: Callable[[Point], str],
) -> None:
    """Draw a table with a column for each method and a row for each ε."""
    columns = {}
    for curve in all_curves:
        points = {point.epsilon: point for point in curve.points}
        columns[title(curve.algorithm)] = [
            say(point)
            if (point := points.get(epsilon))
            else ("refused" if epsilon in curve.refusals else "…")
            for epsilon in epsilons
        ]
    index = pd.Index([f"{epsilon:g}" for epsilon in epsilons], name="ε")
    st.table(pd.DataFrame(columns, index=index), border="horizontal")
    st.caption(f"{metric.title}: the mean, and in brackets the range of 80 % of the runs.")
