"""Engines: the only queries over raw rows, one SQL text for all of them."""

from __future__ import annotations

from typing import Any

from dpcore.engines.base import Engine, Tally
from dpcore.engines.duckdb_engine import DuckDBEngine
from dpcore.engines.errors import DataFileError
from dpcore.engines.held_file import HeldFile
from dpcore.engines.hints import explain_empty, in_other_order
from dpcore.engines.positions import guess_columns, open_source
from dpcore.engines.source import Format, Ids, Kind, Source
from dpcore.engines.spark_engine import SparkEngine

__all__ = [
    "ENGINES",
    "DataFileError",
    "DuckDBEngine",
    "Engine",
    "Format",
    "HeldFile",
    "Ids",
    "Kind",
    "Source",
    "SparkEngine",
    "Tally",
    "engine",
    "explain_empty",
    "guess_columns",
    "in_other_order",
    "open_source",
]

ENGINES: dict[str, type[Engine]] = {"duckdb": DuckDBEngine, "spark": SparkEngine}


def engine(name: str = "duckdb", **options: Any) -> Engine:
    """An engine by its name; the options are those of its class."""
    if name not in ENGINES:
        raise ValueError(f"There is no engine {name!r}; there are {', '.join(ENGINES)}.")
    return ENGINES[name](**options)
