"""Points in GeoJSON, GeoPackage and GeoParquet files, as tables with a longitude and a latitude.

Each feature is one row. A feature whose geometry is missing or no point has no position. GeoJSON
always has the longitude first; the others name their reference system, and positions that are not
in degrees are called x and y.
"""

from __future__ import annotations

import json
import sqlite3
import struct
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from dpcore.datasets.engines.paths import local, read_small
from dpcore.datasets.engines.source import Format
from dpcore.errors import DataFileError

if TYPE_CHECKING:
    import pyarrow as pa

DEGREES, PLANE = ("longitude", "latitude"), ("x", "y")
#: Files that are read into memory whole.
MOST_BYTES = 1 << 30
#: GeoPackage's codes of longitude and latitude on the usual ellipsoid.
WGS84 = (4326, 4979)
#: Doubles of the envelope that may stand before a geometry in a GeoPackage, by its code.
ENVELOPES = {0: 0, 1: 4, 2: 6, 3: 6, 4: 8}
NOT_POINTS = "it holds no points that can be read."


def point_table(path: str, format: Format) -> pa.Table:
    """The features of a file as rows: their position, then their properties."""
    try:
        if format is Format.GEOJSON:
            return _geojson(path)
        return _geopackage(path) if format is Format.GPKG else _geoparquet(path)
    except DataFileError:
        raise
    except Exception as error:  # what a damaged file makes of a reader; its words may quote rows
        raise DataFileError(path, "it is damaged, cut short or of another type.") from error


def _table(positions: Any, names: Sequence[str], properties: Mapping[str, Any]) -> pa.Table:
    import pyarrow as pa

    columns = {name: pa.array(positions[:, axis]) for axis, name in enumerate(names)}
    for name, values in properties.items():
        while name in columns:
            name += "_"
        columns[name] = values
    return pa.table(columns)


def _geojson(path: str) -> pa.Table:
    import pyarrow as pa

    content = json.loads(read_small(local(path), MOST_BYTES))
    features = content["features"] if content["type"] == "FeatureCollection" else [content]
    nowhere = [np.nan, np.nan]
    positions, rows = [], []
    for feature in features:
        shape = feature.get("geometry") or {}
        is_point = shape.get("type") == "Point"
        positions.append([float(v) for v in shape["coordinates"][:2]] if is_point else nowhere)
        rows.append(feature.get("properties") or {})
    names = dict.fromkeys(name for row in rows for name in row)
    properties = {name: _plain(pa, [row.get(name) for row in rows]) for name in names}
    return _table(np.array(positions or np.empty((0, 2))), DEGREES, properties)


def _plain(pa: Any, values: list[Any]) -> Any:
    """A column of numbers, or of text where it holds anything else."""
    numbers = (int, float, type(None))
    if all(isinstance(value, numbers) and not isinstance(value, bool) for value in values):
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    return pa.array([None if value is None else str(value) for value in values], pa.string())


def _geopackage(path: str) -> pa.Table:
    import pyarrow as pa

    address = f"file:{quote(local(path))}?mode=ro&immutable=1"
    with closing(sqlite3.connect(address, uri=True)) as database:
        database.execute("PRAGMA trusted_schema = OFF")
        layers = database.execute(
            "SELECT table_name, column_name, srs_id FROM gpkg_geometry_columns"
        ).fetchall()
        if len(layers) != 1:
            raise DataFileError(path, f"it has {len(layers)} layers of shapes; one is read.")
        table, shape, system = layers[0]
        quoted = '"' + table.replace('"', '""') + '"'
        cursor = database.execute(f"SELECT * FROM {quoted}")
        names = [column[0] for column in cursor.description]
        rows = cursor.fetchall()
    at = names.index(shape)
    positions = _from_wkb([_without_header(row[at]) for row in rows])
    properties = {
        name: _plain(pa, [row[i] for row in rows]) for i, name in enumerate(names) if i != at
    }
    return _table(positions, DEGREES if system in WGS84 else PLANE, properties)


def _without_header(shape: bytes | None) -> bytes | None:
    """The geometry behind GeoPackage's own header."""
    if shape is None:
        return None
    magic, _, flags, _ = struct.unpack_from("<2sBBi", shape)
    if magic != b"GP":
        raise ValueError("no GeoPackage geometry")
    return shape[8 + 8 * ENVELOPES[(flags >> 1) & 7] :]


def _geoparquet(path: str) -> pa.Table:
    from pyarrow import parquet

    with parquet.ParquetFile(local(path)) as file:
        table = file.read(use_threads=False)
    about = json.loads(table.schema.metadata[b"geo"])
    shape = about["primary_column"]
    description = about["columns"][shape]
    names = DEGREES if _in_degrees(description) else PLANE
    column = table[shape].combine_chunks()
    if description["encoding"].upper() == "WKB":
        positions = _from_wkb(column.to_pylist())
    elif description["encoding"] == "point":
        fields = [column.field(axis).to_numpy(zero_copy_only=False) for axis in ("x", "y")]
        positions = np.stack(fields, axis=1)
    else:
        raise DataFileError(path, NOT_POINTS)
    others = {name: table[name] for name in table.column_names if name != shape}
    return _table(positions, names, others)


def _in_degrees(description: Mapping[str, Any]) -> bool:
    """Whether a reference system is longitude and latitude; without one, GeoParquet's default."""
    system = description.get("crs", "default")
    if system == "default":
        return True
    return isinstance(system, dict) and str(system.get("type", "")).startswith("Geographic")


def _from_wkb(shapes: list[bytes | None]) -> Any:
    import shapely

    made = shapely.from_wkb(np.array(shapes, dtype=object))
    is_point = shapely.get_type_id(made) == shapely.GeometryType.POINT
    positions = np.full((len(shapes), 2), np.nan)
    positions[is_point] = np.stack(
        [shapely.get_x(made[is_point]), shapely.get_y(made[is_point])], axis=1
    )
    return positions
