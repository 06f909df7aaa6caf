"""k-means in every block of rows, all blocks at once: the sampling half of GkM.

Blocks of about the same size are columns of one array, so that a million small blocks cost as many
array operations as one. Positions are whole numbers, small enough for every number on the way to
its center to be exact in the floats that hold it: what is found in one block does not depend, by a
single bit, on which blocks happen to share its arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dpcore.geometry.domain import LATTICE_CELLS, TICKS, FloatArray, IntArray
from dpcore.randomness.coins import Coins

#: Rows whose blocks are worked on together: their arrays stay in the cache.
CHUNK_ROWS = 1 << 16
#: Lloyd's iterations in a block at most; one of tens of rows converges in a handful.
ITERATIONS = 20
#: Converged blocks leave once they are this share of those worked on.
DONE = 0.3
#: Answers of blocks are whole numbers of this part of the range they are clamped to.
RANGE_UNITS = LATTICE_CELLS

#: float32 or float64, whichever `exact_unit` says.
Floats = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Blocks:
    """Rows, block after block, each as the index of its position; and how many are in each block.

    Empty blocks are left out of the sizes, not of the count.
    """

    count: int
    rows: npt.NDArray[np.int32]
    sizes: IntArray


def random_blocks(positions: IntArray, weights: IntArray | None, count: int, rng: Coins) -> Blocks:
    """The random block of every row, drawn independently of the others.

    To shuffle the rows and deal them out by sorted draws is the same distribution, and faster.
    """
    n = len(positions) if weights is None else int(weights.sum())
    draws = rng.integers(count, size=n, dtype=np.int32)
    draws.sort()
    last = np.append(draws[1:] != draws[:-1], n > 0)
    del draws
    rows = _listed(positions, weights)
    rng.shuffle(rows)
    return Blocks(count, rows, np.diff(np.flatnonzero(last), prepend=-1))


def consecutive_blocks(positions: IntArray, count: int) -> Blocks:
    """Rows cut in the order in which they are stored, into slices as even as can be.

    The first slice is among the longest, the last among the shortest.
    """
    rows = _listed(positions, None)
    sizes = np.diff(-(np.arange(count + 1) * -len(rows) // count))
    return Blocks(count, rows, sizes[sizes > 0])


def _listed(positions: IntArray, weights: IntArray | None) -> npt.NDArray[np.int32]:
    """The index of the position of every row."""
    indices = np.arange(len(positions), dtype=np.int32)
    return indices if weights is None else np.repeat(indices, weights)


def clamped_total(
    positions: IntArray,
    blocks: Blocks,
    k: int,
    low: FloatArray,
    high: FloatArray,
    resolution: int,
    rng: Coins,
) -> IntArray:
    """Sum over the blocks of their k centers (k, d), as whole RANGE_UNITS of the range low..high.

    Positions are in ticks, the range in unit coordinates. The centers of a block are sorted by
    one coordinate, so that they correspond, and clamped to the range; an empty block answers with
    its middle. So a block adds from 0 to RANGE_UNITS to each of k d numbers.
    """
    empty = blocks.count - len(blocks.sizes)
    total = np.full((k, len(low)), empty * (RANGE_UNITS // 2), dtype=np.int64)
    scale = RANGE_UNITS / (high - low)
    for centers in block_centers(positions, blocks, k, resolution, rng):
        share = np.clip((centers - low[:, None, None]) * scale[:, None, None], 0, RANGE_UNITS)
        total += np.rint(share).astype(np.int64).sum(axis=2).T
    return total


def block_centers(
    positions: IntArray, blocks: Blocks, k: int, resolution: int, rng: Coins
) -> Iterator[FloatArray]:
    """Centers (d, k, blocks) in unit coordinates of some blocks at a time, the smallest first.

    They are sorted by the second coordinate, as in GUPT, or by the only one.
    """
    d = positions.shape[1]
    by = min(1, d - 1)
    starts = np.cumsum(blocks.sizes) - blocks.sizes
    order = np.argsort(blocks.sizes, kind="stable")
    tables: dict[Any, tuple[Floats, float]] = {}
    done = 0
    while done < len(order):
        together = order[done : done + max(1, CHUNK_ROWS // blocks.sizes[order[done]])]
        together = together[: max(1, CHUNK_ROWS // blocks.sizes[together[-1]])]
        together = together[: _of_one_unit(blocks.sizes[together], resolution, d)]
        done += len(together)
        sizes = blocks.sizes[together]
        unit, dtype = exact_unit(resolution, d, int(sizes[0]))
        if dtype not in tables:
            tables[dtype] = np.ascontiguousarray((positions // unit).T, dtype=dtype), unit / TICKS
        table, in_unit_coordinates = tables[dtype]
        x, outside = _columns(table, blocks.rows, starts[together], sizes)
        centers = k_means(x, outside, sizes, k, rng) * in_unit_coordinates
        rank = np.argsort(centers[by], axis=0, kind="stable")
        yield np.take_along_axis(centers, rank[None], axis=1)


def _of_one_unit(sizes: IntArray, resolution: int, d: int) -> int:
    """The number of blocks, of the smallest first, that have positions in the same unit as the
    first has.

    A block's unit follows from its own size. Were it that of the largest block beside it, a row
    added there would change what is found here.
    """
    unit = exact_unit(resolution, d, int(sizes[0]))
    if exact_unit(resolution, d, int(sizes[-1])) == unit:
        return len(sizes)
    alike = [size for size in np.unique(sizes) if exact_unit(resolution, d, int(size)) == unit]
    return int(np.searchsorted(sizes, alike[-1], side="right"))


def exact_unit(resolution: int, d: int, rows: int) -> tuple[int, type[np.floating[Any]]]:
    """Ticks to a unit of position, and the narrowest float that is exact in such units.

    Positions and centers are at most u units from the middle, so squared distances are at most
    4 d u^2, and sums over a block rows * u. In more than 512 dimensions even float64 is too narrow
    for the lattice, and units become coarser than ticks.
    """
    for reach, bits, dtype in ((resolution, 24, np.float32), (TICKS, 53, np.float64)):
        if max(4 * d * reach**2, rows * reach) <= 1 << bits:
            return TICKS // reach, dtype
    while 4 * d * reach**2 > 1 << bits:
        reach //= 2
    return TICKS // reach, np.float64


def _columns(
    table: Floats, rows: npt.NDArray[np.int32], starts: IntArray, sizes: IntArray
) -> tuple[Floats, npt.NDArray[np.int16] | None]:
    """Positions (d, rows, blocks) of some blocks, and -1 where a block has no such row, else 0.

    Memory runs along the longer of the two axes.
    """
    longest = int(sizes[-1])
    place = np.arange(longest)[:, None]
    if longest > len(sizes):
        place = np.broadcast_to(place, (longest, len(sizes))).copy(order="F")
    index = starts + np.minimum(place, sizes - 1)
    flat = index.ravel(order="K")
    x = table.take(rows[flat], axis=1)
    if longest > len(sizes):
        x = x.reshape(len(table), len(sizes), longest).transpose(0, 2, 1)
    else:
        x = x.reshape(len(table), longest, len(sizes))
    ragged = sizes[0] < longest
    return x, -(place >= sizes).astype(np.int16) if ragged else None


def k_means(
    x: Floats,
    outside: npt.NDArray[np.int16] | None,
    sizes: IntArray,
    k: int,
    rng: Coins,
) -> FloatArray:
    """Centers (d, k, blocks) of the rows (d, rows, blocks) of each block: k-means++, then Lloyd.

    Distances are to centers rounded to whole units. A cluster without rows keeps its center, and
    a block with fewer rows than k has some centers twice.
    """
    centers = plus_plus(x, outside, sizes, k, rng).astype(np.float64)
    active = np.arange(x.shape[2])
    for _ in range(ITERATIONS):
        before = centers[:, :, active]
        counts, sums = _totals(x, outside, np.rint(before).astype(x.dtype))
        after = np.where(counts > 0, sums / np.maximum(counts, 1), before)
        centers[:, :, active] = after
        moving = (np.rint(after) != np.rint(before)).any(axis=(0, 1))
        if not moving.any():
            break
        if moving.mean() <= 1 - DONE:
            active, x = active[moving], x[:, :, moving]
            outside = None if outside is None else outside[:, moving]
    return centers


def plus_plus(
    x: Floats,
    outside: npt.NDArray[np.int16] | None,
    sizes: IntArray,
    k: int,
    rng: Coins,
) -> Floats:
    """k-means++ in every block: rows drawn by squared distance to the centers before them."""
    blocks = np.arange(len(sizes))
    centers = np.empty((len(x), k, len(sizes)), dtype=x.dtype)
    picks = (rng.random(len(sizes)) * sizes).astype(np.int64)
    nearest = None
    for j in range(k):
        centers[:, j] = x[:, picks, blocks]
        gaps = x - centers[:, j, None]
        squared = np.einsum("imb,imb->mb", gaps, gaps)
        nearest = squared if nearest is None else np.minimum(nearest, squared, out=nearest)
        if outside is not None:
            nearest *= outside + 1
        if j < k - 1:
            cumulative = _running_sums(nearest)
            target = rng.random(len(sizes)) * cumulative[-1]
            picks = np.minimum((cumulative <= target).sum(axis=0), sizes - 1)
    return centers


def _running_sums(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """np.cumsum down the columns, which is ten times slower where rows are the longer axis."""
    if len(values) > values.shape[1]:
        return np.asarray(np.cumsum(values, axis=0))
    sums = values.copy()
    for row in range(1, len(sums)):
        sums[row] += sums[row - 1]
    return sums


def _totals(
    x: Floats, outside: npt.NDArray[np.int16] | None, centers: Floats
) -> tuple[FloatArray, FloatArray]:
    """Counts (k, blocks) and sums (d, k, blocks) of the rows nearest each center of their block.

    A tie goes to the center with the lower index.
    """
    d, k, blocks = centers.shape
    squares = np.einsum("ijb,ijb->jb", centers, centers)
    linear = -2 * centers
    least = np.einsum("ib,imb->mb", linear[:, 0], x) + squares[0]
    labels = np.zeros_like(least, dtype=np.int16)
    for j in range(1, k):
        score = np.einsum("ib,imb->mb", linear[:, j], x)
        score += squares[j]
        np.maximum(labels, (score < least) * np.int16(j), out=labels)
        np.minimum(least, score, out=least)
    if outside is not None:
        labels |= outside
    counts = np.empty((k, blocks))
    sums = np.empty((d, k, blocks))
    for j in range(k):
        member = (labels == j).astype(x.dtype)
        counts[j] = member.sum(axis=0)
        sums[:, j] = np.einsum("mb,imb->ib", member, x)
    return counts, sums
