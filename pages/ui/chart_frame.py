"""What a chart of methods is drawn in: its figure, axes, colors, and lines that need no run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from dpcore.algorithms import ALGORITHMS
from dpcore.study.metrics import Metric
from pages.ui.palette import Palette
from pages.ui.wording import measured, plain_in_chart


@dataclass(frozen=True)
class ChartAxes:
    """How the plane is divided: in equal steps, or in equal factors."""

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
    """What a chart is drawn in: its figure, its title, its colors and its width."""

    metric: Metric
    y_title: str
    colors: Palette
    geographic: bool = False
    narrow: bool = False

    def say(self, value: float) -> str:
        return measured(value, self.metric, self.geographic)


class MethodName(NamedTuple):
    """What a method is called, and what is known of its claim."""

    title: str
    claim: str
    holds: bool


def named(algorithm: str) -> MethodName:
    """A method by its key. One that is not here goes by the name that it was brought with."""
    system = ALGORITHMS.get(algorithm)
    if system is None:
        return MethodName(plain_in_chart(algorithm), "not checked here", False)
    return MethodName(system.title, system.verdict.lower(), system.verdict.holds)


def title(algorithm: str) -> str:
    system = ALGORITHMS[algorithm]
    return system.title if system.verdict.holds else f"{system.title} (unproven)"
