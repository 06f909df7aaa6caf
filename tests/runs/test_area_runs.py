"""After a move of one area's level, only that area is run again, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore
from dpcore import regions
from dpcore.algorithms.adaptive import Adaptive
from dpcore.privacy.noise import SimulatedNoise
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.runs.area_runs import AreaRuns

TAXI = dpcore.datasets.load("nyc-taxi")
BOROUGHS = regions.boroughs()


def asked(seed: int | None = 3, **levels: float) -> dpcore.Request:
    return dpcore.Request("adaptive", 4, 1.0, seed=seed, regions=BOROUGHS.with_levels(levels))


@pytest.fixture
def areas_run(monkeypatch):
    """How many areas were run."""
    right, seen = Adaptive.summaries, []

    def summaries(self, curators, k, **settings):
        seen.extend(curator.budget.epsilon for curator in curators)
        return right(self, curators, k, **settings)

    monkeypatch.setattr(Adaptive, "summaries", summaries)
    return seen


def same(one, other) -> bool:
    return (
        np.array_equal(one.centers, other.centers)
        and np.array_equal(one.synopsis.weights, other.synopsis.weights)
        and one.transcript.as_dicts() == other.transcript.as_dicts()
        and one.facts == other.facts
        and [step.kind for step in one.steps] == [step.kind for step in other.steps]
    )


def test_a_move_of_one_level_runs_one_area_and_gives_what_a_whole_run_gives(areas_run):
    kept = AreaRuns()
    dpcore.run(asked(Queens=0.5), TAXI, kept=kept)
    assert len(areas_run) == 5
    moved = dpcore.run(asked(Queens=0.7), TAXI, kept=kept)
    assert areas_run[5:] == [0.7]
    assert same(moved, dpcore.run(asked(Queens=0.7), TAXI))


def test_going_back_runs_nothing_again(areas_run):
    kept = AreaRuns()
    first = dpcore.run(asked(Bronx=0.5), TAXI, kept=kept)
    dpcore.run(asked(Bronx=0.2), TAXI, kept=kept)
    assert len(areas_run) == 6
    assert same(first, dpcore.run(asked(Bronx=0.5), TAXI, kept=kept))
    assert len(areas_run) == 6


def test_other_seeds_and_other_data_share_nothing(areas_run):
    kept = AreaRuns()
    dpcore.run(asked(), TAXI, kept=kept)
    dpcore.run(asked(seed=4), TAXI, kept=kept)
    month = dpcore.datasets.load("nyc-month")
    found = dpcore.run(asked(), month, kept=kept)
    assert len(areas_run) == 15
    assert same(found, dpcore.run(asked(), month))


@pytest.mark.parametrize("noise", [None, SimulatedNoise(0), ReleaseNoise()])
def test_nothing_is_kept_without_a_seed_or_with_noise_from_elsewhere(noise, areas_run):
    kept = AreaRuns()
    for _ in range(2):
        dpcore.run(asked(seed=None), TAXI, kept=kept, noise=noise)
    assert len(areas_run) == 10
    assert not kept._runs


def test_no_more_than_so_many_runs_are_kept():
    kept = AreaRuns(most=7)
    for level in (0.2, 0.3, 0.4):
        dpcore.run(asked(Queens=level, Bronx=level), TAXI, kept=kept)
    assert len(kept._runs) == 7
