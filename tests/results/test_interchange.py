"""Results in notebooks, maps and catalogs: what opens them shows what was released."""

from __future__ import annotations

import io
import json
import sys
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

import geopandas
import numpy as np
import pandas as pd
import pytest

import dpcore
from dpcore.cli import main
from dpcore.geometry.domain import Box
from dpcore.release import Amount, BuiltinData, FileData, Ledger, ReleasePlan, publish
from dpcore.results import export
from dpcore.results.centers import ReleasedCenters, SimulatedCenters
from dpcore.runs.request import Request

HERE = Box((-74.1, 40.7), (-73.9, 40.9), ("lon", "lat"))
WAYS = Box(HERE.low * 2, HERE.high * 2, ("from_lon", "from_lat", "to_lon", "to_lat"))
SIMULATED = "simulated, not for publication"


@pytest.fixture(scope="module")
def city() -> dpcore.datasets.Dataset:
    return dpcore.datasets.load("nyc-taxi")


@pytest.fixture(scope="module")
def run(city):
    return dpcore.run("adaptive", city, 3, 1.0, seed=0)


def test_geopandas_opens_geoparquet_in_longitude_and_latitude(run):
    for content, positions in (
        (export.centers_geoparquet(run.centers), np.asarray(run.centers)),
        (export.points_geoparquet(run), run.synopsis.points),
    ):
        frame = geopandas.read_parquet(io.BytesIO(content))
        assert frame.crs.is_geographic
        np.testing.assert_array_equal(np.c_[frame.geometry.x, frame.geometry.y], positions)
        assert set(frame["status"]) == {SIMULATED}
    ways = ReleasedCenters([[-74.0, 40.8, -73.95, 40.75]], WAYS)
    (line,) = geopandas.read_parquet(io.BytesIO(export.centers_geoparquet(ways))).geometry
    assert list(line.coords) == [(-74.0, 40.8), (-73.95, 40.75)]


def test_latitude_first_is_written_longitude_first_everywhere():
    swapped = ReleasedCenters([[40.8, -74.0]], HERE.take([1, 0]))
    (shape,) = geopandas.read_parquet(io.BytesIO(export.centers_geoparquet(swapped))).geometry
    assert (shape.x, shape.y) == (-74.0, 40.8)
    assert "<coordinates>-74.0,40.8</coordinates>" in export.centers_kml(swapped)
    assert swapped.__geo_interface__["features"][0]["geometry"]["coordinates"] == [-74.0, 40.8]
    told = json.loads(export.centers_kepler(swapped))
    (layer,) = told["config"]["config"]["visState"]["layers"]
    assert layer["config"]["columns"] == {"lng": "lon", "lat": "lat"}


def test_geopandas_takes_results_as_they_are(run):
    frame = geopandas.GeoDataFrame.from_features(run.__geo_interface__)
    np.testing.assert_array_equal(np.c_[frame.geometry.x, frame.geometry.y], run.centers)
    assert set(frame["status"]) == {SIMULATED}


def test_kml_is_well_formed_and_says_its_status(run):
    space = {"k": "http://www.opengis.net/kml/2.2"}
    tree = ElementTree.fromstring(export.points_kml(run))
    assert len(tree.findall(".//k:Placemark", space)) == len(run.synopsis)
    assert tree.find("./k:Document/k:description", space).text == SIMULATED
    released = ElementTree.fromstring(export.centers_kml(ReleasedCenters([[-74, 40.8]], HERE)))
    assert released.find("./k:Document/k:description", space) is None


def test_a_map_for_kepler_names_columns_that_its_data_have(run):
    for text in (export.points_kepler(run), export.centers_kepler(run.centers)):
        told = json.loads(text)
        (data,) = (each["data"] for each in told["datasets"])
        names = [field["name"] for field in data["fields"]]
        assert {len(row) for row in data["allData"]} == {len(names)}
        (layer,) = told["config"]["config"]["visState"]["layers"]
        assert layer["config"]["dataId"] == data["id"]
        assert set(layer["config"]["columns"].values()) <= set(names)
        assert SIMULATED in layer["config"]["label"]
        assert "status" in names
        state = told["config"]["config"]["mapState"]
        assert -74.1 < state["longitude"] < -73.9


