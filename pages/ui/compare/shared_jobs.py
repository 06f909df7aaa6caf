"""Background jobs of the views of Compare, on public data and so shared by all sessions."""

from __future__ import annotations

from dataclasses import replace

from dpcore.papers import Effort, ReproductionRun, reproduce
from dpcore.study.duels import Bout, MethodDuel
from dpcore.study.k_by_d_sweep import Cell, Family
from dpcore.study.timing import Timetable, Timing
from pages.ui import workers
from pages.ui.background import Job


def cells(family: Family, stopped: bool, most: int) -> dict[str, Job[Cell]]:
    """One job for each method, which runs until every cell has enough runs."""
    enough = 0 if stopped else family.total // len(family.algorithms)
    jobs = {}
    for key in family.algorithms:
        one = replace(family.alone(key), runs=most)
        jobs[key] = workers.worker().job(("family", one), one.cells, enough)
    return jobs


def bouts(duel: MethodDuel, stopped: bool, most: int) -> Job[Bout]:
    """The job of a duel, which runs until every cell has enough runs."""
    whole = replace(duel, runs=most)
    return workers.worker().job(("duel", whole), whole.bouts, 0 if stopped else duel.total)


def timings(table: Timetable, stopped: bool) -> dict[str, Job[Timing]]:
    """One job for each method, from few rows to many, timed while nothing else runs."""
    ones = {key: table.alone(key) for key in table.algorithms}
    enough = 0 if stopped else None
    return {
        key: workers.worker().job(("timing", one), one.timings, enough, alone=True)
        for key, one in ones.items()
    }


def reproduced(name: str) -> Job[ReproductionRun]:
    """The job that measures the quick form of a finding. Each result has one row more."""
    return workers.worker().job(
        ("finding", name),
        lambda: reproduce(name, effort=Effort(quick=True)),
    )
