"""Differentially private k-means: the algorithms of five papers, honestly labelled.

>>> import dpcore
>>> data = dpcore.datasets.load("nyc-taxi")
>>> result = dpcore.run("eugkm", data, k=5, epsilon=0.5, seed=0)
>>> result.epsilon, str(result.verdict)
(0.5, 'REPAIRED')

Public names are imported when they are first used, so `import dpcore` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dpcore._version import __version__

if TYPE_CHECKING:
    from dpcore import algorithms, datasets
    from dpcore.algorithms import ALGORITHMS
    from dpcore.datasets import regions
    from dpcore.errors import (
        BadInput,
        BudgetExceeded,
        DataFileError,
        DpcoreError,
        Infeasible,
        LedgerError,
        NoRowsWarning,
        Refusal,
    )
    from dpcore.estimators.accountant import Accountant
    from dpcore.estimators.kmeans import PrivateKMeans
    from dpcore.estimators.private_coreset import PrivateCoreset
    from dpcore.geometry.domain import Box, Grid
    from dpcore.privacy.accounting import Budget, Neighbors, Verdict
    from dpcore.runs.baseline import baseline
    from dpcore.runs.request import Request
    from dpcore.runs.run import run
    from dpcore.study.comparisons import center_shift, nicv
    from dpcore.study.guarantees import guarantee
    from dpcore.study.prediction import crossover, predict
    from dpcore.study.recommendation import recommend
    from dpcore.study.sweep import sweep
    from dpcore.study.trials import Trial

#: Public modules, and the module that defines each other public name.
_MODULES = {
    "algorithms": "dpcore.algorithms",
    "datasets": "dpcore.datasets",
    "regions": "dpcore.datasets.regions",
}
_HOMES = {
    "ALGORITHMS": "dpcore.algorithms",
    "Accountant": "dpcore.estimators.accountant",
    "BadInput": "dpcore.errors",
    "Box": "dpcore.geometry.domain",
    "Budget": "dpcore.privacy.accounting",
    "BudgetExceeded": "dpcore.errors",
    "DataFileError": "dpcore.errors",
    "DpcoreError": "dpcore.errors",
    "Grid": "dpcore.geometry.domain",
    "Infeasible": "dpcore.errors",
    "LedgerError": "dpcore.errors",
    "Neighbors": "dpcore.privacy.accounting",
    "NoRowsWarning": "dpcore.errors",
    "PrivateCoreset": "dpcore.estimators.private_coreset",
    "PrivateKMeans": "dpcore.estimators.kmeans",
    "Refusal": "dpcore.errors",
    "Request": "dpcore.runs.request",
    "Trial": "dpcore.study.trials",
    "Verdict": "dpcore.privacy.accounting",
    "baseline": "dpcore.runs.baseline",
    "center_shift": "dpcore.study.comparisons",
    "crossover": "dpcore.study.prediction",
    "guarantee": "dpcore.study.guarantees",
    "nicv": "dpcore.study.comparisons",
    "predict": "dpcore.study.prediction",
    "recommend": "dpcore.study.recommendation",
    "run": "dpcore.runs.run",
    "sweep": "dpcore.study.sweep",
}

__all__ = [
    "ALGORITHMS",
    "Accountant",
    "BadInput",
    "Box",
    "Budget",
    "BudgetExceeded",
    "DataFileError",
    "DpcoreError",
    "Grid",
    "Infeasible",
    "LedgerError",
    "Neighbors",
    "NoRowsWarning",
    "PrivateCoreset",
    "PrivateKMeans",
    "Refusal",
    "Request",
    "Trial",
    "Verdict",
    "__version__",
    "algorithms",
    "baseline",
    "center_shift",
    "crossover",
    "datasets",
    "guarantee",
    "nicv",
    "predict",
    "recommend",
    "regions",
    "run",
    "sweep",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value: Any = import_module(_MODULES[name])
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
