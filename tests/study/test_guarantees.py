"""Utility theorems: each bound worked out by hand, and what it says or does not say."""

from __future__ import annotations

import json
import math

import pytest

import dpcore
from dpcore.algorithms import ALGORITHMS
from dpcore.algorithms.references import NUMBERS
from dpcore.cli import main
from dpcore.study.guarantees import THEOREMS, Guarantee, Numbers, number, t_min


def bound_of(key: str, theorem: str, **given) -> Guarantee:
    found = dpcore.guarantee(key, **{"n": 1000, "k": 1, "d": 2, "epsilon": 1.0} | given)
    return next(each for each in found if each.theorem.number == theorem)


def test_t_min_of_theorem_3_6_by_hand():
    # 18.42 rounds share epsilon 1, delta 10^-6 and beta 0.1; |X| = 32, and log* of 90.5 is 4.
    x = Numbers(dpcore.Request("coreset-faithful", 1, 1.0, 1e-6), n=1000, d=2, beta=0.1)
    rounds = 8 * math.log(1000) / 3
    assert rounds == pytest.approx(18.4207, rel=1e-5)
    logs = math.log(rounds / 0.1), math.log(2000 * rounds**3 * 1e7), math.log(rounds**2 * 1e7)
    assert logs == pytest.approx((5.21606, 32.4594, 21.9451), rel=1e-4)
    assert t_min(x) == pytest.approx(1.356e8, rel=1e-3)


def test_theorem_3_6_says_nothing_until_n_is_above_t_min_and_needs_a_delta():
    few = bound_of("coreset-faithful", "theorem 3.6", delta=1e-6)
    assert not few.bound.says_something
    assert few.bound.words == "Says nothing here: t_min = 136 million rows, and n is 1,000."
    many = bound_of("coreset-faithful", "theorem 3.6", n=10**11, delta=1e-6)
    assert many.bound.says_something
    assert many.bound.times == pytest.approx(math.log(10**11))
    assert "needs a delta above 0" in bound_of("coreset-faithful", "theorem 3.6").bound.words


def test_theorem_5_by_hand():
    # ln(n / beta) = 6.9078 three times, T among them, ln n = 4.6052, and 40.
    found = bound_of("highdim", "theorem 5", n=100).bound
    assert found.added == pytest.approx(40 * 6.9078**3 * 4.6052, rel=1e-3)
    assert found.times == pytest.approx(4.6052**3, rel=1e-3)
    assert not found.says_something


def test_theorem_7_by_hand():
    # |C| = 1000 ln 1000 = 6908, and ln(1000 * 6908 / 0.1) = 18.0507.
    found = bound_of("highdim", "theorem 7", k=2).bound
    assert found.added == pytest.approx(4 * 18.0507**2, rel=1e-4)
    assert (found.says_something, found.times) == (True, 30)
    assert "at most 30 times the optimum plus 1,303 times" in found.words
    assert not bound_of("highdim", "theorem 7", k=2, n=100).bound.says_something


def test_theorem_9_by_hand():
    # beta = 1/e makes log(1/beta) = 1, so both parts run at half of epsilon and fail with 1/3.
    found = bound_of("highdim", "theorem 9", d=1, beta=math.exp(-1)).bound
    missed = 40 * 2 * math.log(3000) ** 3 * math.log(1000)
    swaps = 2 * math.log(1000 * 1000 * math.log(1000) * 3) ** 2
    assert missed == pytest.approx(283_618, rel=1e-3)
    assert swaps == pytest.approx(567.6, rel=1e-3)
    assert found.added == pytest.approx(90 * missed + 3 * swaps + 1)
    assert found.times == pytest.approx(90 * math.log(1000) ** 3)


def test_theorem_11_by_hand():
    # s = 10, eta = 1/2: ln(20,000) = 9.9035, times 100 over a quarter.
    found = bound_of("sparse-mean", "theorem 11", d=100, n=2000).bound
    assert (found.times, found.added) == (2, pytest.approx(3961.4, rel=1e-4))
    assert found.says_something
    assert "must be below 1" in bound_of("sparse-mean", "theorem 11", accuracy=1.0).bound.words


def test_theorem_12_by_hand():
    found = bound_of("highdim-kmedian", "theorem 12", n=100, k=2, d=3).bound
    assert found.added == pytest.approx(7 * 6.9078**3, rel=1e-3)
    assert found.times == pytest.approx(4.6052**1.5, rel=1e-3)
    assert not found.says_something


