"""A run told step by step says what happened, in order, and what it cost."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

import dpcore
from dpcore.algorithms import ALGORITHMS
from dpcore.classroom import steps
from dpcore.classroom.playable_methods import playable
from dpcore.classroom.steps import MarkKind
from dpcore.classroom.steps.block_frames import some_block_centers
from dpcore.classroom.steps.marks import borders, grid_cells, nearest, some_rows
from dpcore.datasets.builtin import CITY
from dpcore.errors import BudgetExceeded, Infeasible
from dpcore.geometry.domain import Grid
from dpcore.kmeans.blocks import RANGE_UNITS
from dpcore.privacy.accounting import Budget
from dpcore.privacy.noise import SimulatedNoise
from dpcore.queries.curator import Curator
from dpcore.queries.questions import BlockCenters
from dpcore.runs.run import run_request
from dpcore.study.shifts import meters_between

TAXI = dpcore.datasets.load("nyc-taxi")
REFERENCE = dpcore.baseline(TAXI, 3)


def played(algorithm, epsilon=1.0, k=3, seed=0, **parameters):
    result = dpcore.run(algorithm, TAXI, k, epsilon, seed=seed, keep_journal=True, **parameters)
    return result, steps.frames(result, TAXI, REFERENCE if k == 3 else None)


def titles(frames):
    return [frame.title for frame in frames]


@pytest.mark.parametrize("algorithm", playable())
def test_every_run_on_a_map_can_be_told_and_its_budget_only_shrinks(algorithm):
    try:
        result, told = played(algorithm, epsilon=20.0)
    except (Infeasible, BudgetExceeded, ValueError) as refusal:
        pytest.skip(str(refusal))
    spent = [frame.epsilon for frame in told]
    account = steps.lines(result)
    assert spent == sorted(spent)
    assert spent[0] == 0
    assert told[-1].booked == len(account)
    claimed = sum(charge.epsilon for charge in result.transcript)
    assert told[-1].epsilon == pytest.approx(claimed)
    assert sum(line.epsilon for line in account) == pytest.approx(claimed)
    assert all(frame.title and frame.sentence for frame in told)
    for mark in itertools.chain.from_iterable(frame.marks for frame in told):
        assert np.isfinite(mark.places).all()
        assert len(mark) <= 2500


def questions(transcript):
    """The charges of a transcript, with those of accounts set aside in place of the account."""
    for charge in transcript:
        if charge.mechanism == "set aside":
            for account in charge.inner:
                yield from questions(account)
        else:
            yield charge


@pytest.mark.parametrize("algorithm", playable())
def test_after_each_frame_the_account_equals_the_transcript_so_far(algorithm):
    curators, asked = [], []

    def watched(*arguments, watch, **named):
        def count(step):
            asked.append([charge.epsilon for charge in questions(curators[0].transcript)])

        curators.append(Curator(*arguments, watch=count, **named))
        return curators[0]

    system = ALGORITHMS[algorithm]
    rounds = {p.name: 3 for p in system.parameters if p.name == "rounds"}
    delta = 1e-6 if system.uses_delta else 0.0
    request = dpcore.Request(algorithm, 3, 20.0, delta, system.relations[0], 0, rounds)
    result = run_request(request, TAXI, keep_journal=True, make_curator=watched)
    assert len(asked) == len(result.steps) > 0
    before = 1
    for so_far, spent in enumerate(asked, start=1):
        part = dataclasses.replace(result, steps=result.steps[:so_far])
        told = steps.frames(part, TAXI)[:-1]
        if len(told) > before:
            assert told[-1].booked == len(spent)
            assert told[-1].epsilon == pytest.approx(sum(spent))
        before = len(told)
    account = [line.epsilon for line in steps.lines(result)]
    assert account[: len(spent)] == pytest.approx(list(spent))


def test_a_step_of_no_known_kind_cannot_be_noted():
    curator = Curator(TAXI, Budget(1.0), SimulatedNoise(0))
    with pytest.raises(TypeError, match="Note"):
        curator.note("start")


def test_a_round_of_dplloyd_asks_who_is_near_where_the_means_are_and_adds_noise():
    result, told = played("dplloyd", rounds=2)
    assert titles(told) == [
        "The data",
        "The start looks at nothing",
        "Round 1: who is nearest?",
        "Round 1: the true means",
        "Round 1: noise, and out",
        "Round 2: who is nearest?",
        "Round 2: the true means",
        "Round 2: noise, and out",
        "The answer",
    ]
    spent = [frame.epsilon for frame in told]
    assert spent == pytest.approx([0, 0, 0, 0, 0.5, 0.5, 0.5, 1, 1])
    assert [frame.booked for frame in told] == [0, 0, 0, 0, 2, 2, 2, 4, 4]
    noise = told[7].mark(MarkKind.NOISE)
    np.testing.assert_allclose(noise.ends, np.asarray(result.centers))
    np.testing.assert_allclose(noise.places, told[6].mark(MarkKind.NON_PRIVATE).places)


def test_the_true_mean_is_the_mean_of_the_rows_nearest():
    _, told = played("dplloyd", rounds=1)
    before = told[2].mark(MarkKind.PRIVATE).places
    ticks, _ = TAXI.positions()
    rows = ticks / 2**21
    groups = nearest(rows, CITY.to_unit(before))
    for j, mean in enumerate(told[3].mark(MarkKind.NON_PRIVATE).places):
        expected = rows[groups == j].mean(axis=0) if (groups == j).any() else None
        if expected is not None:
            np.testing.assert_allclose(CITY.to_unit(mean), expected, atol=1e-6)


def test_what_looks_at_the_data_is_known_to():
    _, told = played("dplloyd", rounds=1)
    assert [frame.looks_at_data for frame in told] == [True, False, True, True, True, True]
    _, told = played("eugkm")
    assert [frame.looks_at_data for frame in told[2:6]] == [True, False, False, False]


def test_the_same_seed_tells_the_same_story_and_another_does_not():
    def noisy(seed):
        return played("adaptive", seed=seed)[1][3].mark(MarkKind.NOISY_CELLS).weights.tolist()

    assert noisy(4) == noisy(4)
    assert noisy(4) != noisy(5)


def test_adaptive_counts_lets_cells_live_and_die_and_cuts_the_living():
    result, told = played("adaptive")
    stages = [frame for frame in told if frame.title.startswith("Stage")]
    notes = [step.released for step in result.steps if step.kind == "alive"]
    assert len(stages) == len(notes) == result.facts["stages"]
    for frame, note in zip(stages, notes, strict=True):
        assert len(frame.mark(MarkKind.ALIVE)) == min(note["alive"].sum(), 2500)
        dead = frame.mark(MarkKind.DEAD)
        assert (0 if dead is None else len(dead)) == (~note["alive"]).sum()
    counted = [frame for frame in told if "noisy counts" in frame.title]
    assert len(counted) == len(stages)
    points = told[-2]
    assert points.title.startswith(f"{result.facts['points']:,} points")
    assert 0 < len(points.mark(MarkKind.POINTS)) <= 1000


def test_coreset_finds_balls_removes_what_is_in_them_and_weighs_points():
    result, told = played("coreset")
    found = [frame for frame in told if frame.title.endswith("found")]
    emptied = [frame for frame in told if frame.title.endswith("emptied")]
    assert len(found) == len(emptied) == sum(step.kind == "ball" for step in result.steps) > 1
    left = [len(frame.mark(MarkKind.ROWS)) for frame in found]
    assert left == sorted(left, reverse=True)
    for before, after in zip(found, emptied, strict=True):
        gone = after.mark(MarkKind.REMOVED)
        removed = 0 if gone is None else len(gone)
        assert len(before.mark(MarkKind.ROWS)) == len(after.mark(MarkKind.ROWS)) + removed
    center = emptied[0].mark(MarkKind.PRIVATE).places[0]
    far = meters_between(emptied[0].mark(MarkKind.REMOVED).places, center).max()
    assert far < meters_between(emptied[0].mark(MarkKind.ROWS).places, center).max()


@pytest.mark.parametrize("algorithm", ["eugkm", "hybrid"])
def test_a_noisy_grid_is_followed_by_starts_and_a_winner(algorithm):
    result, told = played(algorithm)
    names = titles(told)
    first = next(i for i, name in enumerate(names) if name.endswith("the true counts"))
    assert names[first + 1].endswith("the noisy counts")
    assert names[first + 2 : first + 4] == ["50 starts", "The winner"]
    if algorithm == "eugkm":
        winner = told[first + 3].mark(MarkKind.PRIVATE).places
        np.testing.assert_allclose(winner, np.asarray(result.centers))


def test_the_true_counts_are_shown_before_they_are_paid_for():
    _, told = played("eugkm")
    true, noisy = told[2], told[3]
    assert (true.booked, noisy.booked) == (1, 2)
    assert true.epsilon == pytest.approx(0.05)
    assert noisy.epsilon == pytest.approx(1.0)
    assert true.mark(MarkKind.TRUE_CELLS).weights.sum() == TAXI.n


def test_blocks_are_dealt_again_as_they_were_dealt():
    result, told = played("gkm")
    asked = next(step for step in result.steps if step.kind == "answer").truth.value
    question = asked["question"]
    assert isinstance(question, BlockCenters)
    found = some_block_centers(question, TAXI)
    assert len(found) == question.k * question.blocks < 1000
    shares = (found - question.low) / (question.high - question.low) * RANGE_UNITS
    totals = np.rint(shares).reshape(-1, question.k, 2).sum(axis=0)
    np.testing.assert_array_equal(totals, asked["values"])
    assert titles(told)[2:] == [
        "Where are most of them?",
        f"{question.blocks} blocks",
        "The mean of the blocks, with noise",
        "The answer",
    ]


def test_without_a_journal_nothing_true_is_shown_before_the_answer():
    result = dpcore.run("dplloyd", TAXI, 3, 1.0, seed=0)
    told = steps.frames(result, TAXI)
    kinds = {mark.kind for frame in told[1:] for mark in frame.marks}
    assert not kinds & {MarkKind.NON_PRIVATE, MarkKind.NOISE, MarkKind.MOVES}


def test_part_of_a_budget_that_is_set_aside_is_told_question_by_question():
    result, _ = played("coreset")
    assert any(charge.inner for charge in result.transcript)
    account = steps.lines(result)
    assert sum(line.why.startswith("ball") for line in account) > 1
    assert sum(line.epsilon for line in account) == pytest.approx(1.0)


def test_only_maps_are_told():
    iris = dpcore.datasets.load("iris")
    result = dpcore.run("dplloyd", iris, 3, 1.0, seed=0, keep_journal=True)
    with pytest.raises(ValueError, match="2 dimensions"):
        steps.frames(result, iris)


def test_borders_lie_as_far_from_both_of_their_centers():
    centers = np.random.default_rng(0).uniform(-1, 1, (7, 2))
    edges = borders(centers, CITY)
    middles = CITY.to_unit((edges.places + edges.ends) / 2)
    apart = np.sort(np.linalg.norm(middles[:, None] - centers, axis=2), axis=1)
    np.testing.assert_allclose(apart[:, 0], apart[:, 1], atol=1e-9)
    assert len(borders(centers[:1], CITY)) == 0


def test_equal_centers_have_no_border_between_them():
    centers = np.array([[0.0, 0.0], [0.0, 0.0], [0.5, 0.5]])
    assert np.isfinite(borders(centers, CITY).places).all()


def test_a_screen_gets_no_more_cells_than_it_can_show():
    grid = Grid(CITY, 300)
    counts = np.random.default_rng(0).integers(-3, 9, grid.n_cells)
    shown = grid_cells(MarkKind.NOISY_CELLS, grid, counts)
    assert 0 < len(shown) <= 2500
    assert (shown.weights > 0).all()


def test_a_thousand_rows_stand_for_all_the_same_ones_each_time():
    month = dpcore.datasets.load("nyc-month")
    for data in (TAXI, month):
        rows = some_rows(data)
        assert rows.shape == (1000, 2)
        np.testing.assert_array_equal(rows, some_rows(data))


def test_what_can_be_told_is_what_runs_in_two_dimensions():
    assert "dplloyd" in playable()
    assert "sparse-mean" not in playable()
    assert set(playable()) <= set(ALGORITHMS)
