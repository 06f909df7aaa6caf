"""Everything that a run lets out is looked at, and what it keeps for its owner is not."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore
from dpcore.audit.observations import ELEMENTS, failure, flattened, result, tabulated
from dpcore.errors import Infeasible
from dpcore.geometry.domain import Box, Grid

ROWS = np.random.default_rng(0).uniform(-1, 1, (60, 2))
DATA = dpcore.datasets.from_array(ROWS, box=(-1, 1))


def test_centers_coreset_facts_steps_and_charges_are_all_seen():
    seen = result(dpcore.run("eugkm", DATA, 2, 1.0, seed=0))
    assert {
        "box",
        "transcript",
        "type",
        "verdict",
        "parameters",
        "centers",
        "synopsis.points",
        "synopsis.weights",
        "facts.cells per side",
        "step 1.size.n",
        "step 2.counts.counts",
        "step 2.counts.partition",
        "step 3.starts.centers",
        "step 4.finalists.centers",
        "step 4.finalists.cost",
        "step 5.centers.centers",
        "steps",
        "transcript.epsilon",
        "transcript.scale",
        "transcript.why",
    } == set(seen)


def test_the_charges_of_inner_accounts_are_seen_too():
    seen = result(dpcore.run("sulq", DATA, 2, 1.0, 1e-6, seed=0))
    assert "set aside" in seen["transcript.why"]
    assert "round 3 of 3: sums of positions" in seen["transcript.why"]


def test_what_stands_behind_the_steps_is_not_looked_at():
    plain, journal = (
        flattened(result(dpcore.run("eugkm", DATA, 2, 1.0, seed=0, keep_journal=keep)))
        for keep in (False, True)
    )
    assert plain.keys() == journal.keys()


def test_an_error_is_seen_with_its_words_and_the_epsilon_it_names():
    seen = failure(Infeasible("Too few rows: 89.", smallest_epsilon=1.5))
    assert seen == {
        "error": "Infeasible",
        "error.message": "Too few rows: 89.",
        "error.smallest epsilon": 1.5,
    }


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("9 cells", "4 cells"),
        (np.zeros(3), np.zeros(4)),
        (np.zeros(2 * ELEMENTS), np.append(np.zeros(2 * ELEMENTS - 1), 1)),
        (3, 4),
        (True, False),
        (None, 0),
        ({"a": 1}, {"a": 2}),
        (("a", "b"), ("a", "c")),
        (Grid(Box.cube(2), 2), Grid(Box.cube(2), 3)),
    ],
    ids=["words", "shape", "tail", "number", "flag", "nothing", "mapping", "tuple", "object"],
)
def test_values_that_differ_are_seen_to_differ(one, other):
    assert str(flattened({"x": one})) == str(flattened({"x": one}))
    assert str(flattened({"x": one})) != str(flattened({"x": other}))


def test_what_a_run_does_not_say_is_missing_in_its_row():
    table, names = tabulated([{"a": np.array([1.0])}, {"a": np.array([2.0, 3.0]), "b": np.ones(1)}])
    assert names == ["a[0]", "a[1]", "b"]
    np.testing.assert_array_equal(table, [[1, np.nan, np.nan], [2, 3, 1]])
