"""Both sources of noise draw what the exact formulas say, and nothing but whole numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpcore.errors import Infeasible
from dpcore.privacy.noise import (
    MAX_SCALE,
    MIN_SCALE,
    Noise,
    SimulatedNoise,
    selection_scale,
    selection_weights,
)
from dpcore.privacy.release_noise import ReleaseNoise

#: Some sixty tests at this level: one false alarm in fifteen million runs of this file.
ALARM = 1e-9
INT64 = np.iinfo(np.int64)


@pytest.fixture(params=["simulated", "simulated by table", "released"])
def noise(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Noise:
    """Every source of noise; the simulated one as it is for few numbers and for many."""
    if request.param == "released":
        return ReleaseNoise()
    monkeypatch.setattr(
        "dpcore.privacy.noise._MANY", 0 if request.param == "simulated by table" else 1e9
    )
    return SimulatedNoise(20250101)


def many(noise: Noise) -> int:
    """A number of draws that takes half a second."""
    return 400_000 if isinstance(noise, SimulatedNoise) else 60_000


def zeros(n: int) -> np.ndarray:
    return np.zeros(n, dtype=np.int64)


def geometric_law(z, scale):
    return -np.abs(z) / scale


def gaussian_law(z, sigma):
    return -(z**2) / (2 * sigma**2)


def p_value(draws, log_weight, reach: int, least: float = 50.0) -> float:
    """Chi-square of whole-number draws against weights exp(log_weight(z)).

    Integers with fewer than `least` expected draws are pooled with their neighbors, so that both
    tails are bins of the test.
    """
    z = np.arange(-reach, reach + 1)
    weights = np.exp(log_weight(z))
    expected = weights / weights.sum() * draws.size
    observed = np.bincount(np.clip(draws, -reach, reach) + reach, minlength=z.size)
    starts, pooled = [0], 0.0
    for following, draws_here in enumerate(expected, start=1):
        pooled += draws_here
        if pooled >= least:
            starts.append(following)
            pooled = 0.0
    starts.pop()  # what is left at the end joins the last full pool
    observed, expected = (np.add.reduceat(counts, starts) for counts in (observed, expected))
    assert observed.size >= 3
    return stats.chisquare(observed, expected).pvalue


@pytest.mark.parametrize("scale", [0.3, 2.0, 40.0])
def test_geometric_noise_has_weights_exp_minus_z_over_scale(noise, scale):
    draws = noise.geometric(zeros(many(noise)), 2, 2 / scale)
    assert p_value(draws, lambda z: geometric_law(z, scale), math.ceil(50 * scale)) > ALARM


@pytest.mark.parametrize("sigma", [0.3, 0.7, 2.0, 40.0])
def test_gaussian_noise_has_weights_exp_minus_z_squared_over_2_sigma_squared(noise, sigma):
    draws = noise.gaussian(zeros(many(noise)), 1.5, (1.5 / sigma) ** 2 / 2)
    assert p_value(draws, lambda z: gaussian_law(z, sigma), math.ceil(10 * sigma)) > ALARM


@pytest.mark.parametrize("scale", [1e6, 2.0**21 * 1e5, 1e13])
def test_noise_for_sums_in_ticks_follows_the_continuous_law_it_approaches(noise, scale):
    n = many(noise) // 2
    geometric = noise.geometric(zeros(n), 2**21, 2**21 / scale)
    assert stats.kstest(geometric / scale, "laplace").pvalue > ALARM
    gaussian = noise.gaussian(zeros(n), 2.0**21, (2.0**21 / scale) ** 2 / 2)
    assert stats.kstest(gaussian / scale, "norm").pvalue > ALARM


def test_these_tests_notice_a_scale_two_percent_off_and_a_rounded_gaussian():
    rng = np.random.default_rng(1)
    draws = SimulatedNoise(2).geometric(zeros(400_000), 1, 1 / 2.04)
    assert p_value(draws, lambda z: geometric_law(z, 2.0), 100) < ALARM
    rounded = np.rint(0.7 * rng.standard_normal(60_000)).astype(np.int64)
    assert p_value(rounded, lambda z: gaussian_law(z, 0.7), 10) < ALARM
    halved = SimulatedNoise(3).gaussian(zeros(60_000), 1.0, 2 * (0.5 / 40**2))
    assert p_value(halved, lambda z: gaussian_law(z, 40.0), 400) < ALARM


def test_each_value_gets_noise_of_its_own(noise):
    draws = noise.geometric(zeros(20_000), 1, 0.01)
    assert abs(stats.pearsonr(draws[:-1], draws[1:]).statistic) < 0.1
    assert np.unique(noise.gaussian(zeros(1_000), 1.0, 1e-9)).size > 900


def test_noise_a_million_times_smaller_than_one_leaves_the_values(noise):
    values = np.arange(-500, 500)
    assert np.array_equal(noise.geometric(values, 1, 1e6), values)
    assert np.array_equal(noise.gaussian(values, 1.0, 1e12), values)


# One clear best, so that permute-and-flip, also epsilon-DP, is told from the exponential mechanism.
SCORES = np.array([[0, 1, 5], [-1, 2, 3]])
PRIOR = np.array([[0.0, 1.0, 0.0], [1.25, -math.inf, 0.1]])


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("log_prior", [None, PRIOR], ids=["no prior", "prior"])
def test_choices_have_weights_prior_times_exp_score(noise, monotone, log_prior):
    sensitivity, epsilon = 2, 1.5
    slope = epsilon / sensitivity if monotone else epsilon / (2 * sensitivity)
    weights = np.exp(SCORES * slope + (0 if log_prior is None else log_prior)).ravel()
    draws = [
        noise.choose(SCORES, sensitivity, epsilon, monotone, log_prior)
        for _ in range(40_000 if isinstance(noise, SimulatedNoise) else 3_000)
    ]
    observed = np.bincount(draws, minlength=SCORES.size)
    expected = weights / weights.sum() * len(draws)
    possible = weights > 0
    assert observed[~possible].sum() == 0
    assert expected[possible].min() > 20
    assert stats.chisquare(observed[possible], expected[possible]).pvalue > ALARM


def test_many_small_weights_are_not_lost_beside_a_large_one():
    noise = SimulatedNoise(5)
    scores = np.full(10_000, -round(100 * math.log(1e5)))
    scores[0] = 0
    draws = np.array([noise.choose(scores, 1, 0.01, monotone=True) for _ in range(5_000)])
    small = draws[draws > 0]
    assert stats.binomtest(small.size, draws.size, 0.1 / 1.1).pvalue > ALARM
    assert stats.kstest(small / 10_000, "uniform").pvalue > ALARM


def test_every_possible_candidate_keeps_its_chance_however_bad():
    scores = np.array([0, -(10**6), INT64.min, INT64.max])
    weights = selection_weights(scores, 1.0, np.array([0.0, -1e9, 0.0, -math.inf]))
    assert np.all(weights[:3] > 1e-308)
    assert weights[3] == 0


def test_the_floor_moves_no_mass_that_a_draw_could_show():
    scores = np.full(1_000_000, -(2**50))
    scores[0] = 0
    weights = selection_weights(scores, 1.0)
    assert weights[0] == 1
    assert weights[1:].sum() < 1e-290


def test_an_impossible_candidate_is_never_chosen_even_when_it_scores_best(noise):
    log_prior = np.array([-math.inf, -50.0, -math.inf])
    for _ in range(200):
        assert noise.choose(np.array([10**9, 0, 10**9]), 1, 1.0, log_prior=log_prior) == 1


@pytest.mark.parametrize("log_prior", [[-math.inf] * 2, [math.nan, 0.0], [math.inf, 0.0]])
def test_a_prior_that_is_none_is_refused(noise, log_prior):
    with pytest.raises(ValueError, match="prior"):
        noise.choose(np.array([1, 2]), 1, 1.0, log_prior=np.array(log_prior))


def test_one_prior_may_serve_every_row_of_candidates(noise):
    only_last = np.array([-math.inf, -math.inf, 0.0])
    assert noise.choose(SCORES, 1, 1.0, log_prior=only_last) in (2, 5)


@settings(deadline=None)
@given(
    before=st.lists(st.integers(-3000, 3000), min_size=2, max_size=6),
    moves=st.lists(st.integers(0, 5), min_size=6, max_size=6),
    down=st.lists(st.booleans(), min_size=6, max_size=6),
    log_prior=st.lists(st.floats(-900, 50), min_size=6, max_size=6),
    monotone=st.booleans(),
    epsilon=st.floats(0.01, 8),
)
def test_one_row_moves_log_odds_by_at_most_epsilon_floor_and_prior_included(
    before, moves, down, log_prior, monotone, epsilon
):
    n = len(before)
    scores = np.array(before)
    step = np.array(moves[:n]) if monotone else np.where(down[:n], -1, 1) * moves[:n]
    scale = selection_scale(5, epsilon, monotone)
    prior = np.array(log_prior[:n])
    p, q = (selection_weights(s, scale, prior) for s in (scores, scores + step))
    loss = np.log(p / p.sum()) - np.log(q / q.sum())
    assert np.ptp(loss) <= epsilon * (1 + 1e-9) + 1e-10
    assert np.abs(loss).max() <= epsilon * (1 + 1e-9) + 1e-10


def test_the_bound_on_log_odds_is_reached_so_no_epsilon_is_wasted():
    p, q = (selection_weights([s, -s], selection_scale(1, 0.5, False)) for s in (0, 1))
    assert np.ptp(np.log(p / q)) == pytest.approx(0.5)
    p, q = (selection_weights([s, 0], selection_scale(1, 0.5, True)) for s in (0, 1))
    assert np.ptp(np.log(p / q)) == pytest.approx(0.5)


def test_same_seed_same_draws_and_another_seed_others():
    def draws(seed):
        noise = SimulatedNoise(seed)
        picks = [noise.choose(np.arange(50), 1, 0.1) for _ in range(20)]
        return [*noise.geometric(zeros(50), 1, 0.1), *noise.gaussian(zeros(50), 1, 0.01), *picks]

    assert draws(7) == draws(7) == draws(np.random.SeedSequence(7))
    assert draws(7) != draws(8)


@pytest.mark.parametrize("shape", [(), (0,), (5,), (3, 4), (2, 0, 2)])
def test_answers_are_int64_in_the_shape_of_the_question(noise, shape):
    values = np.zeros(shape, dtype=np.int32)
    for answer in (noise.geometric(values, 1, 1.0), noise.gaussian(values, 1.0, 1.0)):
        assert isinstance(answer, np.ndarray)
        assert answer.dtype == np.int64
        assert answer.shape == shape
    assert type(noise.choose(SCORES, 1, 1.0)) is int


def test_the_question_is_left_as_it_was(noise):
    values = np.arange(6)
    values.flags.writeable = False
    noise.geometric(values, 1, 0.1)
    noise.gaussian(values, 1.0, 0.01)
    noise.choose(values, 1, 1.0, log_prior=np.zeros(6))


@pytest.mark.parametrize(
    "values", [[0.0, 1.0], [True, False], ["1"], np.array([1], dtype=np.uint64), [10**30]]
)
def test_what_is_not_a_whole_number_is_refused(noise, values):
    with pytest.raises(TypeError, match="whole numbers"):
        noise.geometric(values, 1, 1.0)
    with pytest.raises(TypeError, match="whole numbers"):
        noise.gaussian(values, 1.0, 1.0)
    with pytest.raises(TypeError, match="whole numbers"):
        noise.choose(values, 1, 1.0)


def test_a_sensitivity_of_whole_numbers_is_whole(noise):
    with pytest.raises(TypeError):
        noise.geometric(zeros(3), 1.0, 1.0)
    with pytest.raises(TypeError):
        noise.choose(zeros(3), 1.0, 1.0)


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf])
def test_sensitivities_and_losses_are_positive_and_finite(noise, bad):
    for ask in (noise.geometric, noise.gaussian, noise.choose):
        with pytest.raises(ValueError, match="positive and finite"):
            ask(zeros(3), 1, bad)
        with pytest.raises((ValueError, TypeError)):
            ask(zeros(3), bad, 1.0)


@pytest.mark.parametrize("epsilon", [0.5 / MAX_SCALE, 2 / MIN_SCALE])
def test_a_selection_too_coarse_or_too_fine_is_infeasible_not_wrong(noise, epsilon):
    with pytest.raises(Infeasible, match="scale"):
        noise.choose(zeros(3), 1, epsilon, monotone=True)


@pytest.mark.parametrize("sensitivity", [1, 2**50])
def test_selections_work_at_both_ends_of_their_scale(noise, sensitivity):
    epsilon = 1.0 if sensitivity > 1 else 1 / MIN_SCALE
    scores = np.array([INT64.min, INT64.max, 0])
    log_prior = np.array([0.0, -1e4, -math.inf])
    assert noise.choose(scores, sensitivity, epsilon, True, log_prior) == 1


def test_nothing_to_choose_from_is_an_error(noise):
    with pytest.raises(ValueError, match=r"nothing to choose|finite somewhere"):
        noise.choose(zeros(0), 1, 1.0)


def test_answers_saturate_at_the_ends_of_int64(noise):
    ends = np.array([INT64.max, INT64.min] * 100)
    for answer in (noise.geometric(ends, 1, 1e-6), noise.gaussian(ends, 1.0, 1e-12)):
        assert np.all(answer[::2] > 2**62)
        assert np.all(answer[1::2] < -(2**62))
        assert (answer == ends).sum() > 50
    beyond = noise.geometric(zeros(200), 2**62, 1e-3) / 2**63
    assert np.isclose(beyond, 1).sum() > 50
    assert np.isclose(beyond, -1).sum() > 50
