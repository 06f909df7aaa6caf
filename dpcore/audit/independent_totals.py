"""An independent computation of total privacy loss, to check the accountant against.

The same laws as in `dpcore.privacy.accounting` and `dpcore.privacy.gaussian`, solved in another
way and without a line of theirs: an accountant that audits itself finds nothing. The tests compare
both with OpenDP's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from dpcore.privacy.accounting import Accounting
from dpcore.privacy.transcript import Transcript

if TYPE_CHECKING:
    from dpcore.audit.replay import ReplayLoss

_GOLDEN = (math.sqrt(5) - 1) / 2


@lru_cache(maxsize=4096)
def zcdp_epsilon(rho: float, delta: float) -> float:
    """The epsilon at delta of rho-zCDP: the least bound over all orders of Renyi divergence.

    A divergence of at most alpha rho for every alpha > 1 gives epsilon = alpha rho +
    (ln(1/delta) - ln(alpha)) / (alpha - 1) + ln(1 - 1/alpha) (Canonne, Kamath and Steinke 2020).
    """
    if rho == 0:
        return 0.0
    if math.isinf(rho) or not 0 < delta < 1:
        return math.inf

    def bound(log_beyond_1: float) -> float:
        beyond = math.exp(log_beyond_1)
        alpha = 1 + beyond
        return alpha * rho - (math.log(delta) + math.log(alpha)) / beyond + math.log(beyond / alpha)

    steps = range(-48, 97)
    best = min(steps, key=lambda step: bound(step / 4))
    return max(0.0, bound(_lowest(bound, (best - 1) / 4, (best + 1) / 4)))


@lru_cache(maxsize=4096)
def gaussian_epsilon(rho: float, delta: float) -> float:
    """The epsilon at delta of Gaussian noise alone, whose rhos add up to this: where the two
    normal curves differ by delta in mass (Balle and Wang 2018)."""
    if rho == 0:
        return 0.0
    if math.isinf(rho) or not 0 < delta < 1:
        return math.inf
    mu = math.sqrt(2 * rho)
    low, high = 0.0, rho + 2 * math.sqrt(rho * -math.log(delta)) + 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if _mass(middle, mu) > delta:
            low = middle
        else:
            high = middle
    return high


def _mass(epsilon: float, mu: float) -> float:
    """The mass by which one curve exceeds e^epsilon times the other."""
    one = 0.5 * math.erfc((epsilon / mu - mu / 2) / math.sqrt(2))
    other = 0.5 * math.erfc((epsilon / mu + mu / 2) / math.sqrt(2))
    return one - math.exp(min(epsilon, 700.0)) * other if other else one


def _lowest(function: Callable[[float], float], low: float, high: float) -> float:
    """The place between two numbers where a function with one valley is lowest."""
    while high - low > 1e-7:
        a, b = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if function(a) < function(b):
            high = b
        else:
            low = a
    return (low + high) / 2


def by_account(transcript: Transcript, losses: Mapping[int, Sequence[ReplayLoss]]) -> float:
    """The epsilon of losses, each counted by the rule of the account that paid for it.

    `losses` says by the id of an account what was paid from it. What accounts inside of another
    cost is added up there: of those for parts of the rows side by side only one has any losses,
    where a row is in one part. What was paid from an account that is not there adds up as it is.
    """
    accounts: set[int] = set()
    total = _epsilon(transcript, losses, accounts)
    return total + math.fsum(
        loss.worst for account, some in losses.items() if account not in accounts for loss in some
    )


def _epsilon(
    transcript: Transcript, losses: Mapping[int, Sequence[ReplayLoss]], accounts: set[int]
) -> float:
    accounts.add(id(transcript))
    budget, own = transcript.budget, losses.get(id(transcript), ())
    inner = [account for charge in transcript for account in charge.inner]
    if budget.accounting is Accounting.PURE:
        return math.fsum(
            [loss.worst for loss in own] + [_epsilon(each, losses, accounts) for each in inner]
        )
    rho = math.fsum(loss.rho for loss in own)
    for each in inner:
        accounts.add(id(each))
        if each.budget.accounting.in_rho:
            rho += math.fsum(loss.rho for loss in losses.get(id(each), ()))
        else:
            rho += _epsilon(each, losses, accounts) ** 2 / 2
    convert = gaussian_epsilon if budget.accounting is Accounting.GAUSSIAN else zcdp_epsilon
    return convert(rho, budget.delta)
