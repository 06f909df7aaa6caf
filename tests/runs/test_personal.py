"""Rows that each have an epsilon of their own, grouped by public thresholds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpcore
from dpcore.datasets.leveled_rows import LeveledRows
from dpcore.geometry.domain import Box, to_ticks
from dpcore.results.synopsis import Coreset

SQUARE = Box.cube(2)
THRESHOLDS = (0.1, 0.5, 2.0)


def leveled(n: int = 3000, seed: int = 0) -> LeveledRows:
    rng = np.random.default_rng(seed)
    rows = rng.normal([[-0.5, -0.5], [0.5, 0.5]], 0.05, (n // 2, 2, 2)).reshape(-1, 2)
    return LeveledRows.with_levels(rows, rng.choice([0.05, 0.1, 0.7, 9.0], len(rows)), SQUARE)


levels = st.lists(
    st.one_of(st.floats(0, 3), st.just(math.nan), st.just(math.inf), st.just(-1.0)), min_size=1
)


@given(levels)
@settings(max_examples=60, deadline=None)
def test_each_row_is_in_the_group_of_the_largest_threshold_below_its_own_level(own):
    places = np.linspace(-0.9, 0.9, len(own))
    data = LeveledRows.with_levels(np.column_stack([places, places]), own, SQUARE)
    groups = data.by_level(THRESHOLDS)
    for group, threshold in enumerate(THRESHOLDS):
        upper = [*THRESHOLDS, math.inf][group + 1]
        mine = [p for p, e in zip(places, own, strict=True) if threshold <= e < upper]
        if group == len(THRESHOLDS) - 1:
            mine = [p for p, e in zip(places, own, strict=True) if e >= threshold]
        found = groups[group].positions()[0][:, 0]
        assert np.abs(found - to_ticks(np.array(mine))).max(initial=0) <= 1
        assert len(found) == len(mine)


def test_one_row_more_changes_one_group_or_none():
    rows, own = np.random.default_rng(0).uniform(-1, 1, (60, 2)), np.tile([0.01, 0.2, 1.0, 5.0], 15)
    whole = [part.n for part in LeveledRows.with_levels(rows, own, SQUARE).by_level(THRESHOLDS)]
    for left_out in range(60):
        fewer = LeveledRows.with_levels(
            np.delete(rows, left_out, 0), np.delete(own, left_out), SQUARE
        ).by_level(THRESHOLDS)
        changed = [a - part.n for a, part in zip(whole, fewer, strict=True)]
        assert sum(changed) == (own[left_out] >= THRESHOLDS[0])
        assert sorted(changed)[:-1] == [0, 0]


def test_the_account_pays_the_largest_threshold_and_each_group_its_own():
    result = dpcore.run("adaptive", leveled(), 2, 2.0, seed=0, thresholds=THRESHOLDS)
    (charge,) = result.transcript
    assert charge.epsilon == 2.0
    assert [account.epsilon for account in charge.inner] == pytest.approx(THRESHOLDS)
    assert "costs the sum of both thresholds" in result.facts["protection"]


@pytest.mark.parametrize("algorithm", ["adaptive", "eugkm", "coreset"])
def test_rows_of_all_levels_find_the_centers_together(algorithm):
    result = dpcore.run(algorithm, leveled(), 2, 9.0, seed=1, thresholds=(0.5, 9.0))
    found = np.sort(np.asarray(result.centers), axis=0)
    assert np.abs(found - [[-0.5, -0.5], [0.5, 0.5]]).max() < 0.1
    assert isinstance(result.synopsis, Coreset) == (algorithm != "eugkm")


def test_rows_below_the_first_threshold_are_not_counted():
    rows = np.full((900, 2), 0.5)
    nobody = LeveledRows.with_levels(rows, np.full(900, 0.01), SQUARE)
    empty = LeveledRows.with_levels(rows[:0], [], SQUARE)
    runs = [
        dpcore.run("adaptive", data, 2, 2.0, seed=3, thresholds=THRESHOLDS)
        for data in (nobody, empty)
    ]
    assert np.array_equal(runs[0].centers, runs[1].centers)
    assert runs[0].facts == runs[1].facts


def test_a_seed_repeats_a_run_by_levels():
    first, again = (
        dpcore.run("eugkm", leveled(), 2, 2.0, seed=4, thresholds=THRESHOLDS) for _ in range(2)
    )
    assert np.array_equal(first.centers, again.centers)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"thresholds": (0.5, 0.1)}, "rising numbers from 1e-06 to 2"),
        ({"thresholds": (0.5, 3.0)}, "rising numbers"),
        ({"thresholds": (0.0, 1.0)}, "rising numbers"),
        ({"thresholds": (math.nan,)}, "rising numbers"),
        ({"thresholds": ("a",)}, "rising numbers"),
        ({"thresholds": tuple(np.linspace(0.1, 1, 17))}, "rising numbers"),
        ({"algorithm": "dplloyd"}, "With levels of rows use adaptive"),
        ({"neighbors": "replace-one"}, "under add-remove only"),
        ({"data": dpcore.datasets.load("s1-like")}, "make them with LeveledRows"),
    ],
)
def test_what_cannot_be_run_by_levels_is_refused(change, complaint):
    asked = {"algorithm": "adaptive", "data": leveled(), "thresholds": THRESHOLDS} | change
    with pytest.raises(ValueError, match=complaint):
        dpcore.run(asked.pop("algorithm"), asked.pop("data"), 2, 2.0, **asked)


def test_each_row_needs_one_level():
    with pytest.raises(dpcore.BadInput, match="each with an epsilon"):
        LeveledRows.with_levels([[0.0, 0.0]], [1.0, 2.0], SQUARE)
