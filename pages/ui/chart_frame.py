"""What a chart of methods is drawn in: its figure, axes, colors, and lines that need no run."""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.algorithms import ALGORITHMS
from dpcore.study.metrics import Metric
from pages.ui.palette import Palette
from pages.ui.wording import measured


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


def title(algorithm: str) -> str:
    system = ALGORITHMS[algorithm]
    return system.title if system.verdict.holds else f"{system.title} (unproven)"
