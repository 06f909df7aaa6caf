"""Rows in memory as the source of a release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpcore.datasets.base import DataInfo, Dataset
from dpcore.datasets.files import looks_geographic
from dpcore.datasets.rows import RowsDataset
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, FloatArray
from dpcore.release.sources import DataSource
from dpcore.release.unit import Unit


@dataclass(frozen=True, eq=False)
class ArrayData(DataSource):
    """Rows in memory, one a line, in a public box.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        The rows, in data units.
    box : Box
        The public box.
    outside : {"drop", "clip"}, default="drop"
        Whether rows outside the box are dropped or moved to its edge.

    Examples
    --------
    >>> import numpy as np
    >>> from dpcore import Box
    >>> from dpcore.release import ArrayData
    >>> ArrayData(np.zeros((3, 2)), Box.cube(2)).box.d
    2
    """

    values: FloatArray
    box: Box
    outside: str = "drop"
    geographic: bool = field(init=False)

    def __post_init__(self) -> None:
        values = np.ascontiguousarray(self.values, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != self.box.d:
            raise BadInput(f"Rows of {self.box.d} coordinates are needed, not {values.shape}.")
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "geographic", looks_geographic(self.box))

    def refuse(self, unit: Unit) -> None:
        if unit.ids is not None:
            raise BadInput("Rows in memory have no column of ids; what is protected is one row.")

    def open(self, unit: Unit) -> Dataset:
        self.refuse(unit)
        about = DataInfo("array", "Rows in memory", unit=unit.name, geographic=self.geographic)
        return RowsDataset.from_values(self.values, self.box, about, self.outside)

    def contents(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        yield "array", iter([repr(self.values.shape).encode(), self.values.tobytes()])

    def as_dict(self) -> dict[str, Any]:
        return {
            "kind": "array",
            "columns": list(self.box.names),
            "outside the box": self.outside,
            "engine": "memory",
            "format": None,
            "zones": False,
        }
