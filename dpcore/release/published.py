"""The numbers that a release published: its centers, and the points they were found from."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dpcore.geometry.domain import Box, FloatArray, Grid
from dpcore.results import parquet
from dpcore.results.centers import ReleasedCenters
from dpcore.results.formats import NOISE, Places, centers_as_places, points_as_places
from dpcore.results.rectangles import geometric_scale
from dpcore.results.run_result import ReleasedResult
from dpcore.results.synopsis import Coreset, NoisyGrid, Synopsis

KINDS = ("centers", "points")
#: In which file numbers are looked for first.
FORMS = ("parquet", "csv", "geojson")


@dataclass(frozen=True)
class Published:
    """Centers, one a row, and points, where there are any: after the coordinates a column with the
    weight and, where it is known, one with the standard deviation of the noise in it."""

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
            points = np.column_stack([places.positions, *places.properties.values()])
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
            self.box,
            self.points[:, :d],
            self.points[:, d],
            ReleasedCenters.status,
            self.noise,
        )

    @property
    def noise(self) -> FloatArray | None:
        """The standard deviation of the noise in each weight, where it is known."""
        d = self.box.d
        if self.points is None or self.points.shape[1] == d + 1:
            return None
        return self.points[:, d + 1]

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
            counts = weights.astype(np.int64).reshape(grid.shape)
            scale = None if self.noise is None else geometric_scale(float(self.noise.max()) ** 2)
            return NoisyGrid(grid, counts, scale)
        unit = self.box.to_unit(places)
        coreset = np.isfinite(weights).all() and (weights > 0).all()
        variances = None if self.noise is None else self.noise**2
        return (Coreset if coreset else Synopsis)(unit, weights, self.box, variances)


def described_box(certificate: Mapping[str, Any]) -> Box:
    """The public box that a certificate describes."""
    return Box(*(tuple(certificate["box"][end]) for end in ("low", "high", "names")))


def read(kind: str, files: Mapping[str, bytes], box: Box) -> FloatArray | None:
    """The centers or the points, from the first file that has them."""
    for form in FORMS:
        if content := files.get(f"{kind}.{form}"):
            return READERS[form](kind, content, box)
    return None


def columns(kind: str, box: Box, present: Collection[str]) -> list[str]:
    """The columns of a file, of which the number of a center is no coordinate. That of the noise is
    one of them where it is present."""
    if kind == "centers":
        return [box.beside("center"), *box.names]
    noise = box.beside(NOISE)
    return [*box.names, box.beside("weight"), *([noise] if noise in present else [])]


def _read_parquet(kind: str, content: bytes, box: Box) -> FloatArray:
    names = columns(kind, box, parquet.names(content))
    return parquet.read(content, names[kind == "centers" :])


def _read_csv(kind: str, content: bytes, box: Box) -> FloatArray:
    lines = csv.DictReader(io.StringIO(content.decode()))
    names = columns(kind, box, lines.fieldnames or ())[kind == "centers" :]
    rows = [[float(line[name]) for name in names] for line in lines]
    return np.array(rows, dtype=np.float64).reshape(-1, len(names))


def _read_geojson(kind: str, content: bytes, box: Box) -> FloatArray:
    features = json.loads(content)["features"]
    has_noise = features and NOISE in features[0]["properties"]
    names = ["weight", *([NOISE] if has_noise else [])] if kind == "points" else []
    rows = [
        [
            *np.ravel(feature["geometry"]["coordinates"]).tolist(),
            *(feature["properties"][name] for name in names),
        ]
        for feature in features
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, box.d + len(names))


READERS = {"parquet": _read_parquet, "csv": _read_csv, "geojson": _read_geojson}
