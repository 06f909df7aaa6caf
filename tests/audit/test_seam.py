"""No float leaves the noise seam. The laws of the noise are checked in test_noise.py and
test_release_noise.py; here, that private numbers meet no other noise and leave as whole numbers."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.algorithms import ALGORITHMS
from dpcore.audit.cases import Case, cases_of
from dpcore.audit.replay import Recorder
from dpcore.datasets.rows import from_array
from dpcore.geometry.domain import TICKS, Grid
from dpcore.privacy.accounting import Accounting, Budget
from dpcore.privacy.losses import Pure, Zcdp
from dpcore.privacy.noise import SimulatedNoise
from dpcore.queries.curator import Curator
from dpcore.runs.run import run

ROWS = np.random.default_rng(0).uniform(-1, 1, (50, 2))
LOSSES = [(Budget(1.0), Pure(0.3)), (Budget(1.0, 1e-6, Accounting.ZCDP), Zcdp(0.005))]


def first_cases() -> list[Case]:
    return [next(cases_of(algorithm)) for algorithm in ALGORITHMS.values()]


@pytest.mark.parametrize("case", first_cases(), ids=lambda case: case.algorithm)
def test_every_noisy_answer_of_every_algorithm_is_whole(case):
    recorder = Recorder(SimulatedNoise(0))
    try:
        run(case.request(seed=0), case.pair.data[0], noise=recorder)
    except ValueError:
        assert case.algorithm == "kvariates-published"
    for asked in recorder.answers:
        assert asked.values.dtype.kind == "i"
        assert np.asarray(asked.answer).dtype.kind == "i"
    assert recorder.answers or ALGORITHMS[case.algorithm].audit.own_noise


@pytest.mark.parametrize(("budget", "loss"), LOSSES, ids=["geometric", "gaussian"])
def test_a_curator_answers_in_whole_numbers_or_whole_ticks(budget, loss):
    curator = Curator(from_array(ROWS, (-1, 1)), budget, SimulatedNoise(0))
    assert curator.noisy_counts(Grid(curator.box, 3), loss, "grid").dtype == np.int64
    counts, sums = curator.noisy_totals(np.zeros((2, 2)), loss, loss, "totals")
    assert counts.dtype == np.int64
    # A power of two divides without rounding, so the float is as coarse as the whole number.
    np.testing.assert_array_equal(sums * TICKS, np.rint(sums * TICKS))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint64, object])
def test_noise_refuses_what_is_not_whole(dtype):
    values = np.array([1, 2], dtype=dtype)
    for ask in (
        lambda noise: noise.geometric(values, 1, 1.0),
        lambda noise: noise.gaussian(values, 1.0, 1.0),
        lambda noise: noise.choose(values, 1, 1.0),
    ):
        with pytest.raises(TypeError, match="whole numbers"):
            ask(SimulatedNoise(0))
