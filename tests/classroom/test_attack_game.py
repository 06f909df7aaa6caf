"""The attack game: real trips, promises that hold, and promises that are broken in plain sight."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpcore.classroom import attack_game
from dpcore.classroom.attack_game import AttackSetup, Threshold, attack_scores, play_round
from dpcore.datasets.builtin import PICKUP, TAXI_ROWS, taxi
from dpcore.errors import BadInput
from dpcore.privacy.explain import attacker_certainty
from dpcore.study.shifts import meters_between


def test_the_targets_are_real_trips_one_alone_and_one_in_a_crowd():
    rows = taxi(PICKUP)
    near = {}
    for key, target in attack_game.targets().items():
        assert tuple(rows[target.row]) == pytest.approx(target.at)
        far = meters_between(rows, np.broadcast_to(target.at, rows.shape))
        near[key] = int((far < 300).sum())
    assert near["lonely"] == 1
    assert near["crowd"] > 300


def test_the_worlds_differ_in_one_trip_or_in_all_trips_of_a_person():
    for trips in (1, 7):
        setup = AttackSetup(trips=trips)
        with_it, without = attack_game.worlds(setup)
        assert with_it.n == without.n + trips == TAXI_ROWS - 1 + trips
    with_it, elsewhere = attack_game.worlds(AttackSetup("eugkm", home=0.1, road=1.0))
    assert with_it.n == elsewhere.n


def test_what_is_claimed_adds_up_over_trips_releases_and_moves():
    assert AttackSetup(epsilon=0.2).claimed == 0.2
    assert AttackSetup(epsilon=0.2, trips=5, releases=3).claimed == pytest.approx(3.0)
    assert AttackSetup("eugkm", home=0.1, road=1.0).claimed == pytest.approx(1.1)


@pytest.mark.parametrize(
    "setup",
    [
        AttackSetup("eugkm", 0.5),
        AttackSetup("dplloyd", 0.5),
        AttackSetup("gkm", 0.5),
        AttackSetup("privtree", 0.5),
        AttackSetup("eugkm", 0.1, trips=5),
        AttackSetup("eugkm", 0.1, releases=4),
        AttackSetup("eugkm", 0.5, home=0.1, road=0.4),
    ],
    ids=lambda setup: f"{setup.algorithm}-{setup.claimed:g}",
)
def test_no_round_tells_more_than_was_claimed(setup):
    """The odds of everything published never pass e^claimed, in any round."""
    for number in range(8):
        odds = play_round(setup, number).odds
        assert odds is not None
        assert abs(odds) <= setup.claimed * (1 + 1e-9)


@pytest.mark.parametrize("algorithm", ["eugkm-published", "gkm-published"])
@pytest.mark.parametrize("epsilon", [0.02, 0.2, 1.0])
def test_broken_methods_give_the_trip_away_every_time(algorithm, epsilon):
    setup = AttackSetup(algorithm, epsilon)
    for number in range(4):
        played = play_round(setup, number)
        assert played.odds == (math.inf if played.there else -math.inf)


def test_a_round_is_always_the_same_and_rounds_differ():
    setup = AttackSetup("eugkm")
    assert play_round(setup, 3).count == play_round(setup, 3).count
    assert len({play_round(setup, number).count for number in range(6)}) > 3


def test_the_count_is_of_the_published_cell_and_has_its_noise():
    setup = AttackSetup("eugkm", 4.0)
    played = play_round(setup, 1)
    assert played.counted.contains(setup.at)
    own = attack_game.worlds(setup)[0 if played.there else 1]
    assert played.count == pytest.approx(attack_game.true_count(own, played.counted), abs=5)


def test_many_releases_average_the_noise_out():
    def error(setup):
        errors = []
        for number in range(6):
            played = play_round(setup, number)
            own = attack_game.worlds(setup)[0 if played.there else 1]
            errors.append(played.count - attack_game.true_count(own, played.counted))
        return math.sqrt(sum(e * e for e in errors) / len(errors))

    assert error(AttackSetup("eugkm", 0.1, releases=25)) < error(AttackSetup("eugkm", 0.1)) / 2


def test_scores_come_in_stay_below_the_bound_and_show_a_broken_promise():
    sound = list(attack_scores(AttackSetup("eugkm", 0.2), rounds=60, pilot=10))
    assert [each.rounds for each in sound] == [10, 20, 30, 40, 50, 60]
    assert {score.guesser for score in sound[-1].scores} == set(attack_game.VIEWS)
    assert not any(score.breaks_bound for score in sound[-1].scores)
    broken = list(attack_scores(AttackSetup("eugkm-published", 0.2), rounds=60, pilot=10))[-1]
    release = next(score for score in broken.scores if score.guesser == "release")
    assert release.right == release.rounds == 60
    assert release.breaks_bound
    assert release.epsilon == 0.2
    assert attacker_certainty(0.2) < 0.56


def test_a_method_without_counts_or_with_noise_of_its_own_has_fewer_attackers():
    last = list(attack_scores(AttackSetup("dplloyd"), rounds=10, pilot=4))[-1]
    assert [score.guesser for score in last.scores] == ["center", "release"]
    last = list(attack_scores(AttackSetup("sulq-published"), rounds=10, pilot=4))[-1]
    assert [score.guesser for score in last.scores] == ["center"]


def test_the_best_threshold_may_point_either_way():
    rule = attack_game.best_threshold([1.0, 2.0, 3.0, 4.0], [True, True, False, False])
    assert rule == Threshold(3.0, False)
    assert rule.says(2.5)
    assert not rule.says(3.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"algorithm": "coreset-split"},
        {"algorithm": "gkm", "home": 0.1, "road": 0.1},
        {"target": "mine"},
        {"trips": 0},
        {"releases": 51},
    ],
    ids=str,
)
def test_a_game_that_cannot_be_played_is_refused_in_words(wrong):
    with pytest.raises(BadInput, match=r"choose another|is one of|A game has"):
        AttackSetup(**wrong)
