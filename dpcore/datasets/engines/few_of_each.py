"""At most so many rows of each id, in bounded memory: the very rows that the SQL text keeps.

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

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dpcore.datasets.engines.source import Ids
from dpcore.datasets.engines.sql import PACKED, lot
from dpcore.geometry.domain import LATTICE_BITS, LATTICE_CELLS, IntArray

if TYPE_CHECKING:
    import pyarrow as pa

#: Bytes of the rows of one part that are held at a time, and of an id that is text.
MOST_BYTES, TEXT = 128 << 20, 40
#: Ids are divided into so many parts at most; what does not fit then is held all the same.
MOST_PARTS = 1 << 16
#: Rows handed on at a time.
BATCH = 1 << 17

Cells = npt.NDArray[np.int32]
Hashes = npt.NDArray[np.uint64]
#: Coordinates of lattice cells, several in each number: (numbers, n).
Packed = IntArray
#: Into how many parts all ids are divided, and which of them this is.
Part = tuple[int, int]
#: Reads the rows of a part in batches with columns hash, id, p0, p1, ...
Read = Callable[[Part], Iterable["pa.RecordBatch"]]


def kept(read: Read, ids: Ids, d: int, text: bool, rows: int) -> Iterator[Cells]:
    """The lattice cells (m, d) of the rows that are kept, some thousand at a time.

    `rows` is about how many there are in all, or 0 where that is not known before they are read.
    """
    most = max(1, MOST_BYTES // (8 + (TEXT if text else 8) + 8 * -(-d // PACKED)))
    parts = max(1, -(-rows // most))
    waiting: list[Part] = [(parts, part) for part in range(parts)]
    while waiting:
        held = HeldRows(waiting.pop())
        for batch in read(held.part):
            held.add(batch)
            while held.size > most and held.part[0] < MOST_PARTS:
                waiting.append(held.halve())
        if held.size:
            for packed in chosen(held, ids):
                yield unpacked(packed, d)


def unpacked(packed: Packed, d: int) -> Cells:
    """Lattice cells (m, d) of rows whose coordinates share numbers."""
    found = np.empty((packed.shape[1], d), dtype=np.int32)
    for first, number in zip(range(0, d, PACKED), packed, strict=True):
        for j, axis in enumerate(reversed(range(first, min(first + PACKED, d)))):
            found[:, axis] = (number >> (LATTICE_BITS * j)) & (LATTICE_CELLS - 1)
    return found


class HeldRows:
    """Rows of one part: the hashes of their ids, the ids themselves, and their packed cells."""

    def __init__(self, part: Part):
        self.part = self._read = part
        self.size = 0
        self._batches: list[list[Any]] = []

    def add(self, batch: pa.RecordBatch) -> None:
        """Add those of a batch that belong to the part, which was larger when they were read."""
        hashes, ids, *packed = batch.columns
        rows = [hashes.to_numpy(), ids, *(numbers.to_numpy() for numbers in packed)]
        self._add(rows if self.part == self._read else self._mine(rows))

    def halve(self) -> Part:
        """Give up one half of the part; which one is returned."""
        parts, part = self.part
        self.part = (2 * parts, part)
        before, self._batches, self.size = self._batches, [], 0
        for rows in before:
            self._add(self._mine(rows))
        return 2 * parts, part + parts

    def together(self) -> tuple[Hashes, Any, Packed]:
        """All rows; they are held here no longer."""
        import pyarrow as pa

        hashes, ids, *packed = map(list, zip(*self._batches, strict=True))
        self._batches = []
        numbers = [_joined(each) for each in packed]
        together = numbers[0][None] if len(numbers) == 1 else np.stack(numbers)
        return _joined(hashes), pa.chunked_array(ids), together

    def _add(self, rows: list[Any]) -> None:
        self._batches.append(rows)
        self.size += len(rows[0])

    def _mine(self, rows: list[Any]) -> list[Any]:
        import pyarrow as pa

        parts, part = self.part
        mine = rows[0] % np.uint64(parts) == np.uint64(part)
        return [
            each.filter(pa.array(mine)) if i == 1 else each[mine] for i, each in enumerate(rows)
        ]


def _joined(arrays: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """One array of all; the list is emptied."""
    found = np.concatenate(arrays)
    arrays.clear()
    return found


def chosen(held: HeldRows, ids: Ids) -> Iterator[Packed]:
    """The packed cells of the rows that are kept of a part, which holds all rows of its ids."""
    hashes, whose, packed = held.together()
    index, counts = _sharing(hashes, ids.rows)
    del hashes  # each array goes as soon as it can: a part is most of the memory
    few = np.ones(packed.shape[1], dtype=bool)
    few[index] = False
    yield from _in_batches(packed, few)
    if not len(index):
        return
    packed = packed[:, index]
    names, who = _numbered(whose, index)
    del whose, few, index
    group = np.repeat(np.arange(len(counts)), counts)
    if ((who[1:] != who[:-1]) & (group[1:] == group[:-1])).any():  # a hash that ids share
        order = np.lexsort((who, group))
        packed, who, group = packed[:, order], who[order], group[order]
        starts = (who[1:] != who[:-1]) | (group[1:] != group[:-1])
        group = np.concatenate([[0], np.cumsum(starts)])
        counts = np.bincount(group)
    packed = _in_order(group, packed)
    number = _places(counts) + 1
    lots = _lots(ids.key, number, who, names)
    order = np.argsort((group.astype(np.uint64) << np.uint64(32)) | lots)
    for tied in _ties(order, group, lots):
        rows = slice(*np.searchsorted(group, [tied, tied + 1]))
        whole = {i: _whole_lot(ids.key, number[i], who[i], names) for i in order[rows].tolist()}
        order[rows] = sorted(whole, key=whole.__getitem__)
    drawn = np.zeros(len(order), dtype=bool)
    drawn[order[number <= ids.rows]] = True
    yield from _in_batches(packed, drawn)


def _numbered(ids: Any, index: IntArray) -> tuple[Any, IntArray]:
    """The ids of some rows as whole numbers, and the texts that these stand for, if any."""
    import pyarrow as pa

    if pa.types.is_integer(ids.type):
        return None, ids.to_numpy()[index]
    encoded = ids.take(pa.array(index)).combine_chunks().dictionary_encode()
    return encoded.dictionary, encoded.indices.to_numpy()


def _sharing(hashes: Hashes, rows: int) -> tuple[IntArray, IntArray]:
    """The rows whose hash more than so many share, one hash after the other, and how many share it.

    Of each hash only the upper bits count; below them stands which row it is. The hashes are lost.
    """
    n = len(hashes)
    below = np.uint64((1 << n.bit_length()) - 1)
    hashes &= ~below
    hashes |= np.arange(n, dtype=np.uint64)
    hashes.sort()
    starts = np.flatnonzero((hashes[1:] ^ hashes[:-1]) > below) + 1
    counts = np.diff(starts, prepend=0, append=n)
    many = counts > rows
    found = hashes[np.repeat(many, counts)]
    found &= below
    return found.astype(np.int64), counts[many]


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


def _lots(key: str, number: IntArray, who: Any, names: Any) -> Hashes:
    """The first 32 bits of each row's lot."""
    import duckdb
    import pyarrow as pa

    found = []
    with duckdb.connect() as database:
        for start in range(0, len(number), 8 * BATCH):
            some = slice(start, start + 8 * BATCH)
            texts = who[some] if names is None else names.take(pa.array(who[some]))
            database.register("drawn", pa.table({"number": number[some], "id": texts}))
            query = f"SELECT {lot(key)} FROM drawn"
            for batch in database.sql(query).to_arrow_reader(BATCH):
                digits = np.frombuffer(batch.column(0).buffers()[2], dtype=">u8")
                found.append(_from_hex(digits[: 4 * batch.num_rows : 4].astype(np.uint64)))
    return np.concatenate(found)


