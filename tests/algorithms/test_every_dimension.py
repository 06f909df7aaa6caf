"""In any number of dimensions a method answers, or refuses in one sentence before it asks.

By itself the file tries one number of centers for each shape; with DPCORE_FULL set, all of them.
"""

from __future__ import annotations

import os
from itertools import cycle

import numpy as np
import pytest

import dpcore
from dpcore.algorithms import ALGORITHMS
from dpcore.algorithms.eugkm import ONE_CELL
from dpcore.audit.cases import DELTA
from dpcore.datasets import from_array
from dpcore.errors import Infeasible
from dpcore.geometry.domain import Box
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.noise import SimulatedNoise
from dpcore.privacy.noise_proxy import NoiseProxy
from dpcore.queries.curator import Curator

FULL = bool(os.environ.get("DPCORE_FULL"))
DIMENSIONS = (1, 2, 3, 4, 5, 8, 16, 31, 32, 33, 63, 64, 65, 100, 200, 500, 1000)
CENTERS = (1, 2, 5, 20)
ROWS = (30, 300) if FULL else (30,)
#: Only the noisy number of rows tells that these are too few; what it cost is spent.
KNOWN_AFTER = {"coreset-faithful": "rows are too few"}


def rows(n: int, d: int):
    return from_array(np.random.default_rng(d).uniform(-0.9, 0.9, (n, d)), Box.cube(d))


class Counted(NoiseProxy):
    """Simulated noise that counts how often it is drawn."""

    def __init__(self, seed):
        self._noise, self.drawn = SimulatedNoise(seed), 0

    def answer(self, request):
        self.drawn += 1
        return request.put_to(self._noise)


def shapes(key: str):
    """Rows, dimensions, centers, relation and delta."""
    system, some = ALGORITHMS[key], cycle(CENTERS)
    for d in DIMENSIONS:
        for relation in system.relations:
            for n in ROWS:
                for k in CENTERS if FULL else (next(some),):
                    for delta in (0.0, DELTA) if system.uses_delta else (0.0,):
                        yield n, d, k, relation, delta


@pytest.mark.parametrize("key", list(ALGORITHMS))
def test_it_answers_or_refuses_in_one_sentence_before_it_asks(key, monkeypatch):
    curators: list[Curator] = []
    made = Curator.__init__

    def noted(self, *given, **more):
        made(self, *given, **more)
        curators.append(self)

    monkeypatch.setattr(Curator, "__init__", noted)
    for n, d, k, relation, delta in shapes(key):
        curators.clear()
        noise = Counted(0)
        data, settings = rows(n, d), dict(ALGORITHMS[key].audit.settings)
        try:
            result = dpcore.run(key, data, k, 1.0, delta, relation, 0, noise=noise, **settings)
            assert np.asarray(result.centers).shape == (k, d)
        except (Infeasible, ValueError) as refusal:
            said = str(refusal)
            assert said.endswith((".", ")."))
            assert "\n" not in said
            assert len(said) < 400
            if KNOWN_AFTER.get(key, said + "!") in said and relation.size_is_private:
                continue
            assert not noise.drawn, said
            assert all(not each.transcript for each in curators), said


@pytest.mark.parametrize("key", ["eugkm", "hybrid", "eugkm-published"])
def test_a_grid_in_too_many_dimensions_is_refused_from_public_facts(key):
    assert "25 dimensions" in ALGORITHMS[key].obstacle(25, None, 3)
    assert ALGORITHMS[key].obstacle(24, None, 3) is None


def test_a_grid_of_one_cell_says_that_it_shows_nothing():
    facts = dpcore.run("eugkm", rows(300, 20), 3, 1.0, seed=0).facts
    assert facts["cells per side"] == 1
    assert facts["caution"] == ONE_CELL
    assert "caution" not in dpcore.run("eugkm", rows(300, 2), 3, 1.0, seed=0).facts


def test_a_refusal_tells_a_private_number_of_rows_only_about():
    data = rows(50_023, 2)
    with pytest.raises(Infeasible, match=r"^about 50,000 rows are too few"):
        dpcore.run("coreset-faithful", data, 5, 0.5, seed=0)
    with pytest.raises(Infeasible, match=r"^50,023 rows are too few"):
        dpcore.run("coreset-faithful", data, 5, 0.5, neighbors=Neighbors.REPLACE_ONE, seed=0)
