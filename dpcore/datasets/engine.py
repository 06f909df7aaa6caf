"""Data that stay in files or tables: an engine answers questions about them with counts."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from dpcore.datasets.base import DataInfo, Dataset, Totals
from dpcore.datasets.engines.base import Engine, Tally
from dpcore.datasets.engines.source import Source
from dpcore.datasets.rows import RowsDataset
from dpcore.geometry.domain import Box, Grid, IntArray, Partition


class EngineDataset(Dataset):
    """A source read by an engine, any number of coordinates.

    Grids, cluster totals and costs are one query each. What no query answers (the positions of
    single rows, for blocks or removals) is read into memory, as lattice cells, when it is asked
    for.

    Parameters
    ----------
    engine : Engine
        What reads the source.
    source : Source
        The files or the table.
    box : Box
        The public box.
    about : DataInfo or None, default=None
        What may be said of the data.

    Examples
    --------
    `dpcore.datasets.from_file` makes one for files of three coordinates or more:

    >>> from pathlib import Path
    >>> import dpcore
    >>> _ = Path("rows.csv").write_text("x,y,z\\n1,2,3\\n")
    >>> data = dpcore.datasets.from_file("rows.csv", ["x", "y", "z"], (0, 10))
    >>> isinstance(data.value, dpcore.datasets.EngineDataset)
    True
    """

    def __init__(self, engine: Engine, source: Source, box: Box, about: DataInfo | None = None):
        self._engine = engine
        self._source = source
        self.box = box
        self.about = about or DataInfo()

    @property
    def tally(self) -> Tally:
        """What became of the rows. Private: for the curator's eyes only."""
        return self._tally

    @cached_property
    def _tally(self) -> Tally:
        return self._engine.tally(self._source, self.box)

    @cached_property
    def _spread(self) -> int:
        return self._engine.squared_ticks(self._source, self.box)

    @cached_property
    def _in_memory(self) -> RowsDataset:
        rows = self._engine.lattice_rows(self._source, self.box)
        return RowsDataset(rows, self.box, self.about)

    @cached_property
    def n(self) -> int:
        return int(self._engine.grid_counts(self._source, Grid(self.box, 1)).sum())

    def positions(self) -> tuple[IntArray, None]:
        return self._in_memory.positions()

    def histogram(self, partition: Partition) -> IntArray:
        if isinstance(partition, Grid):
            return self._engine.grid_counts(self._source, partition).ravel()
        return self._in_memory.histogram(partition)

    def cluster_totals(self, centers: IntArray) -> Totals:
        return Totals(*self._engine.cluster_totals(self._source, self.box, centers))

    def squared_ticks(self, center_sets: IntArray) -> Any:
        """From cluster totals: sum |t - c|^2 = sum |t|^2 - sum over centers c (2S - Wc)."""
        sets = np.asarray(center_sets)
        exact = np.empty(sets.shape[:-2], dtype=object)
        for index in np.ndindex(*exact.shape):
            totals = self.cluster_totals(sets[index])
            gain = sets[index].astype(object) * (
                2 * totals.sums - totals.counts[:, None] * sets[index].astype(object)
            )
            exact[index] = self._spread - int(gain.sum())
        return exact[()]
