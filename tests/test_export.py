"""Only private centers leave, in every format."""

from __future__ import annotations

import json

import pytest

import dpcore
from dpcore import export
from dpcore.domain import Box
from dpcore.results import NonPrivateCenters, PrivateCenters

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
