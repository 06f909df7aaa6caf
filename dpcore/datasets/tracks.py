"""A person's own track: the positions in a GPX, GeoJSON or CSV file, in memory and nowhere else."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from xml.parsers import expat

import numpy as np

from dpcore.datasets.engines.reading_limits import MAX_TABLE
from dpcore.errors import BadInput, listed, shortened
from dpcore.geometry.domain import FloatArray

#: Positions of one track.
MOST_POSITIONS = 200_000
#: What columns of longitude and latitude are called, in small letters.
LONGITUDE = ("longitude", "lon", "lng", "long", "x")
LATITUDE = ("latitude", "lat", "y")
#: Where the example stops: the Upper East Side, Midtown, the West Village, and home again.
EXAMPLE_STOPS = (
    (-73.9530, 40.7720),
    (-73.9535, 40.7722),
    (-73.9735, 40.7600),
    (-73.9850, 40.7545),
    (-73.9852, 40.7543),
    (-74.0015, 40.7380),
    (-74.0030, 40.7335),
    (-73.9900, 40.7350),
    (-73.9530, 40.7720),
)
EXAMPLE_POSITIONS = 12
#: Elements of GPX that are a position.
GPX_POINTS = ("trkpt", "wpt", "rtept")


@dataclass(frozen=True, eq=False)
class Track:
    """Positions (n, 2) in degrees, longitude first."""

    positions: FloatArray

    def __repr__(self) -> str:
        return f"<a track of {len(self.positions):,} positions>"


def example_track() -> Track:
    """A made-up day in New York: from home to work, to dinner, and back home.

    Returns
    -------
    Track
    """
    legs = [
        np.linspace(start, end, EXAMPLE_POSITIONS)
        for start, end in itertools.pairwise(EXAMPLE_STOPS)
    ]
    return Track(np.concatenate(legs))


class _Wrong(Exception):
    """A fault of a file, to be reported with its name."""


def read_track(name: str, content: bytes) -> Track:
    """The positions of a file, by the ending of its name; nothing of it is kept elsewhere.

    Raises ValueError, with one sentence, where the file holds no track.
    """
    ending = name.rpartition(".")[2].lower()
    if ending not in READERS:
        raise BadInput(
            f"{shortened(name)!r} is no track that can be read: its name must end with "
            f"{listed('.' + each for each in READERS)}."
        )
    try:
        if len(content) > MAX_TABLE:
            raise _Wrong(f"it is larger than {MAX_TABLE >> 20} MB; give a part of it")
        positions = _checked(READERS[ending](content))
    except (_Wrong, RecursionError) as problem:
        why = "it is nested too deeply" if isinstance(problem, RecursionError) else str(problem)
        raise BadInput(f"The track {shortened(name)!r} cannot be read: {why}.") from None
    return Track(positions)


def _checked(candidates: Iterator[tuple[float, float]]) -> FloatArray:
    positions: list[tuple[float, float]] = []
    for position in candidates:
        positions.append(position)
        if len(positions) > MOST_POSITIONS:
            raise _Wrong(f"it has more than {MOST_POSITIONS:,} positions; give a part of it")
    if not positions:
        raise _Wrong("it has no position")
    places = np.array(positions)
    if not (np.abs(places) <= (180.0, 90.0)).all():
        bad = places[~(np.abs(places) <= (180.0, 90.0)).all(axis=1)][0]
        raise _Wrong(
            f"longitude {bad[0]:g} and latitude {bad[1]:g} are no degrees from -180 to 180 and "
            "from -90 to 90"
        )
    return places


def _gpx(content: bytes) -> Iterator[tuple[float, float]]:
    """Positions in a GPX file. Its parser refuses declarations, by which XML grows without end."""
    positions: list[tuple[float, float]] = []
    parser = expat.ParserCreate()

    def refuse(*_: Any) -> None:
        raise _Wrong("it declares a document type, which no GPX file needs")

    def element(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(":")[2] in GPX_POINTS:
            positions.append((_number(attributes.get("lon")), _number(attributes.get("lat"))))
            if len(positions) > MOST_POSITIONS:
                raise _Wrong(f"it has more than {MOST_POSITIONS:,} positions; give a part of it")

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = element
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise _Wrong(f"it is not GPX ({error})") from None
    yield from positions


def _geojson(content: bytes) -> Iterator[tuple[float, float]]:
    try:
        geojson = json.loads(content)
    except ValueError as error:
        raise _Wrong(f"it is not GeoJSON ({shortened(str(error))})") from None
    yield from _of_geometry(geojson)


def _of_geometry(geometry: Any) -> Iterator[tuple[float, float]]:
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    inside = {"FeatureCollection": "features", "GeometryCollection": "geometries"}
    if kind in inside and isinstance(geometry.get(inside[kind]), list):
        for each in geometry[inside[kind]]:
            yield from _of_geometry(each)
    elif kind == "Feature":
        yield from _of_geometry(geometry.get("geometry"))
    elif kind in ("Point", "MultiPoint", "LineString", "MultiLineString"):
        yield from _corners(geometry.get("coordinates"))
    else:
        raise _Wrong("it is not GeoJSON of points and lines")


def _corners(coordinates: Any) -> Iterator[tuple[float, float]]:
    if not isinstance(coordinates, list) or not coordinates:
        raise _Wrong("a line in it has no coordinates")
    if isinstance(coordinates[0], list):
        for each in coordinates:
            yield from _corners(each)
    elif len(coordinates) < 2:
        raise _Wrong("a position in it has only one coordinate")
    else:
        yield _number(coordinates[0]), _number(coordinates[1])


def _csv(content: bytes) -> Iterator[tuple[float, float]]:
    try:
        lines = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
        names = {(name or "").strip().lower(): name for name in lines.fieldnames or ()}
        columns = [
            next((names[each] for each in headers if each in names), None)
            for headers in (LONGITUDE, LATITUDE)
        ]
        if None in columns:
            raise _Wrong("its first line names no columns longitude and latitude")
        for line in lines:
            yield _number(line[columns[0]]), _number(line[columns[1]])
    except UnicodeDecodeError:
        raise _Wrong("it is not text in UTF-8") from None
    except csv.Error as error:
        raise _Wrong(f"it is not CSV ({error})") from None


def _number(value: Any) -> float:
    try:
        number = float(value) if not isinstance(value, bool) else np.nan
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not np.isfinite(number):
        raise _Wrong(f"{shortened(repr(value), 40)} is no coordinate")
    return number


READERS: dict[str, Callable[[bytes], Iterator[tuple[float, float]]]] = {
    "gpx": _gpx,
    "geojson": _geojson,
    "json": _geojson,
    "csv": _csv,
}
