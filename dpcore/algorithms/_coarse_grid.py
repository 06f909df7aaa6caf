"""Centers in few dimensions: noisy counts on a coarse grid or a tree, then rounds of offsets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from dpcore.algorithms._grid_priors import histograms
from dpcore.algorithms._grown_tree import grow
from dpcore.algorithms._matched_points import LoosePoints, matched, of_sum
from dpcore.algorithms._offset_rounds import (
    RESTARTS,
    Counts,
    OffsetRound,
    OffsetTerms,
    Purse,
    Start,
    settled,
)
from dpcore.algorithms._tree_coreset import loose_points_of
from dpcore.geometry.domain import FloatArray, Grid, IntArray, to_ticks
from dpcore.geometry.voronoi import Voronoi
from dpcore.kmeans.lloyd import lloyd
from dpcore.kmeans.points import WeightedPoints
from dpcore.kmeans.weighted import weighted_kmeans
from dpcore.queries.curator import Curator
from dpcore.results.run_result import Outcome
from dpcore.results.steps import CoresetNote, StartNote

#: Part of the budget that buys the number of rows.
SIZE_SHARE = 0.05
#: Cells of a grid, at most, and of one whose counts are weighed against a public guess.
MAX_CELLS, GUESSED_CELLS = 40_000, 700
#: Weight of a row's count beside its offset after a tree of more than two dimensions. The count
#: tells cells that hold rows from those that noise made, and a center in empty country costs more
#: than a rough mean.
TREE_COUNT_WEIGHT = 0.4
#: Steps of Lloyd from merged centers on the points of a tree. They leave out cells whose rows are
#: fewer than so many standard deviations of their noise.
POINT_STEPS, HEARD = 20, 1.5
#: The energy near a center is read off its own points and as if there were so many times the mean
#: number of rows more, with the energy of all.
POOLED = 0.1
#: Leaves are chosen for their high counts, some of them high by chance. So their precision is
#: multiplied by this.
TRUST = 0.5
#: A number of rows that weighs nothing beside any other.
NEXT_TO_NOTHING = 1e-9


@dataclass(frozen=True)
class CoarseGridPlan:
    """A way to make a run, for fewer rows times epsilon over k, and up to some coordinates."""

    below: float
    #: Rows times epsilon that a cell of the grid is meant for; 0 where a tree takes its place.
    fullness: float
    #: Share of epsilon for the grid or the tree; the rounds have what is left.
    grid: float
    #: Centers in each round, as multiples of k.
    centers: tuple[int, ...]
    #: Where offsets are clipped, as a multiple of the root mean square.
    reach: float = 1.1
    #: The most coordinates for which the plan holds.
    most_coordinates: float = math.inf


PLANS = (
    CoarseGridPlan(18, 3, 0.95, ()),
    CoarseGridPlan(40, 10, 0.3, (1,)),
    CoarseGridPlan(70, 10, 0.15, (2, 1)),
    # With few coordinates, a tree has small cells, and one round is enough.
    CoarseGridPlan(250, 0, 0.6, (2,), most_coordinates=5),
    CoarseGridPlan(1000, 0, 0.4, (2, 1)),
    CoarseGridPlan(math.inf, 0, 0.6, (4, 1)),
)


def plan_for(fill: float, d: int, k: int) -> CoarseGridPlan:
    """The plan for so many rows times epsilon, of d coordinates each."""
    return next(p for p in PLANS if fill / k < p.below and d <= p.most_coordinates)


def from_grid(curator: Curator, k: int) -> Outcome:
    """k centers for the whole budget, under pure accounting: a grid or a tree, then rounds."""
    d, budget = curator.d, curator.budget
    n, remainder = curator.size(SIZE_SHARE)
    scale = (1 if curator.neighbors.size_is_private else 2) / budget.epsilon
    doubt = scale / (2 * SIZE_SHARE) if remainder < 1 else 0.0
    fill = max(n - doubt, 2 * scale) / scale
    plan = plan_for(fill, d, k)
    if not plan.fullness:
        return from_tree(curator, k, n, remainder, plan)
    side = round((fill / plan.fullness) ** (2 / (2 + d)))
    grid = Grid(curator.box, max(2, min(side, math.floor(MAX_CELLS ** (1 / d)))))
    share = min(plan.grid, remainder) if plan.centers else remainder
    why = f"rows in each of {grid.n_cells:,} cells"
    counts = curator.noisy_counts(grid, budget.share(share), why)
    points, weights = picture(grid, counts, scale / share, n)
    several = k * plan.centers[0] if plan.centers else k
    centers, cost = weighted_kmeans(points, weights, several, RESTARTS, curator.rng)
    curator.note(StartNote(centers))
    rounds: list[OffsetRound] = []
    if plan.centers:
        finest = 2 / round(len(points) ** (1 / d))  # the side of what each point stands for
        energy = cost / weights.sum() + d * finest**2 / 12
        purse = Purse(curator, OffsetTerms(budget, curator.neighbors, remainder - share))
        start = Start(centers, energy)
        centers, rounds = settled(purse, start, n, k, plan.centers, plan.reach)
    loose = points_on(grid, points, weights, 2 * (scale / share) ** 2)
    coreset = matched(loose, rounds).coreset(curator.box, public_size(curator, n))
    facts = {"cells per side": grid.cells_per_side, "rounds": len(plan.centers)}
    return Outcome(np.clip(centers, -1, 1), coreset, facts)


def from_tree(
    curator: Curator, k: int, n: float, remainder: float, plan: CoarseGridPlan
) -> Outcome:
    """Centers that start from the coreset of a tree of counts; the coreset is published too."""
    part = plan.grid * remainder
    stages = grow(curator, n, part)
    (loose,) = loose_points_of([stages], [curator])
    points, weights = loose.points, loose.weights
    curator.note(CoresetNote(points, weights))
    several = k * plan.centers[0]
    centers, cost = weighted_kmeans(points, weights, several, RESTARTS, curator.rng)
    curator.note(StartNote(centers))
    # On a map, counts weigh as little as in many dimensions, and merged centers stay.
    beyond_maps = curator.d > 2
    start = start_on(loose, centers, cost, beyond_maps)
    terms = OffsetTerms(
        curator.budget,
        curator.neighbors,
        remainder - part,
        TREE_COUNT_WEIGHT if beyond_maps else None,
    )
    improved = partial(on_points, loose) if beyond_maps else None
    purse = Purse(curator, terms)
    centers, rounds = settled(purse, start, n, k, plan.centers, plan.reach, improved)
    coreset = matched(loose, rounds).coreset(curator.box, public_size(curator, n))
    return Outcome(np.clip(centers, -1, 1), coreset, {"rounds": len(plan.centers)})


def start_on(loose: LoosePoints, centers: FloatArray, cost: float, with_counts: bool) -> Start:
    """A start from centers found on the points of a tree, and their total cost on these. With
    counts, it has the number of rows near each.

    A point of a large leaf stands for rows that may be far from it. Where there are few points it
    is about that of all centers.
    """
    m, d = centers.shape
    cell = Voronoi(centers).labels(to_ticks(loose.points))
    mass = np.bincount(cell, loose.weights, m).astype(np.float64)
    # Where there is no point at all, rows may be anywhere.
    spread = cost + loose.weights @ loose.room + NEXT_TO_NOTHING * d / 3
    pooled = spread / (mass.sum() + NEXT_TO_NOTHING)
    # A point without a cell of its own stands for rows of a wide block.
    room = np.where(loose.room > 0, loose.room, pooled)
    own = np.bincount(
        cell, loose.weights * (((loose.points - centers[cell]) ** 2).sum(axis=1) + room), m
    )
    others = POOLED * mass.sum() / m + NEXT_TO_NOTHING
    energy = (own + others * pooled) / (mass + others)
    variances = np.bincount(cell, loose.variances, m) / TRUST
    noise = np.sqrt(np.where(variances > 0, variances, np.inf))
    return Start(centers, energy, Counts(mass, noise) if with_counts else None)


def on_points(loose: LoosePoints, centers: FloatArray, rounds: Sequence[OffsetRound]) -> FloatArray:
    """Centers after some steps of Lloyd on the points of a tree, as rounds have moved them.

    Merging sees no more places than the last round asked about. Points show how rows lie between
    them, which matters where there are no clear clusters. Points in cells where the last round
    heard next to nobody are left out: they would draw centers into empty country. All of this reads
    noisy answers only.
    """
    before = matched(loose, rounds[:-1])
    centers_before, cells = rounds[-1].centers, rounds[-1].cells
    is_loud = cells.rows > HEARD * cells.noise
    cell = Voronoi(centers_before).labels(to_ticks(before.points))
    after = matched(before, rounds[-1:])
    # The last points are new ones, of cells that had none and surely hold rows.
    full = after.weights > 0
    full[: len(cell)] &= is_loud[cell]
    if not full.any():
        return centers
    points = WeightedPoints(after.points[full], after.weights[full])
    (after_steps,), _ = lloyd(points, centers[None], POINT_STEPS, minimum_weight=0)
    return np.asarray(after_steps)


def picture(grid: Grid, counts: IntArray, scale: float, n: float) -> tuple[FloatArray, FloatArray]:
    """Points and weights that stand for the rows behind noisy counts."""
    noisy = counts.astype(np.float64)
    total = max(noisy.sum(), 0.3 * n, 2 * scale)
    if grid.n_cells <= GUESSED_CELLS:
        guess = histograms(grid.d, grid.cells_per_side)
        points, weights = guess.centroids, guess.expected(noisy, total, 2 * scale**2)
    else:
        points, weights = grid.centers(), of_sum(noisy, total)
    return points, np.where(weights > 1e-6 * total, weights, 0.0)


def points_on(grid: Grid, points: FloatArray, weights: FloatArray, variance: float) -> LoosePoints:
    """One point for each cell of the grid: the mean of those in it, and as heavy as they are."""
    cell, m = grid.labels(to_ticks(points)), grid.n_cells
    mass = np.bincount(cell, weights, m).astype(np.float64)
    sums = [np.bincount(cell, weights * axis, m) for axis in points.T]
    means = np.stack(sums, axis=1) / np.maximum(mass, 1e-300)[:, None]
    room = grid.d * (2 / grid.cells_per_side) ** 2 / 12
    full = mass > 0
    each = np.ones(int(full.sum()))
    return LoosePoints(means[full], mass[full], variance * each, room * each)


def public_size(curator: Curator, n: float) -> float | None:
    """The number of rows, where it is public."""
    return None if curator.neighbors.size_is_private else n
