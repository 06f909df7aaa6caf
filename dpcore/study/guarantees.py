"""Guarantees: what theorems promise about a method's results, for given numbers.

A privacy claim says what is protected; a utility theorem says how good the result is, whatever the
data. The papers state theirs up to constants, O(...). Here every such constant is taken for 1, and
logarithms are natural. True constants are larger in proofs of this kind, so a bound that says
nothing here says nothing with them. n is a public number.

Costs are sums of squared distances to the nearest center. "Optimal" is the least that any k centers
reach on the data.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from dpcore.algorithms._small_ball import log_star
from dpcore.algorithms.coreset_faithful import domain_side, most_rounds
from dpcore.algorithms.references import short
from dpcore.errors import BadInput
from dpcore.privacy.accounting import MAX_DELTA
from dpcore.runs.request import Request
from dpcore.study.prediction import PublicNumbers, check_counts, predict

#: The cost of n rows in a ball of radius Lambda is at most n (2 Lambda)^2, wherever centers are.
WORST = 4.0


@dataclass(frozen=True)
class Numbers(PublicNumbers):
    """A run and the public numbers that a theorem is evaluated for."""

    n: int
    #: The probability with which the bound may fail.
    beta: float

    @property
    def delta(self) -> float:
        """The probability that the privacy promise does not cover."""
        return self.request.delta


@dataclass(frozen=True)
class Bound:
    """A theorem's bound in numbers: at most `times` the optimal cost, plus `added`."""

    says_something: bool
    words: str
    times: float | None = None
    #: In units of the squared radius of the data; for PRIVATE-K-MEAN, of the box's diagonal.
    added: float | None = None


@dataclass(frozen=True)
class Theorem:
    """A statement about the accuracy of results, and the methods it was made for."""

    paper: str
    number: str
    section: str
    algorithms: tuple[str, ...]
    statement: str
    evaluate: Callable[[Numbers], Bound]
    #: Why it may not hold for the method as it runs here.
    caution: str = ""

    @property
    def citation(self) -> str:
        return f"{short(self.paper)}, {self.number} ({self.section})"


@dataclass(frozen=True)
class Guarantee:
    """A theorem and its bound for some numbers."""

    theorem: Theorem
    bound: Bound

    def __str__(self) -> str:
        words = f"{self.theorem.citation}: {self.theorem.statement} {self.bound.words}"
        return f"{words} {self.theorem.caution}".strip()


def guarantee(
    algorithm: str,
    n: int,
    k: int,
    d: int,
    epsilon: float,
    delta: float = 0.0,
    beta: float = 0.1,
    **settings: Any,
) -> tuple[Guarantee, ...]:
    """The theorems about a method, with their bounds for these numbers at probability 1 - beta.

    Empty where no theorem was stated. All numbers are public ones: of data whose size is private, n
    is a guess, not a count.

    Parameters
    ----------
    algorithm : str
        The method.
    n : int
        How many rows: a public number.
    k : int
        How many clusters.
    d : int
        How many dimensions.
    epsilon : float
        The privacy budget.
    delta : float, default=0.0
        The probability that the privacy promise does not cover.
    beta : float, default=0.1
        The probability that the utility bound may fail.
    **settings : object
        Settings of the method.

    Returns
    -------
    tuple of Guarantee
        The theorems with their bounds for these numbers.

    Examples
    --------
    >>> import dpcore
    >>> theorems = dpcore.guarantee("coreset-faithful", n=50_000, k=5, d=2, epsilon=0.5)
    >>> len(theorems)
    1
    """
    check_counts(n=n, k=k, d=d)
    if not 0 < beta < 1:
        raise BadInput(f"beta must be a number between 0 and 1, not {beta!r}.")
    request = Request(algorithm, int(k), epsilon, delta, settings=settings)
    numbers = Numbers(request, max(2, int(n)), int(d), beta)
    return tuple(
        Guarantee(theorem, theorem.evaluate(numbers))
        for theorem in THEOREMS
        if algorithm in theorem.algorithms
    )


def t_min(x: Numbers) -> float:
    """(k sqrt(d) / eps') ln(1/beta') ln(n d / (beta' eps' delta')) sqrt(ln(1/(beta' delta')))
    9^log*(2 |X| sqrt(d)), where eps', delta' and beta' are a round's shares, 3/(8k ln n) of the
    whole, and |X|^d is about n."""
    rounds = most_rounds(x.n, x.k)
    epsilon, delta, beta = x.epsilon / rounds, x.delta / rounds, x.beta / rounds
    side = domain_side(x.n) if x.d == 2 else x.n ** (1 / x.d)
    return (
        x.k
        * math.sqrt(x.d)
        / epsilon
        * math.log(1 / beta)
        * math.log(x.n * x.d / (beta * epsilon * delta))
        * math.sqrt(math.log(1 / (beta * delta)))
        * 9.0 ** log_star(2 * side * math.sqrt(x.d))
    )


