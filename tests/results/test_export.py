"""Only private centers leave, in every format."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

import dpcore
from dpcore.geometry.domain import Box
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.results import export
from dpcore.results.run_result import NonPrivateCenters, PrivateCenters, ReleasedResult

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
    blue = PrivateCenters([[-74.0, 40.8]], HERE)
    with pytest.raises(TypeError, match="not private"):
        form(blue + 0)


def test_csv_names_the_coordinates():
    text = export.centers_csv(PrivateCenters([[-74.0, 40.8], [-73.95, 40.75]], HERE))
    assert text.splitlines() == ["center,longitude,latitude", "1,-74.0,40.8", "2,-73.95,40.75"]


def test_geojson_puts_longitude_first():
    shape = json.loads(export.centers_geojson(PrivateCenters([[-74.0, 40.8]], HERE)))
    assert shape["features"][0]["geometry"] == {"type": "Point", "coordinates": [-74.0, 40.8]}


def test_a_trip_is_a_line_from_pickup_to_dropoff():
    box = Box(HERE.low * 2, HERE.high * 2)
    text = export.centers_geojson(PrivateCenters([[-74.0, 40.8, -73.95, 40.75]], box))
    geometry = json.loads(text)["features"][0]["geometry"]
    assert geometry == {"type": "LineString", "coordinates": [[-74.0, 40.8], [-73.95, 40.75]]}


def test_geojson_of_what_is_no_place_is_refused():
    with pytest.raises(ValueError, match="longitude and latitude"):
        export.centers_geojson(PrivateCenters([[1.0, 2.0, 3.0]], Box.cube(3, 0, 10)))


@pytest.fixture(scope="module")
def released() -> ReleasedResult:
    trips = dpcore.datasets.load("nyc-taxi")
    result = dpcore.run("adaptive", trips, 3, 0.5, noise=ReleaseNoise())
    assert isinstance(result, ReleasedResult)
    return result


def test_parquet_holds_the_same_bits_as_csv_and_geojson(released):
    for centers in (released.centers, PrivateCenters([[1 / 3, 2 / 3]], Box.cube(2))):
        table = pd.read_parquet(io.BytesIO(export.centers_parquet(centers)))
        assert list(table) == ["center", *centers.box.names]
        assert np.array_equal(table[list(centers.box.names)], np.asarray(centers))
        lines = list(csv.DictReader(io.StringIO(export.centers_csv(centers))))
        assert [[float(line[n]) for n in centers.box.names] for line in lines] == centers.tolist()


def test_points_come_with_their_weights_in_every_format(released):
    expected = np.column_stack([released.synopsis.points, released.synopsis.weights])
    table = pd.read_parquet(io.BytesIO(export.points_parquet(released)))
    assert list(table) == ["longitude", "latitude", "weight"]
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
    shapes = json.loads(export.points_geojson(result))["features"]
    assert {shape["geometry"]["type"] for shape in shapes} == {"LineString"}
