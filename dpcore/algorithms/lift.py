"""Lift, for more than two dimensions: a rough picture, then rounds of clipped offsets."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from dpcore.algorithms._coarse_grid import from_grid, from_tree, plan_for
from dpcore.algorithms._grid_priors import along_the_diagonal, spread_out
from dpcore.algorithms._matched_points import matched, points_of_cells
from dpcore.algorithms._offset_rounds import OffsetTerms, Purse, Start, moved, settled
from dpcore.algorithms.base import Algorithm, AuditHints, PublishesPoints, Room, register
from dpcore.geometry.domain import FloatArray
from dpcore.privacy.accounting import MIN_EPSILON, Accounting, Budget, Neighbors, Verdict
from dpcore.privacy.gaussian import MAX_VALUES, MIN_DELTA
from dpcore.queries.curator import Curator
from dpcore.queries.moments import FINE, OFF_DIAGONAL, WHOLE, LevelQuestion, Products
from dpcore.results.run_result import Outcome
from dpcore.results.steps import StartNote

#: In so many dimensions a grid is still a picture.
GRID_DIMENSIONS = 6
#: The most dimensions of a tree of counts; it is for geometric noise.
TREE_DIMENSIONS = 10
#: The fewest rows times epsilon, for each center and coordinate, from which it shows anything.
TREE_ROWS = 15
#: The radius at which offsets are clipped after it, as a multiple of the root mean square.
TREE_REACH = 0.9
#: Part of the budget that buys the level.
LEVEL_SHARE = 0.08
#: Beyond this relative noise nothing but the level is asked; and beyond this one, Gaussian noise
#: has to be less than geometric.
BLIND, DOUBTFUL = 0.6, 0.25


@dataclass(frozen=True)
class LiftPlan:
    """The number of dimensions to ask, by the relative noise of one mean, below which it holds."""

    below: float
    #: Shares for the middle of all rows and for the products; the rounds have what is left.
    middle: float
    products: float
    #: Centers in each round, as multiples of k.
    centers: tuple[int, ...]
    #: Where offsets are clipped, as a multiple of the root mean square.
    reach: float


GAUSSIAN_PLANS = (
    LiftPlan(0.002, 0.08, 0.1, (16, 2, 1), 1.0),
    LiftPlan(0.005, 0.08, 0.1, (8, 2, 1), 0.9),
    LiftPlan(0.03, 0.08, 0.2, (8, 2, 1), 0.9),
    LiftPlan(0.1, 0.08, 0.2, (4, 1, 1), 0.9),
    LiftPlan(0.25, 0.09, 0, (1, 1), 1.0),
    LiftPlan(BLIND, 0.5, 0, (1,), 1.1),
)
PURE_PLANS = (
    LiftPlan(0.003, 0.08, 0.1, (8, 2, 1), 1.1),
    LiftPlan(0.005, 0.08, 0.1, (4, 2, 1), 0.9),
    LiftPlan(0.01, 0.12, 0, (4, 2, 1), 0.9),
    LiftPlan(0.035, 0.15, 0, (4, 1), 0.9),
    LiftPlan(0.07, 0.15, 0, (2, 1), 1.1),
    LiftPlan(0.14, 0.4, 0, (1,), 1.0),
    LiftPlan(BLIND, 0.8, 0, (1,), 1.1),
)
#: Where offsets are clipped before anything but the level is known.
FIRST_REACH = 1.1
#: Before anything is known the level is 0, with this variance, and the mean square of a coordinate
#: this, with that variance.
LEVEL_VARIANCE, SQUARE, SQUARE_VARIANCE = 0.1, 0.2, 0.04
#: Share of variance along (1, ..., 1), where nothing else is known; the same, and the part of all
#: variance that centers spread out, when nothing at all is.
ALONG, BLIND_ALONG, BLIND_SPREAD = 0.12, 0.3, 0.8
#: The covariance explains no more of the variance than this.
MOST_EXPLAINED = 0.95
#: In more dimensions than this there are too many products.
MAX_PRODUCTS = 1000
#: In so many dimensions a thousand centers are still asked at once.
MAX_DIMENSIONS = 4096
#: More centers than this are not asked at once, unless k is so large.
MAX_CENTERS = 512


@register
class Lift(Algorithm):
    """k-means in three dimensions or more: a rough picture, then rounds of clipped offsets.

    Idea: Find out roughly where rows lie: with up to six coordinates, and without delta with up to
    ten, from a tree of noisy counts; with few coordinates and few rows from a coarse grid, weighed
    against what rows usually look like; else from their level, spread and covariance. Put more
    centers there than are wanted. In a few rounds ask for each center how many rows are nearest and
    how far from it they lie on average, with offsets clipped to a ball that shrinks as centers
    settle, because noise grows with the ball; then merge the centers to k, each as heavy as the
    rows that it most likely has, after a tree also by its count there and by its place. Before each
    later round with k centers, halve a center whose rows lie far and wide: two clusters may share
    it. Cells of the picture, moved to where the rounds saw rows, are published as a coreset. Where
    even the level drowns in noise, the answer is hardly more than public centers.

    Unit: one row.

    Relation: add/remove, the number of rows private; replace-one, it is public and noise grows.

    Private: All noise is added to sums over rows of short integer vectors, one row in at most one
    cell of a question. By its corner weights a row moves the level by 1 in L1; its count on the
    grid, or in a stage of the tree, is 1; its count, offset and room in the ball come to weight + 1
    in L1 norm, and to sqrt(weight^2 + 1) in L2 norm; its d (d + 1) / 2 products to the square of
    the ball in L2 norm, and to the root of their number times that in L1 norm. Replaced, it moves
    them at most twice as far. Given all earlier answers, each question's centers and reach are
    fixed numbers, so noise scaled to these lengths costs what is charged, and charges add up by
    adaptive composition. With few coordinates: .05 epsilon for the number of rows, then shares that
    sum to .95, however many stages of the tree follow the first. With more: .08 epsilon for the
    level, then .92 epsilon in all, in one of four ways that the level decides: the level again, a
    tree and rounds or rounds alone with geometric noise, or, if there is a delta, Gaussian noise in
    an account of its own whose shares sum to the rho of (.92 epsilon, delta). All four cost at most
    (.92 epsilon, delta), so choosing is free. Plans, radii, shrinkage, merging, halving, centers
    and points read noisy answers only.
    """

    key = "lift"
    title = "Lift"
    paper = "ours"
    verdict = Verdict.PROVED
    publishes_points = PublishesPoints.USUALLY
    publishes_coreset = True
    audit = AuditHints(
        rooms=(
            Room(2000, 4),
            Room(2000, 8),
            Room(2000, 11),
            Room(600, 4, epsilon=4.0),
            Room(300, 7, epsilon=4.0),
            Room(600, 6, k=5),
            Room(110, 3),
            Room(3000, 3, k=50, runs=16),
            Room(40, 8, epsilon=1.05e-6),
            Room(60, 1001, epsilon=1e5, runs=1),
        )
    )
    uses_delta = True

    def obstacle(self, d: int, n: int | None, k: int) -> str | None:
        if d <= MAX_DIMENSIONS:
            return None
        return f"it takes up to {MAX_DIMENSIONS:,} coordinates; these data have {d:,}."

    def run(self, curator: Curator, k: int) -> Outcome:
        if curator.d <= GRID_DIMENSIONS:
            return from_grid(curator, k)
        return from_level(curator, k)


@dataclass(frozen=True)
class Rough:
    """Rough facts about all rows together: their number, level and variance."""

    n: float
    level: float
    variance: float

    @classmethod
    def of(cls, sums: FloatArray, noise: float, d: int) -> Rough:
        """From rows, sum of means and sum of mean squares, all with about that much noise.

        Weighed against a public guess, as far as they are in doubt.
        """
        rows, means, squares = sums
        n = max(rows, 2 * noise)
        doubt = (noise / n) ** 2
        level = float(np.clip(means / n, -1, 1)) * LEVEL_VARIANCE / (LEVEL_VARIANCE + doubt)
        weighed = np.clip(squares / n, 0.02, 1) * SQUARE_VARIANCE + SQUARE * doubt
        variance = max(float(weighed) / (SQUARE_VARIANCE + doubt) - level**2, 0.03)
        return cls(n, level, d * variance)


def from_level(curator: Curator, k: int) -> Outcome:
    """Many dimensions: the level, the middle and the covariance, then rounds."""
    d, rng, budget, relation = curator.d, curator.rng, curator.budget, curator.neighbors
    whole = Purse(curator, OffsetTerms(budget, relation))
    sums, noise = ask_level(whole, LEVEL_SHARE, "level")
    sure = max(sums[0] - noise / 2, noise / 4)
    if not relation.size_is_private:
        sure, _ = curator.size(0)
    terms = best_terms(sure, d, budget, relation)
    doubt = terms.relative_noise(sure, d)
    facts = {"relative noise": doubt, "gaussian noise": terms.gaussian}
    if tree_pays(sure, d, k, terms):
        loud = sure * budget.epsilon / (1 if relation.size_is_private else 2)
        after_tree = replace(plan_for(loud, d, k), reach=TREE_REACH)
        outcome = from_tree(curator, k, sure, 1 - LEVEL_SHARE, after_tree)
        return replace(outcome, facts={**facts, **outcome.facts, "tree": True})
    if doubt > BLIND:
        again, noise_again = ask_level(whole, 1 - LEVEL_SHARE, "level, once more")
        old, new = noise**-2, noise_again**-2
        sums, noise = (old * sums + new * again) / (old + new), (old + new) ** -0.5
    if not relation.size_is_private:
        sums[0] = sure
    rough = Rough.of(sums, noise, d)
    middle = np.full((1, d), rough.level)
    if doubt > BLIND:
        root = math.sqrt(BLIND_SPREAD * rough.variance) * along_the_diagonal(d, BLIND_ALONG)
        return Outcome(np.clip(middle + spread_out(k, root, rng), -1, 1), facts=facts)

    plans = GAUSSIAN_PLANS if terms.gaussian else PURE_PLANS
    plan = next(plan for plan in plans if doubt <= plan.below)
    if terms.gaussian:
        curator = curator.account(terms.budget, "middle, products and rounds")
    purse = Purse(curator, terms)
    cells = moved(purse, middle, rough.variance, rough.n, FIRST_REACH, plan.middle, "middle")
    middle, energy = cells.centers, float(cells.energy[0])
    products = plan.products if d <= MAX_PRODUCTS else 0.0
    if products:
        root = covariance_root(purse, middle[0], energy, rough.n, products)
    else:
        root = math.sqrt(energy) * along_the_diagonal(d, max(1 / d, ALONG))
    several = k
    if len(plan.centers) > 1:
        most = min(max(MAX_CENTERS, 2 * k), MAX_VALUES // (d + 2))
        several = max(k, min(k * plan.centers[0], most))
    centers = np.clip(middle + spread_out(several, root, rng), -1, 1)
    curator.note(StartNote(centers))
    remainder = replace(terms, part=terms.part * (1 - plan.middle - products))
    purse = Purse(curator, remainder)
    centers, rounds = settled(purse, Start(centers, energy), rough.n, k, plan.centers, plan.reach)
    loose = matched(points_of_cells(rounds[0].cells, rough.n, noise), rounds[1:])
    coreset = loose.coreset(curator.box, None if relation.size_is_private else sure)
    return Outcome(centers, coreset, {**facts, "rounds": len(rounds)})


def tree_pays(n: float, d: int, k: int, terms: OffsetTerms) -> bool:
    """Whether a tree shows more than a middle and a covariance of n rows."""
    loud = n * terms.budget.epsilon / (1 if terms.neighbors.size_is_private else 2)
    return d <= TREE_DIMENSIONS and not terms.gaussian and loud >= TREE_ROWS * d * k


def ask_level(purse: Purse, share: float, why: str) -> tuple[FloatArray, float]:
    """Rows, sum of means and sum of mean squares, and about how much noise is in each."""
    sums = np.array(LevelQuestion.read(purse.ask(LevelQuestion(), share, why)))
    return sums, math.sqrt(3) * purse.terms.noise(LevelQuestion(), share) / WHOLE


def best_terms(n: float, d: int, budget: Budget, relation: Neighbors) -> OffsetTerms:
    """The rest that the level leaves, in epsilon or in rho, whichever buys the better answer."""
    pure = OffsetTerms(budget, relation, 1 - LEVEL_SHARE)
    remainder = budget.epsilon * (1 - LEVEL_SHARE)
    if budget.delta < MIN_DELTA or remainder < MIN_EPSILON:
        return pure
    rest = Budget(remainder, budget.delta, Accounting.GAUSSIAN)
    gaussian = OffsetTerms(rest, relation)
    noise = gaussian.relative_noise(n, d)
    return pure if noise > DOUBTFUL and pure.relative_noise(n, d) < noise else gaussian


def covariance_root(
    purse: Purse, middle: FloatArray, energy: float, n: float, share: float
) -> FloatArray:
    """A root of the covariance of the rows, from noisy products of their offsets.

    Eigenvalues within the noise are dropped and the others lowered by it; what variance is then
    missing is spread as a guess would have it.
    """
    d = len(middle)
    question = Products(middle, FIRST_REACH * math.sqrt(energy))
    matrix = question.read(purse.ask(question, share, "products")) / n
    fine = (question.reach / FINE) ** 2 / OFF_DIAGONAL
    edge = 2 * math.sqrt(d) * purse.terms.noise(question, share) * fine / n
    values, vectors = np.linalg.eigh(matrix)
    values = np.sqrt(np.maximum(values**2 - edge**2, 0)) * (values > edge)
    values *= min(1.0, MOST_EXPLAINED * energy / max(values.sum(), 1e-300))
    rest = energy - values.sum()
    guess = along_the_diagonal(d, max(1 / d, ALONG))
    covariance = (vectors * values) @ vectors.T + rest * guess @ guess.T
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0)))
