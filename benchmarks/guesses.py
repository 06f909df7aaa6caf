"""What `lift` guesses before it saw any rows, beside other guesses, on six generated families.

Each guess was chosen here, and where several do as well, the plainest was taken. No measured set
has a say, and none of these families is the one that accuracy.py keeps back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np

import dpcore
from benchmarks import workloads
from benchmarks.table import Row
from dpcore.algorithms import _grid_priors, lift
from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import FloatArray
from dpcore.study.metrics import nicv as exact_nicv

TITLE = "NICV of `lift` with its guesses, in units of that with others"
#: No guess is given up for less than this, or than the error of what was measured.
WORTH = 0.005
EPSILONS, SEEDS, DELTA = (0.05, 0.1, 0.3), range(4), 1e-6
#: How many sets of few and of many coordinates, of which dimensions, and of how many rows.
SETS, ROWS = 48, (100, 500)
FEW, MANY = (2, 3, 4, 5, 6), (7, 10, 15, 25, 40)

Rng = np.random.Generator


def stretched(n: int, d: int, k: int, rng: Rng) -> FloatArray:
    """Stretched clusters anywhere."""
    label = rng.choice(k, n, p=rng.dirichlet(np.full(k, 2.0)))
    width = rng.uniform(0.05, 0.25, (k, d))[label]
    return rng.uniform(-0.7, 0.7, (k, d))[label] + width * rng.standard_normal((n, d))


def factors(n: int, d: int, k: int, rng: Rng) -> FloatArray:
    """Clusters of a few hidden factors."""
    hidden = int(rng.integers(1, d + 1))
    label = rng.choice(k, n, p=rng.dirichlet(np.full(k, 3.0)))
    near = rng.uniform(0.2, 0.8) * rng.standard_normal((n, hidden))
    rows = (1.5 * rng.standard_normal((k, hidden))[label] + near) @ rng.normal(size=(hidden, d))
    return boxed(rows + rng.uniform(0.1, 0.8) * rng.standard_normal((n, d)), rng)


def skewed(n: int, d: int, k: int, rng: Rng) -> FloatArray:
    """Logarithms along two factors."""
    near = 1.5 * rng.standard_normal((k, 2))[rng.integers(0, k, n)]
    rows = (near + 0.4 * rng.standard_normal((n, 2))) @ rng.normal(0.5, 0.7, (2, d))
    rows = np.clip(rows + 0.4 * rng.standard_normal((n, d)), -5, 5)
    return boxed(np.expm1(rows * rng.uniform(0.05, 0.5, d)), rng)


def blobs(n: int, d: int, k: int, rng: Rng) -> FloatArray:
    """Round clusters of one size in a box that the rows span."""
    rows = rng.uniform(-10, 10, (k, d))[np.arange(n) % k]
    return boxed(rows + rng.uniform(1, 4) * rng.standard_normal((n, d)), rng)


def corners(n: int, d: int, k: int, rng: Rng) -> FloatArray:
    """Clusters at corners of a cube of some of the coordinates, the others of no use."""
    useful = int(rng.integers(2, d + 1))
    middles = rng.choice([-1.0, 1.0], (k, useful)) * rng.uniform(0.5, 2)
    rows = rng.standard_normal((n, d))
    rows[:, :useful] = middles[np.arange(n) % k] + 0.6 * rows[:, :useful]
    return boxed(rows[:, rng.permutation(d)], rng)


def amounts(n: int, d: int, k: int, rng: Rng) -> FloatArray:
    """Positive amounts, heavy to one side, with a size in common."""
    size = rng.gamma(2, 1, (n, 1)) ** rng.uniform(0, 1)
    profile = rng.gamma(1.5, 1, (k, d))[rng.integers(0, k, n)]
    return boxed(size * profile * rng.gamma(4, 0.25, (n, d)), rng)


def boxed(rows: FloatArray, rng: Rng) -> FloatArray:
    """Rows in a box that they fill, or half of the time in one that is wider."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    spare = rng.uniform(0, 0.3, (2, rows.shape[1])) * rng.integers(0, 2)
    low, high = low - spare[0] * (high - low), high + spare[1] * (high - low)
    return 2 * (rows - low) / np.where(high > low, high - low, 1) - 1


