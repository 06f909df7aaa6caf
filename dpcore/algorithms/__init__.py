"""The algorithms, one family a module. Every module here is imported and so registered."""

import importlib
import pkgutil

from dpcore.algorithms import installed
from dpcore.algorithms.base import ALGORITHMS, Algorithm, Parameter, get, register
from dpcore.algorithms.references import PAPERS

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
installed.load()

__all__ = ["ALGORITHMS", "PAPERS", "Algorithm", "Parameter", "get", "register"]
