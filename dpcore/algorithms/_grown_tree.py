"""A tree of noisy counts, grown in stages where the rows are, in any number of dimensions."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from dpcore.algorithms._tree import BlockShape, TreeCells, TreeStage, beside, list_of, table_of
from dpcore.geometry.domain import FloatArray, IntArray
from dpcore.geometry.dyadic import DyadicCells
from dpcore.geometry.halved import HalvedCells, most_halvings
from dpcore.privacy.losses import Pure
from dpcore.queries.curator import Curator
from dpcore.results.steps import AliveNote

#: A count is pure noise, or nearly, below this many scales times ln(cells) (highest of them all).
LOUD, AUDIBLE = 0.75, 0.25
#: The same for a part of a cell that stood out, among the parts of that cell.
AUDIBLE_PART = 0.1
#: Levels of the first stage, by halvings from level to level. On a map 4 to 16 cells a side: in
#: smaller ones, rows between the clusters would be too thin to be seen.
FIRST_LEVELS = {1: (4, 9), 2: (2, 4)}
#: One cut makes at most 2**12 parts, and no side is smaller than 2**-16 of the box.
DEEPEST_CUT, DEEPEST_LEVEL = 12, 16
#: Cells asked in one stage, at most: more made no generated city any more exact.
MAX_CELLS = 1 << 17
#: Rows count as lying in a small part of the box when at least this share of them does, and at
#: least so many scales of noise.
NEARLY_ALL, CLEARLY = 0.85, 20.0


@dataclass(frozen=True)
class AdaptivePlan:
    """The shares of the budget for the stages, and the rows that cells are meant to hold.

    Fullness is in rows times epsilon of the stage: what a count stands above its noise.
    """

    shares: tuple[float, ...]
    #: Of the cells of the first stage.
    first_fullness: float
    #: Of the parts that a cell of each later stage is cut into.
    fullness: tuple[float, ...]
    #: Whether cells of the first stage that did not stand out are cut once all their counts do.
    second_chance: bool = False
    #: The plan after the same first stage where rows lie in a small part of the box.
    small_part: AdaptivePlan | None = None


#: Where rows lie in a small part of the box, most of a fine cut would be empty: more and coarser
#: cuts zoom in.
ZOOM_OF_FEW_ROWS_ON_MAPS = AdaptivePlan((0.35, 0.25, 0.4), 40, (1.5, 1.5))
ZOOM_ON_MAPS = AdaptivePlan((0.2, 0.25, 0.25, 0.3), 160, (6, 3, 2))
MANY_ROWS = AdaptivePlan((0.2, 0.35, 0.45), 160, (10, 4))
#: Plans by the number of rows times epsilon below which they hold; tuned on generated data.
PLANS = (
    (700.0, AdaptivePlan((0.35, 0.65), 40, (2,), small_part=ZOOM_OF_FEW_ROWS_ON_MAPS)),
    (1500.0, AdaptivePlan((0.2, 0.35, 0.45), 160, (5, 2.5), small_part=ZOOM_ON_MAPS)),
    (5000.0, replace(MANY_ROWS, small_part=ZOOM_ON_MAPS)),
    (math.inf, MANY_ROWS),
)


#: With more coordinates than a map has: cells are large for long, so more stages pay, and many
#: where rows lie in a small part of the box.
ZOOM_BEYOND_MAPS = AdaptivePlan(
    (0.1, 0.12, 0.12, 0.12, 0.13, 0.13, 0.14, 0.14),
    20,
    (2, 2, 2, 2, 2, 1.5, 1.5),
    second_chance=True,
)
ZOOM_OF_FEW_ROWS_BEYOND_MAPS = replace(
    ZOOM_BEYOND_MAPS, shares=(0.2, 0.11, 0.11, 0.11, 0.11, 0.12, 0.12, 0.12), first_fullness=40
)
PLANS_BEYOND_MAPS = (
    (300.0, AdaptivePlan((0.2, 0.35, 0.45), 40, (5, 2.5), small_part=ZOOM_OF_FEW_ROWS_BEYOND_MAPS)),
    (
        math.inf,
        AdaptivePlan(
            (0.1, 0.2, 0.3, 0.4), 20, (4, 3, 1.5), second_chance=True, small_part=ZOOM_BEYOND_MAPS
        ),
    ),
)


def grow(curator: Curator, n: float, part: float) -> list[TreeStage]:
    """Ask stage after stage, each about the parts of the cells that stood out before, and again
    about the cells of the first stage that did not; for a part of the budget, with about n rows."""
    scale = full_scale(curator)
    plans = PLANS if curator.d == 2 else PLANS_BEYOND_MAPS
    plan = next(plan for limit, plan in plans if n * part / scale < limit)
    d, bits = curator.d, all_cells(curator.d, 0).bits
    finest = min(DEEPEST_LEVEL, finest_level(curator)) * d // bits
    finest = min(finest, most_halvings(d) // bits)
    stages: list[TreeStage] = []
    quiet = np.zeros(0, dtype=bool)
    # The sum of the counts of each cell so far by inverse variance, and that of these; it tells
    # nothing of parts, which are not quiet.
    answers, weight = np.zeros(0), 0.0
    while (t := len(stages)) < len(plan.shares):
        share = plan.shares[t]
        noise = scale / (part * share)
        held_back = False
        if t == 0:
            fewest, most = FIRST_LEVELS[bits]
            fill = np.array(n / noise / plan.first_fullness)
            level = min(int(np.clip(halvings(fill, bits), fewest, most)), finest)
            cells = all_cells(d, level)
            parent = np.full(cells.n_cells, -1)
        else:
            before = stages[-1]
            again = np.flatnonzero(before.alive | quiet)
            live = before.alive[again]
            fill = np.where(live, before.counts[again] / noise / plan.fullness[t - 1], 0)
            room = np.where(live, finest - before.cells.levels[again], 0)
            cuts = wanted_cuts(fill, room, bits)
            deeper = fewer_cuts(cuts, bits)
            held_back = bool((deeper < cuts).any())
            cells, parent = before.cells.split(again, deeper)
        counts = curator.noisy_counts(
            cells,
            Pure(curator.budget.epsilon * part * share),
            f"stage {t + 1}: rows in each cell",
        ).astype(np.float64)
        if t == 0:
            alive = standing_out(cells, counts / noise)
            quiet = ~alive
            answers, weight, loud = counts / noise**2, noise**-2, highest_of(cells.n_cells)
            if plan.small_part and in_small_part(cells, counts / noise):
                plan = plan.small_part
        else:
            parts = (cells.levels - before.cells.levels[parent]) * bits
            alive = (parts == 0) | (counts / noise > AUDIBLE_PART * math.log(2) * parts)
            quiet = quiet[parent]
            if plan.second_chance:
                answers, weight = answers[parent] + counts / noise**2, weight + noise**-2
                quiet &= answers / math.sqrt(weight) <= LOUD * loud
            alive &= ~quiet
        stages.append(TreeStage(cells, parent, counts, 2 * noise**2, alive, held_back))
        curator.note(AliveNote(t + 1, cells, alive))
    return stages


@lru_cache(maxsize=64)
def all_cells(d: int, level: int) -> TreeCells:
    """All cells of a level: a map is cut into squares, other boxes along one axis at a time."""
    return DyadicCells.uniform(level) if d == 2 else HalvedCells.uniform(d, level)


def full_scale(curator: Curator) -> float:
    """The scale of the noise that the whole budget would buy for one histogram."""
    counts_moved = 1 if curator.neighbors.size_is_private else 2
    return counts_moved / curator.budget.epsilon


def finest_level(curator: Curator) -> int:
    """The number of times that a side is halved to the cells of the lattice on which the data are
    known."""
    return curator.resolution.bit_length() - 1


def halvings(fill: FloatArray, bits: int = 2) -> IntArray:
    """The number of levels deeper at which each part is about as full as meant, rounded."""
    return np.floor(np.log2(np.maximum(fill, 1e-9)) / bits + 0.5).astype(np.int64)


def fewer_cuts(deeper: IntArray, bits: int = 2) -> IntArray:
    """Cuts that are less deep where there would be too many parts in all."""
    while (1 << bits * deeper).sum() > max(MAX_CELLS, len(deeper)):
        deeper = np.maximum(deeper - 1, 0)
    return deeper


def wanted_cuts(fill: FloatArray, room: IntArray, bits: int = 2) -> IntArray:
    """The number of levels deeper to cut each cell, however many parts there are in all."""
    return np.clip(halvings(fill, bits), 0, np.minimum(DEEPEST_CUT // bits, room))


def highest_of(cells: int) -> float:
    """About the highest noise in any of these cells, in scales of the noise."""
    return math.log(max(2, cells))


def in_small_part(cells: TreeCells, loudness: FloatArray) -> bool:
    """Whether the counts of a whole level show that nearly all rows lie in a small part of the box.

    On a map that is a square half as wide, wherever it is. Elsewhere, where sides are first cut
    into two, it is the fullest eighth of the cells, wherever they are: rows may lie on both sides
    of a cut.
    """
    enough = max(CLEARLY, NEARLY_ALL * float(loudness.sum()))
    if cells.d != 2:
        fullest = np.sort(loudness)[-max(1, cells.n_cells // 8) :]
        return bool(fullest.sum() > enough)
    table = table_of(loudness, BlockShape(cells.d, 0, cells.bits * cells.deepest))[0]
    parts = sliding_window_view(table, [side // 2 for side in table.shape])
    rows = parts.sum(axis=tuple(range(table.ndim, parts.ndim)))
    return bool(rows.max() > enough)


def standing_out(cells: TreeCells, loudness: FloatArray) -> npt.NDArray[np.bool_]:
    """Cells of a whole level that are loud, or audible with a loud one among their neighbors."""
    ceiling = highest_of(cells.n_cells)
    shape = BlockShape(cells.d, 0, cells.bits * cells.deepest)
    loud = loudness > LOUD * ceiling
    if not loud.any():
        return loud
    near = list_of(beside(table_of(loud.astype(np.float64), shape)) > 0, shape)
    return np.asarray((loud | near) & (loudness > AUDIBLE * ceiling))
