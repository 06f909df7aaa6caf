"""The budget of one row with which several rows of one person stay within a budget."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

from dpcore.privacy.accounting import Budget
from dpcore.privacy.rounding import down

#: What evaluating a share of delta may be off by, as a part of it.
EVALUATION = 2.0**-49


def of_one_row(budget: Budget, rows: int) -> Budget:
    """The budget of a run for one row, so that `rows` rows cost no more than the budget.

    If P(M(x) in S) <= e^a P(M(y) in S) + b for each of m steps, then for all of them
    P <= e^(ma) Q + b (1 + e^a + ... + e^((m-1)a)) = e^(ma) Q + b (e^(ma) - 1)/(e^a - 1), one step
    put into the next (theorem 2.2 of Dwork and Roth 2014 is the case b = 0). So a = epsilon/m and
    b = delta (e^a - 1)/(e^epsilon - 1). Both are rounded down.
    """
    if rows == 1:
        return budget
    epsilon = down(Fraction(budget.epsilon) / rows)
    share = math.exp(epsilon - budget.epsilon) * (
        math.expm1(-epsilon) / math.expm1(-budget.epsilon)
    )
    delta = budget.delta * share * (1 - EVALUATION * (1 + budget.epsilon))
    # Smaller floats have fewer digits than EVALUATION allows for: a delta among them becomes 0.
    return Budget(epsilon, delta if delta >= sys.float_info.min else 0.0, budget.accounting)
