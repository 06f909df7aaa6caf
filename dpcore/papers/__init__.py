"""The papers' findings, measured again. Every module here is imported and so registered."""

import importlib
import pkgutil

from dpcore.papers.check import Check, Conclusion
from dpcore.papers.figure_row import Row
from dpcore.papers.inputs import Effort, Shelf
from dpcore.papers.kept_results import kept_outcomes
from dpcore.papers.reproduction import (
    REPRODUCTIONS,
    Reproduction,
    ReproductionRun,
    current_name,
    in_order,
    register,
    reproduce,
)

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = [
    "REPRODUCTIONS",
    "Check",
    "Conclusion",
    "Effort",
    "Reproduction",
    "ReproductionRun",
    "Row",
    "Shelf",
    "current_name",
    "in_order",
    "kept_outcomes",
    "register",
    "reproduce",
]
