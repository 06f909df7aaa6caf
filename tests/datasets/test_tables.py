"""Tables of every library are data as they are: names and coordinates are kept."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import dpcore
from dpcore.datasets import from_array, from_file
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box
from dpcore.results import export

RNG = np.random.default_rng(0)
LON, LAT = RNG.uniform(-74.05, -73.95, 500), RNG.uniform(40.72, 40.88, 500)
BOX = ([-74.1, 40.7], [-73.9, 40.9])
FRAME = pd.DataFrame({"name": ["Alice"] * 500, "lat": LAT, "lon": LON})


def same_rows(data, lon=LON, lat=LAT) -> None:
    expected = from_array(np.column_stack([lon, lat]), BOX).value
    np.testing.assert_array_equal(data.value.positions()[0], expected.positions()[0])


def makers() -> dict[str, object]:
    import duckdb
    import geopandas
    import polars

    return {
        "pandas": FRAME,
        "polars": polars.DataFrame({"name": ["Alice"] * 500, "lat": LAT, "lon": LON}),
        "arrow": pa.table({"name": ["Alice"] * 500, "lat": LAT, "lon": LON}),
        "duckdb": duckdb.from_arrow(pa.table({"lat": LAT, "lon": LON})),
        "geopandas": geopandas.GeoDataFrame(
            FRAME[["name"]], geometry=geopandas.points_from_xy(LON, LAT), crs="EPSG:4326"
        ),
    }


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow", "duckdb", "geopandas"])
def test_a_table_of_any_library_keeps_its_names_and_is_a_map(library):
    data = from_array(makers()[library], BOX)
    names = ("longitude", "latitude") if library == "geopandas" else ("lon", "lat")
    assert data.box.names == names
    assert data.about.geographic
    same_rows(data)
    result = dpcore.run("dplloyd", data, 2, 1.0, seed=0)
    assert export.centers_csv(result.centers).startswith(f"center,{names[0]},{names[1]}")


def test_text_that_is_a_number_counts_and_a_row_without_one_is_left_out_as_in_a_file(tmp_path):
    texts = ["-74.0", " -73.98 ", "Alice", "-7_4", None]
    frame = pa.table({"lon": pa.array(texts), "lat": [40.8] * 5})
    assert from_array(frame, BOX).n.value == 2
    (tmp_path / "t.csv").write_text("lon,lat\n" + "\n".join(f"{t},40.8" for t in texts))
    assert from_file(tmp_path / "t.csv", ["lon", "lat"], BOX).n.value == 2


def test_no_error_quotes_a_row():
    secret = "Alice lives here"
    frame = pd.DataFrame({"lon": [1.0, secret], "lat": [2.0, 3.0]}, dtype=object)
    for ask in (
        lambda: from_array(frame, BOX),
        lambda: from_array([[1.0, 2.0], [secret, 3.0]], BOX),
        lambda: from_array(frame.astype(str), BOX, columns=["lon", "nothing"]),
        lambda: from_file(frame, box=BOX),
        lambda: dpcore.PrivateKMeans(2, bounds=(0, 1)).fit([[1.0, 2.0], [secret, 3.0]]),
    ):
        with pytest.raises((ValueError, TypeError)) as caught:
            ask()
        told, error = "", caught.value
        while error is not None:
            if not (error.__suppress_context__ and error.__cause__ is None) or not told:
                told += str(error)
            error = error.__cause__
        assert "Alice" not in told


def test_columns_are_named_or_found_and_an_array_has_none():
    wide = pd.DataFrame({"a": LON, "b": LAT, "c": LON})
    assert from_array(wide, (-100, 100)).box.names == ("a", "b", "c")
    assert from_array(wide, (-100, 100), columns=["c", "b"]).box.names == ("c", "b")
    with pytest.raises(ValueError, match="an array has none"):
        from_array(LON[:, None], (-100, 100), columns=["a"])
    with pytest.raises(ValueError, match="holds bool, not numbers"):
        from_array(pd.DataFrame({"a": [True, False]}), (0, 1))


# Latitude and longitude in either order.


@pytest.mark.parametrize("names", [["lat", "lon"], ["lon", "lat"]])
def test_latitude_and_longitude_in_either_order_are_one_map(names, tmp_path):
    ends = dict(zip(("lon", "lat"), zip(*BOX, strict=True), strict=True))
    box = tuple(zip(*(ends[name] for name in names), strict=True))
    path = tmp_path / "places.csv"
    FRAME.to_csv(path, index=False)
    data = from_file(path, names, box)
    assert data.about.geographic
    assert data.box.names == ("lon", "lat")
    assert data.n.value == 500
    model = dpcore.PrivateKMeans(2, bounds=box, random_state=0).fit(FRAME[names])
    shapes = json.loads(export.centers_geojson(model.centers_))["features"]
    for shape in shapes:
        lon, lat = shape["geometry"]["coordinates"]
        assert -74.1 <= lon <= -73.9
        assert 40.7 <= lat <= 40.9


# Files of points.


def geojson(path: Path) -> Path:
    features = [
        {
            "type": "Feature",
            "properties": {"id": i},
            "geometry": {"type": "Point", "coordinates": p},
        }
        for i, p in enumerate(zip(LON.tolist(), LAT.tolist(), strict=True))
    ]
    features += [
        {"type": "Feature", "properties": None, "geometry": None},
        {
            "type": "Feature",
            "properties": {"id": "x"},
            "geometry": {"type": "LineString", "coordinates": [[-74, 40.8], [-74, 40.9]]},
        },
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def geopackage(path: Path) -> Path:
    """As the standard has it: header with envelope or without, then WKB."""
    import struct

    import shapely

    with sqlite3.connect(path) as database:
        database.execute(
            "CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT, srs_id INTEGER)"
        )
        database.execute("INSERT INTO gpkg_geometry_columns VALUES ('my places', 'geom', 4326)")
        database.execute('CREATE TABLE "my places" (fid INTEGER, geom BLOB)')
        for i, (x, y) in enumerate(zip(LON.tolist(), LAT.tolist(), strict=True)):
            header = struct.pack("<2sBBi", b"GP", 0, 3 if i % 2 else 1, 4326)
            if i % 2:
                header += struct.pack("<4d", x, x, y, y)
            shape = header + shapely.to_wkb(shapely.Point(x, y))
            database.execute('INSERT INTO "my places" VALUES (?, ?)', (i, shape))
        database.execute('INSERT INTO "my places" VALUES (?, NULL)', (9,))
    database.close()
    return path


def written_geopackage(path: Path) -> Path:
    """As GDAL writes it."""
    import geopandas

    frame = geopandas.GeoDataFrame(
        {"id": range(500)}, geometry=geopandas.points_from_xy(LON, LAT), crs="EPSG:4326"
    )
    frame.to_file(path, driver="GPKG")
    return path


def geoparquet(path: Path) -> Path:
    import geopandas

    frame = geopandas.GeoDataFrame(
        {"id": range(500)}, geometry=geopandas.points_from_xy(LON, LAT), crs="EPSG:4326"
    )
    frame.to_parquet(path)
    return path


@pytest.mark.parametrize("make", [geojson, geopackage, written_geopackage, geoparquet])
def test_points_are_read_from_geojson_geopackage_and_geoparquet(make, tmp_path):
    ending = {geojson: "geojson", geoparquet: "parquet"}.get(make, "gpkg")
    path = make(tmp_path / f"a 50% b#.{ending}")
    data = from_file(path, box=BOX)
    assert data.box.names == ("longitude", "latitude")
    assert data.about.geographic
    table = tmp_path / "t.parquet"
    pd.DataFrame({"longitude": LON, "latitude": LAT}).to_parquet(table)
    expected = from_file(table, box=BOX)
    grid = dpcore.Grid(data.box, 64)
    np.testing.assert_array_equal(data.value.histogram(grid), expected.value.histogram(grid))


@pytest.mark.parametrize("name", ["p.geojson", "p.gpkg"])
def test_a_damaged_file_of_points_is_refused_without_a_word_of_what_it_holds(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(b'{"type": "FeatureCollection", "features": ["Alice"]}')
    with pytest.raises(dpcore.DataFileError, match="damaged, cut short or of another type") as told:
        from_file(path, box=BOX)
    assert "Alice" not in str(told.value)


# CSV as people have it.


def test_numbers_with_decimal_commas_are_read_when_told_and_their_absence_is_explained(tmp_path):
    path = tmp_path / "excel.csv"
    path.write_text("lon;lat\n-74,0;40,8\n-73,95;40,75\n1.000,5;40,8\n", encoding="utf-8")
    assert from_file(path, ["lon", "lat"], BOX, format="csv-comma").n.value == 2
    with pytest.warns(dpcore.NoRowsWarning, match="give format='csv-comma'"):
        from_file(path, ["lon", "lat"], BOX)


@pytest.mark.parametrize("quoted", [False, True])
def test_csv_packed_with_zstandard_is_read(quoted, tmp_path):
    text = FRAME.to_csv(index=False)
    if quoted:
        text = text.replace("Alice", '"Ali, ce"')
    path = tmp_path / "t.csv.zst"
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        file.write(text.encode())
    assert from_file(path, ["lon", "lat"], BOX).n.value == 500
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(dpcore.DataFileError, match="damaged or cut short"):
        from_file(path, ["lon", "lat"], BOX)


def test_a_box_keeps_its_own_names():
    box = Box((-74.1, 40.7), (-73.9, 40.9), ("lng", "latitude"))
    assert from_array(FRAME, box, columns=["lon", "lat"]).box is not None


def test_a_plan_of_a_table_is_refused_without_a_word_of_its_rows():
    import polars as pl

    rows = pl.LazyFrame({"lon": ["Alice lives here"], "lat": ["40.8"]})
    with pytest.raises(BadInput, match=r"collect\(\)") as caught:
        from_array(rows.with_columns(pl.all().cast(pl.Float64)), BOX)
    assert "Alice" not in str(caught.value)


@pytest.mark.parametrize("box", [3, (1, 2, 3), None])
@pytest.mark.parametrize("rows", [[[1.0, 2.0]], pd.DataFrame({"lon": [1.0], "lat": [2.0]})])
def test_a_box_that_is_no_pair_of_ends_is_refused_in_words(rows, box):
    with pytest.raises(BadInput, match=r"pair of its ends"):
        from_array(rows, box)
