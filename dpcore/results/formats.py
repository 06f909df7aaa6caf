"""File formats: places and their properties as CSV, GeoJSON and Parquet, with their status.

The status says why a file is not for publication. It is a column of each table and a property of
each shape, so that it survives being opened and saved elsewhere; GeoJSON and Parquet say it once
more for the file as a whole. What is released has none.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, FloatArray
from dpcore.geometry.positions import longitude_first, positions
from dpcore.results import geo_formats, parquet

if TYPE_CHECKING:
    import pandas as pd

STATUS = "status"
#: The column with the standard deviation of the noise in a weight.
NOISE = "noise"


@dataclass(frozen=True)
class Places:
    """Positions in data units, one a row, what is known of each, and the status of all."""

    box: Box
    positions: FloatArray
    #: Columns beside the coordinates, by name.
    properties: Mapping[str, npt.NDArray[Any]]
    status: str
    #: Whether the columns stand before the coordinates.
    first: bool = False

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """All columns by name, in the order in which they are written."""
        beside = {self.box.beside(name): values for name, values in self.properties.items()}
        places = dict(zip(self.box.names, self.positions.T, strict=True))
        together = {**beside, **places} if self.first else {**places, **beside}
        if self.status:
            together[self.box.beside(STATUS)] = np.full(len(self.positions), self.status)
        return together

    def as_frame(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(self.columns())

    def as_csv(self) -> str:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        columns = self.columns()
        writer.writerow(columns)
        writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))
        return text.getvalue()

    def as_parquet(self) -> bytes:
        return parquet.written(self.columns(), {STATUS: self.status} if self.status else {})

    def as_geojson(self, indent: int | None = None) -> str:
        """A point for each place; two places (pickup, dropoff) become a line between them."""
        positions = self.in_degrees()
        status = {STATUS: self.status} if self.status else {}
        values = zip(*(values.tolist() for values in self.properties.values()), strict=True)
        features = [
            {
                "type": "Feature",
                "geometry": _shape(position),
                "properties": {**dict(zip(self.properties, own, strict=True)), **status},
            }
            for position, own in zip(positions.tolist(), values, strict=True)
        ]
        collection = {"type": "FeatureCollection", **status, "features": features}
        return json.dumps(collection, indent=indent)

    def as_geoparquet(self) -> bytes:
        """Parquet with shapes that GeoPandas, QGIS and Kepler.gl open."""
        return parquet.written(*geo_formats.geoparquet(self))

    def as_kml(self, name: str) -> str:
        """Placemarks for a globe."""
        return geo_formats.as_kml(self, name)

    def as_kepler(self, name: str) -> str:
        """A map for Kepler.gl."""
        return geo_formats.as_kepler(self, name)

    @property
    def order(self) -> tuple[int, ...]:
        """The coordinates with longitude before latitude."""
        return longitude_first(self.box)

    @property
    def named_in_degrees(self) -> bool:
        """Whether the names of the coordinates are those of longitude and latitude."""
        return bool(positions(self.box))

    def in_degrees(self) -> FloatArray:
        """Positions with longitude before latitude, whatever the order of the columns."""
        if self.box.d not in (2, 4):
            raise BadInput(f"A map needs longitude and latitude, not {self.box.names}.")
        return self.positions[:, self.order]


def centers_as_places(box: Box, centers: FloatArray, status: str) -> Places:
    """Centers, numbered from 1, the number first."""
    numbers = np.arange(1, len(centers) + 1)
    return Places(box, np.asarray(centers), {"center": numbers}, status, first=True)


def points_as_places(
    box: Box,
    points: FloatArray,
    weights: FloatArray,
    status: str,
    noise: FloatArray | None = None,
) -> Places:
    """Points with their weights and, where it is known, the standard deviation of the noise in
    each."""
    properties = {"weight": np.asarray(weights, dtype=np.float64)}
    if noise is not None:
        properties[NOISE] = np.asarray(noise, dtype=np.float64)
    return Places(box, points, properties, status)


def _shape(position: list[float]) -> dict[str, Any]:
    places = [position[i : i + 2] for i in range(0, len(position), 2)]
    if len(places) == 1:
        return {"type": "Point", "coordinates": places[0]}
    return {"type": "LineString", "coordinates": places}
