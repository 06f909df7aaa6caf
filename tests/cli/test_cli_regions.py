"""Levels for parts of a map from the command line, and regions from a file of one's own."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dpcore
from dpcore import regions
from dpcore.cli import BAD_INPUT, main
from dpcore.geometry.domain import Box

RUN = ["run", "adaptive", "--data", "nyc-taxi", "-k", "3", "--epsilon", "2", "--seed", "0"]
SQUARE = Box.cube(2)


def feature(name, *rings, kind="Polygon", **properties):
    coordinates = list(rings) if kind == "Polygon" else [[ring] for ring in rings]
    return {
        "type": "Feature",
        "properties": {"name": name, **properties},
        "geometry": {"type": kind, "coordinates": coordinates},
    }


def ring(x0, y0, x1, y1):
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]


@pytest.fixture
def collection(tmp_path):
    def write(*features):
        path = tmp_path / "parts.geojson"
        path.write_text(json.dumps({"type": "FeatureCollection", "features": list(features)}))
        return str(path)

    return write


def shares(drawn):
    area = np.bincount(drawn.image.ravel()) / drawn.image.size
    return dict(zip(drawn.names, np.round(area, 3).tolist(), strict=True))


# Regions from a file.


def test_polygons_of_a_file_are_regions_with_their_own_levels(collection):
    path = collection(
        feature("left", ring(-1, -1, 0, 1), epsilon=0.5),
        feature("two spots", ring(0, 0, 0.5, 1), ring(0.5, -1, 1, 0), kind="MultiPolygon"),
    )
    drawn = regions.from_geojson(path, SQUARE)
    assert shares(drawn) == {"left": 0.5, "two spots": 0.25, "elsewhere": 0.25}
    assert drawn.epsilons(2.0) == (0.5, 2.0, 2.0)


def test_a_place_in_two_polygons_of_one_region_is_in_the_region(collection):
    twice = feature("twice", ring(-1, -1, 0.5, 1), ring(-0.5, -1, 1, 0), kind="MultiPolygon")
    assert shares(regions.from_geojson(collection(twice), SQUARE)) == {
        "twice": 0.875,
        "elsewhere": 0.125,
    }


def test_a_hole_is_elsewhere_and_an_open_ring_is_closed(collection):
    around, hole = ring(-1, -1, 1, 1), ring(-0.5, -0.5, 0.5, 0.5)
    drawn = regions.from_geojson(collection(feature("frame", around[:-1], hole)), SQUARE)
    assert shares(drawn) == {"frame": 0.75, "elsewhere": 0.25}


def test_what_lies_outside_the_box_is_named(collection):
    path = collection(
        feature("here", ring(-1, -1, 0, 1)), feature("far", ring(7, 7, 8, 8), epsilon=0.1)
    )
    with pytest.raises(ValueError, match=r"'far' lies outside the box of the data \(x0 -1 to 1"):
        regions.from_geojson(path, SQUARE)


def test_areas_that_overlap_are_refused(collection):
    path = collection(
        feature("town", ring(-1, -1, 1, 1), epsilon=1.0),
        feature("clinic", ring(0, 0, 1, 1), epsilon=0.1),
    )
    with pytest.raises(ValueError, match="'town' and 'clinic' overlap, by 100 % of 'clinic'"):
        regions.from_geojson(path, SQUARE)


def test_an_area_that_no_cell_has_its_center_in_is_refused(collection):
    tiny = ring(0.1001, 0.1001, 0.1002, 0.1002)
    with pytest.raises(ValueError, match="'spot' is too small"):
        regions.from_geojson(collection(feature("spot", tiny)), SQUARE)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("lon,lat", "is not a GeoJSON file"),
        ("[]", "is not a GeoJSON file"),
        pytest.param("[" * 100_000, "is not a GeoJSON file", id="nested without end"),
        ('{"type": "FeatureCollection"}', "'features'"),
        (
            json.dumps({"features": [feature(None, ring(0, 0, 1, 1)) | {"properties": {}}]}),
            "area 1 has no `name`",
        ),
        (json.dumps({"features": [feature("line", kind="Point")]}), "not a Point"),
        (json.dumps({"features": [feature("odd", [["a", "b"]])]}), "could not convert"),
        (json.dumps({"features": [feature("odd", [[0, 0], [1]])]}), "is not a GeoJSON file"),
        (json.dumps({"features": [feature("empty", [])]}), "is not a GeoJSON file"),
    ],
)
def test_a_file_that_is_not_one_is_refused_in_words(tmp_path, text, complaint):
    path = tmp_path / "odd.geojson"
    path.write_text(text)
    with pytest.raises(ValueError, match=complaint):
        regions.from_geojson(path, SQUARE)


def test_a_missing_file_is_named():
    with pytest.raises(ValueError, match=r"nowhere\.geojson cannot be read"):
        regions.from_geojson("nowhere.geojson", SQUARE)


# The command.


def test_a_run_by_boroughs_says_what_it_protects_and_what_a_move_costs(capsys):
    assert main([*RUN, "--regions", "boroughs", "--level", "Manhattan=0.5"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "protected at the epsilon of its area: Manhattan 0.5, 2 everywhere else" in text
    assert "moves costs the epsilon of the area it leaves plus that of the area it enters" in text
    assert "4 at most" in text
    assert "side by side: 5 regions" in text


def test_under_replace_one_it_says_that_a_move_costs_the_mean(capsys):
    levels = ["--regions", "boroughs", "--level", "Manhattan=0.5", "--neighbors", "replace-one"]
    assert main([*RUN, *levels]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "it is protected at the mean of both levels, 2 at most" in text
    assert "epsilon 2 used, under replace-one" in text


def test_it_is_the_run_of_the_python_call(capsys, collection):
    here = ring(-73.99, 40.7, -73.9, 40.8)
    path = collection(feature("east", here, epsilon=1.5))
    main([*RUN, "--regions", path, "--level", "elsewhere=0.7", "--json"])
    said = json.loads(capsys.readouterr().out)
    data = dpcore.datasets.load("nyc-taxi")
    drawn = regions.from_geojson(path, data.box)
    drawn = drawn.with_levels({"east": 1.5, "elsewhere": 0.7})
    result = dpcore.run("adaptive", data, 3, 2.0, seed=0, regions=drawn)
    assert said["centers"] == result.centers.tolist()
    assert said["facts"]["regions"] == {"east": 1.5, "elsewhere": 0.7}
    assert said["facts"]["protection"] == " ".join(drawn.sentences(2.0))
    (charge,) = said["transcript"]
    assert charge["epsilon"] == 1.5
    assert [sum(c["epsilon"] for c in inner) for inner in charge["inner"]] == pytest.approx(
        [1.5, 0.7]
    )


def test_a_level_on_the_command_line_goes_before_that_of_the_file(capsys, collection):
    path = collection(feature("east", ring(-73.99, 40.7, -73.9, 40.8), epsilon=1.5))
    main([*RUN, "--regions", path, "--level", "east=0.3", "--json"])
    assert json.loads(capsys.readouterr().out)["facts"]["regions"]["east"] == 0.3


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (["--level", "Bronx=1"], "Name the regions first"),
        (["--regions", "boroughs", "--level", "Bronx"], "takes NAME=EPSILON, not 'Bronx'"),
        (["--regions", "boroughs", "--level", "Bronx=much"], "takes NAME=EPSILON"),
        (["--regions", "boroughs", "--level", "Paris=1"], "No region 'Paris'"),
        (["--regions", "boroughs", "--level", "Bronx=3"], "'Bronx' must be a number from"),
        (["--regions", "boroughs", "--level", "Bronx=nan"], "not nan"),
        (["--regions", "nowhere.geojson"], "cannot be read"),
        (["--regions", "borough"], "did you mean 'boroughs'?"),
        (["--regions", "Sunnyside,Manhatan"], "Did you mean 'Manhattan'?"),
        (["--regions", "boroughs", "--data", "s1-like"], "No region of boroughs lies in the box"),
        (["--regions", "boroughs", "--data", "iris"], "2 coordinates; these have 4"),
    ],
)
def test_an_impossible_wish_is_one_line_and_an_exit_code(wish, words, capsys):
    assert main([*RUN, *wish]) == BAD_INPUT
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_an_algorithm_that_publishes_nothing_to_join_is_refused(capsys):
    wish = ["run", "dplloyd", *RUN[2:], "--regions", "boroughs"]
    assert main(wish) == BAD_INPUT
    assert "With regions use adaptive" in capsys.readouterr().err


@pytest.mark.parametrize("algorithm", ["coreset", "eugkm"])
def test_other_synopses_can_be_joined_from_the_command_line_too(algorithm, capsys):
    assert main(["run", algorithm, *RUN[2:], "--regions", "boroughs", "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.strip().splitlines()) == 4
