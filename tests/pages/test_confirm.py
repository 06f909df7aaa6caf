"""What Confirm says of a release before budget is used."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore
from dpcore.algorithms import ALGORITHMS
from dpcore.algorithms.base import PublishesPoints
from dpcore.datasets import from_array
from dpcore.geometry.domain import Box
from pages.ui.publish.confirm_step import POINTS

PROVED = sorted(key for key, system in ALGORITHMS.items() if system.verdict.holds)
USUALLY = [key for key in PROVED if ALGORITHMS[key].publishes_points is PublishesPoints.USUALLY]


@pytest.mark.parametrize("key", PROVED)
def test_confirm_says_whether_a_method_publishes_points(key: str) -> None:
    system, k = ALGORITHMS[key], 1 if key == "sparse-mean" else 2
    d = next(d for d in (2, 3) if not system.obstacle(d, 1_500, k))
    values = np.random.default_rng(0).normal(0, 0.3, (1_500, d)).clip(-1, 1)
    request = dpcore.Request(
        key,
        k,
        10.0,
        1e-6 if system.uses_delta else 0.0,
        settings=system.audit.settings if key == "sparse-mean" else {},
    )
    published = dpcore.run(request, from_array(values, Box.cube(d))).synopsis
    assert (published is not None) == ("summary points" in POINTS[system.publishes_points])


@pytest.mark.parametrize("key", USUALLY)
def test_a_method_that_hears_only_the_level_publishes_no_points(key: str) -> None:
    rows = from_array(np.zeros((5, 9)), Box.cube(9))
    assert dpcore.run(dpcore.Request(key, 2, 1e-5, seed=0), rows).synopsis is None


def test_confirm_says_that_points_may_be_missing() -> None:
    assert USUALLY == ["auto", "lift"]
    assert "if there are enough rows" in POINTS[PublishesPoints.USUALLY]
