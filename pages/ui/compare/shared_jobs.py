"""What the views of Compare have made in the background, on public data that everybody shares."""

from __future__ import annotations

from dataclasses import replace

from dpcore.papers import Effort, ReproductionRun, reproduce
from dpcore.study.k_by_d_sweep import Cell, Family
from dpcore.study.timing import Timetable, Timing
from pages.ui import cached_work
from pages.ui.background import Job


def cells(family: Family, stopped: bool, most: int) -> dict[str, Job[Cell]]:
    """A job for each method, which goes on until there are enough runs of every cell."""
    enough = 0 if stopped else family.total // len(family.algorithms)
    found = {}
    for key in family.algorithms:
        one = replace(family.alone(key), runs=most)
        found[key] = cached_work.worker().job(("family", one), one.cells, enough)
    return found


def timings(table: Timetable, stopped: bool) -> dict[str, Job[Timing]]:
    """A job for each method, from few rows to many."""
    ones = {key: table.alone(key) for key in table.algorithms}
    enough = 0 if stopped else None
    return {
        key: cached_work.worker().job(("timing", one), one.timings, enough)
        for key, one in ones.items()
    }


def reproduced(name: str, stopped: bool) -> Job[ReproductionRun]:
    """The quick form of a finding. Every result is the same outcome, with one row more."""
    return cached_work.worker().job(
        ("finding", name),
        lambda: reproduce(name, effort=Effort(quick=True)),
        0 if stopped else None,
    )
