"""The lines between which methods lie: the answer without privacy, and one without data."""

from __future__ import annotations

from dpcore.study.curves import CurveLimits
from dpcore.study.kept_curves import kept_curves
from dpcore.study.metrics import Metric
from dpcore.study.sweep_plan import SweepPlan
from pages.ui import cached_work, palette
from pages.ui.chart_frame import Line


def reference_lines(plan: SweepPlan, metric: Metric) -> list[Line]:
    """Lines for the answer without privacy and the best answer that looks at no data."""
    colors = palette.current()
    bounds = limits(plan, metric.key)
    blind = "center of the box" if bounds.blind_is_center else "points spread in the box"
    return [
        Line("No privacy", bounds.non_private, colors.non_private, "dash"),
        Line(f"No data: {blind}", bounds.blind, colors.quiet, "dot"),
    ]


def limits(plan: SweepPlan, metric: str) -> CurveLimits:
    """The figures of both answers: those that are kept, or computed."""
    key = plan.data, plan.k, plan.seed, metric
    return kept_curves().limits_of(*key) or cached_work.limits(*key).value
