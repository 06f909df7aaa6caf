"""The noise that a release states beside each weight, worked out again from its charges.

A weight is a noisy count or made of some, and the certificate tells the scale of the noise in every
count. So what the noise in a weight varies by is one of few numbers:

* **a grid**: that of its own count, the same in every cell;
* **a coreset of cells**: that of the count of the cell, asked in one of the rounds;
* **what was pooled**, thin cells that only together stand out: as many times that of one cell as
  there were cells. A tree asked about such cells in every round, and averaged the counts.

Points that were merged have sums of these: of a tree's, which differ, all that is known of a sum is
that it is no less than the least of them. Where rows are public, a coreset shares out their number:
all weights are multiplied by one factor, which its weights tell, since they were whole numbers
before.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from dpcore.algorithms import ALGORITHMS
from dpcore.algorithms.base import CountsInWeights, SynopsisAlgorithm
from dpcore.geometry.domain import FloatArray
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.mechanisms import Mechanism
from dpcore.release.published import Published
from dpcore.release.rehearsal import Rehearsed
from dpcore.release.short_answers import ROWS
from dpcore.results.rectangles import geometric_variance

#: What two machines may make of the same variance, as part of it, and of a number that was whole.
SAME = 1e-9
#: Fewer points than this may all have weights with a common divisor.
MANY = 20
#: So many cells are pooled at most, where every point is made of several, and so many numbers are
#: looked at to find out how many.
MOST_POOLED, MOST_LOOKS = 4096, 10**7
#: How the reason begins for which a grid is counted.
OF_GRID = "rows in each of"


@dataclass(frozen=True)
class CountNoise:
    """The variances that the noise in a weight may have."""

    #: Of a weight that is the count of one cell.
    of_one: tuple[float, ...]
    #: Of one cell of those that are pooled; 0 where none are.
    pooled: float = 0.0

    @property
    def least(self) -> float:
        """The least variance that a weight can have."""
        return min(*self.of_one, self.pooled or math.inf, math.inf)

    def explains(self, variances: FloatArray) -> npt.NDArray[np.bool_]:
        """The variances that are those of one count or, where cells are pooled, of several."""
        explained = np.zeros(len(variances), dtype=bool)
        for variance in self.of_one:
            explained |= np.abs(variances - variance) <= SAME * variance
        return explained | _are_whole(variances / self.pooled) if self.pooled else explained


def difference(certificate: Mapping[str, Any], published: Published, done: Rehearsed) -> str | None:
    """The difference between the stated noise and that of the charges, in words, or None."""
    assert published.points is not None
    stated = published.noise
    if (stated is not None) != done.has_noise:
        return "it is stated" if stated is not None else "it is not stated"
    if stated is None or not len(stated):
        return None
    if not (np.isfinite(stated).all() and (stated > 0).all()):
        return "it is no positive number"
    made_of = _counts_in_weights(certificate)
    noises = [_noise_of(made_of, done.coreset, account) for account in _accounts(certificate)]
    variances, merged = stated**2, bool(certificate["parameters"].get("points"))
    if merged:
        noises = [replace(each, pooled=each.pooled or each.least) for each in noises]
    if merged and made_of is CountsInWeights.ANY_ROUND:
        least = min(each.least for each in noises)
        return None if (variances >= least * (1 - SAME)).all() else "it is less than in one count"
    pooled = made_of is CountsInWeights.LAST_OR_POOLED
    if pooled and not _in_parts(certificate) and not _size_is_private(certificate):
        weights = published.points[:, published.box.d]
        return None if _shared_out(weights, variances, noises[0].pooled) else "no counts have it"
    explained = np.any([each.explains(variances) for each in noises], axis=0)
    if explained.all():
        return None
    return f"it is {stated[~explained][0]:.6g} where no count has such noise"


def is_known(certificate: Mapping[str, Any], done: Rehearsed) -> bool:
    """Whether it is known how this method makes weights of counts."""
    made_of = _counts_in_weights(certificate)
    return not (done.coreset and done.has_noise) or made_of is not CountsInWeights.UNKNOWN


def _counts_in_weights(certificate: Mapping[str, Any]) -> CountsInWeights:
    """The counts in the weights of a release, by its method or the one that it chose."""
    method = ALGORITHMS.get(str(certificate["facts"].get("chosen", certificate["algorithm"])))
    if isinstance(method, SynopsisAlgorithm):
        return method.counts_in_weights
    return CountsInWeights.UNKNOWN


def _noise_of(made_of: CountsInWeights, is_coreset: bool, account: Mapping[str, Any]) -> CountNoise:
    """The noise in the counts that an account paid for."""
    counts = list(_counts(account))
    if not is_coreset:
        (scale,) = [each["scale"] for each in counts if each["why"].startswith(OF_GRID)]
        return CountNoise((geometric_variance(scale),))
    scales = [each["scale"] for each in counts]
    # As the methods have it: the variance of the continuous noise of that scale.
    variances = [2 * scale**2 for scale in scales]
    if made_of is CountsInWeights.ANY_ROUND:
        return CountNoise(tuple(variances), 1 / sum(1 / each for each in variances))
    pooled = made_of is CountsInWeights.LAST_OR_POOLED
    return CountNoise((variances[-1],), variances[-1] if pooled else 0.0)


def _counts(account: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The charges that bought counts, in order, those of inner accounts among them."""
    for charge in account["charges"]:
        for inner in charge["inner"]:
            yield from _counts(inner)
        if charge["mechanism"] == Mechanism.GEOMETRIC and charge["why"] != ROWS:
            yield charge


def _in_parts(certificate: Mapping[str, Any]) -> bool:
    """Whether each region, or each group of rows, had a run of its own."""
    return "areas" in certificate or "own levels" in certificate


def _accounts(certificate: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The account of each run."""
    if _in_parts(certificate):
        return list(certificate["transcript"]["charges"][0]["inner"])
    return [certificate["transcript"]]


def _size_is_private(certificate: Mapping[str, Any]) -> bool:
    return Neighbors(certificate["neighbors"]).size_is_private


def _shared_out(weights: FloatArray, variances: FloatArray, of_one: float) -> bool:
    """Whether weights and noise are those of whole counts, all multiplied by one factor."""
    for cells in range(1, 1 + min(MOST_POOLED, 1 + MOST_LOOKS // len(weights))):
        square = float(variances.min()) / (cells * of_one)
        counts = weights / math.sqrt(square)
        if not (_are_whole(counts).all() and _are_whole(variances / (of_one * square)).all()):
            continue
        if len(weights) < MANY or np.gcd.reduce(np.rint(counts).astype(np.int64)) == 1:
            return True
    return False


def _are_whole(values: FloatArray) -> npt.NDArray[np.bool_]:
    """The values that are whole numbers from 1 on, but for rounding."""
    nearest = np.rint(values)
    return np.asarray((nearest >= 1) & (np.abs(values - nearest) <= SAME * nearest))