def _private_k_mean(x: Numbers) -> Bound:
    if not x.delta:
        return Bound(False, f"Says nothing here: it needs a delta above 0, at most {MAX_DELTA:g}.")
    least, gamma = t_min(x), x.k * math.log(x.n)
    if x.n <= least:
        return Bound(
            False, f"Says nothing here: t_min = {number(least)} rows, and n is {x.n:,}.", gamma
        )
    words = (
        f"Here gamma is {gamma:.3g} and eta is {number(least)} times the box's squared diagonal."
    )
    return Bound(True, words, gamma, least)


def trials(x: Numbers) -> float:
    """T = k ln(n / beta) private partitions (27 times as many in the proof)."""
    return x.k * math.log(x.n / x.beta)


def missed_rows(x: Numbers, epsilon: float) -> float:
    """k gamma(eps/T) ln(n/beta) with gamma(c) = (40/c) ln(n/beta) ln n: rows of clusters too small
    to be captured."""
    log = math.log(x.n / x.beta)
    return x.k * 40 * trials(x) / epsilon * log * math.log(x.n) * log


def swap_loss(x: Numbers, epsilon: float) -> float:
    """(k^2 / eps) ln^2(n |C| / beta), where the candidates C are at most n ln n (theorem 1)."""
    candidates = x.n * max(1.0, math.log(x.n))
    return x.k**2 / epsilon * math.log(x.n * candidates / x.beta) ** 2


def _candidates(x: Numbers) -> Bound:
    return _squared(x, math.log(x.n) ** 3, missed_rows(x, x.epsilon))


def _local_swap(x: Numbers) -> Bound:
    return _squared(x, 30.0, swap_loss(x, x.epsilon))


def _high_dimensions(x: Numbers) -> Bound:
    # Each of the trials fails with a constant probability, for a share of epsilon.
    log = math.log(1 / x.beta)
    share = x.epsilon / (2 * log)
    often = replace(x, beta=1 / 3)
    added = (
        3 * 30 * missed_rows(often, share)
        + 3 * swap_loss(often, share)
        + x.d * log**3 / x.epsilon**2
    )
    return _squared(x, 3 * 30 * math.log(x.n) ** 3, added)


def _sparse_mean(x: Numbers) -> Bound:
    s, eta = x.settings["sparsity"], x.settings["accuracy"]
    if eta >= 1:
        return Bound(False, "Says nothing here: its eta, the setting accuracy, must be below 1.")
    added = s**2 * math.log(x.d * s / (eta * x.beta)) / (eta**2 * x.epsilon)
    return _squared(x, 1 / (1 - eta), added)


def _k_median(x: Numbers) -> Bound:
    added = (x.k**2 + x.d) / x.epsilon * math.log(x.n / x.beta) ** 3
    return _bounded(math.log(x.n) ** 1.5, added, 2.0 * x.n, "times the radius of the data")


def _squared(x: Numbers, times: float, added: float) -> Bound:
    """A bound on sums of squared distances of rows in a ball of radius Lambda."""
    return _bounded(times, added, WORST * x.n, "times the squared radius of the data")


def _bounded(times: float, added: float, worst: float, unit: str) -> Bound:
    """In words: the bound, or that any centers in the ball do as well."""
    if added >= worst:
        words = (
            f"Says nothing here: it adds {number(added)} {unit}, and no centers in the ball cost "
            f"more than {number(worst)}."
        )
    else:
        words = f"Here: at most {times:.3g} times the optimum plus {number(added)} {unit}."
    return Bound(added < worst, words, times, added)


def _one_round(x: Numbers) -> Bound:
    settings = {name: x.settings[name] for name in ("rounds", "schedule")}
    error = predict("dplloyd", x.n, x.k, x.d, x.epsilon, **settings).mse
    if error >= WORST * x.d:
        return Bound(False, f"Says nothing here: centers of the box differ by at most {error:g}.")
    return Bound(
        True,
        f"Here the mean squared error, by equation (7), is {error:.3g} in a box from -1 to 1.",
        1,
        error,
    )


