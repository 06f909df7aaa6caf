"""Private local search: swap centers for candidates (Balcan et al. 2017, section 5).

The search sees the data through an exponential mechanism over costs that every row adds to by a
bounded amount, whatever the row is.
"""

from __future__ import annotations

import numpy as np

from dpcore.geometry.domain import FloatArray
from dpcore.privacy.losses import Selection
from dpcore.queries.curator import Curator
from dpcore.queries.row_costs import RowCost, SetCost, SwapCost


def local_swap(
    curator: Curator,
    candidates: FloatArray,
    k: int,
    swaps: int,
    epsilon: float,
    row_cost: RowCost,
    why: str,
) -> FloatArray:
    """k of the candidates, from a random start, after so many swaps at most.

    Each swap, and at last the choice among all the sets met on the way, is an exponential
    mechanism with epsilon/(swaps + 1).
    """
    coins, number = curator.rng, len(candidates)
    loss = Selection(epsilon / (swaps + 1))
    members = coins.choice(number, k, replace=number < k)
    met = [members]
    for i in range(swaps):
        outside = np.setdiff1d(np.arange(number), members)
        if not len(outside):
            break
        score = SwapCost(candidates[members], candidates[outside], row_cost)
        swap = curator.select(score, loss, f"{why}, swap {i + 1} of {swaps}")
        leaving, coming = divmod(swap, len(outside))
        members = members.copy()
        members[leaving] = outside[coming]
        met.append(members)
    best = curator.select(
        SetCost(candidates[np.array(met)], row_cost), loss, f"{why}, the best set met"
    )
    return candidates[met[best]]