def test_proposition_1_is_the_predicted_error():
    found = bound_of("dplloyd", "proposition 1", n=5000, k=15)
    assert found.bound.added == dpcore.predict("dplloyd", 5000, 15, 2, 1.0).mse
    assert "0.00974" in found.bound.words
    assert not bound_of("dplloyd", "proposition 1", n=5, k=15).bound.says_something


def test_lemmas_without_numbers_say_so_and_what_the_repair_loses():
    for key in ("subclustering", "subclustering-published"):
        assert "no number" in bound_of(key, "lemma 2").bound.words
    assert "does not hold" in str(bound_of("subclustering", "lemma 2"))
    assert "does not hold" not in str(bound_of("subclustering-published", "lemma 2"))


@pytest.mark.parametrize(
    "theorem", THEOREMS, ids=lambda t: f"{t.paper}-{t.number}-{t.algorithms[0]}"
)
def test_a_theorem_is_of_one_of_the_papers_and_of_methods_that_exist(theorem):
    assert theorem.paper in NUMBERS.values()
    assert set(theorem.algorithms) <= set(ALGORITHMS)
    assert theorem.statement.endswith(".")
    assert "section" in theorem.citation


@pytest.mark.parametrize("key", ALGORITHMS)
def test_every_method_can_be_asked(key):
    stated = [theorem for theorem in THEOREMS if key in theorem.algorithms]
    for given in ({"n": 1}, {"n": 10**12, "delta": 1e-9}, {"epsilon": 1e-6}, {"beta": 0.999}):
        found = dpcore.guarantee(key, **{"n": 100, "k": 3, "d": 4, "epsilon": 1.0} | given)
        assert [each.theorem for each in found] == stated
        assert all(each.bound.words.endswith(".") for each in found)


def test_more_rows_and_a_larger_epsilon_never_make_a_bound_worse():
    for key in ("highdim", "sparse-mean", "highdim-kmedian"):
        for n in (10**4, 10**8):
            few, much = (dpcore.guarantee(key, n, 3, 5, epsilon) for epsilon in (0.1, 10.0))
            for a, b in zip(few, much, strict=True):
                assert a.bound.added > b.bound.added


@pytest.mark.parametrize(
    ("value", "said"), [(999, "999"), (3.1e6, "3.1 million"), (2e9, "2 billion"), (4e16, "4e+16")]
)
def test_large_numbers_are_words(value, said):
    assert number(value) == said


def test_impossible_numbers_are_refused():
    with pytest.raises(ValueError, match="beta must be a number between 0 and 1"):
        dpcore.guarantee("highdim", 100, 2, 3, 1.0, beta=1.0)
    with pytest.raises(ValueError, match="k must be a whole number"):
        dpcore.guarantee("highdim", 100, 0, 3, 1.0)
    with pytest.raises(ValueError, match="has no parameter"):
        dpcore.guarantee("highdim", 100, 2, 3, 1.0, theta=1)


def test_the_command_states_and_evaluates_for_a_built_in_set(capsys):
    command = ["guarantee", "coreset-faithful", "--data", "nyc-taxi", "-k", "5"]
    assert main([*command, "--epsilon", "0.5", "--delta", "1e-8"]) == 0
    said = capsys.readouterr().out
    assert "Feldman et al. (2017), theorem 3.6 (section 3.3)" in said
    assert "Says nothing here: t_min = 25.8 billion rows, and n is 50,000." in said
    assert main([*command, "--epsilon", "0.5", "--delta", "1e-8", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["says something"] is False


def test_the_command_says_where_nothing_is_proved(capsys):
    assert main(["guarantee", "dp-kccm", "-n", "100", "-d", "2", "-k", "2", "--epsilon", "1"]) == 0
    assert "No theorem says how good its results are." in capsys.readouterr().out


def test_one_method_can_be_listed_in_full(capsys):
    assert main(["list", "highdim"]) == 0
    said = capsys.readouterr().out
    for word in ("REPAIRED", "Flaw.", "theorem 9", "dpcore guarantee highdim", "dpcore cite"):
        assert word in said
    assert main(["list", "dplloyd", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["theorems"][0]["citation"] == "Su et al. (2016), proposition 1 (section 6.1)"
    assert "@inproceedings{su2016," in found["bibtex"]
    assert main(["list", "nothing"]) == 2
