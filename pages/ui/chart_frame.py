"""The frame of a chart of methods: figure, axes, colors, and lines that need no run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from dpcore.algorithms import ALGORITHMS
from dpcore.study.metrics import Metric
from pages.ui.palette import Palette
from pages.ui.wording import measured, plain_in_chart


@dataclass(frozen=True)
class ChartAxes:
    """The axes of a chart: linear, or logarithmic."""

    x_log: bool = True
    y_log: bool = True
    band: bool = True


@dataclass(frozen=True)
class Line:
    """A level that needs no run."""

    label: str
    value: float
    color: str
    dash: str


@dataclass(frozen=True)
class ChartFrame:
    """The frame of a chart: its figure, title, colors and width."""

    metric: Metric
    y_title: str
    colors: Palette
    geographic: bool = False
    narrow: bool = False

    def say(self, value: float) -> str:
        return measured(value, self.metric, self.geographic)


class MethodName(NamedTuple):
    """The name of a method, and the verdict on its claim."""

    title: str
    claim: str
    holds: bool


def named(algorithm: str) -> MethodName:
    """A method by its key. A method of an uploaded table keeps the name that it has there."""
    system = ALGORITHMS.get(algorithm)
    if system is None:
        return MethodName(plain_in_chart(algorithm), "not checked here", False)
    return MethodName(system.title, system.verdict.lower(), system.verdict.holds)


def title(algorithm: str) -> str:
    system = ALGORITHMS[algorithm]
    return system.title if system.verdict.holds else f"{system.title} (unproven)"
