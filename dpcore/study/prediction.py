"""Predictions of the error of a method from public numbers, before anything is spent.

The error analysis of Su et al. (2016, section 6) gives the mean squared error (MSE) of one centroid
for DPLloyd, EUGkM, GkM and Hybrid. `dpcore.algorithms.centroid_error` has the equations.

What an MSE costs in NICV. Let o_j be the mean of cluster O_j, and o_j + e_j what was released for
it. The sum of |x - o_j - e_j|^2 over the rows x of O_j is that of |x - o_j|^2 plus |O_j| |e_j|^2,
because the rows' offsets from their mean add up to 0. So with every row left in its cluster, NICV
grows by the mean of |e_j|^2 weighted by the clusters' sizes, and its expectation by the MSE. Rows
that move to a nearer center make NICV smaller, so the MSE bounds what is added to the NICV of the
o_j. Centers stay in the box from -1 to 1, so no row is farther than 2 sqrt(d) from one, and NICV
never exceeds 4d.

Where prediction and measurement part, on 10,000 rows in 2 to 10 separated Gaussian clusters and 2
to 8 dimensions at epsilon 0.1 to 2 (`benchmarks/prediction.py`): the median run of Hybrid adds 0.8
to 1.2 times equation (13) to NICV after its round of Lloyd. EUGkM adds 0.8 to 5.6 times equation
(9) in two dimensions and up to 11 times in more, and less than a sixth of (9) plus (10), a bound
for the worst of cells. DPLloyd adds 0.7 to 1.9 times equation (7) where its five rounds converge;
runs that end in a poor local optimum add up to thousands of times as much, and decide its mean.
GkM-3K adds 0.02 to 70 times equation (3): less at small epsilons, where the range of its blocks is
far narrower than the box, and more at large ones, where the error of clustering samples remains.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from scipy.optimize import brentq

from dpcore.algorithms.centroid_error import (
    aggregate_noise,
    grid_bias_bound,
    grid_cells,
    grid_variance,
    lloyd_round,
    smallest_epsilon_for_a_round,
)
from dpcore.algorithms.dplloyd import round_epsilons
from dpcore.errors import BadInput, Infeasible
from dpcore.privacy.accounting import Neighbors
from dpcore.runs.request import Request

#: Where prediction and measurement part, for people; `benchmarks.prediction` measures it.
PARTING = (
    "Measured on generated clusters, the median run of Hybrid adds 0.8 to 1.2 times what is "
    "predicted once it ends with a round of Lloyd. EUGkM adds 0.8 to 11 times its predicted noise. "
    "DPLloyd adds 0.7 to 1.9 times what is predicted where its rounds converge; a run that ends in "
    "a poor local optimum adds up to thousands of times as much."
)
#: Part of epsilon that is left where 5 % buys the number of rows.
WITHOUT_SIZE = 0.95


@dataclass(frozen=True)
class Prediction:
    """The error of one centroid, by the equations of Su et al. (2016): at least `noise`, and where
    the method knows positions by cells alone, at most `mse`."""

    algorithm: str
    n: int
    k: int
    d: int
    epsilon: float
    #: What noise makes of it: the variance.
    noise: float
    #: The most that coarse cells add to it: a bound of the squared bias.
    bias: float
    #: Numbers of the equations.
    equations: tuple[int, ...]
    #: What the numbers do not say.
    note: str = ""

    @property
    def mse(self) -> float:
        """Noise and the bound of the bias, and never more than the box allows."""
        return min(self.noise + self.bias, 4.0 * self.d)

    @property
    def by(self) -> str:
        """The equations in words."""
        numbers = ", ".join(f"({number})" for number in self.equations)
        return f"equation{'s' * (len(self.equations) > 1)} {numbers}"

    @property
    def citation(self) -> str:
        return f"Su et al. (2016), {self.by}"


@dataclass(frozen=True)
class Win:
    """A value from which on a method has the least predicted noise, until the next one."""

    start: float
    algorithm: str


@dataclass(frozen=True)
class PublicNumbers:
    """A run and the public numbers of its data, for which an equation or a theorem is evaluated."""

    request: Request
    n: float
    d: int
    #: The part of epsilon that is left for the noise of the method.
    share: float = field(default=1.0, kw_only=True)

    @property
    def k(self) -> int:
        """The number of clusters."""
        return self.request.k

    @property
    def epsilon(self) -> float:
        """The privacy budget that is left for noise."""
        return self.request.epsilon * self.share

    @property
    def settings(self) -> Mapping[str, Any]:
        """Each parameter of the method with its value."""
        return self.request.parameters


def check_counts(**counts: float) -> None:
    """Raise BadInput where one of these is not a whole number of at least 1."""
    for name, value in counts.items():
        if not (math.isfinite(value) and value >= 1 and value == int(value)):
            raise BadInput(f"{name} must be a whole number of at least 1, not {value!r}.")


#: Noise, bias, equations and a note.
_Terms = tuple[float, float, tuple[int, ...], str]


def _dplloyd(x: PublicNumbers) -> _Terms:
    last = round_epsilons(x.epsilon, x.settings["rounds"], x.settings["schedule"])[-1]
    note = "Too few rounds to converge, and bad starts, come on top."
    return lloyd_round(x.n, x.k, x.d, last), 0.0, (7,), note


def _grid(x: PublicNumbers) -> _Terms:
    cells = grid_cells(x.n, x.epsilon, x.d, x.settings["theta"])
    noise = grid_variance(x.n, x.k, x.d, x.epsilon, cells)
    note = "The bias is a bound: rows spread over a cell make far less."
    return noise, grid_bias_bound(x.d, cells), (4, 9, 10), note


def _hybrid(x: PublicNumbers) -> _Terms:
    if x.epsilon < smallest_epsilon_for_a_round(x.n, x.k, x.d, x.settings["theta"]):
        noise, bias, equations, note = _grid(x)
        return noise, bias, (*equations, 15), f"It falls back to EUGkM. {note}"
    note = "It ends with a round of Lloyd, which starts from the grid's centers."
    return lloyd_round(x.n, x.k, x.d, x.epsilon / 2), 0.0, (13, 15), note


def _blocks(x: PublicNumbers, blocks: float) -> _Terms:
    note = (
        "The box is taken for the range of the blocks' centers, which bounds the noise. What "
        "clustering samples adds has no equation."
    )
    return aggregate_noise(x.k, x.d, x.epsilon, max(1.0, blocks)), 0.0, (3,), note


def _gkm(x: PublicNumbers) -> _Terms:
    return _blocks(x, x.n ** x.settings["exponent"])


def _gkm_3k(x: PublicNumbers) -> _Terms:
    return _blocks(x, x.n / (x.settings["rows_per_center"] * x.k))


@dataclass(frozen=True)
class _Method:
    terms: Callable[[PublicNumbers], _Terms]
    #: Whether it buys the number of rows where that is private.
    buys_size: bool = True
    #: Whether a row replaced moves its sums or counts twice as far as a row added.
    doubles: bool = True


_METHODS: Mapping[str, _Method] = {
    "dplloyd": _Method(_dplloyd, buys_size=False),
    "eugkm": _Method(_grid),
    "hybrid": _Method(_hybrid),
    "gkm-3k": _Method(_gkm_3k, doubles=False),
    "gkm": _Method(_gkm, doubles=False),
    "sample-aggregate": _Method(_gkm, doubles=False),
    "eugkm-published": _Method(_grid, buys_size=False),
}
#: Methods whose error can be predicted, the first of two that are alike first.
PREDICTED = tuple(_METHODS)
#: Those worth comparing: each system of the paper once, with a claim that holds.
COMPARED = ("eugkm", "dplloyd", "hybrid", "gkm-3k", "gkm")


def predict(
    algorithm: str,
    n: int,
    k: int,
    d: int,
    epsilon: float,
    *,
    neighbors: Neighbors | str = Neighbors.ADD_REMOVE,
    **settings: Any,
) -> Prediction:
    """The predicted error of a method for n rows, k clusters, d dimensions and epsilon.

    All arguments must be public: under add/remove the true number of rows is not. The equations are
    evaluated at the epsilon that is left for noise. 5 % of it buys the number of rows where that is
    private, except in DPLloyd. Under replace-one a row moves counts and sums twice as far, which is
    as if epsilon were half, except in GkM, where it stays in its block.

    Parameters
    ----------
    algorithm : str
        A method whose error can be predicted.
    n : int
        How many rows: a public number.
    k : int
        How many clusters.
    d : int
        How many dimensions.
    epsilon : float
        The privacy budget.
    neighbors : Neighbors or str, default="add-remove"
        Which data sets an attacker must not be able to tell apart.
    **settings : object
        Settings of the method.

    Returns
    -------
    Prediction
        The parts of the mean squared error of a centroid.

    Examples
    --------
    >>> import dpcore
    >>> strict = dpcore.predict("dplloyd", n=50_000, k=5, d=2, epsilon=0.1)
    >>> loose = dpcore.predict("dplloyd", n=50_000, k=5, d=2, epsilon=1.0)
    >>> strict.noise > loose.noise
    True
    """
    if algorithm not in _METHODS:
        keys = ", ".join(PREDICTED)
        raise BadInput(f"No error of {algorithm!r} can be predicted. There are: {keys}.")
    check_counts(n=n, k=k, d=d)
    request = Request(algorithm, int(k), epsilon, neighbors=neighbors, settings=settings)
    return prediction_of(request, int(n), int(d))


def prediction_of(request: Request, n: int, d: int) -> Prediction:
    """The predicted error of a request for n rows in d dimensions."""
    if problem := request.system.obstacle(d, None, request.k):
        raise Infeasible(f"{request.system.title} cannot run here: {problem}")
    noise, bias, equations, note = _terms(PublicNumbers(request, n, d))
    return Prediction(
        request.algorithm,
        n,
        request.k,
        d,
        request.epsilon,
        noise=noise,
        bias=bias,
        equations=equations,
        note=note,
    )


def _terms(x: PublicNumbers) -> _Terms:
    """The terms at the epsilon that is left for the noise of the method."""
    method = _METHODS[x.request.algorithm]
    if x.request.neighbors.size_is_private:
        share = WITHOUT_SIZE if method.buys_size else 1.0
    else:
        share = 0.5 if method.doubles else 1.0
    return method.terms(replace(x, share=share))


#: Where a winner is looked for: epsilons and numbers of rows so many to a factor of ten.
_EPSILONS, _ROWS, _STEPS = (1e-3, 1e3), (10, 1e10), 100
_DIMENSIONS = range(1, 25)


def crossover(
    algorithms: Iterable[str] = COMPARED,
    *,
    k: int,
    n: int | None = None,
    d: int | None = None,
    epsilon: float | None = None,
    neighbors: Neighbors | str = Neighbors.ADD_REMOVE,
) -> tuple[Win, ...]:
    """The methods with the least predicted noise, over the number that is left out.

    Name two of n, d and epsilon: the third one runs from small to large. Noise alone is compared,
    as in the paper's condition (15), because the bound of the bias is far too large. Where two
    methods are predicted alike, as Hybrid and the EUGkM that it falls back to, the first named
    wins.

    Parameters
    ----------
    algorithms : iterable of str, default=("eugkm", "dplloyd", "hybrid", "gkm-3k", "gkm")
        The methods to compare, two or more.
    k : int
        How many clusters.
    n : int or None, default=None
        How many rows: a public number.
    d : int or None, default=None
        How many dimensions.
    epsilon : float or None, default=None
        The privacy budget.
    neighbors : Neighbors or str, default="add-remove"
        Which data sets an attacker must not be able to tell apart.

    Returns
    -------
    tuple of Win
        The winners in order, each with the value from which on it wins.

    Examples
    --------
    >>> import dpcore
    >>> wins = dpcore.crossover(["eugkm", "dplloyd"], k=5, n=50_000, d=2)
    >>> {win.algorithm for win in wins} <= {"eugkm", "dplloyd"}
    True
    """
    keys = list(dict.fromkeys(algorithms))
    if len(keys) < 2:
        raise BadInput("Name two methods or more to say which wins.")
    sizes = {"n": n, "d": d, "epsilon": epsilon}
    if len(free := [name for name, value in sizes.items() if value is None]) != 1:
        raise BadInput("Name two of n, d and epsilon; the third is looked through.")
    named = {name: value for name, value in sizes.items() if value is not None}
    some: dict[str, Any] = {"n": 1, "d": 1, "epsilon": 1.0, **named}
    for key in keys:
        predict(key, k=k, **some)
    requests = {key: Request(key, k, some["epsilon"], 0.0, neighbors) for key in keys}

    def error(key: str, value: float) -> float:
        at = {**some, free[0]: value}
        request = requests[key] if epsilon is not None else requests[key].at(value)
        return _terms(PublicNumbers(request, at["n"], at["d"]))[0]

    def best(value: float) -> str:
        return min(keys, key=lambda key: error(key, value))

    if free[0] == "d":
        values: list[float] = list(_DIMENSIONS)
    else:
        low, high = _EPSILONS if free[0] == "epsilon" else _ROWS
        steps = round(_STEPS * math.log10(high / low))
        values = [low * (high / low) ** (i / steps) for i in range(steps + 1)]
    wins = [Win(values[0], best(values[0]))]
    for before, after in pairwise(values):
        if (winner := best(after)) != wins[-1].algorithm:
            start = after if free[0] == "d" else _edge(best, before, after)
            wins.append(Win(start, winner))
    return tuple(wins)


def _edge(best: Callable[[float], str], low: float, high: float) -> float:
    """The value at which the winner changes between two others, to six digits."""
    first = best(low)
    root = brentq(
        lambda log: -1.0 if best(math.exp(log)) == first else 1.0,
        math.log(low),
        math.log(high),
        xtol=1e-7,
    )
    return math.exp(root)
