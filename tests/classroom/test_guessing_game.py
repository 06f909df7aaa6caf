"""The guessing game: who may win how often, and who does."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dpcore
from dpcore.classroom import guessing_game
from dpcore.classroom.guessing_game import (
    CONTESTANTS,
    EPSILONS,
    TRIP,
    GuesserScore,
    best_guesser,
    pair,
    play,
    score,
)
from dpcore.geometry.domain import cell_ticks
from dpcore.privacy.explain import attacker_certainty

SOUND, THIN, PUBLISHED = (CONTESTANTS[key] for key in ("sound", "thin", "published"))


@pytest.mark.parametrize("epsilon", [*EPSILONS, 0.02, 0.05])
def test_the_two_data_sets_differ_in_one_trip_at_which_the_published_grid_changes(epsilon):
    both = pair(epsilon)
    assert both.with_it.n == both.without.n + 1 == len(both.others) + 1
    here, there = ({tuple(p) for p in data.positions()[0]} for data in (both.with_it, both.without))
    own = tuple(cell_ticks(both.with_it.box.cells(np.array(TRIP))))
    assert here - there == {own}
    assert not there - here
    sides = {
        each.there: len(each.counts.counts)
        for each in (play(PUBLISHED, epsilon, number) for number in range(12))
    }
    assert sides == {True: 3, False: 2}


def test_a_round_is_the_same_again_and_another_one_is_not():
    once, again = play(SOUND, 1.0, 3), play(SOUND, 1.0, 3)
    assert (once.there, once.size, once.odds) == (again.there, again.size, again.odds)
    np.testing.assert_array_equal(once.counts.counts, again.counts.counts)
    sizes = {play(SOUND, 1.0, number, seed).size for number in range(3) for seed in range(3)}
    assert len(sizes) > 3


def test_the_coin_is_fair():
    heads = sum(play(PUBLISHED, 1.0, number).there for number in range(400))
    assert abs(heads - 200) < 4.5 * 10


def test_the_answer_is_what_the_algorithm_publishes():
    for contestant in (SOUND, PUBLISHED):
        both = pair(1.0)
        noises = (guessing_game.ThinNoise(np.random.SeedSequence(7), 1.0) for _ in range(2))
        counts, _ = contestant.answer(both.with_it, 1.0, next(noises))
        result = dpcore.run(contestant.algorithm, both.with_it, 2, 1.0, seed=0, noise=next(noises))
        np.testing.assert_array_equal(counts.counts, result.synopsis.counts)


def test_odds_of_the_sound_one_never_say_more_than_epsilon():
    odds = [play(SOUND, 0.5, number).odds for number in range(100)]
    assert max(map(abs, odds)) <= 0.5 * (1 + 1e-9)
    assert max(map(abs, odds)) == pytest.approx(0.5)


def test_the_published_one_gives_itself_away():
    for number in range(20):
        each = play(PUBLISHED, 1.0, number)
        assert each.odds == (math.inf if each.there else -math.inf)


def test_the_bound_holds_for_the_sound_one_and_breaks_for_the_others():
    by = {each.key: score(each, 1.0, rounds=600, pilot=150) for each in CONTESTANTS.values()}
    bound = attacker_certainty(1.0)
    low, high = by["sound"].interval
    assert low <= bound
    assert high > bound - 0.03, "the guesser is about as good as can be"
    assert not by["sound"].breaks_bound
    assert by["thin"].breaks_bound
    assert by["thin"].accuracy < 1
    assert by["published"].breaks_bound
    assert by["published"].accuracy == 1


def test_a_guesser_is_scored_on_rounds_by_which_it_was_not_chosen(monkeypatch):
    chosen_on, scored_on = [], []
    choose = guessing_game.best_guesser
    monkeypatch.setattr(
        guessing_game, "best_guesser", lambda rounds: chosen_on.extend(rounds) or choose(rounds)
    )
    look = guessing_game.seen
    monkeypatch.setattr(
        guessing_game, "seen", lambda rounds: scored_on.append(rounds) or look(rounds)
    )
    score(SOUND, 1.0, rounds=30, pilot=10)
    assert len(chosen_on) == 10
    assert len(scored_on[-1]) == 30
    assert not {id(r) for r in chosen_on} & {id(r) for r in scored_on[-1]}


def test_with_nothing_to_see_the_guesser_does_no_better_than_luck():
    rounds = [play(SOUND, 0.02, number) for number in range(80)]
    assert best_guesser(rounds).words in guessing_game.NUMBERS
    drawn = score(SOUND, 0.02, rounds=400, pilot=80)
    assert drawn.interval[0] < 0.51


def test_an_interval_is_clopper_and_pearsons():
    from scipy.stats import binomtest

    for right, rounds in ((0, 10), (10, 10), (7, 10), (731, 1000)):
        expected = binomtest(right, rounds).proportion_ci(0.95, "exact")
        got = GuesserScore("sound", 1.0, right, rounds).interval
        assert got == pytest.approx((expected.low, expected.high))


def test_scores_come_one_by_one_for_every_contestant_and_epsilon():
    drawn = list(guessing_game.scores(rounds=4, pilot=4))
    assert [(s.epsilon, s.contestant) for s in drawn] == [
        (epsilon, key) for epsilon in EPSILONS for key in CONTESTANTS
    ]


def test_contestants_say_whether_they_are_sound():
    assert [each.sound for each in CONTESTANTS.values()] == [True, False, False]
