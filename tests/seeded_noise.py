"""Releases with seeded noise, for tests that look at what noise does to a result."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from dpcore.privacy.noise import SimulatedNoise
from dpcore.privacy.release_noise import ReleaseNoise


@contextmanager
def seeded_noise(seed: int = 0) -> Iterator[None]:
    """Releases draw from the same laws as ever, and repeat: in place of OpenDP's samplers numpy's,
    and in place of the operating system's coins those of a seed.

    tests/privacy/test_noise.py holds both samplers to the same laws. A test that looks at what
    noise does to a result repeats under a seed; one of how a release is made has no need of it.
    """
    noise, coins = SimulatedNoise(seed), np.random.default_rng(seed)

    def drawn(name: str) -> object:
        def draw(self: ReleaseNoise, *asked: object, **more: object) -> object:
            self.has_answered = True
            return getattr(noise, name)(*asked, **more)

        return draw

    with pytest.MonkeyPatch.context() as patch:
        for name in ("geometric", "gaussian", "choose"):
            patch.setattr(ReleaseNoise, name, drawn(name))
        patch.setattr("dpcore.randomness.coins.os", SimpleNamespace(urandom=coins.bytes))
        yield
