"""Only private centers leave, in every format."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import dpcore
from dpcore.geometry.domain import Box
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.release import Amount, Unit
from dpcore.release.ledger import Claim
from dpcore.results import export
from dpcore.results.centers import NonPrivateCenters, ReleasedCenters, SimulatedCenters
from dpcore.results.run_result import ReleasedResult, SimulatedResult

FORMATS = [export.centers_csv, export.centers_geojson, export.centers_json]
HERE = Box((-74.1, 40.7), (-73.9, 40.9), ("longitude", "latitude"))


@pytest.mark.parametrize("form", FORMATS)
def test_non_private_centers_are_refused(form):
    red = dpcore.baseline(dpcore.datasets.load("s1-like"), 3).centers
    assert isinstance(red, NonPrivateCenters)
    with pytest.raises(TypeError, match="not private"):
        form(red)


@pytest.mark.parametrize("form", FORMATS)
def test_plain_arrays_are_refused(form):
    blue = ReleasedCenters([[-74.0, 40.8]], HERE)
    with pytest.raises(TypeError, match="not private"):
        form(blue + 0)


def test_csv_names_the_coordinates():
    text = export.centers_csv(ReleasedCenters([[-74.0, 40.8], [-73.95, 40.75]], HERE))
    assert text.splitlines() == ["center,longitude,latitude", "1,-74.0,40.8", "2,-73.95,40.75"]


def test_geojson_puts_longitude_first():
    shape = json.loads(export.centers_geojson(ReleasedCenters([[-74.0, 40.8]], HERE)))
    assert shape["features"][0]["geometry"] == {"type": "Point", "coordinates": [-74.0, 40.8]}


def test_a_trip_is_a_line_from_pickup_to_dropoff():
    box = Box(HERE.low * 2, HERE.high * 2)
    text = export.centers_geojson(ReleasedCenters([[-74.0, 40.8, -73.95, 40.75]], box))
    geometry = json.loads(text)["features"][0]["geometry"]
    assert geometry == {"type": "LineString", "coordinates": [[-74.0, 40.8], [-73.95, 40.75]]}


def test_geojson_of_what_is_no_place_is_refused():
    with pytest.raises(ValueError, match="longitude and latitude"):
        export.centers_geojson(ReleasedCenters([[1.0, 2.0, 3.0]], Box.cube(3, 0, 10)))


CLAIM = Claim("a", Neighbors.ADD_REMOVE, Unit(), Amount.of(1.0), Amount.of(1.0), ())


@pytest.fixture(scope="module")
def released() -> ReleasedResult:
    trips = dpcore.datasets.load("nyc-taxi")
    return ReleasedResult.of(dpcore.run("adaptive", trips, 3, 0.5, noise=ReleaseNoise()), CLAIM)


def test_parquet_holds_the_same_bits_as_csv_and_geojson(released):
    for centers in (released.centers, ReleasedCenters([[1 / 3, 2 / 3]], Box.cube(2))):
        table = pd.read_parquet(io.BytesIO(export.centers_parquet(centers)))
        assert list(table) == ["center", *centers.box.names]
        assert np.array_equal(table[list(centers.box.names)], np.asarray(centers))
        lines = list(csv.DictReader(io.StringIO(export.centers_csv(centers))))
        assert [[float(line[n]) for n in centers.box.names] for line in lines] == centers.tolist()


def test_points_come_with_their_weights_in_every_format(released):
    synopsis = released.synopsis
    noise = np.sqrt(synopsis.variances)
    expected = np.column_stack([synopsis.points, synopsis.weights, noise])
    table = pd.read_parquet(io.BytesIO(export.points_parquet(released)))
    assert list(table) == ["longitude", "latitude", "weight", "noise"]
    assert np.array_equal(table, expected)
    lines = list(csv.reader(io.StringIO(export.points_csv(released))))
    assert lines[0] == list(table)
    assert np.array_equal(np.array(lines[1:], dtype=np.float64), expected)
    features = json.loads(export.points_geojson(released))["features"]
    first = features[0]["geometry"]["coordinates"], features[0]["properties"]["weight"]
    assert first == (expected[0, :2].tolist(), expected[0, 2])
    assert len(features) == len(expected)


def test_points_of_trips_are_lines():
    trips = dpcore.datasets.load("nyc-taxi-trips")
    result = dpcore.run("coreset", trips, 2, 2.0, noise=ReleaseNoise())
    shapes = json.loads(export.points_geojson(ReleasedResult.of(result, CLAIM)))["features"]
    assert {shape["geometry"]["type"] for shape in shapes} == {"LineString"}


@pytest.fixture(scope="module")
def simulated() -> SimulatedResult:
    return dpcore.run("adaptive", dpcore.datasets.load("nyc-taxi"), 3, 0.5, seed=0)


@pytest.fixture(scope="module")
def uncharged():
    return dpcore.run("adaptive", dpcore.datasets.load("nyc-taxi"), 3, 0.5, noise=ReleaseNoise())


SAID = {"simulated": "simulated, not for publication", "uncharged": "charged to no ledger"}


@pytest.mark.parametrize("kind", SAID)
def test_every_table_of_what_may_not_leave_says_so_in_each_row(kind, request):
    result, words = request.getfixturevalue(kind), SAID[kind]
    for text in (export.centers_csv(result.centers), export.points_csv(result)):
        lines = list(csv.DictReader(io.StringIO(text)))
        assert lines
        assert all(line["status"].startswith(words) for line in lines)
    for content in (export.centers_parquet(result.centers), export.points_parquet(result)):
        file = pq.ParquetFile(io.BytesIO(content))
        assert file.schema_arrow.metadata[b"status"].startswith(words.encode())
        assert all(said.startswith(words) for said in file.read()["status"].to_pylist())
    assert set(result.coreset.to_frame()["status"]) == {result.status}


@pytest.mark.parametrize("kind", SAID)
def test_every_map_and_json_of_what_may_not_leave_says_so(kind, request):
    result, words = request.getfixturevalue(kind), SAID[kind]
    for text in (
        export.centers_geojson(result.centers),
        export.points_geojson(result),
        result.coreset.to_geojson(),
        export.centers_geojson(result.coreset.kmeans(7)),
    ):
        shapes = json.loads(text)
        assert shapes["status"].startswith(words)
        assert all(each["properties"]["status"] == result.status for each in shapes["features"])
    assert json.loads(export.centers_json(result.centers))["status"].startswith(words)


def test_files_of_a_release_have_no_status(released):
    for text in (
        export.centers_csv(released.centers),
        export.centers_csv(released.coreset.kmeans(7)),
        export.centers_json(released.centers),
        export.centers_geojson(released.centers),
        export.points_csv(released),
        export.points_geojson(released),
        released.coreset.to_geojson(),
    ):
        assert "status" not in text
    for content in (export.centers_parquet(released.centers), export.points_parquet(released)):
        file = pq.ParquetFile(io.BytesIO(content))
        assert "status" not in file.schema_arrow.names
        assert b"status" not in (file.schema_arrow.metadata or {})


def test_a_coordinate_called_status_keeps_its_name():
    box = Box((0, 0), (1, 1), ("status", "center"))
    centers = SimulatedCenters([[0.5, 0.5]], box)
    assert export.centers_csv(centers).splitlines()[0] == "center_,status,center,status_"


def test_synopses_of_an_unproven_run_are_not_written():
    result = dpcore.run("eugkm-published", dpcore.datasets.load("s1-like"), 3, 1.0, seed=0)
    for write in (
        result.synopsis.to_frame,
        result.synopsis.to_geojson,
        lambda: export.points_csv(result),
        lambda: export.points_geojson(result),
        lambda: export.points_parquet(result),
    ):
        with pytest.raises(TypeError, match="not private"):
            write()
