"""Predicted errors: the paper's equations by hand, its thresholds, and what was measured."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dpcore
from dpcore.algorithms import centroid_error as equations
from dpcore.cli import main
from dpcore.datasets.rows import from_array
from dpcore.study.metrics import nicv
from dpcore.study.prediction import COMPARED, PREDICTED, Win


def test_equation_7_is_that_of_dplloyd_on_s1():
    # 2 * 2 * (1 + 0.45^2) * (15 * 5 * 3 / 5000)^2
    found = dpcore.predict("dplloyd", n=5000, k=15, d=2, epsilon=1.0)
    assert found.mse == pytest.approx(4 * 1.2025 * 0.045**2)
    assert found.bias == 0
    assert found.citation == "Su et al. (2016), equation (7)"


def test_equations_4_9_and_10_by_hand():
    assert equations.grid_cells(5000, 1.0, 2, 10.0) == pytest.approx(500)
    assert equations.grid_variance(5000, 15, 2, 1.0, 500) == pytest.approx(2000 / 7.5e7)
    assert equations.grid_bias_bound(2, 500) == pytest.approx(2 / 500)
    # Three dimensions and eight clusters: 10^6 cells, 4 M / (n epsilon)^2, 3 / 10^4.
    assert equations.grid_cells(1e6, 1.0, 3, 10.0) == pytest.approx(1e6)
    assert equations.grid_variance(1e6, 8, 3, 1.0, 1e6) == pytest.approx(4e-6)
    assert equations.grid_bias_bound(3, 1e6) == pytest.approx(3e-4)


def test_equation_3_by_hand():
    # Scale 2 * 2 * 2 * 2 / 100, variance twice its square, in two dimensions.
    assert equations.aggregate_noise(2, 2, 1.0, 100) == pytest.approx(2 * 2 * 0.16**2)


def test_equation_13_is_equation_7_for_one_round_with_half_of_epsilon():
    n, k, d, epsilon = 20_000, 4, 3, 2.0
    found = dpcore.predict("hybrid", n, k, d, epsilon, neighbors="replace-one")
    # Replaced, a row moves everything twice as far: epsilon counts as 1, and half of it as 0.5.
    assert found.mse == pytest.approx(8 * d * (1 + 0.45**2) * (k * (d + 1) / n) ** 2)
    assert found.equations == (13, 15)


@pytest.mark.parametrize(
    ("n", "k", "d", "epsilon"),
    [
        (5000, 15, 2, 58.4),
        (107_091, 5, 2, 0.303),
        (16_281, 2, 2, 0.319),
        (34_112, 3, 3, 0.126),
        (48_841, 5, 6, 0.068),
        (26_733, 3, 10, 0.073),
    ],
)
def test_hybrid_wins_from_the_papers_threshold_on(n, k, d, epsilon):
    assert equations.smallest_epsilon_for_a_round(n, k, d, 10.0) == pytest.approx(epsilon, rel=0.01)
    wins = dpcore.crossover(("eugkm", "hybrid"), n=n, k=k, d=d)
    assert [win.algorithm for win in wins] == ["eugkm", "hybrid"]
    # 5 % of epsilon buys the number of rows.
    assert wins[1].start == pytest.approx(epsilon / 0.95, rel=0.01)


def test_a_run_falls_back_where_the_prediction_does():
    for epsilon, falls in ((0.12, True), (0.15, False)):
        found = dpcore.predict("hybrid", 34_112, 3, 3, epsilon)
        assert ("falls back" in found.note) is falls
        assert (found.bias > 0) is falls


def test_more_dimensions_favor_dplloyd_and_more_clusters_eugkm():
    """Su et al. (2016), section 5: EUGkM suffers from d, DPLloyd from k."""
    both = ("eugkm", "dplloyd")
    for k, d in ((2, 4), (5, 7)):
        wins = dpcore.crossover(both, n=10_000, k=k, epsilon=1.0)
        assert wins == (Win(1, "eugkm"), Win(d, "dplloyd"))
    assert dpcore.crossover(both, n=10_000, k=10, epsilon=1.0) == (Win(1, "eugkm"),)


@pytest.mark.parametrize("key", PREDICTED)
def test_a_prediction_falls_with_n_and_epsilon_and_never_leaves_the_box(key):
    def error(n, epsilon):
        return dpcore.predict(key, n, 5, 3, epsilon).mse

    assert error(1000, 0.5) >= error(100_000, 0.5) > error(100_000, 5.0) > 0
    assert error(10, 0.001) == 12


def test_where_rows_stay_in_their_cluster_nicv_grows_by_the_squared_shift():
    rng = np.random.default_rng(0)
    rows = np.concatenate(
        [rng.uniform(-0.1, 0.1, (m, 2)) + c for m, c in ((300, -0.5), (100, 0.5))]
    )
    data = from_array(rows, box=(-1, 1))
    means = np.array([rows[:300].mean(axis=0), rows[300:].mean(axis=0)])
    shift = np.array([[0.03, -0.02], [-0.05, 0.01]])
    grown = nicv(data, means + shift) - nicv(data, means)
    assert grown == pytest.approx((0.75, 0.25) @ (shift**2).sum(axis=1), rel=1e-4)


def test_rows_that_move_to_a_nearer_center_make_it_grow_by_less():
    rows = np.random.default_rng(1).uniform(-1, 1, (2000, 2))
    data = from_array(rows, box=(-1, 1))
    best = np.asarray(dpcore.baseline(data, 5, 0).centers)
    shift = np.random.default_rng(2).normal(0, 0.1, best.shape)
    nearest = ((rows[:, None] - best) ** 2).sum(axis=2).argmin(axis=1)
    bound = (shift**2).sum(axis=1)[nearest].mean()
    assert 0 < nicv(data, best + shift) - nicv(data, best) < bound


@pytest.mark.parametrize("epsilon", [0.1, 0.5])
def test_the_median_run_adds_what_is_predicted_where_five_rounds_converge(epsilon):
    data = dpcore.datasets.load("gaussians-k2-d2")
    best = nicv(data, dpcore.baseline(data, 2, 0).centers)
    runs = [
        nicv(data, dpcore.run("dplloyd", data, 2, epsilon, seed=seed).centers) - best
        for seed in range(12)
    ]
    predicted = dpcore.predict("dplloyd", data.n, 2, 2, epsilon)
    assert np.median(runs) == pytest.approx(predicted.mse, rel=0.5)
    grid = dpcore.predict("eugkm", data.n, 2, 2, epsilon)
    found = nicv(data, dpcore.run("eugkm", data, 2, epsilon, seed=0).centers) - best
    assert found < grid.mse


def test_what_cannot_be_predicted_is_refused_in_words():
    for wrong, words in (
        ({"algorithm": "adaptive"}, "No error of 'adaptive'"),
        ({"n": 0}, "n must be a whole number of at least 1"),
        ({"d": 2.5}, "d must be a whole number"),
        ({"epsilon": -1.0}, "epsilon must be a number"),
        ({"rounds": 0}, "rounds must be a whole number"),
    ):
        given = {"algorithm": "dplloyd", "n": 100, "k": 2, "d": 2, "epsilon": 1.0} | wrong
        with pytest.raises(ValueError, match=words):
            dpcore.predict(**given)
    with pytest.raises(dpcore.Infeasible, match="EUGkM cannot run here"):
        dpcore.predict("eugkm", 1000, 2, 30, 1.0)
    with pytest.raises(ValueError, match="Name two of n, d and epsilon"):
        dpcore.crossover(k=3, n=100)


def test_the_command_tells_predictions_and_winners_of_built_in_data(capsys):
    assert main(["predict", "--data", "s1-like", "-k", "15", "--epsilons", "1", "100"]) == 0
    said = capsys.readouterr().out
    assert "n = 5,000, k = 15, d = 2" in said
    assert "0.00974" in said
    assert "Least noise: eugkm from epsilon = 0.001, hybrid from epsilon = 61.5" in said


def test_the_command_gives_programs_the_numbers(capsys):
    command = ["predict", "dplloyd", "eugkm", "-n", "5000", "-d", "2", "-k", "15", "--json"]
    assert main([*command, "--epsilons", "1", "--across", "n"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["predictions"][0]["mse"] == pytest.approx(0.00974025)
    assert {win["algorithm"] for win in found["least noise"]} <= {"dplloyd", "eugkm"}


def test_nobodys_rows_are_counted_for_a_prediction(capsys, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("x,y\n0,0\n1,1\n")
    assert main(["predict", "dplloyd", "--data", str(rows), "-k", "2"]) == 2
    assert "its number of rows is not public" in capsys.readouterr().err
    assert main(["predict", "dplloyd", "-k", "2"]) == 2
    assert "Type -n and -d" in capsys.readouterr().err


def test_methods_that_are_compared_hold_what_they_claim():
    assert all(dpcore.ALGORITHMS[key].verdict.holds for key in COMPARED)
