"""Costs of candidate centers, to which each row adds a bounded amount.

Exponential mechanisms choose by them: among sets of centers, centers to add, or centers to swap.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from threadpoolctl import ThreadpoolController

from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import TICKS, FloatArray, IntArray, to_ticks

#: Distances are measured between positions rounded down to multiples of 2**-12. What a row costs
#: is a whole number of 2**-24, and what all rows cost is rounded down to multiples of 2**-12.
PLACES = 1 << 12
COARSER = 1 << 12
#: Numbers in one matrix of distances, and rows in it at most.
CHUNK, CHUNK_ROWS = 1 << 18, 1 << 13

_blas = ThreadpoolController()


@dataclass(frozen=True)
class RowCost:
    """The part of a cost that one row adds: its squared distance to a center, or its distance.

    Whatever the row, that is no less than 0 and no more than for two points at opposite ends of a
    ball of size `reach`.
    """

    reach: float
    squared: bool = True

    @property
    def sensitivity(self) -> int:
        """The most that a row adds to a cost. It is a whole number of the coarser units, so that
        rounding the total down does not add to it."""
        most = 4 * self.reach**2 if self.squared else 2 * self.reach
        return math.ceil(most * PLACES**2 / COARSER)

    def capped(self, squares: FloatArray) -> FloatArray:
        """Costs for whole numbers of squared PLACES, in place."""
        if not self.squared:
            np.sqrt(squares, out=squares)
            squares *= PLACES
            np.floor(squares, out=squares)
        return np.minimum(squares, self.sensitivity * COARSER, out=squares)


def _places(ticks: IntArray) -> FloatArray:
    return (ticks // (TICKS // PLACES)).astype(np.float64)


def _squares(rows: FloatArray, centers: FloatArray) -> FloatArray:
    """Squared distances (rows, centers): whole numbers below 2^53, so exact in any order."""
    squares = rows @ (-2 * centers.T)
    squares += np.einsum("nd,nd->n", rows, rows)[:, None]
    squares += np.einsum("kd,kd->k", centers, centers)
    return squares


def _chunks(count: int, columns: int) -> Iterator[slice]:
    size = min(CHUNK_ROWS, max(64, CHUNK // columns))
    return (slice(start, start + size) for start in range(0, count, size))


class _Cost:
    """Minus what rows cost, for each of several candidates: one row adds between 0 and the cap."""

    row_cost: RowCost
    monotone = True

    @property
    def sensitivity(self) -> int:
        return self.row_cost.sensitivity


def _weighed(dataset: Dataset) -> tuple[FloatArray, FloatArray]:
    """The places of rows, and how many lie on each."""
    ticks, weights = dataset.positions()
    count = np.ones(len(ticks)) if weights is None else weights.astype(np.float64)
    return _places(ticks), count


@dataclass(frozen=True, eq=False)
class SetCost(_Cost):
    """Minus the cost of each candidate set of centers (sets, k, d).

    A row adds to the cost of a set what its nearest center costs it: between 0 and the cap.
    """

    center_sets: FloatArray
    row_cost: RowCost

    def of(self, dataset: Dataset) -> IntArray:
        rows, count = _weighed(dataset)
        sets = _places(to_ticks(self.center_sets))
        costs = np.zeros(len(sets), dtype=np.int64)
        with _blas.limit(limits=1):
            for some in _chunks(len(rows), sets.shape[1]):
                for i, centers in enumerate(sets):
                    nearest = _squares(rows[some], centers).min(axis=1)
                    costs[i] += int(self.row_cost.capped(nearest) @ count[some])
        return -(costs // COARSER)


@dataclass(frozen=True, eq=False)
class AddedCost(_Cost):
    """Minus the cost of some centers (k, d), perhaps none, with each candidate added to them.

    A row adds what the nearest of these costs it: between 0 and the cap.
    """

    centers: FloatArray
    candidates: FloatArray
    row_cost: RowCost

    def of(self, dataset: Dataset) -> IntArray:
        rows, count = _weighed(dataset)
        centers, candidates = _places(to_ticks(self.centers)), _places(to_ticks(self.candidates))
        costs = np.zeros(len(candidates), dtype=np.int64)
        with _blas.limit(limits=1):
            for some in _chunks(len(rows), len(candidates)):
                squares = _squares(rows[some], candidates)
                if len(centers):
                    nearest = _squares(rows[some], centers).min(axis=1)
                    np.minimum(squares, nearest[:, None], out=squares)
                costs += (count[some] @ self.row_cost.capped(squares)).astype(np.int64)
        return -(costs // COARSER)


@dataclass(frozen=True, eq=False)
class SwapCost(_Cost):
    """Minus the cost of the centers (k, d) after each swap: center i leaves, candidate j comes.

    A row then pays for the nearest of the candidate and the centers that stay: between 0 and the
    cap. In C order, (k, candidates).
    """

    centers: FloatArray
    candidates: FloatArray
    row_cost: RowCost

    def of(self, dataset: Dataset) -> IntArray:
        """All swaps at once: a row's own cost after a swap is the candidate's or the nearest
        center's, or, if that one left, the second nearest's."""
        rows, count = _weighed(dataset)
        centers, candidates = _places(to_ticks(self.centers)), _places(to_ticks(self.candidates))
        costs = np.zeros((len(centers), len(candidates)), dtype=np.int64)
        with _blas.limit(limits=1):
            owner, nearest, second = self._two_nearest(rows, centers)
            order = np.argsort(owner, kind="stable")
            ends = np.cumsum(np.bincount(owner, minlength=len(centers)))
            for i, own in enumerate(np.split(order, ends[:-1])):
                for part in _chunks(len(own), len(candidates)):
                    some = own[part]
                    coming = self.row_cost.capped(_squares(rows[some], candidates))
                    staying = count[some] @ np.minimum(coming, nearest[some, None])
                    leaving = count[some] @ np.minimum(coming, second[some, None])
                    costs += staying.astype(np.int64)
                    costs[i] += (leaving - staying).astype(np.int64)
        return -(costs.ravel() // COARSER)

    def _two_nearest(
        self, rows: FloatArray, centers: FloatArray
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Each row's nearest center, and what that one and the second nearest cost it."""
        owner = np.zeros(len(rows), dtype=np.int64)
        nearest, second = (
            np.full(len(rows), float(self.row_cost.sensitivity * COARSER)) for _ in range(2)
        )
        for some in _chunks(len(rows), len(centers)):
            paid = self.row_cost.capped(_squares(rows[some], centers))
            owner[some] = paid.argmin(axis=1)
            nearest[some] = paid.min(axis=1)
            if len(centers) > 1:
                second[some] = np.partition(paid, 1, axis=1)[:, 1]
        return owner, nearest, second
