"""Differentially private k-means: five papers' algorithms, honestly labelled.

import dpcore

data = dpcore.datasets.load("nyc-taxi")
result = dpcore.run("eugkm", data, k=5, epsilon=0.5, seed=0)
result.centers, result.epsilon, result.verdict
"""

from dpcore import algorithms, datasets, metrics, regions
from dpcore.algorithms import ALGORITHMS
from dpcore.baseline import baseline
from dpcore.domain import Box, Grid
from dpcore.estimator import PrivateKMeans
from dpcore.metrics import center_shift, nicv
from dpcore.privacy import Budget, BudgetExceeded, Infeasible, Neighbors, Verdict
from dpcore.runs import run
from dpcore.sweep import Trial, sweep

__version__ = "0.1.0"

__all__ = [
    "ALGORITHMS",
    "Box",
    "Budget",
    "BudgetExceeded",
    "Grid",
    "Infeasible",
    "Neighbors",
    "PrivateKMeans",
    "Trial",
    "Verdict",
    "algorithms",
    "baseline",
    "center_shift",
    "datasets",
    "metrics",
    "nicv",
    "regions",
    "run",
    "sweep",
]
