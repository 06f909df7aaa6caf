"""Engines by name. An engine's module is imported when the engine is first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from dpcore.datasets.engines.base import Engine
from dpcore.errors import BadInput

_CLASSES = {
    "duckdb": ("dpcore.datasets.engines.duckdb_engine", "DuckDBEngine"),
    "spark": ("dpcore.datasets.engines.spark_engine", "SparkEngine"),
}
#: The names of all engines.
ENGINES = tuple(_CLASSES)


def engine(name: str = "duckdb", **options: Any) -> Engine:
    """An engine by its name; the options are those of its class."""
    if name not in _CLASSES:
        raise BadInput(f"There is no engine {name!r}; there are {', '.join(ENGINES)}.")
    module, kind = _CLASSES[name]
    made: Engine = getattr(import_module(module), kind)(**options)
    return made
