"""The number of repetitions of a run, and their seeds."""

from __future__ import annotations

import numpy as np

#: Enough for a median and a ninth decile that stay where they are.
DRAWS = 20


def trial_seed(seed: int, run: int) -> int:
    """The seed of one run, the same for every algorithm and epsilon, in any order."""
    return int(np.random.SeedSequence([seed, run]).generate_state(1, np.uint64)[0] >> 1)
