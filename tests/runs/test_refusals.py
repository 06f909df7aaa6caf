"""What public numbers rule out is said before anything is asked, and private ones rule nothing."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore
from dpcore.algorithms import ALGORITHMS
from dpcore.cli import REFUSED, main
from dpcore.datasets import load
from dpcore.datasets.builtin import BUILTIN, CITY
from dpcore.datasets.rows import from_array
from dpcore.errors import Infeasible
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.noise import SimulatedNoise
from dpcore.release import BuiltinData, ReleasePlan
from dpcore.runs.refusals import (
    answers_on_larger,
    public_rows,
    refusal,
    refusal_of_builtin,
)
from dpcore.runs.request import Request

FAITHFUL = ALGORITHMS["coreset-faithful"]


class Silent(SimulatedNoise):
    """Fails when any noise is drawn."""

    def __init__(self) -> None:
        super().__init__(np.random.SeedSequence(0))

    def geometric(self, *_, **__):
        pytest.fail("noise was drawn")

    choose = gaussian = geometric


def own_trips(rows: int):
    middle = np.tile(CITY.center, (rows, 1))
    return from_array(middle, CITY)


@pytest.mark.parametrize("key", [*BUILTIN, "gaussians-k3-d2"])
def test_a_built_in_set_has_as_many_rows_as_it_says(key):
    assert load(key).n == dpcore.datasets.builtin.builtin_set(key).rows


def test_a_built_in_set_is_refused_before_anything_is_asked():
    with pytest.raises(Infeasible, match=r"at least 1\.8\.") as refused:
        dpcore.run("coreset-faithful", load("nyc-taxi"), 5, 0.5, noise=Silent())
    assert 1.7 < refused.value.smallest_epsilon < 1.8
    assert "nyc-month it answers at this epsilon" in str(refused.value)


def test_the_number_of_one_s_own_rows_is_private_and_has_to_be_asked():
    own = own_trips(1_000)
    assert public_rows(own, Neighbors.ADD_REMOVE) is None
    assert public_rows(own, Neighbors.REPLACE_ONE) == 1_000
    with pytest.raises(pytest.fail.Exception, match="noise was drawn"):
        dpcore.run("coreset-faithful", own, 5, 0.5, noise=Silent())
    with pytest.raises(Infeasible, match="too few"):
        dpcore.run("coreset-faithful", own, 5, 0.5, neighbors="replace-one", noise=Silent())


def test_what_is_refused_is_what_would_have_had_no_answer():
    least = refusal_of_builtin(FAITHFUL, "nyc-taxi", 5, 0.5, Neighbors.REPLACE_ONE)
    enough, too_little = (factor * least.smallest_epsilon for factor in (1.001, 0.999))
    for epsilon, answers in ((enough, True), (too_little, False)):
        known = refusal(FAITHFUL, "nyc-taxi", 50_000, 5, epsilon, Neighbors.REPLACE_ONE)
        assert (known is None) is answers
    result = dpcore.run(
        "coreset-faithful", load("nyc-taxi"), 5, enough, neighbors="replace-one", seed=0
    )
    assert result.facts["rounds"] >= 1


def test_the_month_is_named_where_it_helps_and_with_what_it_needs_where_not():
    assert answers_on_larger(FAITHFUL, "nyc-taxi", 5, 0.5, Neighbors.ADD_REMOVE) == "nyc-month"
    assert answers_on_larger(FAITHFUL, "nyc-taxi", 5, 0.001, Neighbors.ADD_REMOVE) is None
    assert answers_on_larger(FAITHFUL, "s1-like", 5, 0.5, Neighbors.ADD_REMOVE) is None
    words = str(refusal_of_builtin(FAITHFUL, "nyc-taxi", 5, 0.001, Neighbors.ADD_REMOVE))
    assert "With nyc-month, 0.0172 is enough." in words


def test_other_methods_are_refused_nothing():
    rest = [system for key, system in ALGORITHMS.items() if key != FAITHFUL.key]
    assert not any(system.too_few_rows(1, 5, 0.001, Neighbors.REPLACE_ONE) for system in rest)


def test_a_release_of_a_built_in_set_cannot_be_planned_without_enough_rows():
    with pytest.raises(Infeasible, match=r"at least 1\.8\."):
        ReleasePlan("trips", BuiltinData("nyc-taxi"), Request("coreset-faithful", 5, 0.5))
    assert ReleasePlan("trips", BuiltinData("nyc-month"), Request("coreset-faithful", 5, 0.5))


def test_the_command_line_says_it_too(capsys):
    arguments = ["run", "coreset-faithful", "--data", "nyc-taxi", "-k", "5", "--epsilon", "0.5"]
    assert main(arguments) == REFUSED
    said = capsys.readouterr().err
    assert "at least 1.8." in said
    assert "nyc-month" in said
