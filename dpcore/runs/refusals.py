"""Refusals: why a method cannot answer, found from public numbers before anything is spent.

The number of rows is public where the relation says so, or where everybody has the data. For all
other data it is private, so that nothing here may depend on it.
"""

from __future__ import annotations

from dpcore.algorithms.base import Algorithm
from dpcore.datasets.base import Dataset
from dpcore.datasets.builtin import BUILTIN, builtin_set
from dpcore.errors import Infeasible
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.rounding import at_most

#: Built-in sets of the same places with more rows.
LARGER = {"nyc-taxi": "nyc-month"}


def public_rows(data: Dataset, neighbors: Neighbors) -> int | None:
    """The number of rows where it is public, else None."""
    return data.n if data.about.public or not neighbors.size_is_private else None


def refusal(
    system: Algorithm, key: str, n: int | None, k: int, epsilon: float, neighbors: Neighbors
) -> Infeasible | None:
    """The reason why the method cannot answer with a public number of rows, and what would help.

    None where it can, or where no public number tells.
    """
    problem = None if n is None else system.too_few_rows(n, k, epsilon, neighbors)
    if problem is None or key not in LARGER:
        return problem
    larger = BUILTIN[LARGER[key]]
    there = system.too_few_rows(larger.rows, k, epsilon, neighbors)
    if there is None:
        advice = f"With the {larger.rows:,} rows of {larger.about.key} it answers at this epsilon."
    elif there.smallest_epsilon:
        advice = f"With {larger.about.key}, {at_most(there.smallest_epsilon, 3)} is enough."
    else:
        return problem
    return Infeasible(f"{problem} {advice}", problem.smallest_epsilon)


def refusal_of_builtin(
    system: Algorithm, key: str, k: int, epsilon: float, neighbors: Neighbors
) -> Infeasible | None:
    """The reason why a method cannot answer on a built-in set, or None; the set need not be made
    for it."""
    return refusal(system, key, builtin_set(key).rows, k, epsilon, neighbors)


def answers_on_larger(
    system: Algorithm, key: str, k: int, epsilon: float, neighbors: Neighbors
) -> str | None:
    """The larger built-in set of the same places on which the method answers, if there is one."""
    larger = LARGER.get(key)
    if larger is None or refusal_of_builtin(system, larger, k, epsilon, neighbors):
        return None
    return larger
