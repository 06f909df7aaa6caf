"""The coins of a run: all its randomness except the noise on answers.

A run with a seed takes its coins from numpy's generator, so that it repeats. A run with noise for
release takes them from the operating system's cryptographic generator, and nothing repeats it: some
proofs need coins that nobody can know (see `dpcore.privacy.secret_coins`), and no statistical
generator promises that.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri


class Coins(Protocol):
    """The coins that algorithms toss, with the methods of `numpy.random.Generator`."""

    def random(self, size: Any = None) -> Any: ...

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any: ...

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64
    ) -> Any: ...

    def standard_normal(self, size: Any = None) -> Any: ...

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any: ...

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any: ...

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any: ...

    def shuffle(self, x: npt.NDArray[Any]) -> None: ...

    def spawn(self, n_children: int) -> Sequence[Coins]:
        """Coins independent of these: how many of them are tossed changes no later toss of these.

        Coins of which the data decide how many are tossed must be spawned.
        """
        ...


def seed_for(seed: np.random.SeedSequence, name: str) -> np.random.SeedSequence:
    """The seed of a named part of a run: the same for the same name, whatever other parts there
    are."""
    words = np.frombuffer(hashlib.sha256(name.encode()).digest(), np.uint32).tolist()
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *words))


def coins_for(coins: Coins, name: str) -> Coins:
    """Coins of its own for a named part of a run; those of a seed depend on seed and name alone."""
    if isinstance(coins, np.random.Generator):
        seed = coins.bit_generator.seed_seq
        if isinstance(seed, np.random.SeedSequence):
            return np.random.default_rng(seed_for(seed, name))
    return coins.spawn(1)[0]


class SystemCoins:
    """Coins from the operating system's generator: no seed, no state, nothing to repeat them by."""

    def random(self, size: Any = None) -> Any:
        """Uniform multiples of 2^-53 in [0, 1)."""
        return (self._words(size) >> np.uint64(11)) * 2.0**-53

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        if size is None:
            size = np.broadcast(low, high).shape
        return low + (np.asarray(high) - low) * self.random(size)

    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> Any:
        """Whole numbers from low up to, but not including, high: exactly uniform, by rejection."""
        low, high = (0, low) if high is None else (low, high)
        span = high - low
        if not 0 < span <= 1 << 63:
            raise ValueError(f"Whole numbers from {low} to below {high}: there are none.")
        words = np.atleast_1d(self._words(size))
        beyond = np.uint64((1 << 64) - (1 << 64) % span - 1)
        while (rejected := words > beyond).any():
            words[rejected] = self._words(np.count_nonzero(rejected))
        values = (words % np.uint64(span)).astype(dtype) + dtype(low)
        return int(values[0]) if size is None else values

    def standard_normal(self, size: Any = None) -> Any:
        # Half a step from 0 and from 1, where the inverse distribution function is infinite.
        return ndtri((self._words(size) >> np.uint64(12)) * 2.0**-52 + 2.0**-53)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return loc + scale * self.standard_normal(size)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        sign = 2 * self.integers(2, size=size) - 1
        return loc - scale * sign * np.log1p(-self.random(size))

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        """Elements of a, or of range(a): uniformly, or with replacement by probability p."""
        if p is not None:
            if not replace:
                raise ValueError("These coins choose by probability with replacement only.")
            running = np.cumsum(p)
            target = self.random(size) * running[-1]
            # Not beyond the last element that has a probability, whatever rounding does.
            most = np.flatnonzero(p)[-1]
            indices = np.minimum(np.searchsorted(running, target, side="right"), most)
        else:
            count = a if np.ndim(a) == 0 else len(a)
            if replace:
                indices = self.integers(count, size=size)
            else:
                indices = self._order(count)[
                    : 1 if size is None else math.prod(np.atleast_1d(size))
                ]
                indices = indices[0] if size is None else indices.reshape(size)
        return indices if np.ndim(a) == 0 else np.asarray(a)[indices]

    def shuffle(self, x: npt.NDArray[Any]) -> None:
        x[:] = x[self._order(len(x))]

    def spawn(self, n_children: int) -> Sequence[SystemCoins]:
        return [SystemCoins() for _ in range(n_children)]

    def _order(self, count: int) -> npt.NDArray[np.intp]:
        """A random order: that of random words, all of them different."""
        while True:
            words = self._words(count)
            order = np.argsort(words)
            ranked = words[order]
            if (ranked[1:] != ranked[:-1]).all():
                return order

    def _words(self, size: Any) -> Any:
        """64 random bits each: a number, or an array that may be written to."""
        shape = () if size is None else tuple(np.atleast_1d(size))
        bits = bytearray(os.urandom(8 * math.prod(map(int, shape))))
        words = np.frombuffer(bits, np.uint64).reshape(shape)
        return words[()] if size is None else words
