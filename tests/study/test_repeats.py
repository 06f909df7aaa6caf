"""Many draws of the same run, and what is said of them."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

import dpcore
from dpcore import Request
from dpcore.datasets.base import Dataset
from dpcore.datasets.rows import from_array
from dpcore.study.repeats import DRAWS, Draw, draws, spread


@pytest.fixture(scope="module")
def data() -> Dataset:
    rng = np.random.default_rng(0)
    middles = rng.choice([[-0.5, -0.5], [0.5, 0.5]], 1000)
    return from_array(middles + rng.normal(0, 0.1, (1000, 2)), (-1, 1))


def drawn(data: Dataset, epsilon: float, count: int = DRAWS) -> list[Draw]:
    reference = dpcore.baseline(data, 2)
    return list(draws(Request("adaptive", 2, epsilon), data, reference, count))


def test_there_are_twenty_and_they_repeat(data: Dataset) -> None:
    first = drawn(data, 1.0)
    assert len(first) == DRAWS >= 20
    assert first == drawn(data, 1.0)
    assert len({draw.worse for draw in first}) > 1


def test_a_draw_depends_on_its_number_alone(data: Dataset) -> None:
    assert drawn(data, 1.0, 3) == list(islice(drawn(data, 1.0), 3))


def test_they_come_one_by_one(data: Dataset) -> None:
    endless = draws(Request("adaptive", 2, 1.0), data, dpcore.baseline(data, 2), 10**9)
    assert len(next(endless).shifts) == 2


def test_more_privacy_moves_centers_farther_and_costs_more(data: Dataset) -> None:
    loose, strict = (spread(drawn(data, epsilon)) for epsilon in (4.0, 0.02))
    assert loose.shift < strict.shift
    assert loose.worse < strict.worse


def test_the_spread_is_medians_and_ninth_deciles() -> None:
    some = [Draw((float(i), float(i)), i / 100) for i in range(11)]
    told = spread(some)
    assert told.draws == 11
    assert (told.shift, told.worse) == (5, 0.05)
    assert told.shift_nine_in_ten == pytest.approx(9, abs=0.2)
    assert told.worse_nine_in_ten == pytest.approx(0.09)