@pytest.mark.parametrize("format", ["csv", "geojson", "json", "kml", "kepler", "parquet"])
def test_the_command_line_writes_every_format_with_its_status(format, tmp_path: Path, capsysbinary):
    words = ["run", "dplloyd", "--data", "nyc-taxi", "-k", "2", "--epsilon", "1", "--seed", "7"]
    path = tmp_path / "centers"
    assert main([*words, "--format", format, "--output", str(path)]) == 0
    assert SIMULATED.encode() in path.read_bytes()
    capsysbinary.readouterr()
    assert main([*words, "--format", format]) == 0
    assert capsysbinary.readouterr().out.rstrip(b"\n") == path.read_bytes().rstrip(b"\n")


# Notebooks.


def test_a_notebook_shows_a_small_map_and_a_table(run):
    for shown in (run, run.centers, run.synopsis):
        page = shown._repr_html_()
        ElementTree.fromstring(f"<div>{page}</div>")
        assert "<circle" in page
        assert SIMULATED in page
        assert len(page) < 300_000
    assert "<svg" not in SimulatedCenters([[0.5]], Box.cube(1))._repr_html_()


def test_what_is_not_private_is_not_shown(city):
    unproven = dpcore.run("eugkm-published", city, 3, 1.0, seed=0)
    value = f"{np.asarray(unproven.centers)[0, 0]:.4g}"
    page = unproven._repr_html_() + unproven.centers._repr_html_()
    assert value not in page
    assert "<table" not in page
    for show in (unproven.to_frame, unproven.plot, unproven.centers.plot):
        with pytest.raises(TypeError, match="not private"):
            show()
    with pytest.raises(TypeError, match="not private"):
        _ = unproven.__geo_interface__


def test_names_of_columns_cannot_bring_markup_into_a_page():
    box = Box((0, 0), (1, 1), ("<script>", "b&"))
    page = SimulatedCenters([[0.5, 0.5]], box)._repr_html_()
    assert "<script>" not in page
    ElementTree.fromstring(f"<div>{page}</div>")


def test_frames_and_charts_hold_the_same_numbers(run):
    frame = run.to_frame()
    pd.testing.assert_frame_equal(frame, pd.read_csv(io.StringIO(export.centers_csv(run.centers))))
    figure = run.synopsis.plot()
    np.testing.assert_array_equal(figure.data[0].x, run.synopsis.points[:, 0])
    assert SIMULATED in figure.layout.title.text
    iris = dpcore.run("dplloyd", dpcore.datasets.load("iris"), 3, 1.0, seed=0)
    assert len(iris.plot().data[0].dimensions) == 4
    line = dpcore.run("dplloyd", dpcore.datasets.from_array([[0.5]] * 9, (0, 1)), 1, 1.0, seed=0)
    assert list(line.plot().data[0].y) == [0.0]


def test_a_chart_without_plotly_says_what_to_install(run, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "plotly"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(ImportError, match=r"pip install 'dpcore\[app\]'"):
        run.plot()


# Catalogs.


def test_a_data_package_describes_every_file_of_a_release(tmp_path: Path):
    plan = ReleasePlan(
        "Taxi Trips", BuiltinData("nyc-taxi"), Request("adaptive", 3, 0.5), allowed=Amount.of(1.0)
    )
    release = publish(plan, Ledger(tmp_path))
    package = json.loads(release.data_package())
    assert package["name"] == "taxi-trips"
    assert package["differential privacy"]["epsilon"] == 0.5
    assert {each["path"] for each in package["resources"]} == set(release.files)
    for each in package["resources"]:
        content = release.files[each["path"]]
        assert each["hash"] == f"sha256:{sha256(content).hexdigest()}"
        if "schema" in each:
            table = pd.read_csv(io.BytesIO(content))
            assert [field["name"] for field in each["schema"]["fields"]] == list(table.columns)
        assert each.get("bytes", len(content)) == len(content)
        # The library `frictionless` calls a Parquet file wrong whose bytes are stated.
        assert ("bytes" in each) == (each["format"] != "parquet")
    assert "<circle" in release._repr_html_()


def test_a_data_package_reads_names_of_columns_as_csv_has_them(tmp_path: Path):
    names = ("to the east, far", 'the "north"')
    rows = np.random.default_rng(0).uniform(0, 1, (2000, 2))
    pd.DataFrame(rows, columns=names).to_csv(tmp_path / "a.csv", index=False)
    source = FileData(str(tmp_path / "a.csv"), names, Box((0, 0), (1, 1), names))
    plan = ReleasePlan("a", source, Request("dplloyd", 2, 0.5), allowed=Amount.of(1.0))
    package = json.loads(publish(plan, Ledger(tmp_path / "books")).data_package())
    (centers,) = (each for each in package["resources"] if each["path"] == "centers.csv")
    assert [field["name"] for field in centers["schema"]["fields"]] == ["center", *names]
