"""The papers' findings, measured again. Every module here is imported and so registered."""

import importlib
import pkgutil

from dpcore.reproductions.base import (
    REPRODUCTIONS,
    Check,
    Effort,
    Finding,
    Outcome,
    Reproduction,
    Row,
    Shelf,
    register,
    reproduce,
)
from dpcore.reproductions.kept import kept

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = [
    "REPRODUCTIONS",
    "Check",
    "Effort",
    "Finding",
    "Outcome",
    "Reproduction",
    "Row",
    "Shelf",
    "kept",
    "register",
    "reproduce",
]
