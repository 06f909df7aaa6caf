"""Files whose rows each have an epsilon of their own, in one of their columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore.datasets.base import DataInfo, Dataset
from dpcore.datasets.files import FileReading
from dpcore.datasets.leveled_rows import LeveledRows
from dpcore.errors import BadInput
from dpcore.geometry.domain import TICKS, Box
from dpcore.privacy.accounting import MAX_EPSILON
from dpcore.privacy.rounding import at_most
from dpcore.release.sources import FileData
from dpcore.release.unit import Unit
from dpcore.runs.personal import check_rising

#: A row whose level is above this is in no group, and left out: no threshold is higher.
HIGHEST = 2 * MAX_EPSILON
#: What a certificate calls the column of levels, and the thresholds.
OWN, THRESHOLDS = "own level", "thresholds"


@dataclass(frozen=True)
class LeveledFileData(FileData):
    """Files on this machine with a column that holds the epsilon of each row.

    Rows are grouped by public thresholds, and each group is released at its own threshold:
    `dpcore.runs.personal` proves what that protects, and says what it does not. A row is in the
    group of the largest threshold that is no more than its epsilon, compared as floats by the
    engine; rows below the first threshold, or without a number there, are not read. So a row goes
    where it itself and public numbers say, whatever the other rows are.

    Parameters
    ----------
    path, columns, box, zones, outside, engine, format : as in `FileData`, default=None
        What is read. Rows outside the box are dropped, and taxi zones have no levels.
    own : str, default=""
        The column with the epsilon of each row.
    thresholds : tuple of float, default=()
        The thresholds, in rising order.

    Examples
    --------
    >>> from dpcore import Box
    >>> from dpcore.release import LeveledFileData
    >>> box = Box((-74.1, 40.7), (-73.9, 40.9), ("lon", "lat"))
    >>> data = LeveledFileData("a.csv", ("lon", "lat"), box, own="epsilon", thresholds=(0.1, 1.0))
    >>> data.thresholds
    (0.1, 1.0)
    """

    own: str = ""
    thresholds: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, THRESHOLDS, tuple(self.thresholds))
        check_rising(self.thresholds, MAX_EPSILON)
        if len({at_most(each) for each in self.thresholds}) < len(self.thresholds):
            raise BadInput("Two thresholds are alike in their first six digits: leave out one.")
        if not self.own or self.own in self.columns:
            raise BadInput(
                "Name the column with the epsilon of each row, beside the coordinates, not "
                f"{self.own!r}."
            )
        if self.zones is not None or self.outside != "drop" or self.box.d < 2:
            raise BadInput(
                "Rows with levels of their own have two coordinates or more, no zones, and are "
                "dropped outside the box."
            )

    def refuse(self, unit: Unit) -> None:
        if unit.ids is not None:
            raise BadInput(
                "With levels of rows what is protected is one row: leave out the column of ids, or "
                "the levels."
            )

    def open(self, unit: Unit) -> Dataset:
        self.refuse(unit)
        groups = [self._group(each, unit) for each in self._ends()]
        own = np.repeat(self.thresholds, [len(cells) for cells in groups])
        about = DataInfo("file", self.path, unit=unit.name, geographic=self.geographic)
        return LeveledRows(np.concatenate(groups), self.box, own, about)

    def _ends(self) -> list[tuple[float, float]]:
        """The least and the largest epsilon of each group."""
        above = [math.nextafter(each, 0.0) for each in self.thresholds[1:]]
        return list(zip(self.thresholds, [*above, HIGHEST], strict=True))

    def _group(self, ends: tuple[float, float], unit: Unit) -> np.ndarray[Any, np.dtype[np.int32]]:
        """The lattice cells of the rows whose epsilon lies between two numbers, both included."""
        least, most = ends
        box = Box((*self.box.low, least), (*self.box.high, most), (*self.box.names, OWN))
        columns = (*self.columns, self.own)
        reading = FileReading(self.path, columns, box, engine=self._engine, format=self.format)
        data = reading.dataset(unit.name)
        ticks, _ = data.positions()
        return ((ticks[:, :-1] + TICKS) // 2).astype(np.int32)

    def rows_as_dict(self) -> dict[str, Any]:
        return {
            **super().rows_as_dict(),
            OWN: self.own,
            THRESHOLDS: list(self.thresholds),
        }
