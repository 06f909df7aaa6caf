"""Release noise: exact, unrepeatable, and never drawn when its price is above the charge."""

from __future__ import annotations

import inspect
import math
import subprocess
import sys

import numpy as np
import opendp.prelude as dp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpcore.privacy import release_noise
from dpcore.privacy.noise import LOG_FLOOR, SimulatedNoise, selection_scale
from dpcore.privacy.release_noise import PrivacyMapError, ReleaseNoise, calibrated

#: One false alarm in a hundred million runs of this file.
ALARM = 1e-9
PRICE = 0.7

QUESTIONS = {
    "make_laplace": lambda noise: noise.geometric(np.arange(5), 3, PRICE),
    "make_gaussian": lambda noise: noise.gaussian(np.arange(5), math.sqrt(3), PRICE),
    "make_noisy_max": lambda noise: noise.choose(np.arange(5), 3, PRICE),
}


def zeros(n: int) -> np.ndarray:
    return np.zeros(n, dtype=np.int64)


class Watched:
    """A measurement that notes what it is asked."""

    def __init__(self, measurement, scale):
        self.measurement, self.scale = measurement, scale
        self.distances, self.inputs = [], []

    def map(self, distance):
        self.distances.append(distance)
        return self.measurement.map(distance)

    def __call__(self, values):
        self.inputs.append(values)
        return self.measurement(values)


def watch(patch: pytest.MonkeyPatch, name: str, times: float = 1.0) -> list[Watched]:
    """Every measurement that OpenDP makes from now on, its scale multiplied by `times`."""
    make, made = getattr(dp.m, name), []

    def watched(*space, scale):
        made.append(Watched(make(*space, scale * times), scale * times))
        return made[-1]

    patch.setattr(dp.m, name, watched)
    return made


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_measurement_that_costs_more_than_the_charge_is_never_drawn(monkeypatch, name):
    made = watch(monkeypatch, name, times=1 - 1e-9)
    monkeypatch.delattr(release_noise, "choose_exactly")
    with pytest.raises(PrivacyMapError, match="more than"):
        QUESTIONS[name](ReleaseNoise())
    assert made
    assert not any(measurement.inputs for measurement in made)


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_map_is_asked_about_the_true_sensitivity_before_the_draw(monkeypatch, name):
    made = watch(monkeypatch, name)
    QUESTIONS[name](ReleaseNoise())
    *refused, last = made
    assert not any(measurement.inputs for measurement in refused)
    claim, sensitivity = {
        "make_laplace": (PRICE, 3),
        "make_gaussian": (PRICE, math.sqrt(3)),
        "make_noisy_max": (PRICE**2 / 8, 3 * round(last.scale / (6 / PRICE))),
    }[name]
    assert last.distances == [sensitivity]
    assert last.measurement.map(sensitivity) <= claim


@settings(deadline=None)
@given(
    price=st.floats(1e-6, 1e6),
    sensitivity=st.sampled_from([1, 2, 3, 7, 2**21, 2**22 * 10, 784 * 2**22 + 1]),
    monotone=st.booleans(),
)
def test_the_released_scale_is_the_simulated_one_to_a_trillionth(price, sensitivity, monotone):
    noise, l2 = ReleaseNoise(), math.sqrt(sensitivity)
    with pytest.MonkeyPatch.context() as patch:
        laplace, gaussian, selection = (watch(patch, name) for name in QUESTIONS)
        noise.geometric(zeros(1), sensitivity, price)
        assert laplace[-1].scale == pytest.approx(sensitivity / price, rel=1e-12)
        noise.gaussian(zeros(1), l2, price)
        assert gaussian[-1].scale == pytest.approx(l2 / math.sqrt(2 * price), rel=1e-12)
        epsilon = min(max(price, 1e-4), 1e3)
        noise.choose(zeros(1), sensitivity, epsilon, monotone)
        per_unit = selection[-1].scale / (selection[-1].distances[-1] / sensitivity)
        scale = selection_scale(sensitivity, epsilon, monotone)
        assert per_unit == pytest.approx(scale, rel=1e-12)


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("epsilon", [0.01, 0.7, 1.3, 64.0])
def test_a_selection_stays_within_pure_epsilon_and_eighth_of_its_square(epsilon, monotone):
    with pytest.MonkeyPatch.context() as patch:
        made = watch(patch, "make_noisy_max")
        ReleaseNoise().choose(np.arange(4), 3, epsilon, monotone)
    moves = made[-1].distances[-1] * (1 if monotone else 2)
    assert moves / made[-1].scale <= epsilon
    assert made[-1].measurement.map(made[-1].distances[-1]) <= epsilon**2 / 8


@pytest.fixture
def drawn(monkeypatch) -> list[tuple[np.ndarray, float]]:
    """What is drawn from: how far candidates are below the best, and the scale."""
    asked: list[tuple[np.ndarray, float]] = []
    draw = release_noise.choose_exactly
    monkeypatch.setattr(
        release_noise, "choose_exactly", lambda *law: asked.append(law) or draw(*law)
    )
    return asked


