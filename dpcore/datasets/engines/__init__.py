"""Engines: the only queries over raw rows, one SQL text for all of them."""

from __future__ import annotations

from dpcore.datasets.engines.base import Engine, Tally
from dpcore.datasets.engines.by_name import ENGINES, engine
from dpcore.datasets.engines.duckdb_engine import DuckDBEngine
from dpcore.datasets.engines.held_file import HeldFile
from dpcore.datasets.engines.isolated import IsolatedEngine
from dpcore.datasets.engines.position_columns import guess_columns, open_source
from dpcore.datasets.engines.source import Format, Ids, Kind, Source
from dpcore.datasets.engines.spark_engine import SparkEngine
from dpcore.datasets.engines.why_empty import explain_empty, in_other_order
from dpcore.errors import DataFileError, ReadingStopped

__all__ = [
    "ENGINES",
    "DataFileError",
    "DuckDBEngine",
    "Engine",
    "Format",
    "HeldFile",
    "Ids",
    "IsolatedEngine",
    "Kind",
    "ReadingStopped",
    "Source",
    "SparkEngine",
    "Tally",
    "engine",
    "explain_empty",
    "guess_columns",
    "in_other_order",
    "open_source",
]
