"""The public functions and classes of dpcore, by where they are defined."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import dpcore
import dpcore.datasets
import dpcore.release
from dpcore.study import metrics

#: Modules whose public functions and classes users call. Those without `__all__` offer all that
#: they define without an underscore.
MODULES = (dpcore, dpcore.datasets, dpcore.regions, metrics, dpcore.release)


def offered(module: ModuleType) -> list[str]:
    defined = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]
    return getattr(module, "__all__", defined)


def documented() -> dict[str, Any]:
    """Public functions and classes, by where they are defined."""
    names = [(module, name) for module in MODULES for name in offered(module)]
    objects = [getattr(module, name) for module, name in names]
    return {
        f"{each.__module__}.{each.__name__}": each
        for each in objects
        if inspect.isclass(each) or (inspect.isroutine(each) and hasattr(each, "__name__"))
    }
