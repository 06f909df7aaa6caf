"""The cost of the decisions of a tree on a pair of data sets, worked out over all trees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpcore.audit.replay import Diverged, RecordedAnswer, Recorder, Replay, ReplayLoss, loss
from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import FloatArray, IntArray
from dpcore.geometry.halved import HalvedCells, curve_codes
from dpcore.privacy.losses import Pure
from dpcore.privacy.noise import Noise
from dpcore.privacy.rounding import up
from dpcore.queries.splitting import Decisions, SplitTree

#: What such an answer is called among those of the noise.
TREE = "tree"


@dataclass(frozen=True)
class RecordedTree(RecordedAnswer):
    """The decisions of a tree as one answer; its values are the rows' codes at the last depth."""

    tree: SplitTree | None = None

    def loss(self, other: RecordedTree) -> ReplayLoss:
        """The privacy loss of the tree against the same tree decided on other data.

        The most is found from the deepest cells up: a cell is cut or not, and if it is, its parts
        are decided of, each on its own.
        """
        assert self.tree is not None
        realized = 0.0
        for depth, decided in enumerate(self.answer):
            cut = decided.cut
            one, two = (each._log_chances(decided.cells, depth) for each in (self, other))
            realized += float(np.where(cut, one[0] - two[0], one[1] - two[1]).sum())
        most, least = self._extremes(other)
        worst = max(most, -least)
        return ReplayLoss(TREE, realized, worst, worst**2 / 2)

    def chances(self, depth: int) -> FloatArray:
        """The probability of each cut of a depth."""
        return np.exp(self._log_chances(self.answer[depth].cells, depth)[0])

    def _extremes(self, other: RecordedTree) -> tuple[float, float]:
        """The most and the least by which log probabilities of a tree can differ."""
        assert self.tree is not None
        tree = self.tree
        below: dict[int, tuple[float, float]] = {}
        for depth in range(tree.deepest - 1, -1, -1):
            shift = (tree.deepest - depth) * tree.halvings
            codes, here = np.unique(
                np.concatenate([self.values, other.values]) >> shift, return_inverse=True
            )
            sides = np.repeat([1, -1], [len(self.values), len(other.values)])
            moved = codes[np.bincount(here, sides, len(codes)) != 0]
            cells = HalvedCells(tree.d, np.full(len(moved), depth * tree.halvings), moved)
            one, two = (each._log_chances(cells, depth) for each in (self, other))
            extremes = {}
            for i, code in enumerate(moved.tolist()):
                parts = range(code << tree.halvings, (code + 1) << tree.halvings)
                extents = [below[part] for part in parts if part in below]
                cut, whole = one[0][i] - two[0][i], one[1][i] - two[1][i]
                extremes[code] = (
                    max(whole, cut + math.fsum(high for high, _ in extents)),
                    min(whole, cut + math.fsum(low for _, low in extents)),
                )
            below = extremes
        return below.get(0, (0.0, 0.0))

    def _log_chances(self, cells: HalvedCells, depth: int) -> tuple[FloatArray, FloatArray]:
        """Log probabilities that each cell of a depth is cut, and that it is not."""
        assert self.tree is not None
        first, last = cells.intervals(self.tree.deepest * self.tree.halvings)
        counts = np.searchsorted(self.values, last) - np.searchsorted(self.values, first)
        epsilon = 1 / self.scale
        height = self.tree.heights(counts, depth, epsilon)
        # The chance that noise is at least 1 - height, or at most -height.
        return _log_tail(1 - height, epsilon), _log_tail(height, epsilon)


def loss_of(first: RecordedAnswer, second: RecordedAnswer) -> ReplayLoss:
    """The privacy loss of a question with one exact answer on the first data set and another on
    the second."""
    if isinstance(first, RecordedTree) and isinstance(second, RecordedTree):
        return first.loss(second)
    return loss(first, second)


def _log_tail(reach: IntArray, epsilon: float) -> FloatArray:
    """Log probability that two-sided geometric noise of scale 1/epsilon reaches a height."""
    half = math.log1p(math.exp(-epsilon))
    far = -np.abs(reach) * epsilon - half
    # Below 1 it is one minus the chance of the other side, which begins at 1 - reach.
    near = np.log1p(-np.exp(-np.abs(1 - reach) * epsilon - half))
    return np.where(reach > 0, far, near)


def tree_codes(data: Dataset, tree: SplitTree) -> IntArray:
    """The positions of the rows at the last depth, in order."""
    ticks, weights = data.positions()
    codes = curve_codes(ticks, tree.deepest * tree.halvings)
    return np.sort(codes if weights is None else np.repeat(codes, weights))


def tree_decisions(
    noise: Recorder | Replay, data: Dataset, tree: SplitTree, paid: Pure, epsilon: float
) -> list[Decisions]:
    """The decisions of a tree: drawn and remembered, or those of the run that is replayed."""

    def recorded(answer: list[Decisions]) -> list[Decisions]:
        scale = up(Fraction(1) / Fraction(epsilon))
        codes = tree_codes(data, tree)
        price, account = paid.epsilon, noise.account
        noise.answers.append(
            RecordedTree(TREE, codes, scale, answer, price=price, account=account, tree=tree)
        )
        return answer

    if isinstance(noise, Recorder):
        return recorded(_drawn(noise.source, data, tree, epsilon))
    before = noise.next_recorded()
    if not isinstance(before, RecordedTree) or before.tree != tree:
        raise Diverged("it asked another question")
    return recorded(before.answer)


def _drawn(noise: Noise, data: Dataset, tree: SplitTree, epsilon: float) -> list[Decisions]:
    return tree.grown(data.histogram, lambda heights: noise.geometric(heights, 1, epsilon), epsilon)
