"""The few rows kept of each id, in bounded memory: the very rows that the SQL text keeps.

All ids are divided into parts by a hash of the id under the key of the choice, and one part after
the other is read. All rows of an id fall into one part, whatever other rows there are, and within
the part they are drawn as the SQL text says: from the key and the rows of that id alone. So the
same rows are kept however many parts there are, and the proof in `Unit` holds as it stands.

The number of parts follows the number of rows, and so do time and memory, as when anything is
read; no answer tells them. Ids that share a hash are told apart by the whole id, so a clash changes
nothing either. The key keeps whoever may add rows from choosing ids that all fall into one part.
Beyond the size of a part, memory depends on the id with the most rows alone, all of which are held
at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dpcore.datasets.engines.divided_rows import divided
from dpcore.datasets.engines.source import Ids
from dpcore.datasets.engines.sql import LOTS, PACKED, digest
from dpcore.geometry.domain import LATTICE_BITS, LATTICE_CELLS, IntArray

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

#: Bytes of the rows of one part that are held at a time, and of an id that is text.
MOST_BYTES, TEXT = 96 << 20, 40
#: Parts that are divided on disk are smaller by this factor: they stay in the cache, and are read
#: once however many there are.
SMALLER = 4
#: Ids are divided into so many parts at most; what does not fit then is held all the same.
MOST_PARTS = 1 << 16
#: Rows handed on at a time.
BATCH = 1 << 17

Cells = npt.NDArray[np.int32]
Hashes = npt.NDArray[np.uint64]
Lots = npt.NDArray[np.uint32]
#: Coordinates of lattice cells, several in each number: (numbers, n).
Packed = IntArray
#: Into how many parts all ids are divided, and which of them this is.
Part = tuple[int, int]
#: Reads the rows of a part in batches with columns hash, id, p0, p1, ...
Read = Callable[[Part], Iterable["pa.RecordBatch"]]


def kept_cells(
    read: Read, ids: Ids, d: int, text: bool, rows: int, folder: str = ""
) -> Iterator[Cells]:
    """The lattice cells (m, d) of the rows that are kept, some thousand at a time.

    `rows` is about how many there are in all, or 0 where that is not known before they are read.
    With a folder, several parts are divided there in one reading; else each is a reading.
    """
    import duckdb

    numbers = -(-d // PACKED)
    most = max(1, MOST_BYTES // (8 + (TEXT if text else 8) + 8 * numbers))
    parts = min(MOST_PARTS, max(1, -(-rows // most)))  # a damaged file may claim any number
    small = min(MOST_PARTS, -(-rows // max(1, most // SMALLER)))
    apart = divided(read((1, 0)), small, folder, rows) if parts > 1 else None
    if apart is not None:
        read, parts = apart.read, small
    waiting: list[Part] = [(parts, part) for part in range(parts)]
    with duckdb.connect(config={"temp_directory": ""}) as database:
        while waiting:
            part_rows = HeldRows(waiting.pop(), most + BATCH, numbers, text)
            for batch in read(part_rows.part):
                part_rows.add(batch)
                while part_rows.size > most and part_rows.part[0] < MOST_PARTS:
                    waiting.append(part_rows.halve())
            if part_rows.size:
                for packed in cells_of_part(*part_rows.take(), ids, database):
                    yield unpacked(packed, d)


def unpacked(packed: Packed, d: int) -> Cells:
    """Lattice cells (m, d) of rows whose coordinates share numbers."""
    positions = np.empty((d, packed.shape[1]), dtype=np.int32).T
    for first, number in zip(range(0, d, PACKED), packed, strict=True):
        for j, axis in enumerate(reversed(range(first, min(first + PACKED, d)))):
            positions[:, axis] = (number >> (LATTICE_BITS * j)) & (LATTICE_CELLS - 1)
    return positions


class HeldRows:
    """Rows of one part: the hashes of their ids, the ids themselves, and their packed cells."""

    def __init__(self, part: Part, room: int, numbers: int, text: bool):
        self.part = self._read = part
        self.size = 0
        # Memory is taken as it is written to, not for all the room.
        self._columns = np.empty((1 + (not text) + numbers, room), dtype=np.int64)
        self._texts: list[Any] | None = [] if text else None

    def add(self, batch: pa.RecordBatch) -> None:
        """Add those of a batch that belong to the part, which was larger when they were read."""
        hashes, ids, *packed = batch.columns
        if self._texts is not None:
            self._texts.append(ids)
        numbers = [hashes, *([ids] if self._texts is None else []), *packed]
        end = self.size + batch.num_rows
        if end > self._columns.shape[1]:  # one id has more rows than a part
            room = np.empty_like(self._columns, shape=(len(self._columns), 2 * end))
            room[:, : self.size] = self._columns[:, : self.size]
            self._columns = room
        for column, some in zip(self._columns, numbers, strict=True):
            column[self.size : end] = some.to_numpy().view(np.int64)
        start, self.size = self.size, end
        if self.part != self._read:
            self._keep_mine(start)

    def halve(self) -> Part:
        """Give up one half of the part; which one is returned."""
        parts, part = self.part
        self.part = (2 * parts, part)
        self._keep_mine(0)
        return 2 * parts, part + parts

    def take(self) -> tuple[Hashes, Any, Packed]:
        """All rows; they are held here no longer."""
        import pyarrow as pa

        columns, texts = self._columns[:, : self.size], self._texts
        self._columns = np.empty((len(columns), 0), dtype=np.int64)
        hashes = columns[0].view(np.uint64)
        if texts is None:
            return hashes, columns[1], columns[2:]
        self._texts = []
        return hashes, pa.chunked_array(texts), columns[1:]

    def _keep_mine(self, start: int) -> None:
        """Keep the rows of the part, among those from `start` on."""
        import pyarrow as pa

        parts, part = self.part
        columns = self._columns[:, start : self.size]
        mine = columns[0].view(np.uint64) % np.uint64(parts) == np.uint64(part)
        self.size = start + int(mine.sum())
        for column in columns:
            column[: self.size - start] = column[mine]
        if self._texts is not None:
            some = self._texts if start == 0 else [self._texts.pop()]
            chunks = pa.chunked_array(some).filter(pa.array(mine)).chunks
            self._texts = chunks if start == 0 else [*self._texts, *chunks]


def cells_of_part(
    hashes: Hashes, whose: Any, packed: Packed, ids: Ids, database: duckdb.DuckDBPyConnection
) -> Iterator[Packed]:
    """The packed cells of the rows that are kept of a part, which holds all rows of its ids."""
    index, counts = _sharing(hashes, ids.rows)
    del hashes  # each array goes as soon as it can: a part is most of the memory
    few = np.ones(packed.shape[1], dtype=bool)
    few[index] = False
    yield from _in_batches(packed, few)
    if not len(index):
        return
    packed = np.stack([numbers[index] for numbers in packed])
    names, who = _numbered(whose, index)
    del whose, few, index
    group = np.repeat(np.arange(len(counts)), counts)
    if ((who[1:] != who[:-1]) & (group[1:] == group[:-1])).any():  # a hash that ids share
        order = np.lexsort((who, group))
        packed, who, group = packed[:, order], who[order], group[order]
        starts = (who[1:] != who[:-1]) | (group[1:] != group[:-1])
        group = np.concatenate([[0], np.cumsum(starts)])
        counts = np.bincount(group)
    who = who[np.cumsum(counts) - counts]
    packed = _in_order(group, packed)
    lots = _lots(database, ids.key, counts, who, names)
    yield from _in_batches(packed, _lowest(lots, counts, ids.rows))


def _numbered(ids: Any, index: IntArray) -> tuple[Any, IntArray]:
    """The ids of some rows as whole numbers, and the texts that these stand for, if any."""
    import pyarrow as pa

    if isinstance(ids, np.ndarray):
        return None, ids[index]
    encoded = ids.take(pa.array(index)).combine_chunks().dictionary_encode()
    return encoded.dictionary, encoded.indices.to_numpy()


def _sharing(hashes: Hashes, rows: int) -> tuple[IntArray, IntArray]:
    """The rows whose hash more than so many share, one hash after the other, and how many share it.

    Of each hash only the upper bits count; below them stands which row it is. The hashes are lost.
    """
    n = len(hashes)
    below = np.uint64((1 << n.bit_length()) - 1)
    for start in range(0, n, BATCH):
        some = hashes[start : start + BATCH]
        some &= ~below
        some |= np.arange(start, start + len(some), dtype=np.uint64)
    hashes.sort()
    starts = [np.zeros(1, dtype=np.int64)]
    for start in range(0, n - 1, BATCH):
        some = hashes[start : start + BATCH + 1]
        starts.append(np.flatnonzero((some[1:] ^ some[:-1]) > below) + (start + 1))
    ends = np.concatenate([*starts[1:], [n]])
    counts = ends - np.concatenate(starts)
    many = counts > rows
    hashes_of_rows = hashes[np.repeat(many, counts)]
    hashes_of_rows &= below
    return hashes_of_rows.view(np.int64), counts[many]


def _in_order(group: IntArray, packed: Packed) -> Packed:
    """Packed cells sorted within each group; the groups themselves follow each other."""
    bits = int(packed.max()).bit_length()
    if len(packed) > 1 or int(group[-1]).bit_length() + bits > 64:
        return packed[:, np.lexsort((*packed[::-1], group))]
    both = group.astype(np.uint64) << np.uint64(bits)
    both |= packed[0].astype(np.uint64)
    both.sort()
    both &= np.uint64((1 << bits) - 1)
    return both.astype(np.int64)[None]


def _places(counts: IntArray) -> IntArray:
    """The place of each row in its group, from 0."""
    firsts = np.cumsum(counts) - counts
    return np.arange(counts.sum()) - np.repeat(firsts, counts)


def _lots(
    database: duckdb.DuckDBPyConnection, key: str, counts: IntArray, who: IntArray, names: Any
) -> Lots:
    """The lots of all rows of some ids, one id after the other."""
    import pyarrow as pa

    blocks = -(-counts // LOTS)
    block, who = _places(blocks), np.repeat(who, blocks)
    batches = []
    for start in range(0, len(block), 4 * BATCH):
        some = slice(start, start + 4 * BATCH)
        texts = who[some] if names is None else names.take(pa.array(who[some]))
        database.register("drawn", pa.table({"block": block[some], "id": texts}))
        query = f"SELECT {digest(key, 'block')} FROM drawn"
        for batch in database.sql(query).to_arrow_reader(BATCH):
            digits = np.frombuffer(batch.column(0).buffers()[2], dtype=">u8")
            batches.append(_from_hex(digits[: LOTS * batch.num_rows].astype(np.uint64)))
    unused = LOTS * blocks - counts  # at the end of the last block of each id
    skipped = np.cumsum(unused) - unused
    return np.concatenate(batches)[np.arange(counts.sum()) + np.repeat(skipped, counts)]


def _lowest(lots: Lots, counts: IntArray, rows: int) -> npt.NDArray[np.bool_]:
    """The lots that are among so many lowest of their group; of equal lots the first is the
    lower."""
    starts = np.cumsum(counts) - counts
    keys = np.repeat(np.arange(len(counts), dtype=np.uint64) << np.uint64(32), counts)
    keys |= lots
    last = np.sort(keys)[starts + np.minimum(counts, rows) - 1]
    lowest = keys <= np.repeat(last, counts)
    for group in np.flatnonzero(np.add.reduceat(lowest, starts, dtype=np.int64) > rows):
        own = slice(starts[group], starts[group] + counts[group])
        lowest[own] = False
        lowest[own.start + np.argsort(lots[own], kind="stable")[:rows]] = True
    return lowest


def _from_hex(digits: Hashes) -> Lots:
    """The number that eight hexadecimal digits spell, one a byte, the first in the highest. The
    digits are lost."""
    u, letters = np.uint64, digits >> np.uint64(6)
    letters &= u(0x0101010101010101)
    letters *= u(9)
    digits &= u(0x0F0F0F0F0F0F0F0F)
    digits += letters
    for bits, mask in ((4, 0x00FF00FF00FF00FF), (8, 0x0000FFFF0000FFFF), (16, 0xFFFFFFFF)):
        digits |= digits >> u(bits)
        digits &= u(mask)
    return digits.astype(np.uint32)


def _in_batches(packed: Packed, mask: npt.NDArray[np.bool_]) -> Iterator[Packed]:
    for start in range(0, packed.shape[1], BATCH):
        some = slice(start, start + BATCH)
        yield np.stack([numbers[some][mask[some]] for numbers in packed])
