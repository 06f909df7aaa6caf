"""The algorithm that chooses the best one for the data from public numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpcore.algorithms._coarse_grid import plan_for
from dpcore.algorithms.base import Algorithm, AuditHints, PublishesPoints, Room, get, register
from dpcore.algorithms.lift import BLIND, GRID_DIMENSIONS, best_terms, tree_pays
from dpcore.privacy.accounting import MIN_EPSILON, Budget, Neighbors, Verdict
from dpcore.queries.curator import Curator
from dpcore.results.run_result import Outcome

MAP_DIMENSIONS = 2
#: Part of the budget that buys the number of rows, where the choice depends on it.
SIZE_SHARE = 0.03
#: Rows times epsilon from which a map can be drawn: in all, and for each center.
MAP_ROWS, MAP_ROWS_A_CENTER = 25, 5
#: Scales of its noise that are taken off the number of rows: a map drawn of too few rows costs
#: more than one that was not drawn.
CAUTION = 0.5
#: Why a coarse grid is taken where the number of rows is not asked for.
TOO_LITTLE = (
    "This epsilon is too small to ask how many rows there are, so a coarse grid is weighed against "
    "what data usually look like."
)


@dataclass(frozen=True)
class AutoChoice:
    """An algorithm, what it will do in a few words, and in a sentence why it was chosen."""

    algorithm: str
    way: str
    sentence: str


def choose(
    n: float,
    d: int,
    k: int,
    epsilon: float,
    delta: float = 0.0,
    relation: Neighbors | str = Neighbors.ADD_REMOVE,
) -> AutoChoice:
    """The best algorithm for about n rows of d coordinates, by what generated data have shown.

    Nothing but these public numbers is looked at, so anybody can repeat the choice.
    """
    relation = Neighbors(relation)
    loud = n * epsilon / (1 if relation.size_is_private else 2)
    if d == 1:
        why = "On a line, a grid of noisy counts fine enough to show every cluster is cheap."
        return AutoChoice("eugkm", "fine grid", why)
    if d == MAP_DIMENSIONS and loud >= max(MAP_ROWS, MAP_ROWS_A_CENTER * k):
        why = "On a map, rows are counted finely where many are and coarsely where few are."
        return AutoChoice("adaptive", "tree of counts", why)
    if d == MAP_DIMENSIONS:
        why = (
            "So few rows cannot be told from noise on a fine map at this epsilon, so a coarse grid "
            "is weighed against what data usually look like."
        )
        return AutoChoice("lift", "coarse grid", why)
    if d <= GRID_DIMENSIONS:
        return way_of_few(d, not plan_for(loud, d, k).fullness)
    terms = best_terms(n, d, Budget(epsilon, delta), relation)
    if tree_pays(n, d, k, terms):
        return way_of_few(d, tree=True)
    return way_of_lift(d, terms.relative_noise(n, d) > BLIND, terms.gaussian)


def way_of_few(d: int, tree: bool) -> AutoChoice:
    """The way that lift goes where it draws a picture, once it knows about how many rows there
    are."""
    picture = "a tree of counts" if tree else "a coarse grid"
    why = (
        f"In {d} dimensions {picture} shows roughly where rows are, and clipped offsets show "
        "the rest."
    )
    return AutoChoice("lift", "tree and rounds" if tree else "coarse grid", why)


def way_of_lift(d: int, blind: bool, gaussian: bool) -> AutoChoice:
    """The way that lift goes with more coordinates than a grid can hold, once it knows how much
    noise there is."""
    if blind:
        why = (
            f"So few rows of {d} coordinates are lost in the noise at this epsilon, so public "
            "centers are only moved to where rows lie on the whole."
        )
        return AutoChoice("lift", "level only", why)
    noise = "Gaussian" if gaussian else "geometric"
    why = (
        f"In {d} dimensions a grid would have more cells than rows, so a few rounds ask for "
        f"clipped offsets from public centers, with {noise} noise."
    )
    return AutoChoice("lift", f"{noise} rounds", why)


@register
class Auto(Algorithm):
    """The best algorithm for the data, chosen from public facts.

    Idea: On a line, one noisy grid of counts; on a map, a tree of counts that grows where the rows
    are. Both answer every later question, so that restarts are free. With up to six coordinates,
    and without delta with up to ten, a tree as well, and rounds of clipped offsets after it. Else,
    or with so few rows that a tree would show nothing but noise, rough figures that are weighed
    against what data usually look like, and then, as far as epsilon lets it, such rounds.

    Unit: one row.

    Relation: add/remove; replace-one.

    Private: The choice looks at the number of coordinates and of centers, at epsilon, delta and
    the relation, all of them public, and on a map at the number of rows. That is public under
    replace-one; under add/remove it is noisy, has sensitivity 1 and costs .03 epsilon. What runs
    then is the chosen algorithm, with its own proof, under the whole budget or, on a map, in an
    account of the other .97 epsilon, in which a map reads that noisy number and buys no other: the
    two add up.
    """

    key = "auto"
    title = "Best for this data"
    paper = "ours"
    verdict = Verdict.PROVED
    publishes_points = PublishesPoints.USUALLY
    publishes_coreset = True
    audit = AuditHints(
        rooms=(
            Room(5000, 2),
            Room(2000, 8),
            Room(600, 1, k=3),
            Room(400, 3),
            Room(400, 5),
            Room(200, 8, epsilon=1e5),
            Room(40, 2, epsilon=1.5e-6),
        )
    )
    uses_delta = True

    def obstacle(self, d: int, n: int | None, k: int) -> str | None:
        return get("lift").obstacle(d, n, k)

    def run(self, curator: Curator, k: int) -> Outcome:
        choice, curator = self._chosen(curator, k)
        system = get(choice.algorithm)
        outcome = system.run(curator, k, **system.settings({}))
        facts = outcome.facts
        # Which way it goes lift itself found out, from noisy answers.
        if MAP_DIMENSIONS < curator.d <= GRID_DIMENSIONS or "tree" in facts:
            choice = way_of_few(curator.d, "cells per side" not in facts)
        elif curator.d > GRID_DIMENSIONS:
            choice = way_of_lift(curator.d, "rounds" not in facts, facts["gaussian noise"])
        facts = {**facts, "chosen": choice.algorithm, "because": choice.sentence}
        return replace(outcome, facts=facts)

    def _chosen(self, curator: Curator, k: int) -> tuple[AutoChoice, Curator]:
        """The algorithm that is to run, and its curator."""
        d, budget, relation = curator.d, curator.budget, curator.neighbors
        terms = k, budget.epsilon, budget.delta, relation
        if d != MAP_DIMENSIONS:
            return choose(1, d, *terms), curator
        if relation.size_is_private and budget.epsilon <= 2 * MIN_EPSILON:
            return AutoChoice("lift", "coarse grid", TOO_LITTLE), curator
        n, remainder = curator.size(SIZE_SHARE)
        if remainder == 1:
            return choose(n, d, *terms), curator
        n = max(1, n - round(CAUTION / (SIZE_SHARE * budget.epsilon)))
        choice = choose(n, d, *terms)
        aside = curator.account(Budget(budget.epsilon * remainder), choice.algorithm)
        if choice.algorithm == "adaptive":
            # Too low a number for a map may be low by chance, so lift asks for it again.
            aside.bought_size = n
        return choice, aside
