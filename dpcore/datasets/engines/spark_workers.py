"""The part that runs on Spark's workers: it cuts lines of CSV files into records, and sums rows.

They need numpy, pyarrow and scipy but not this package, so what runs there travels with all it
calls. Lines come in Arrow batches, each line with the path of its file, and files one after the
other.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

from dpcore.datasets.engines import records
from dpcore.datasets.engines.records import BrokenQuotesError, Form, fields, first_record
from dpcore.datasets.row_sums import RowSum, summed
from dpcore.geometry.domain import IntArray, cell_ticks

if TYPE_CHECKING:
    import pyarrow as pa

Batches = Iterable["pa.RecordBatch"]
Function = Callable[[Batches], Iterator["pa.RecordBatch"]]
#: Cells of a grid that are sent as one block.
BLOCK_CELLS = 1 << 13


def cut_fields(form: Form, names: list[str]) -> Function:
    """The wanted fields of the rows."""

    def cut(batches: Batches) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        # Spark has left out a byte-order mark.
        for pieces in _files(batches):
            for some in fields(pieces, form, marked=False):
                yield pa.RecordBatch.from_arrays(some, names)

    return cut


def cut_header(batches: Batches) -> Iterator[pa.RecordBatch]:
    """The first record of a file, or why there is none: header, broken."""
    for pieces in _files(batches):
        try:
            yield _batch(header=first_record(pieces, marked=False), broken=False)
        except BrokenQuotesError:
            yield _batch(header=None, broken=True)


def check_quotes(delimiter: str) -> Function:
    """Whether the quotes of a file do not tell where its records end: broken."""

    def check(batches: Batches) -> Iterator[pa.RecordBatch]:
        for pieces in _files(batches):
            try:
                records.refuse_broken_quotes(pieces, delimiter, marked=False)
            except BrokenQuotesError:
                yield _batch(broken=True)

    return check


def sums_of_batches(of_rows: RowSum) -> Function:
    """The sum over a worker's share of rows of lattice cells, number by number: place, value."""
    from pyspark import cloudpickle

    package = sys.modules[__name__.partition(".")[0]]
    cloudpickle.register_pickle_by_value(package)  # type: ignore[no-untyped-call]
    try:
        packed = cloudpickle.dumps((of_rows, summed, cell_ticks))  # type: ignore[no-untyped-call]
    finally:
        cloudpickle.unregister_pickle_by_value(package)  # type: ignore[no-untyped-call]

    def sums(batches: Batches) -> Iterator[pa.RecordBatch]:
        import pickle

        import numpy as np
        import pyarrow as pa

        of_rows, summed, cell_ticks = pickle.loads(packed)
        total = None
        for batch in batches:
            rows = np.stack([column.to_numpy() for column in batch.columns], axis=1)
            some = summed(of_rows, cell_ticks(rows)).ravel()
            total = some if total is None else total + some
        if total is not None:
            columns = [pa.array(np.flatnonzero(total)), pa.array(total[total != 0])]
            yield pa.RecordBatch.from_arrays(columns, ["place", "value"])

    return sums


def counts_of_cells(n_cells: int) -> Function:
    """The counts of a worker's share of rows in the cells of a grid, for each block of cells that
    follow each other: block, its cells with rows (from the first of the block), and their counts.

    To Spark a block is one row, so whatever is sorted and sent are a few hundred.
    """

    def counts(batches: Batches) -> Iterator[pa.RecordBatch]:
        import numpy as np

        total, waiting, rows = np.zeros(n_cells, dtype=np.int64), [np.empty(0, np.int32)], 0
        for batch in batches:
            waiting.append(batch.column(0).to_numpy())
            rows += batch.num_rows
            if rows >= n_cells:  # fewer would cost a pass over all cells for each batch
                total += np.bincount(np.concatenate(waiting), minlength=n_cells)
                waiting, rows = waiting[:1], 0
        total += np.bincount(np.concatenate(waiting), minlength=n_cells)
        for block, start in enumerate(range(0, n_cells, BLOCK_CELLS)):
            some = total[start : start + BLOCK_CELLS]
            if some.any():
                yield block_of_counts(block, some)

    return counts


def sums_of_blocks(batches: Batches) -> Iterator[pa.RecordBatch]:
    """The sums of blocks that workers have counted, in the same columns."""
    import numpy as np

    sums: dict[int, Any] = {}
    for batch in batches:
        for block, cells, counts in zip(*(each.to_pylist() for each in batch.columns), strict=True):
            total = sums.setdefault(block, np.zeros(BLOCK_CELLS, dtype=np.int64))
            total[np.frombuffer(cells, dtype="<i4")] += np.frombuffer(counts, dtype="<i8")
    for block, total in sums.items():
        yield block_of_counts(block, total)


def block_of_counts(block: int, counts: IntArray) -> pa.RecordBatch:
    """The counts of a block's cells that have any: block, cells, counts."""
    cells = counts.nonzero()[0]
    return _batch(
        block=block,
        cells=cells.astype("<i4").tobytes(),
        counts=counts[cells].astype("<i8").tobytes(),
    )


def put_blocks(grid_counts: IntArray, blocks: pa.Table) -> None:
    """Write the counts of blocks where they belong."""
    import numpy as np

    for block, cells, counts in zip(*(each.to_pylist() for each in blocks.columns), strict=True):
        places = np.frombuffer(cells, dtype="<i4") + block * BLOCK_CELLS
        grid_counts[places] = np.frombuffer(counts, dtype="<i8")


def _files(batches: Batches) -> Iterator[Iterator[bytes]]:
    """The text of one file after the other, in pieces."""

    def pieces() -> Iterator[tuple[str, bytes]]:
        for batch in batches:
            lines, paths = (column.to_pylist() for column in batch.columns)
            for path, some in groupby(zip(lines, paths, strict=True), lambda line: line[1]):
                yield path, b"".join(line + b"\n" for line, _ in some)

    for _, file in groupby(pieces(), lambda piece: piece[0]):
        yield (text for _, text in file)


def _batch(**values: object) -> pa.RecordBatch:
    import pyarrow as pa

    types = {"header": pa.string(), "broken": pa.bool_()}
    columns = [pa.array([value], types.get(name)) for name, value in values.items()]
    return pa.RecordBatch.from_arrays(columns, list(values))