def test_a_choice_is_drawn_from_the_law_whose_price_opendp_was_asked(monkeypatch, drawn):
    made = watch(monkeypatch, "make_noisy_max")
    scores = np.array([4, 9, -2])
    ReleaseNoise().choose(scores, 3, 0.7)
    ((depths, scale),) = drawn
    assert scale == made[-1].scale
    assert made[-1].distances == [3 * (depths[0] // 5)]
    assert depths.tolist() == ((9 - scores) * (depths[0] // 5)).tolist()


def test_a_choice_is_among_whole_numbers_in_which_the_prior_is_right_to_ten_digits(drawn):
    scores = np.array([5, -3, 0, 10**12, -(10**12)])
    log_prior = np.array([0.3, math.pi, -math.inf, -1e-3, 2.0])
    ReleaseNoise().choose(scores, 2, 0.37, log_prior=log_prior)
    depths, scale = drawn.pop()
    assert depths.dtype == np.int64
    logits = (scores / (4 / 0.37) + log_prior)[[0, 1, 3, 4]]
    floored = np.maximum(logits - logits.max(), -LOG_FLOOR)
    assert np.abs(-depths / scale - floored).max() < 2e-10

    ReleaseNoise().choose(np.array([2, 0, 1]), 1, 1.0, log_prior=np.array([0.5, 0.25, 1 / 3]))
    depths, scale = drawn.pop()
    assert depths[1] / scale == pytest.approx(1.25, abs=1e-10)
    assert depths[2] / scale == pytest.approx(2 / 3, abs=1e-10)


def test_a_prior_adds_the_same_number_whatever_the_scores(monkeypatch, drawn):
    """So the distance between neighbors, which OpenDP is told, is that of their scores."""
    made = watch(monkeypatch, "make_noisy_max")
    log_prior = np.array([0.1, -2.7, 1.9])
    for scores in ([4, 6, 5], [5, 6, 6]):
        ReleaseNoise().choose(np.array(scores), 1, 0.9, monotone=True, log_prior=log_prior)
    (before, _), (after, _) = drawn
    units = made[-1].distances[-1]
    moved = before - after
    assert (moved - moved[1]).tolist() == [units, 0, units]


@pytest.mark.parametrize("scale", [0.3, 2.0, 40.0])
def test_released_and_simulated_geometric_noise_agree(scale):
    both = [noise.geometric(zeros(50_000), 1, 1 / scale) for noise in back_ends()]
    assert agreement(*both) > ALARM


@pytest.mark.parametrize("sigma", [0.3, 0.7, 2.0, 40.0])
def test_released_and_simulated_gaussian_noise_agree(sigma):
    both = [noise.gaussian(zeros(50_000), 1.0, 0.5 / sigma**2) for noise in back_ends()]
    assert agreement(*both) > ALARM


@pytest.mark.parametrize("monotone", [False, True])
def test_released_and_simulated_choices_agree(monotone):
    scores = np.array([3, 1, 4, 1, 5, 9, 2, 6])
    log_prior = np.array([0.5, 0, 1, 2, 0, -4, -math.inf, 0])
    both = [
        np.array([noise.choose(scores, 2, 1.1, monotone, log_prior) for _ in range(2_000)])
        for noise in back_ends()
    ]
    assert agreement(*both) > ALARM


def back_ends():
    return ReleaseNoise(), SimulatedNoise(11)


def agreement(a: np.ndarray, b: np.ndarray) -> float:
    """p-value of a two-sample chi-square over whole numbers, rare ones pooled at either end."""
    both = np.sort(np.concatenate([a, b]))
    low, high = both[100], both[-100]
    table = [np.bincount(np.clip(x, low, high) - low, minlength=high - low + 1) for x in (a, b)]
    table = np.array(table)
    return stats.chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue


def test_there_is_no_seed_and_no_draw_repeats():
    assert list(inspect.signature(ReleaseNoise).parameters) == ["progress"]
    first, second = (ReleaseNoise().geometric(zeros(50), 1, 0.01) for _ in range(2))
    assert not np.array_equal(first, second)


def test_opendp_is_imported_by_release_noise_alone_and_only_when_constructed():
    code = (
        "import sys, dpcore.privacy.noise, dpcore.privacy.release_noise as r; "
        "assert 'opendp' not in sys.modules; "
        "r.ReleaseNoise(); assert 'opendp' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_long_answers_come_in_pieces_and_tell_how_far_they_are(monkeypatch):
    monkeypatch.setattr(release_noise, "CHUNK", 4)
    told = []
    noise = ReleaseNoise(progress=lambda done, total: told.append((done, total)))
    values = np.arange(10).reshape(2, 5) * 1000
    noisy = noise.geometric(values, 1, 5.0)
    assert told == [(4, 10), (8, 10), (10, 10)]
    assert np.abs(noisy - values).max() < 100
    told.clear()
    noise.gaussian(zeros(4), 1.0, 1.0)
    assert told == [(4, 4)]


def test_pieces_are_priced_as_the_whole(monkeypatch):
    monkeypatch.setattr(release_noise, "CHUNK", 2)
    made = watch(monkeypatch, "make_laplace")
    ReleaseNoise().geometric(zeros(6), 5, 0.5)
    assert made[-1].distances == [5]
    assert len(made[-1].inputs) == 3


def test_a_map_that_rounding_puts_just_above_the_charge_is_mended_by_the_next_floats():
    class Rounded:
        def __init__(self, scale):
            self.scale = scale

        def map(self, sensitivity):
            return math.nextafter(sensitivity / self.scale, math.inf)

    measurement, scale = calibrated(Rounded, 3 / 0.1, 3, 0.1)
    assert measurement.map(3) <= 0.1
    assert scale == measurement.scale == pytest.approx(30, rel=1e-14)
