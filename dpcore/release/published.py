"""The numbers that a release published: its centers, and the points they were found from."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dpcore.geometry.domain import Box, FloatArray, Grid
from dpcore.results import parquet
from dpcore.results.centers import ReleasedCenters
from dpcore.results.formats import Places, centers_as_places, points_as_places
from dpcore.results.run_result import ReleasedResult
from dpcore.results.synopsis import Coreset, NoisyGrid, Synopsis

KINDS = ("centers", "points")
#: In which file numbers are looked for first.
FORMS = ("parquet", "csv", "geojson")


@dataclass(frozen=True)
class Published:
    """Centers, one a row, and points with the weight as the last column, where there are any."""

    box: Box
    centers: FloatArray
    points: FloatArray | None

    @classmethod
    def by(cls, result: ReleasedResult) -> Published:
        if not isinstance(result, ReleasedResult):
            raise TypeError(f"{type(result).__name__} is not for release.")
        points = None
        if result.synopsis is not None:
            places = result.synopsis.places()
            points = np.column_stack([places.positions, places.properties["weight"]])
        return cls(result.box, np.asarray(result.centers), points)

    @property
    def places_of_centers(self) -> Places:
        """The centers as every file of a release has them."""
        return centers_as_places(self.box, self.centers, ReleasedCenters.status)

    @property
    def places_of_points(self) -> Places | None:
        """The points as every file of a release has them."""
        if self.points is None:
            return None
        d = self.box.d
        return points_as_places(
            self.box, self.points[:, :d], self.points[:, d], ReleasedCenters.status
        )

    @cached_property
    def synopsis(self) -> Synopsis | None:
        """The points as what they look like: counts on a grid, or a coreset."""
        if self.points is None:
            return None
        places, weights = self.points[:, : self.box.d], self.points[:, self.box.d]
        grid = Grid(self.box, max(1, round(len(weights) ** (1 / self.box.d))))
        if (
            grid.n_cells == len(weights)
            and np.array_equal(self.box.from_unit(grid.centers()), places)
            and np.array_equal(np.rint(weights), weights)
        ):
            return NoisyGrid(grid, weights.astype(np.int64).reshape(grid.shape))
        unit = self.box.to_unit(places)
        coreset = np.isfinite(weights).all() and (weights > 0).all()
        return (Coreset if coreset else Synopsis)(unit, weights, self.box)


def read(kind: str, files: Mapping[str, bytes], box: Box) -> FloatArray | None:
    """The centers or the points, from the first file that has them."""
    for form in FORMS:
        if content := files.get(f"{kind}.{form}"):
            return READERS[form](kind, content, box)
    return None


def columns(kind: str, box: Box) -> list[str]:
    """The columns of a file, of which the number of a center is no coordinate."""
    if kind == "centers":
        return [box.beside("center"), *box.names]
    return [*box.names, box.beside("weight")]


def _read_parquet(kind: str, content: bytes, box: Box) -> FloatArray:
    return parquet.read(content, columns(kind, box)[kind == "centers" :])


def _read_csv(kind: str, content: bytes, box: Box) -> FloatArray:
    names = columns(kind, box)[kind == "centers" :]
    lines = csv.DictReader(io.StringIO(content.decode()))
    rows = [[float(line[name]) for name in names] for line in lines]
    return np.array(rows, dtype=np.float64).reshape(-1, len(names))


def _read_geojson(kind: str, content: bytes, box: Box) -> FloatArray:
    return np.array(list(_features(kind, json.loads(content))), dtype=np.float64).reshape(
        -1, box.d + (kind == "points")
    )


def _features(kind: str, told: Any) -> Iterator[list[float]]:
    for feature in told["features"]:
        places = np.ravel(feature["geometry"]["coordinates"]).tolist()
        yield [*places, *([feature["properties"]["weight"]] if kind == "points" else [])]


READERS = {"parquet": _read_parquet, "csv": _read_csv, "geojson": _read_geojson}
