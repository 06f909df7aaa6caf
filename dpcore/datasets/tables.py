"""Tables in memory: data frames, Arrow tables, DuckDB relations, and frames of Spark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore.datasets.base import DataInfo, Dataset
from dpcore.datasets.engine import EngineDataset
from dpcore.datasets.engines.position_columns import guess_columns
from dpcore.datasets.engines.source import Format, names_to_show
from dpcore.datasets.engines.sql import NUMBER
from dpcore.datasets.rows import RowsDataset
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, FloatArray
from dpcore.geometry.positions import longitude_first, looks_geographic

if TYPE_CHECKING:
    import pyarrow as pa

#: What the positions of a frame with shapes are called.
DEGREES, PLANE = ("longitude", "latitude"), ("x", "y")


def is_table(values: object) -> bool:
    """Whether an object is a table with named columns, from any library."""
    return (
        _is_spark(values)
        or _has_shapes(values)
        or _is_plan(values)
        or hasattr(values, "__arrow_c_stream__")
    )


def from_table(
    values: Any,
    box: Any,
    columns: Sequence[str] | None = None,
    outside: str = "drop",
    about: DataInfo | None = None,
) -> Dataset:
    """The data set behind `dpcore.datasets.from_array` for tables.

    Values are read as those of a file are: text that is a number counts as one, and a row with a
    value that is none is left out.
    """
    if outside not in ("drop", "clip"):
        raise BadInput(f'outside must be "drop" or "clip", not {outside!r}.')
    if _is_plan(values):
        # Polars would quote values if it failed here.
        raise BadInput("A LazyFrame has no rows yet. Give lazy_frame.collect().")
    if not _is_spark(values):
        table = _with_positions(values) if _has_shapes(values) else _arrow(values)
        own_columns, box, about = _chosen(table.column_names, columns, box, about)
        return RowsDataset.from_values(_numbers(table, own_columns), box, about, outside)
    from dpcore.datasets.engines.spark_engine import SparkEngine

    own_columns, box, about = _chosen(values.columns, columns, box, about)
    name = f"dpcore_{id(values)}"
    values.createOrReplaceGlobalTempView(name)
    engine = SparkEngine()
    source = engine.look(f"global_temp.{name}", Format.TABLE)
    return EngineDataset(engine, source.reading(own_columns, clip=outside == "clip"), box, about)


def _chosen(
    names: Sequence[str], columns: Sequence[str] | None, box: Any, about: DataInfo | None
) -> tuple[tuple[str, ...], Box, DataInfo]:
    """The columns in their order, longitude first: those named, those of a place, or else all."""
    own_columns = tuple(columns) if columns is not None else guess_columns(names) or tuple(names)
    if missing := [name for name in own_columns if name not in names]:
        raise BadInput(f"There is no column {missing[0]!r}; {names_to_show(names)}.")
    box = Box.of(box, len(own_columns), own_columns)
    if box.d != len(own_columns):
        raise BadInput(
            f"The box has {box.d} coordinates, and {len(own_columns)} columns were chosen."
        )
    order = longitude_first(box)
    box = box.take(order)
    about = about or DataInfo(geographic=looks_geographic(box))
    return tuple(own_columns[axis] for axis in order), box, about


def _numbers(table: pa.Table, names: Sequence[str]) -> FloatArray:
    """Columns side by side; NaN for what is no number."""
    import pyarrow as pa
    from pyarrow import compute

    arrays = []
    for name in names:
        column, kind = table[name], table[name].type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            column = column.cast(pa.string())
            readable = compute.match_substring_regex(column, NUMBER)
            text = compute.replace_substring(column, '"', "")
            column = compute.if_else(readable, compute.utf8_trim_whitespace(text), None)
        elif not (
            pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        ):
            raise BadInput(f"Column {name!r} holds {kind}, not numbers.")
        arrays.append(column.cast(pa.float64(), safe=False).to_numpy())
    return np.column_stack(arrays)


def _arrow(values: Any) -> pa.Table:
    import pyarrow as pa

    try:
        return pa.table(values)
    except (pa.ArrowException, TypeError, ValueError):
        # What Arrow says of a column may quote its values.
        names = names_to_show(map(str, getattr(values, "columns", ())))
        raise BadInput(
            "The table has a column of mixed types, or two of one name. Keep only the columns "
            f"that are needed: {names}."
        ) from None


def _is_spark(values: object) -> bool:
    return type(values).__module__.startswith("pyspark.sql")


def _is_plan(values: object) -> bool:
    return type(values).__module__.startswith("polars") and type(values).__name__ == "LazyFrame"


def _has_shapes(values: object) -> bool:
    return type(values).__module__.startswith("geopandas")


def _with_positions(frame: Any) -> pa.Table:
    """A frame or series of points: their positions, then the other columns."""
    shapes = frame.geometry
    is_point = np.asarray(shapes.geom_type == "Point")
    points = shapes[is_point]
    positions = np.full((len(shapes), 2), np.nan)
    positions[is_point] = np.stack([points.x, points.y], axis=1)
    names = DEGREES if frame.crs is None or frame.crs.is_geographic else PLANE
    if not hasattr(frame, "columns"):
        others: Any = {}
    else:
        other_names = [name for name in frame.columns if name not in (shapes.name, *names)]
        others = {name: frame[name].to_numpy() for name in other_names}
    return _arrow({**dict(zip(names, positions.T, strict=True)), **others})
