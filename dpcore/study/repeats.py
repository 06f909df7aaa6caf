"""Repeated runs that differ in their noise alone: how far centers move, and what it costs.

Every figure looks at the data without protection: for your eyes only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.results.run_result import BaselineResult
from dpcore.runs.request import Request
from dpcore.runs.run import run
from dpcore.study.metrics import relative_error
from dpcore.study.shifts import center_shift
from dpcore.study.trial_seeds import DRAWS as DRAWS
from dpcore.study.trial_seeds import trial_seed


@dataclass(frozen=True)
class Draw:
    """One run's distance from the non-private reference."""

    #: Of each reference center: meters on a map, else unit coordinates.
    shifts: tuple[float, ...]
    #: (cost - reference) / reference.
    worse: float


def draws(
    request: Request, data: Dataset, reference: BaselineResult, count: int = DRAWS
) -> Iterator[Draw]:
    """Runs with seeds of their own, yielding each as it finishes. To cancel, stop iterating.

    The seeds follow from that of the request, or from 0.
    """
    for i in range(count):
        result = run(request.with_seed(trial_seed(request.seed or 0, i)), data)
        unit = data.box.to_unit(np.asarray(result.centers))
        worse = relative_error(float(data.cost(unit[None])[0]), reference.cost.value)
        shifts = center_shift(data, result.centers, reference.centers)
        yield Draw(tuple(shifts.tolist()), worse)


@dataclass(frozen=True)
class Spread:
    """The median over some draws, and the value that nine in ten stay below."""

    draws: int
    shift: float
    shift_nine_in_ten: float
    worse: float
    worse_nine_in_ten: float


def spread(sample: Sequence[Draw]) -> Spread:
    """Medians and ninth deciles: of all centers' shifts together, and of the draws' costs."""
    shift, high_shift = np.quantile([s for draw in sample for s in draw.shifts], [0.5, 0.9])
    worse, high_worse = np.quantile([draw.worse for draw in sample], [0.5, 0.9])
    return Spread(len(sample), float(shift), float(high_shift), float(worse), float(high_worse))