def number(value: float) -> str:
    """A large number as people say it: 3.1 million."""
    for size, name in ((1e15, ""), (1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if value >= size:
            return f"{value / size:.3g} {name}" if name else f"{value:.2g}"
    return f"{value:,.0f}"


def _words(text: str) -> Callable[[Numbers], Bound]:
    return lambda _: Bound(False, text)


_HIGHDIM = ("highdim", "highdim-published")
_CONVERGES = ("subclustering", "kmeans-guarantee")
_REPAIRED = (
    "It was proved for the paper's shares of epsilon; the repair spends them otherwise, which the "
    "unknown constants may not cover."
)
_NO_NUMBER = (
    "It has no number: it says that rounds end, not how good centers are, and not how much the "
    "noise added at the end moves them."
)

#: One entry for each theorem, in the order of the papers.
THEOREMS = (
    Theorem(
        "su2016",
        "proposition 1",
        "section 6.1",
        ("dplloyd",),
        "In one round, noise moves a centroid by a mean squared error of Theta((k t)^2 d^3 / "
        "(n epsilon)^2), where t is the number of rounds.",
        _one_round,
        "It does not cover rounds that have not converged, or that end in a poor local optimum.",
    ),
    Theorem(
        "balcan2017",
        "theorem 5",
        "section 4",
        _HIGHDIM,
        "With probability 1 - beta, some k of the candidates cost at most O(log^3 n) times the "
        "optimum plus O(k gamma(epsilon/T) log(n/beta)) squared radii, where gamma(c) is "
        "(40/c) log(n/beta) log n and T is k log(n/beta).",
        _candidates,
        _REPAIRED,
    ),
    Theorem(
        "balcan2017",
        "theorem 7",
        "section 5",
        _HIGHDIM,
        "With probability 1 - beta, local swaps among |C| candidates end with a cost of at most "
        "30 times the best k of them plus O((k^2/epsilon) log^2(n |C|/beta)) squared radii.",
        _local_swap,
        _REPAIRED,
    ),
    Theorem(
        "balcan2017",
        "theorem 9",
        "section 5",
        _HIGHDIM,
        "With probability 1 - beta, the whole method costs at most 3 c alpha times the optimum "
        "plus 3 c sigma_1 + 3 sigma_2 + O(d log^3(1/beta)/epsilon^2) squared radii, with alpha and "
        "sigma_1 of theorem 5, c and sigma_2 of theorem 7, at epsilon / (2 log(1/beta)).",
        _high_dimensions,
        _REPAIRED,
    ),
    Theorem(
        "balcan2017",
        "theorem 11",
        "section 6",
        ("sparse-mean", "sparse-mean-published"),
        "With probability 1 - beta, the private mean of rows with at most s entries costs at most "
        "1/(1 - eta) times the optimum plus O(s^2 log(ds/(eta beta)) / (eta^2 epsilon)) squared "
        "radii.",
        _sparse_mean,
    ),
    Theorem(
        "balcan2017",
        "theorem 12",
        "section 6",
        ("highdim-kmedian",),
        "With probability 1 - beta, the sum of distances is at most O(log^(3/2) n) times the "
        "optimum plus O(((k^2 + d)/epsilon) log^3(n/beta)) radii.",
        _k_median,
        "It was proved for log-concave sampling, which a noisy step of Weiszfeld replaces here.",
    ),
    Theorem(
        "joshi2022",
        "lemma 1",
        "section 4.2",
        (*_CONVERGES, "subclustering-published", "kmeans-guarantee-published"),
        "An iterative method converges if each drawn center is nearer to the new mean of its "
        "cluster than the old center is.",
        _words(_NO_NUMBER),
    ),
    Theorem(
        "joshi2022",
        "lemma 2",
        "section 4.2",
        ("subclustering-published",),
        "SubClustering draws every center from the convergent zone, so lemma 1 applies to it.",
        _words(_NO_NUMBER),
    ),
    Theorem(
        "joshi2022",
        "lemma 2",
        "section 4.2",
        ("subclustering",),
        "SubClustering draws every center from the convergent zone, so lemma 1 applies to it.",
        _words(_NO_NUMBER),
        "It does not hold of the repaired method: its zones lie around noisy means, because exact "
        "ones give rows away.",
    ),
    Theorem(
        "feldman2017",
        "theorem 3.6",
        "section 3.3",
        ("coreset-faithful",),
        "If n is above t_min, then with probability 1 - beta the centers cost at most gamma times "
        "the optimum plus eta, where gamma is O(k log n) and eta is t_min.",
        _private_k_mean,
        "It was proved for SMALL-BALL, for which an exponential mechanism stands here.",
    ),
)