FAMILIES = (stretched, factors, skewed, blobs, corners, amounts)


@dataclass(frozen=True)
class Guess:
    """Something else that could have been guessed, where it stands, and where it matters."""

    what: str
    where: Any
    name: str
    instead: Any
    dimensions: tuple[int, ...]


common, anywhere, directions = _grid_priors.SHAPES
GUESSES = (
    Guess("round clusters only", _grid_priors, "SHAPES", (common, anywhere), FEW),
    Guess("clusters anywhere only", _grid_priors, "SHAPES", (anywhere,), FEW),
    Guess("a common factor, or skewed", _grid_priors, "SHAPES", (common, directions), FEW),
    Guess("a common factor twice", _grid_priors, "SHAPES", (common, *_grid_priors.SHAPES), FEW),
    Guess("skewed ones twice", _grid_priors, "SHAPES", (directions, *_grid_priors.SHAPES), FEW),
    Guess("nothing within cells", _grid_priors, "FINE_CELLS", 1, FEW),
    Guess("a level nearer to 0", lift, "LEVEL_VARIANCE", 0.05, MANY),
    Guess("a level that varies more", lift, "LEVEL_VARIANCE", 0.2, MANY),
    Guess("smaller squares", lift, "SQUARE", 0.15, MANY),
    Guess("larger squares", lift, "SQUARE", 0.3, MANY),
    Guess("less along the diagonal", lift, "BLIND_ALONG", 0.2, MANY),
    Guess("more along the diagonal", lift, "BLIND_ALONG", 0.4, MANY),
    Guess("public centers closer", lift, "BLIND_SPREAD", 0.6, MANY),
    Guess("public centers farther", lift, "BLIND_SPREAD", 1.0, MANY),
)


def rows() -> Iterator[Row]:
    for dimensions in (FEW, MANY):
        sets = [some_set(i, dimensions[i % len(dimensions)]) for i in range(SETS)]
        ours = scores(sets)
        for guess in (guess for guess in GUESSES if guess.dimensions is dimensions):
            with mock.patch.object(guess.where, guess.name, guess.instead):
                ratio = ours - scores(sets)
            error = ratio.std() / np.sqrt(len(ratio))
            what = f"d = {dimensions[0]} to {dimensions[-1]}, instead: {guess.what}"
            bar = 1 + max(WORTH, error)
            yield Row(what, float(np.exp(ratio.mean())), bar, note=f"± {error:.2g}")


def some_set(i: int, d: int) -> tuple[Dataset, int]:
    """Rows of one of the families, and a number of centers that need not be that of clusters."""
    rng = np.random.default_rng([i, d])
    n, k = int(np.exp(rng.uniform(*np.log(ROWS)))), int(rng.integers(2, 7))
    make: Callable[[int, int, int, Rng], FloatArray] = FAMILIES[i % len(FAMILIES)]
    data = workloads.as_rows(np.clip(make(n, d, k, rng), -1, 1))
    return data, max(2, k + int(rng.integers(-1, 2)))


def scores(sets: Sequence[tuple[Dataset, int]]) -> FloatArray:
    """The mean logarithm of NICV on each set."""
    _grid_priors.histograms.cache_clear()
    runs = [(epsilon, seed) for epsilon in EPSILONS for seed in SEEDS]
    return np.array(
        [
            np.mean([np.log(nicv(data, k, epsilon, seed)) for epsilon, seed in runs])
            for data, k in sets
        ]
    )


def nicv(data: Dataset, k: int, epsilon: float, seed: int) -> float:
    return exact_nicv(data, dpcore.run("lift", data, k, epsilon, DELTA, seed=seed).centers)
