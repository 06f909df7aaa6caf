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
_HELD = ("dpcore.datasets.engines.held_file", "HeldFile")
#: The names of all engines that read files and tables.
ENGINES = tuple(_CLASSES)


def engine(name: str = "duckdb", **options: Any) -> Engine:
    """An engine by its name; the options are those of its class."""
    if name not in _CLASSES:
        raise BadInput(f"There is no engine {name!r}; there are {', '.join(ENGINES)}.")
    return _made(*_CLASSES[name], **options)


def engine_of_content(name: str, content: bytes) -> Engine:
    """The engine of one file in memory."""
    return _made(*_HELD, name, content)


def _made(module: str, kind: str, *arguments: Any, **options: Any) -> Engine:
    made: Engine = getattr(import_module(module), kind)(*arguments, **options)
    return made
