"""The base class of data sets: the questions that each can answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore.datasets.row_sums import RowSum, summed
from dpcore.geometry.domain import (
    LATTICE_CELLS,
    TICKS,
    Box,
    FloatArray,
    IntArray,
    Partition,
    Slabs,
    to_ticks,
)
from dpcore.kmeans.points import single_thread

#: Costs that a mechanism chooses by are whole numbers of 2**-20 of a squared unit.
COST_UNITS = 1 << 20


@dataclass(frozen=True)
class DataInfo:
    """The description of a data set, all of it public.

    Everything that stands for the same data, such as a built-in set, an upload or a twin, holds
    one of these instead of fields of its own.

    Parameters
    ----------
    key : str, default="data"
        A short name, for programs.
    title : str, default="Your data"
        A name for people.
    description : str, default=""
        One or two sentences.
    unit : str, default="row"
        What one row is: a trip, a patient.
    simulated : bool, default=False
        Whether the rows are simulated.
    geographic : bool, default=False
        Whether the coordinates are longitude and latitude in degrees.
    public : bool, default=False
        Whether everybody may see the data.
    twin : bool, default=False
        Whether the data were drawn from a release.

    Examples
    --------
    >>> from dpcore.datasets import DataInfo
    >>> DataInfo(title="Rides", unit="ride").public
    False
    """

    key: str = "data"
    title: str = "Your data"
    description: str = ""
    #: What one row is, and so what is protected.
    unit: str = "row"
    simulated: bool = False
    #: Longitude and latitude first: distances can be told in meters, positions drawn on a map.
    geographic: bool = False
    #: Open to everybody anyway: looking at it without protection harms nobody.
    public: bool = False
    #: Drawn from a release of private data: as private as that, so looking at it is free.
    twin: bool = False


@dataclass(frozen=True)
class Totals:
    """Rows and sums of their positions (in ticks) for each cluster."""

    counts: IntArray
    sums: IntArray


class Dataset(ABC):
    """Private data that answers questions exactly. Only a curator may ask them.

    Positions are in ticks, costs in squared unit coordinates. `n` and everything else that is
    computed here is private; `box`, `resolution` and `about` are public.

    Examples
    --------
    >>> import dpcore
    >>> data = dpcore.datasets.load("iris")
    >>> isinstance(data, dpcore.datasets.Dataset), data.d
    (True, 4)
    """

    box: Box
    about: DataInfo
    #: Cells a side of the lattice on which positions are known.
    resolution: int = LATTICE_CELLS

    def __repr__(self) -> str:
        """Public facts only."""
        ends = ", ".join(
            f"{name} {low:g} to {high:g}"
            for name, low, high in zip(self.box.names, self.box.low, self.box.high, strict=True)
        )
        return f"<{self.about.title}, in the box {ends}>"

    @property
    def d(self) -> int:
        return self.box.d

    @property
    @abstractmethod
    def n(self) -> int:
        """Rows inside the box."""

    @abstractmethod
    def positions(self) -> tuple[IntArray, IntArray | None]:
        """Positions (m, d) in ticks, and how many rows are at each (None: one)."""

    @abstractmethod
    def cluster_totals(self, centers: IntArray) -> Totals:
        """Counts and sums of the rows nearest each center (k, d); ties to the lower index."""

    @abstractmethod
    def squared_ticks(self, center_sets: IntArray) -> Any:
        """Sum of squared distances to the nearest center, exact whole numbers, for each set in
        (sets, k, d), all in ticks."""

    def cost(self, center_sets: FloatArray) -> FloatArray:
        """Sum of squared distances in unit coordinates, rounded once, for each set of centers."""
        exact = np.asarray(self.squared_ticks(to_ticks(center_sets)), dtype=object)
        return np.asarray(exact / TICKS**2, dtype=np.float64)

    def whole_cost(self, center_sets: IntArray) -> IntArray:
        """Sum of squared distances in whole COST_UNITS, rounded down, for each set of centers.

        A row adds 0 to 4d COST_UNITS, give or take one for the rounding.
        """
        exact = np.asarray(self.squared_ticks(center_sets), dtype=object)
        return np.asarray(exact // (TICKS**2 // COST_UNITS), dtype=np.int64)

    def summed(self, of_rows: RowSum) -> IntArray:
        """The sum over all rows of whole numbers that each gives by itself."""
        with single_thread():
            return summed(of_rows, *self.positions())

    def margin(self, axis: int, slabs: int) -> IntArray:
        """Rows in each of several equally wide slabs along one coordinate."""
        return self.histogram(Slabs(axis, slabs))

    def histogram(self, partition: Partition) -> IntArray:
        """Rows in each cell of a partition."""
        ticks, weights = self.positions()
        labels = partition.labels(ticks)
        inside = labels >= 0
        if not inside.all():
            labels, weights = labels[inside], None if weights is None else weights[inside]
        if weights is None:
            return np.bincount(labels, minlength=partition.n_cells)
        # bincount adds weights as float64, which is exact for counts below 2^53.
        return np.bincount(labels, weights, partition.n_cells).astype(np.int64)
