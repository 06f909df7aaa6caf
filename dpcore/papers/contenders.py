"""Contenders of a finding: an algorithm may enter more than once, with different settings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.papers.figure_row import Row
from dpcore.papers.measurements import NICV, Measure, mean_figures
from dpcore.privacy.accounting import Neighbors
from dpcore.runs.request import Request

#: The labels of what needs no run: k-means without privacy, and the answer that looks at no data.
NON_PRIVATE = "not private"


@dataclass(frozen=True)
class Contender:
    """An algorithm with its settings, under a label of its own."""

    label: str
    algorithm: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    delta: float = 0.0
    neighbors: Neighbors = Neighbors.ADD_REMOVE

    def request(self, k: int, epsilon: float, seed: int) -> Request:
        """One of its runs."""
        return Request(
            self.algorithm, k, epsilon, self.delta, self.neighbors, seed, self.parameters
        )


def contest(
    data: Dataset,
    contenders: Iterable[Contender],
    k: int,
    epsilon: float,
    runs: int,
    seed: int = 0,
    *,
    measures: Mapping[str, Measure] = NICV,
    **setting: str | int | float,
) -> Iterator[Row]:
    """The mean figures of each contender; rows carry its label in place of the algorithm."""
    for each in contenders:
        request = each.request(k, epsilon, seed)
        for row in mean_figures(data, [request], runs, measures=measures, **setting):
            yield replace(row, setting={**row.setting, "algorithm": each.label})


def slope(x: Iterable[float], y: Iterable[float]) -> float:
    """The slope of the straight line through points on two logarithmic axes."""
    logs = [[math.log(value) for value in values] for values in (x, y)]
    return float(np.polyfit(logs[0], logs[1], 1)[0])
