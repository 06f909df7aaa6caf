"""Clustering through a random projection (Balcan et al. 2017, section 5)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpcore.algorithms._local_swap import local_swap
from dpcore.algorithms._private_partition import Cubes, private_partition
from dpcore.algorithms.base import Algorithm, AuditHints, Parameter, Room, register
from dpcore.errors import Infeasible
from dpcore.geometry.domain import TICKS, FloatArray, IntArray
from dpcore.geometry.row_maps import BallClip, Projection
from dpcore.geometry.voronoi import Voronoi
from dpcore.privacy.accounting import Verdict
from dpcore.privacy.losses import Pure, Selection
from dpcore.queries.curator import Curator
from dpcore.queries.questions import SumsOf
from dpcore.queries.row_costs import RowCost, SetCost
from dpcore.results.run_result import Outcome
from dpcore.results.steps import CentersNote

#: Multiplications beyond which a run is refused: some hours.
MAX_WORK = 1e14


@dataclass(frozen=True)
class HighDimPlan:
    """The constants of one run. They depend on public numbers only."""

    #: Coordinates that the projection keeps.
    dimensions: int
    #: Times that everything is done; the best is chosen.
    trials: int
    #: Cubes that are partitioned, each at a place of its own.
    partitions: int
    #: Sizes of cubes whose middles become candidates.
    levels: int
    #: A cube lives on when its rows reach so many times the scale of the noise.
    log_margin: float
    #: Candidates on top that look at no data.
    blind: int
    #: How far the large cube is shifted, in radii of the ball.
    shift: float
    swaps: int

    @classmethod
    def practical(cls, n: int, d: int, k: int) -> HighDimPlan:
        """A plan that works on thousands of rows. The dimensions are those of the released code."""
        log_n = math.log(max(n, 3))
        return cls(
            dimensions=min(d, max(2, round(log_n / 2))),
            trials=1,
            partitions=1,
            levels=5,
            log_margin=2 * log_n,
            blind=3 * k,
            shift=0.25,
            swaps=2 * k,
        )

    @classmethod
    def published(cls, n: int, d: int, k: int, failure: float = 0.1) -> HighDimPlan:
        """Balcan et al. (2017), algorithms 1 to 4, for a probability of failure."""
        log_n = math.log(max(n, 3))
        partitions = math.ceil(27 * k * (log_n - math.log(failure)))
        return cls(
            dimensions=min(d, math.ceil(8 * log_n)),
            trials=math.ceil(-2 * math.log(failure)),
            partitions=partitions,
            levels=math.floor(log_n),
            log_margin=20 * (log_n + math.log(partitions) - math.log(failure)),
            blind=0,
            shift=1.0,
            swaps=math.ceil(100 * k * (log_n - math.log(failure))),
        )

    def check_work(self, n: int, k: int) -> None:
        """Infeasible when the swaps alone would take hours."""
        candidates = self.partitions + self.blind
        work = float(n) * candidates * self.dimensions * self.swaps * self.trials
        if work > MAX_WORK:
            raise Infeasible(
                f"{self.swaps:,} swaps in each of {self.trials} trials, with {candidates:,} or "
                f"more candidates and about {n:,} rows, would take {work:.1g} multiplications. "
                "Use the practical constants."
            )


PLANS = {"practical": HighDimPlan.practical, "published": HighDimPlan.published}

#: What choosing among several trials costs, and how each trial shares its part: repaired, paper
#: The paper's steps come to 2/12, 2/12, 1/12, 1/12 and 4/12 of epsilon, here scaled up to all.
SELECTION = 0.4
CANDIDATES, SWAPS, RECOVERY = 1 / 3, 1 / 3, 1 / 3


@dataclass(frozen=True, eq=False)
class NearestImage:
    """The partition of the rows by which of some centers is nearest their images."""

    projection: Projection
    voronoi: Voronoi

    @property
    def n_cells(self) -> int:
        return self.voronoi.n_cells

    def labels(self, ticks: IntArray) -> IntArray:
        return self.voronoi.labels(self.projection(ticks))


def candidate_set(curator: Curator, plan: HighDimPlan, epsilon: float, why: str) -> FloatArray:
    """Candidates in the unit ball, from private partitions of rows that lie in it."""
    ball = BallClip(curator.d, 1.0)
    candidates = [ball.clip(curator.rng.uniform(-1, 1, (plan.blind, ball.d)))]
    for i in range(plan.partitions):
        cubes = Cubes.around_the_ball(ball.d, plan.shift, curator.rng)
        share = epsilon / plan.partitions
        why_this = f"{why}, partition {i + 1} of {plan.partitions}"
        middles = private_partition(curator, cubes, plan.levels, share, plan.log_margin, why_this)
        candidates.append(ball.clip(middles))
    return np.unique(np.concatenate(candidates), axis=0)


def noisy_means_of(
    curator: Curator, cells: NearestImage, ball: BallClip, epsilon: float, why: str
) -> FloatArray:
    """The noisy sum over the noisy count, at least 1, of the rows of each cell, in the ball."""
    half = Pure(epsilon / 2)
    rows = curator.noisy_counts(cells, half, f"{why}, rows in each cluster")
    sums = curator.answer(SumsOf(cells, ball), half, f"{why}, sums of positions")
    means = sums / (TICKS * np.maximum(rows, 1)[:, None])
    return np.clip(ball.clip(means), -1.0, 1.0)


#: From clusters, for an epsilon, to centers: how a trial ends.
Recover = Callable[[Curator, NearestImage, BallClip, float, str], FloatArray]


@dataclass(frozen=True)
class Search:
    """The paper's algorithm, for rows in a ball, with one way or another to recover centers."""

    k: int
    plan: HighDimPlan
    ball: BallClip
    recover: Recover
    squared: bool = True

    def run(self, curator: Curator, epsilon: float) -> Outcome:
        """The best of all trials, for epsilon."""
        trials = self.plan.trials
        selection = SELECTION * epsilon if trials > 1 else 0.0
        share = (epsilon - selection) / trials
        solutions = [
            self.trial(curator, share, f"trial {i + 1} of {trials}") for i in range(trials)
        ]
        best = 0
        if selection:
            score = SetCost(np.array(solutions), RowCost(self.ball.reach, self.squared))
            best = curator.select(score, Selection(selection), "the best trial")
        facts = {
            "projected to": self.plan.dimensions,
            "trials": trials,
            "swaps": self.plan.swaps,
        }
        return Outcome(solutions[best], facts=facts)

    def trial(self, curator: Curator, epsilon: float, why: str) -> FloatArray:
        """k centers by way of one projection, for epsilon."""
        d, reach = self.ball.d, self.ball.reach
        if self.plan.dimensions < d:
            projection = Projection.random(d, self.plan.dimensions, reach, curator.rng)
        else:
            projection = Projection.shrinking(d, reach)
        images = curator.mapped(projection)
        candidates = candidate_set(images, self.plan, CANDIDATES * epsilon, why)
        cost = RowCost(projection.reach, self.squared)
        share = SWAPS * epsilon
        near = local_swap(images, candidates, self.k, self.plan.swaps, share, cost, why)
        cells = NearestImage(projection, Voronoi(near))
        centers = self.recover(curator, cells, self.ball, RECOVERY * epsilon, why)
        curator.note(CentersNote(centers))
        return centers


