"""A tree of cells that is cut as deep as the rows allow, for one price whatever its depth.

Zhang, Xiao and Xie (2016) decide of each cell whether it is cut by its noisy count, less a decay
for each cut above it. Here counts, decay and noise are whole numbers.

Private: Let noise be two-sided geometric, P(z) proportional to a^|z| with a = e^-e, let a cell at
depth t with c rows have the height y = max(-D, c - t D), and let it be cut when y plus noise is
above 0, for a whole number D with a^D <= 1/b, where b is the number of parts of a cut. The chance
of a cut is p(y) = a^(1-y) / (1+a) for y <= 1 and 1 - a^y / (1+a) for y >= 1. Let r(y) =
ln p(y) - ln p(y-1), for a row added.

* For y <= 1 it is e. For y >= 1 it is F(y) - F(y-1) with F(t) = ln(1+a - a^t), and F'(t) =
  e a^t / (1+a - a^t). As a^(t+1) <= a^t, F'(t+1) <= a F'(t), so r(y+1) <= a r(y) and
  r(y) <= e a^(y-1) for all y >= 1.
* The row lies in one cell of each depth, and counts do not grow with depth, so c - t D falls by at
  least D from cell to cell. Where it is -D or less even with the row, y is the same without it. Of
  the others y falls by 1 without it. Take them from the deepest one: y is at least 1-D, then 1,
  then 1+D, and so on. The first costs e at most and the rest e (1 + a^D + a^2D + ...), which is
  e / (1 - a^D) at most. Together: e (1 + b/(b-1)) = e (2b-1)/(b-1).
* A row added makes cuts likelier and their absence less likely. So the probability of a tree grows
  by no more than the cuts on the row's path say, a factor of e^(e (2b-1)/(b-1)), and falls by no
  more than the one cell on it that is not cut says, a factor of e^e.

With e = epsilon (b-1)/(2b-1) the tree costs epsilon. That no cell is cut beyond a public depth
leaves decisions out and costs nothing. A row replaced is one removed and one added: twice that.
Only decisions are let out; the noisy heights are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from dpcore.geometry.domain import IntArray
from dpcore.geometry.halved import HalvedCells
from dpcore.privacy.rounding import up

BoolArray = npt.NDArray[np.bool_]
#: Room for the rounding of a logarithm and a quotient.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Decisions:
    """The cells of one depth that were decided of, and which of them are cut."""

    cells: HalvedCells
    cut: BoolArray


@dataclass(frozen=True)
class SplitTree:
    """The shape of a tree: how often a cell is halved at once, and how often it may be cut."""

    d: int
    halvings: int
    deepest: int

    @property
    def parts(self) -> int:
        return 1 << self.halvings

    @property
    def stretch(self) -> float:
        """The cost of one added row in all decisions, in costs of one decision: (2b-1)/(b-1)."""
        return up(Fraction(2 * self.parts - 1, self.parts - 1))

    def decay(self, epsilon: float) -> int:
        """D for noise that costs this much a unit."""
        return math.ceil(math.log(self.parts) / epsilon * (1 + ROUNDING))

    def heights(self, counts: IntArray, depth: int, epsilon: float) -> IntArray:
        """The numbers to which noise of that price is added, at some depth."""
        decay = self.decay(epsilon)
        return np.maximum(counts - depth * decay, -decay)

    def grown(
        self,
        count: Callable[[HalvedCells], IntArray],
        noisy: Callable[[IntArray], IntArray],
        epsilon: float,
    ) -> list[Decisions]:
        """The decisions, depth by depth, with noise that costs this much a unit."""
        cells, decided = HalvedCells.uniform(self.d, 0), []
        for depth in range(self.deepest):
            if not cells.n_cells:
                break
            cut = noisy(self.heights(count(cells), depth, epsilon)) > 0
            decided.append(Decisions(cells, cut))
            which = np.flatnonzero(cut)
            cells, _ = cells.split(which, np.full(len(which), self.halvings))
        return decided

    def leaves(self, decided: list[Decisions]) -> HalvedCells:
        """The cells that are not cut, in order."""
        levels = [each.cells.levels[~each.cut] for each in decided]
        codes = [each.cells.codes[~each.cut] for each in decided]
        if len(decided) == self.deepest:
            last = decided[-1]
            which = np.flatnonzero(last.cut)
            parts, _ = last.cells.split(which, np.full(len(which), self.halvings))
            levels.append(parts.levels)
            codes.append(parts.codes)
        level, code = np.concatenate(levels), np.concatenate(codes)
        order = np.argsort(code << (level.max(initial=0) - level), kind="stable")
        return HalvedCells(self.d, level[order], code[order])
