"""Rows: the figures that a reproduction measures, those that a paper prints, and their settings in
words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: A setting or a figure in it: names and values.
Setting = dict[str, str | int | float]
#: Parts of a setting that need no name, in the order in which a sentence names them.
UNNAMED = ("measure", "algorithm", "data", "source")


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


def plotted(figure: float, **setting: str | int | float) -> Row:
    """A number made up after the paper's claim, where the paper prints no number but a plot."""
    return Row(setting, figure)


def setting_words(setting: Mapping[str, str | int | float]) -> str:
    """A setting in words, such as "NICV · eugkm · adult · d = 6 · k = 5 · ε = 0.05"."""
    first = [name for name in UNNAMED if name in setting]
    names = [*first, *(name for name in setting if name not in first)]
    return " · ".join(part_words(name, setting[name]) for name in names)


def part_words(name: str, value: str | int | float) -> str:
    """One part of a setting in words."""
    if isinstance(value, int):
        return f"{part_name(name)} = {value:,}"
    if isinstance(value, float):
        return f"{part_name(name)} = {value:,g}"
    return value if name in UNNAMED else f"{part_name(name)}: {value}"


def part_name(name: str) -> str:
    """The name of a part of a setting, on an axis and in a sentence."""
    return {"epsilon": "ε", "n": "rows"}.get(name, name.replace("_", " "))