def _from_hex(digits: Hashes) -> Hashes:
    """The number that eight hexadecimal digits spell, one a byte, the first in the highest."""
    u = np.uint64
    value = (digits & u(0x0F0F0F0F0F0F0F0F)) + u(9) * ((digits >> u(6)) & u(0x0101010101010101))
    value = (value | (value >> u(4))) & u(0x00FF00FF00FF00FF)
    value = (value | (value >> u(8))) & u(0x0000FFFF0000FFFF)
    return (value | (value >> u(16))) & u(0xFFFFFFFF)


def _whole_lot(key: str, number: int, who: Any, names: Any) -> bytes:
    """The whole lot of one row."""
    name = who if names is None else names[int(who)].as_py()
    return hashlib.md5(f"{key}:{number}:{name}".encode()).digest()


def _ties(order: IntArray, group: IntArray, lots: Hashes) -> IntArray:
    """The groups in which two lots begin alike."""
    same = lots[order[1:]] == lots[order[:-1]]
    same &= group[1:] == group[:-1]
    return np.unique(group[1:][same])


def _in_batches(packed: Packed, mask: npt.NDArray[np.bool_]) -> Iterator[Packed]:
    for start in range(0, packed.shape[1], BATCH):
        some = slice(start, start + BATCH)
        yield packed[:, some][:, mask[some]]
