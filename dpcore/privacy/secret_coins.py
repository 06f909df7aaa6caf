"""Secret coins: the randomness by which each row draws its block or its part of the data.

What is proved of random blocks and parts is a statement about these coins. Whatever the rows and
however many there are, each row draws its block independently of all others. Couple the runs on two
neighboring data sets so that every row they share draws the same block in both: then they differ in
one block. An attacker who knows the coins need not accept that coupling. He sees which row draws
which toss, and one row more shifts the tosses of all rows behind it.

This is the one place where rows meet coins. An audit that wants both runs coupled gives `run` a
subclass, in which the block of a row follows from the row.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from dpcore.geometry.domain import IntArray
from dpcore.kmeans.blocks import Blocks, random_blocks
from dpcore.randomness.coins import Coins


class SecretCoins:
    """Deals rows into blocks or parts, and has further coins for what happens inside them."""

    def __init__(self, rng: Coins):
        #: For starts of k-means in a block and the like. How often they are tossed depends on the
        #: rows, so they are nobody else's.
        self.rng = rng

    def blocks(self, positions: IntArray, weights: IntArray | None, count: int) -> Blocks:
        """The random block of every row, drawn independently of all others.

        Positions (m, d) in ticks, with how many rows are at each (None: one).
        """
        return random_blocks(positions, weights, count, self.rng)

    def parts(self, rows: npt.NDArray[np.int32], count: int) -> IntArray:
        """The part that every row (n, d) draws, independently of all others."""
        return self.rng.integers(count, size=len(rows))


#: Makes secret coins from coins of which nobody else has any.
MakeSecretCoins = Callable[[Coins], SecretCoins]
