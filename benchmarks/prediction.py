"""Where the error analysis of Su et al. (2016) and measurement part, on generated clusters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import dpcore
from benchmarks.table import Row
from dpcore.study.metrics import nicv
from dpcore.study.prediction import predict

TITLE = "Predicted and measured error"

ROWS = 10_000
#: Clusters and dimensions, and epsilons.
FAMILY = ((2, 2), (5, 2), (10, 2), (3, 3), (5, 5), (3, 8))
EPSILONS = (0.1, 0.5, 2.0)
RUNS = 12


def added(key: str, k: int, d: int, epsilon: float) -> list[float]:
    """How much more NICV the method has than k-means without privacy, run by run."""
    data = dpcore.datasets.load(f"gaussians-k{k}-d{d}")
    best = nicv(data, dpcore.baseline(data, k, 0).centers)
    runs = (dpcore.run(key, data, k, epsilon, seed=seed).centers for seed in range(RUNS))
    return [nicv(data, centers) - best for centers in runs]


def rows() -> Iterator[Row]:
    for key in ("dplloyd", "hybrid", "eugkm", "gkm-3k"):
        for k, d in FAMILY:
            for epsilon in EPSILONS:
                where = f"{key}, k = {k}, d = {d}, epsilon = {epsilon:g}"
                predicted = predict(key, ROWS, k, d, epsilon)
                measured = added(key, k, d, epsilon)
                noise = min(predicted.noise, 4.0 * d)
                note = f"mean {np.mean(measured) / noise:.3g} ×"
                ends_with_lloyd = key == "hybrid" and not predicted.bias
                bar = 1.7 if ends_with_lloyd else None
                yield Row(f"{where}: added / noise", np.median(measured) / noise, bar, note=note)
                if predicted.bias:
                    yield Row(f"{where}: added / bound", np.mean(measured) / predicted.mse, 1.0)
