"""auto: which algorithm, why, and that the choice costs what is charged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dpcore
from dpcore.algorithms import ALGORITHMS
from dpcore.algorithms.auto import MAP_ROWS, SIZE_SHARE, choose
from dpcore.datasets.rows import from_array
from dpcore.privacy.accounting import Neighbors
from dpcore.study.metrics import nicv

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("n", "d", "epsilon", "chosen"),
    [
        (1_000_000, 2, 0.1, "adaptive"),
        (5000, 2, 1.0, "adaptive"),
        (50, 2, 0.1, "lift"),
        (400, 2, 0.1, "adaptive"),
        (100_000, 1, 1.0, "eugkm"),
        (150, 4, 0.1, "lift"),
        (1797, 64, 1.0, "lift"),
        (100_000, 100, 1.0, "lift"),
    ],
)
def test_the_choice_for_some_well_known_shapes(n, d, epsilon, chosen):
    assert choose(n, d, 5, epsilon, 1e-6).algorithm == chosen


def chart(epsilon: float) -> str:
    """The map of choices of the documentation: rows down, coordinates across."""
    dimensions = (1, 2, 4, 10, 30, 100)
    lines = [
        f"| ε = {epsilon:g} | " + " | ".join(f"d = {d}" for d in dimensions) + " |",
        "|---" * (1 + len(dimensions)) + "|",
    ]
    for n in (100, 1000, 10_000, 100_000, 1_000_000):
        choices = [choose(n, d, 5, epsilon, 1e-6) for d in dimensions]
        cells = " | ".join(f"{c.algorithm}: {c.way}" for c in choices)
        lines.append(f"| {n:,} rows | {cells} |")
    return "\n".join(lines)


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0])
def test_the_documentation_shows_the_map_of_choices_as_it_is(epsilon):
    assert chart(epsilon) in (ROOT / "docs" / "auto.md").read_text()


@pytest.mark.parametrize("relation", list(Neighbors))
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_every_choice_can_run_and_says_why_in_one_sentence(relation, delta):
    for n in (1, 100, 1e5, 1e9):
        for d in (1, 2, 3, 6, 7, 30, 500):
            for k in (1, 10, 1000):
                for epsilon in (1e-6, 0.1, 1e6):
                    choice = choose(n, d, k, epsilon, delta, relation)
                    assert ALGORITHMS[choice.algorithm].supports(d, None, k)
                    assert relation in ALGORITHMS[choice.algorithm].relations
                    assert choice.sentence.endswith(".")
                    assert choice.sentence.count(". ") == 0


def test_a_map_is_drawn_once_rows_times_epsilon_are_enough_for_the_centers():
    assert choose(MAP_ROWS, 2, 5, 1.0).algorithm == "adaptive"
    assert choose(MAP_ROWS - 1, 2, 5, 1.0).algorithm == "lift"
    assert choose(MAP_ROWS, 2, 20, 1.0).algorithm == "lift"
    assert choose(MAP_ROWS, 2, 5, 1.0, relation="replace-one").algorithm == "lift"


def test_a_run_says_what_was_chosen_and_why():
    data = from_array(np.random.default_rng(0).uniform(-1, 1, (3000, 2)), (-1, 1))
    facts = dpcore.run("auto", data, 3, 1.0, seed=0).facts
    assert facts["chosen"] == "adaptive"
    assert facts["because"] == choose(3000, 2, 3, 1.0).sentence


def test_without_a_delta_a_tree_is_drawn_in_up_to_ten_dimensions():
    assert choose(10_000, 10, 5, 0.3).way == "tree and rounds"
    assert choose(10_000, 10, 5, 3.0).way == "tree and rounds"
    assert choose(10_000, 10, 5, 0.3, 1e-6).way == "Gaussian rounds"
    assert choose(10_000, 11, 5, 0.3).way == "geometric rounds"
    assert choose(700, 10, 5, 1.0).way == "geometric rounds"
    data = from_array(np.random.default_rng(0).uniform(-1, 1, (3000, 8)), (-1, 1))
    facts = dpcore.run("auto", data, 3, 1.0, seed=0).facts
    assert facts["because"] == choose(3000, 8, 3, 1.0).sentence


def test_the_number_of_rows_is_bought_only_on_a_map_and_only_where_it_is_private():
    rows = np.random.default_rng(0).uniform(-1, 1, (3000, 3))
    for d in (2, 3):
        data = from_array(rows[:, :d], (-1, 1))
        for relation in Neighbors:
            transcript = dpcore.run("auto", data, 3, 1.0, neighbors=relation, seed=0).transcript
            bought = [c.why for c in transcript][:2] == ["number of rows", "adaptive"]
            assert bought == (d == 2 and relation.size_is_private)
            assert transcript.epsilon == 1.0


@pytest.mark.parametrize(("n", "chosen", "times"), [(3000, "adaptive", 1), (1, "lift", 2)])
def test_a_map_is_drawn_with_the_number_of_rows_that_the_choice_was_made_by(n, chosen, times):
    data = from_array(np.random.default_rng(0).uniform(-1, 1, (n, 2)), (-1, 1))
    result = dpcore.run("auto", data, 3, 0.1, seed=3)
    assert result.facts["chosen"] == chosen
    size, aside = result.transcript
    reasons = [size.why, *(charge.why for charge in aside.inner[0])]
    assert reasons.count("number of rows") == times
    assert aside.inner[0].epsilon == pytest.approx(0.1 * (1 - SIZE_SHARE))


def test_a_noisy_number_of_rows_makes_the_choice():
    """Fifteen rows at epsilon 1 are too few for a map; now and then noise hides that."""
    data = from_array(np.random.default_rng(0).uniform(-1, 1, (15, 2)), (-1, 1))
    chosen = [dpcore.run("auto", data, 2, 1.0, seed=s).facts["chosen"] for s in range(120)]
    assert {"lift", "adaptive"} == set(chosen)
    assert chosen.count("lift") > 80


@pytest.mark.parametrize("d", [1, 2, 3, 8])
@pytest.mark.parametrize("epsilon", [0.001, 0.05])
def test_it_is_hardly_worse_than_the_box_center_where_nothing_can_be_learned(d, epsilon):
    rng = np.random.default_rng(1)
    data = from_array(0.4 * rng.standard_normal((60, d)) + 0.1, (-1, 1), outside="clip")
    found = [
        nicv(data, dpcore.run("auto", data, 3, epsilon, 1e-6, seed=s).centers) for s in range(20)
    ]
    assert np.mean(found) < 1.5 * nicv(data, np.zeros((1, d)))
