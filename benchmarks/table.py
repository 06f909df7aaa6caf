"""A measurement beside its bar, and the units that ratios are taken in."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn

import numpy as np


@dataclass(frozen=True)
class Row:
    """One figure beside the bar it must not exceed (or, with at_least, must reach)."""

    what: str
    figure: float
    bar: float | None = None
    unit: str = "×"
    at_least: bool = False
    note: str = ""

    @property
    def met(self) -> bool:
        if self.bar is None:
            return True
        return self.figure >= self.bar if self.at_least else self.figure <= self.bar


def show(title: str, rows: Iterable[Row]) -> bool:
    """Print rows as they come; True when every bar is met."""
    print(f"\n{title}\n{'=' * len(title)}")
    met = True
    for row in rows:
        sign = "≥" if row.at_least else "≤"
        bar = "" if row.bar is None else f"{sign} {row.bar:g}"
        mark = "" if row.bar is None else ("ok" if row.met else "MISSED")
        figure = f"{row.figure:.4g} {row.unit}"
        print(f"{row.what:<64} {figure:>14}  {bar:<10} {mark:<7}{row.note}", flush=True)
        met &= row.met
    return met


def by_set(
    about: str | None, title: str, rows: Callable[..., Iterable[Row]], runs: int
) -> NoReturn:
    """Measure the sets that the command line names, in so many runs, and leave."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("sets", nargs="*", help="names of sets; all if none is given")
    parser.add_argument("--runs", type=int, default=runs)
    arguments = parser.parse_args()
    raise SystemExit(not show(title, rows(arguments.sets, arguments.runs)))


def seconds(call: Callable[[], Any], repeats: int = 5) -> float:
    """The median processor time of some calls, after one to warm up."""
    call()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return float(np.median(times))


@cache
def _shuffled_cells() -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.random.default_rng(0).integers(0, 1 << 20, 10_000_000)


def unit() -> float:
    """The unit of speed: np.bincount of ten million shuffled cell indices into 2^20 bins."""
    cells = _shuffled_cells()
    return seconds(lambda: np.bincount(cells, minlength=1 << 20), repeats=7)
