"""Data that stay in files or tables: an engine answers questions about them with counts."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from dpcore.datasets.base import DataInfo, Dataset, Totals
from dpcore.datasets.engines.base import Engine, Tally
from dpcore.datasets.engines.source import Source
from dpcore.datasets.engines.stored_rows import StoredRows
from dpcore.datasets.row_sums import RowSum
from dpcore.datasets.rows import RowsDataset
from dpcore.geometry.domain import Box, Grid, IntArray, Partition
from dpcore.kmeans.points import single_thread

#: Numbers that rows in memory may come to: 64 MB of lattice cells.
KEPT = 1 << 24


class EngineDataset(Dataset):
    """A source read by an engine, any number of coordinates.

    Every question is one query, or one reading of the rows in batches, so memory stays flat. Where
    sums are asked, the lattice cells are kept for the next question, those of many rows in a
    temporary file. What needs all rows at once (their positions, for blocks or removals) is read
    into memory, as lattice cells, when it is asked for.

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
        """The fate of the rows. Private: for the curator's eyes only."""
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
    def _stored(self) -> RowsDataset | StoredRows | None:
        """The rows, where they need not be read again. Whether they must changes no answer."""
        if "_in_memory" in self.__dict__:
            return self._in_memory
        rows = self._engine.stored_rows(self._source, self.box, KEPT // self.box.d)
        return RowsDataset(rows, self.box, self.about) if isinstance(rows, np.ndarray) else rows

    @cached_property
    def n(self) -> int:
        return int(self._engine.grid_counts(self._source, Grid(self.box, 1)).sum())

    def positions(self) -> tuple[IntArray, None]:
        return self._in_memory.positions()

    def histogram(self, partition: Partition) -> IntArray:
        if isinstance(partition, Grid):
            return self._engine.grid_counts(self._source, partition).ravel()
        if isinstance(self._stored, RowsDataset):
            return self._stored.histogram(partition)

        def of_rows(ticks: IntArray, weights: IntArray) -> IntArray:
            labels = partition.labels(ticks)
            return np.bincount(labels[labels >= 0], minlength=partition.n_cells)

        return self.summed(of_rows)

    def summed(self, of_rows: RowSum) -> IntArray:
        with single_thread():
            if self._stored is not None:
                return self._stored.summed(of_rows)
            return self._engine.summed(self._source, self.box, of_rows)

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
