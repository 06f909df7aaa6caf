"""What answers cost on a pair of data sets is what is worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpcore.audit.replay import Diverged, Recorder, Replay, loss, repeats, together
from dpcore.privacy.concentrated import epsilon_of_rho
from dpcore.privacy.gaussian import epsilon_of_gaussian
from dpcore.privacy.noise import SimulatedNoise

ONE, OTHER = np.array([3, 0]), np.array([3, 1])


def heard_twice(ask, one=ONE, other=OTHER):
    """A question asked of one data set, and the recorded answer given again to the other."""
    recorder = Recorder(SimulatedNoise(0))
    answer = ask(recorder, one)
    replay = Replay(recorder.answers)
    np.testing.assert_array_equal(ask(replay, other), answer)
    return recorder.answers, replay.answers


def test_counts_cost_their_distance_times_epsilon():
    asked = heard_twice(lambda noise, values: noise.geometric(values, 1, 0.5))
    found = loss(asked[0][0], asked[1][0])
    assert found.worst == pytest.approx(0.5)
    assert abs(found.realized) == pytest.approx(0.5)
    assert found.rho == pytest.approx(0.125)


def test_gaussian_noise_costs_its_rho():
    asked = heard_twice(lambda noise, values: noise.gaussian(values, 1.0, 0.02))
    found = loss(asked[0][0], asked[1][0])
    assert found.rho == pytest.approx(0.02)
    assert found.worst == math.inf
    assert loss(asked[0][0], asked[0][0]).worst == 0


def test_losses_add_up_or_are_converted_from_rho_whichever_is_less():
    asked = heard_twice(lambda noise, values: noise.geometric(values, 1, 0.5))
    count = loss(asked[0][0], asked[1][0])
    asked = heard_twice(lambda noise, values: noise.gaussian(values, 1.0, 0.02))
    gaussian = loss(asked[0][0], asked[1][0])
    asked = heard_twice(lambda noise, scores: noise.choose(scores, 1, 0.1, True))
    choices = 100 * [loss(asked[0][0], asked[1][0])]
    assert together([count, count], 0.0) == pytest.approx(1.0)
    assert together([count, count], 1e-6) == pytest.approx(1.0)
    assert together([gaussian], 0.0) == math.inf
    assert together([gaussian], 1e-6) == pytest.approx(epsilon_of_gaussian(0.02, 1e-6))
    assert together([count, gaussian], 1e-6) == pytest.approx(0.5 + epsilon_of_gaussian(0.02, 1e-6))
    # The choices alone gain by conversion, the count beside them would lose.
    of_choices = epsilon_of_rho(100 * 0.1**2 / 8, 1e-6)
    assert together([count, *choices], 1e-6) == pytest.approx(0.5 + of_choices)
    assert 0.5 + of_choices < together([count, *choices], 0.0)


@pytest.mark.parametrize("monotone", [True, False])
def test_a_choice_costs_no_more_than_epsilon_and_a_bounded_range(monotone):
    one, other = np.array([0, 5, 9]), np.array([1, 5, 9] if monotone else [1, 4, 8])
    asked = heard_twice(lambda noise, scores: noise.choose(scores, 1, 2.0, monotone), one, other)
    found = loss(asked[0][0], asked[1][0])
    assert 1 < found.worst <= 2
    assert found.rho == pytest.approx(2.0**2 / 8)
    assert abs(found.realized) <= found.worst


def test_the_sign_of_what_was_lost_says_which_data_set_is_likelier():
    asked = heard_twice(lambda noise, values: noise.geometric(values, 1, 50.0))
    assert loss(asked[0][0], asked[1][0]).realized == pytest.approx(50)
    assert loss(asked[1][0], asked[0][0]).realized == pytest.approx(-50)


@pytest.mark.parametrize(
    "other",
    [
        lambda noise: noise.geometric(np.zeros(3, dtype=np.int64), 1, 1.0),
        lambda noise: noise.geometric(ONE, 2, 1.0),
        lambda noise: noise.geometric(ONE, 1, 0.9),
        lambda noise: noise.gaussian(ONE, 1.0, 1.0),
        lambda noise: noise.choose(ONE, 1, 1.0),
        lambda noise: [noise.geometric(ONE, 1, 1.0) for _ in range(2)],
    ],
    ids=["shape", "sensitivity", "epsilon", "kind", "choice", "one more"],
)
def test_another_question_than_the_recorded_one_diverges(other):
    recorder = Recorder(SimulatedNoise(0))
    recorder.geometric(ONE, 1, 1.0)
    with pytest.raises(Diverged):
        other(Replay(recorder.answers))


def test_a_choice_by_another_prior_diverges():
    recorder = Recorder(SimulatedNoise(0))
    recorder.choose(ONE, 1, 1.0, log_prior=np.array([0.0, -1.0]))
    with pytest.raises(Diverged, match="prior"):
        Replay(recorder.answers).choose(ONE, 1, 1.0, log_prior=np.array([0.0, -1.1]))


def test_a_recorded_answer_is_not_changed_by_who_works_on_it():
    recorder = Recorder(SimulatedNoise(0))
    recorder.geometric(ONE, 1, 1.0)[:] = 99
    replay = Replay(recorder.answers)
    replay.geometric(ONE, 1, 1.0)[:] = 98
    assert 99 not in recorder.answers[0].answer
    assert 98 not in recorder.answers[0].answer


def test_noise_that_repeats_itself_speaks_for_the_data_that_explain_it():
    class Stuck(SimulatedNoise):
        def geometric(self, values, sensitivity, epsilon):
            return np.asarray(values) + 7

    def ask(noise, values):
        noise.geometric(values, 1, 1.0)
        return noise.geometric(values[::-1].copy(), 1, 1.0)

    recorder = Recorder(Stuck())
    ask(recorder, ONE)
    replay = Replay(recorder.answers)
    ask(replay, OTHER)
    assert repeats(recorder.answers, replay.answers) == 2
    assert repeats(replay.answers, recorder.answers) == -2
