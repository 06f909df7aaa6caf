"""A genetic search: only the choice of parents sees the data (Su et al. 2016, section 4.1.3)."""

from __future__ import annotations

import numpy as np

from dpcore.algorithms.base import Algorithm, AuditHints, Parameter, Room, register
from dpcore.geometry.domain import FloatArray
from dpcore.kmeans.seeding import uniform_starts
from dpcore.privacy.accounting import Verdict
from dpcore.privacy.losses import Selection
from dpcore.queries.curator import Curator
from dpcore.queries.scores import ContrastingCost
from dpcore.randomness.coins import Coins
from dpcore.results.run_result import Outcome
from dpcore.results.steps import CentersNote, RoundNote

#: Of the paper's rule for the number of rounds, max(8, ROUND_SHARE n epsilon / parents).
ROUND_SHARE = 1.25e-3
#: More rounds than this are never made: by then the population has long converged.
MAX_ROUNDS = 1000
#: Standard deviation of the first mutations, and what is left of it after each round.
MUTATION, COOLING = 0.1, 0.95


def children(parents: FloatArray, count: int, deviation: float, rng: Coins) -> FloatArray:
    """Center sets (count, k, d), each of one parent up to a random cut and of another after it.

    Pairs of parents make pairs of children with swapped tails. In each child one coordinate
    mutates, by a normal draw of that standard deviation.
    """
    genes = parents.reshape(len(parents), -1)
    length = genes.shape[1]
    pairs = genes[rng.integers(len(genes), size=(-(-count // 2), 2))]
    cuts = rng.integers(1, max(length, 2), size=len(pairs))
    tail = np.arange(length) >= cuts[:, None]
    crossed = np.where(tail[:, None], pairs[:, ::-1], pairs).reshape(-1, length)[:count]
    mutated = rng.integers(length, size=count)
    crossed[np.arange(count), mutated] += deviation * rng.standard_normal(count)
    return np.clip(crossed, -1.0, 1.0).reshape(count, *parents.shape[1:])


@register
class PGkM(Algorithm):
    """A genetic search for centers, in which the fittest are chosen privately.

    Idea: Breed a population of center sets. In each round an exponential mechanism chooses the
    parents, fitter the lower their k-means cost on the data; children mix two parents and mutate.
    The last round chooses the answer. Every round evaluates all sets, so this takes hundreds of
    passes over the data.

    Unit: one row.

    Relation: add/remove; replace-one, the number of rows public.

    Private: Only the choices see the data. In one round there are m' picks without replacement,
    each for epsilon/(R m'), and one pick for epsilon/R in the last of R rounds: epsilon in all,
    by adaptive composition. A pick's weights are exp(epsilon' score / S): what matters is by how
    much more a row changes one candidate's cost than another's, and S bounds that for any row in
    the box, from the candidates alone. A shift common to all cancels, so a row added moves each
    weight by a factor from 1 to exp(epsilon') and their sum likewise. Under replace-one S doubles.
    The number of rounds reads the number of rows only where that is public.

    Reconstructed: mutations start with standard deviation 0.1 and shrink by 0.95 a round; S is
    the closed bound max_AB max_a min_b (|b|^2 - |a|^2 + 2 |a - b|_1), at most 4d; under add/remove
    the number of rounds is fixed; there are never more than 1,000.
    """

    key = "pgkm"
    title = "PGkM"
    paper = "su2016"
    sources = ("zhang2013",)
    verdict = Verdict.PROVED
    audit = AuditHints(
        settings={"population": 8, "parents": 2, "rounds": 3}, rooms=(Room(300, 2, epsilon=80.0),)
    )
    parameters = (
        Parameter("population", "Center sets alive at a time (m).", 200, 2, 2000),
        Parameter("parents", "Sets chosen in a round to breed the next (m').", 10, 1, 200),
        Parameter(
            "rounds",
            "Rounds of the search; where the number of rows is public, at least that many, or "
            "n epsilon / (800 parents).",
            8,
            2,
            MAX_ROUNDS,
        ),
    )

    def run(
        self, curator: Curator, k: int, *, population: int, parents: int, rounds: int
    ) -> Outcome:
        epsilon = curator.budget.epsilon
        if not curator.neighbors.size_is_private:
            n, _ = curator.size(0.05)
            rounds = max(rounds, min(MAX_ROUNDS, int(ROUND_SHARE * n * epsilon / parents)))
        parents = min(parents, population)
        alive = uniform_starts(k, curator.d, population, curator.rng)
        for i in range(rounds - 1):
            share = Selection(epsilon / rounds, parents)
            why = f"parents of round {i + 2} of {rounds}"
            parent_sets = alive[curator.select_several(ContrastingCost(alive), share, why)]
            curator.note(RoundNote(centers=parent_sets[0], round=i + 1, of=rounds))
            alive = children(parent_sets, population, MUTATION * COOLING**i, curator.rng)
        last = Selection(epsilon / rounds)
        centers = alive[curator.select(ContrastingCost(alive), last, "the best of the last round")]
        curator.note(CentersNote(centers))
        return Outcome(centers, facts={"rounds": rounds})