CONSTANTS = Parameter(
    "constants",
    "Published are those of the theorems: far too cautious for any data at hand.",
    "practical",
    choices=("practical", "published"),
)
RADIUS = Parameter(
    "radius",
    "Rows are clipped to a ball: 1 holds the whole box; less means less noise.",
    1.0,
    0.1,
    1.0,
)


def repaired(
    curator: Curator, k: int, constants: str, radius: float, recover: Recover, squared: bool
) -> Outcome:
    """A search with a noisy number of rows, in a public ball."""
    n, rest = curator.size(0.05)
    ball = BallClip(curator.d, radius * math.sqrt(curator.d))
    plan = PLANS[constants](n, curator.d, k)
    plan.check_work(n, k)
    return Search(k, plan, ball, recover, squared).run(curator, curator.budget.epsilon * rest)


@register
class HighDim(Algorithm):
    """k-means in many dimensions: search where there are few, then return.

    Idea: Project the rows at random to a few coordinates, which hardly changes how far apart they
    are. There, cut a large cube into ever smaller ones wherever they noisily hold many rows, and
    take the cubes' middles as candidates. Pick k candidates and swap one for another, again and
    again, each time more likely the lower the cost. The rows nearest each of the k make a
    cluster, and its noisy mean, taken among the rows themselves, is a center. The time grows with
    rows, candidates and swaps; 100,000 rows of 10 coordinates take a second or two.

    Unit: one row.

    Relation: add/remove, the number of rows private; replace-one, it is public.

    Flaw: The paper adds noise to the sums as if a row of length R moved them by R, but it moves d
    coordinates by up to sqrt(d) R in all: at 784 coordinates the run costs 3.1 times its epsilon.
    The projected rows may leave the ball to which the noise of the search is scaled, and centers
    with little support may leave any ball at all, so that the last choice has no bounded
    sensitivity. The cube that is cut up, [-R, R] shifted by up to R, misses part of the data. The
    number of rows sets every constant, though neighbors may differ in it.

    Repair: Under add/remove 5 % of epsilon buys a noisy number of rows. Rows are clipped to a
    public ball of size R; images, candidates and centers too. The projection and the clipping act
    on each row by itself, so neighbors stay neighbors. On each level of the partition cubes are
    disjoint: one row changes one count by 1 (two when replaced), and cubes live on by noisy
    counts, empty ones with just the probability that noise gives them; levels share a third of
    epsilon. A swap is an exponential mechanism: a row adds between 0 and 4R^2 to the cost of any
    set of centers, and swaps share a third of epsilon equally. The clusters partition the rows:
    counts cost a sixth, and sums, with noise scaled to sqrt(d) R (twice that when replaced),
    another. With several trials, choosing the best costs 40 % and trials share the rest. All of
    it adds up by adaptive composition.

    Reconstructed: The theorems' constants need more rows than anybody has: with 5,000 rows and
    epsilon 1 a cube must hold about 100 million to be cut. The practical ones are ours: one trial,
    half of log(n) coordinates as in the released code, one partition of five levels with a
    threshold of 2 log(n) noise scales (an empty cube passes once in n^2), a cube shifted by a
    quarter of the radius, 3k random candidates on top, and 2k swaps. Logarithms are natural. Rows
    with no more coordinates than that are not projected. The projection is scaled by
    1/sqrt(p) where the paper prints 1/sqrt(d).
    """

    key = "highdim"
    title = "High-dimensional k-means"
    paper = "balcan2017"
    verdict = Verdict.REPAIRED
    audit = AuditHints(
        rooms=(
            Room(48, 8),
            Room(300, 8, k=3, epsilon=8.0),
            Room(3, 2, k=1, epsilon=80.0, settings={"constants": "published"}, runs=1),
        )
    )
    parameters = (CONSTANTS, RADIUS)

    def run(self, curator: Curator, k: int, *, constants: str, radius: float) -> Outcome:
        return repaired(curator, k, constants, radius, noisy_means_of, squared=True)
