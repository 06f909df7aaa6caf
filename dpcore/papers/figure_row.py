"""Rows: the figures that a reproduction measures, and those that a paper prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: A setting or a figure in it: names and values.
Setting = dict[str, str | int | float]


@dataclass(frozen=True)
class Row:
    """One figure and the setting it belongs to, with the paper's figure where it prints one."""

    setting: Mapping[str, str | int | float]
    figure: float
    paper: float | None = None
    #: Its standard error, where it is a mean of several runs.
    error: float | None = None


def printed(figure: float, **setting: str | int | float) -> Row:
    """A number that the paper prints."""
    return Row(setting, figure, paper=figure)


def drawn(figure: float, **setting: str | int | float) -> Row:
    """A number made up after the paper's claim, where the paper prints no number but a plot."""
    return Row(setting, figure)
