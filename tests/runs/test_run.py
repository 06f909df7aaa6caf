"""`run` checks what is public first, repeats by seed, and says by type what is private."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dpcore
from dpcore.algorithms import Algorithm
from dpcore.algorithms.base import _registry
from dpcore.geometry.domain import Box
from dpcore.privacy.accounting import Verdict
from dpcore.privacy.noise_proxy import NoiseKind, NoiseProxy
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.results import export
from dpcore.results.centers import (
    NonPrivateCenters,
    PrivateCenters,
    SimulatedCenters,
    UnchargedCenters,
)
from dpcore.results.run_result import Outcome, SimulatedResult, UnchargedResult, UnprovenResult

DATA = dpcore.datasets.load("s1-like")


class Unreadable(dpcore.datasets.RowsDataset):
    """Fails when anything private is asked of it."""

    @property
    def n(self):
        raise AssertionError("the data were read")

    def positions(self):
        raise AssertionError("the data were read")

    cluster_totals = histogram = positions


UNREADABLE = Unreadable.from_values(np.zeros((3, 2)), Box.cube(2))


@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf, 1e9, "1", None])
def test_an_impossible_epsilon_is_refused_before_the_data_are_read(epsilon):
    with pytest.raises(ValueError, match="epsilon must be a number from 1e-06 to 1e"):
        dpcore.run("eugkm", UNREADABLE, 3, epsilon)


@pytest.mark.parametrize("k", [0, -3, 2.5, True, 10_000, "5"])
def test_an_impossible_k_is_refused_before_the_data_are_read(k):
    with pytest.raises(ValueError, match="k must be a whole number from 1 to 1000"):
        dpcore.run("eugkm", UNREADABLE, k, 1.0)


def test_more_centers_than_rows_are_refused_only_where_the_number_of_rows_is_public():
    few = dpcore.datasets.from_array([[0.0, 0.0], [0.5, 0.5]], box=(-1, 1))
    with pytest.raises(ValueError, match="only 2 rows"):
        dpcore.run("dplloyd", few, 3, 1.0, neighbors="replace-one")
    assert dpcore.run("dplloyd", few, 3, 1.0, seed=0).centers.shape == (3, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"algorithm": "kmeans++"}, "No algorithm 'kmeans\\+\\+'"),
        ({"neighbors": "swap"}, "neighbors must be 'add-remove' or 'replace-one'"),
        ({"delta": 0.5}, "delta must be a number from 0 to"),
        ({"rounds": 0}, "rounds must be a whole number from 1 to 100"),
        ({"rounds": 2.5}, "rounds must be a whole number"),
        ({"start": "here"}, "start must be one of packing, uniform"),
        ({"speed": 3}, "dplloyd has no parameter 'speed'; it has: rounds, start"),
    ],
)
def test_what_is_wrong_is_named_before_the_data_are_read(change, message):
    asked = {"algorithm": "dplloyd", "data": UNREADABLE, "k": 3, "epsilon": 1.0}
    with pytest.raises(ValueError, match=message):
        dpcore.run(**(asked | change))


@pytest.mark.parametrize("key", ["dplloyd", "eugkm"])
def test_a_seed_repeats_a_run_and_another_does_not(key):
    one, same, other = (dpcore.run(key, DATA, 5, 0.5, seed=s).centers for s in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("neighbors", ["add-remove", "replace-one"])
@pytest.mark.parametrize("key", ["dplloyd", "eugkm"])
def test_the_transcript_adds_up_to_the_claim(key, neighbors):
    result = dpcore.run(key, DATA, 5, 0.7, neighbors=neighbors, seed=0)
    assert sum(c.epsilon for c in result.transcript) == pytest.approx(0.7, rel=1e-9)
    assert result.epsilon == 0.7
    assert result.delta == 0
    assert isinstance(result, SimulatedResult)
    assert isinstance(result.centers, PrivateCenters)


def test_touching_the_raw_data_makes_the_result_unproven_with_no_further_code():
    class Peeking(Algorithm):
        """Idea: Look at the data."""

        key, title, paper, verdict = "peeking", "Peeking", "ours", Verdict.PROVED

        def run(self, curator, k):
            n = curator.unprotected().n
            return Outcome(np.full((k, 2), n / 1e9))

    _registry["peeking"] = Peeking()
    try:
        result = dpcore.run("peeking", DATA, 2, 1.0)
    finally:
        del _registry["peeking"]
    assert isinstance(result, UnprovenResult)
    assert isinstance(result.centers, NonPrivateCenters)
    assert result.verdict is Verdict.UNPROVEN
    assert result.epsilon == math.inf


TINY = dpcore.datasets.from_array([[0.1, 0.1]] * 50, box=(-1, 1))


def test_a_result_with_release_noise_says_that_it_is_charged_to_nobody():
    result = dpcore.run("dplloyd", TINY, 2, 1.0, noise=ReleaseNoise())
    assert type(result) is UnchargedResult
    assert type(result.centers) is UnchargedCenters
    assert result.epsilon == 1.0
    assert "charged to no ledger" in result.status
    assert "charged to no ledger" in repr(result)
    assert "charged to no ledger" in repr(result.centers)


class NoNoise(NoiseProxy):
    """Noise that adds nothing."""

    def answer(self, request):
        if request.kind is NoiseKind.CHOICE:
            return int(np.argmax(request.values))
        return np.array(request.values)


class Tampered(ReleaseNoise):
    """Release noise by inheritance, which adds nothing."""

    def geometric(self, values, sensitivity, epsilon):
        return np.array(values)


@pytest.mark.parametrize("noise", [NoNoise, Tampered])
def test_only_real_release_noise_gives_more_than_a_simulated_result(noise):
    result = dpcore.run("eugkm", TINY, 2, 1.0, noise=noise())
    assert type(result) is SimulatedResult
    assert type(result.centers) is SimulatedCenters
    assert "simulated" in export.centers_csv(result.centers)


def test_results_and_centers_in_text_say_what_may_be_done_with_them():
    simulated = dpcore.run("adaptive", DATA, 3, 1.0, seed=0)
    assert repr(simulated) == (
        "SimulatedResult(adaptive, k=3, epsilon=1, PROVED, simulated, not for publication)"
    )
    assert repr(simulated.centers).endswith("# simulated, not for publication")
    assert "Coreset(" in repr(simulated.coreset)
    unproven = dpcore.run("eugkm-published", DATA, 3, 1.0, seed=0)
    assert "not private" in repr(unproven)
    for red in (unproven.centers, dpcore.baseline(DATA, 3).centers):
        assert repr(red) == (
            "NonPrivateCenters(3 centers, not private, for your eyes only: .value opens them)"
        )
        assert str(red) == repr(red)
        assert red.value.shape == (3, 2)


def test_private_centers_come_as_one_of_three():
    with pytest.raises(TypeError, match="SimulatedCenters, UnchargedCenters, ReleasedCenters"):
        PrivateCenters([[0.0, 0.0]], Box.cube(2))


def test_arithmetic_on_private_centers_gives_plain_arrays():
    centers = dpcore.run("eugkm", DATA, 3, 1.0, seed=0).centers
    for plain in (centers + 1, centers * 2, np.sqrt(abs(centers)), centers[0], np.asarray(centers)):
        assert type(plain) is np.ndarray
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(centers)[0] = 0


def test_as_epsilon_grows_eugkm_reaches_plain_k_means():
    best = dpcore.nicv(DATA, dpcore.baseline(DATA, 15).centers)
    private = dpcore.nicv(DATA, dpcore.run("eugkm", DATA, 15, 1e5, seed=0).centers)
    assert private <= 1.01 * best


def test_as_epsilon_grows_dplloyd_becomes_plain_lloyd():
    result = dpcore.run("dplloyd", DATA, 4, 1e6, seed=3, rounds=3)
    start = next(s for s in result.steps if s.kind == "start").released["centers"]
    centers = start
    ticks, _ = DATA.positions()
    rows = ticks / 2**21
    for _ in range(3):
        nearest = ((rows[:, None] - centers) ** 2).sum(-1).argmin(1)
        centers = np.stack([rows[nearest == j].mean(0) for j in range(4)])
    np.testing.assert_allclose(result.centers, centers, atol=1e-3)


def test_a_grid_that_would_not_fit_is_refused_with_the_reason_and_a_way_out():
    wide = dpcore.datasets.from_array(np.zeros((1000, 40)), box=(-1, 1))
    with pytest.raises(dpcore.Infeasible, match=r"40 dimensions.*2\^40 cells.*dplloyd"):
        dpcore.run("eugkm", wide, 2, 1.0)
    ten = dpcore.datasets.from_array(np.zeros((100_000, 10)), box=(-1, 1))
    with pytest.raises(dpcore.Infeasible, match=r"10 dimensions.*cells.*larger theta"):
        dpcore.run("eugkm", ten, 2, 1000.0, theta=0.1)


@pytest.mark.parametrize("key", ["dplloyd", "eugkm", "auto"])
@pytest.mark.parametrize(
    "rows", [[], [[0.2, -0.3]], [[0.5, 0.5]] * 40], ids=["none", "one", "same"]
)
def test_degenerate_data_give_centers_in_the_box(key, rows):
    data = dpcore.datasets.from_array(np.reshape(rows, (-1, 2)), box=(-1, 1))
    centers = np.asarray(dpcore.run(key, data, 4, 0.5, seed=0).centers)
    assert centers.shape == (4, 2)
    assert (np.abs(centers) <= 1).all()


def test_progress_tells_which_part_of_epsilon_is_spent():
    told = []
    dpcore.run("dplloyd", DATA, 3, 0.5, seed=0, rounds=4, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert len(set(told)) >= 4


@pytest.mark.parametrize("rows", [np.zeros((3, 2)), [[0.0, 0.0]], "trips.csv", None])
def test_rows_that_are_no_data_set_yet_are_told_how_to_become_one(rows):
    asks = [
        lambda: dpcore.run("eugkm", rows, 1, 1.0),
        lambda: dpcore.baseline(rows, 1),
        lambda: dpcore.nicv(rows, [[0.0, 0.0]]),
        lambda: dpcore.center_shift(rows, [[0.0, 0.0]], [[0.0, 0.0]]),
    ]
    for ask in asks:
        with pytest.raises(TypeError, match=f"not {type(rows).__name__}.*from_array.*from_file"):
            ask()


def test_areas_regions_and_transcripts_show_themselves_in_few_words():
    regions = dpcore.regions.boroughs().with_levels({"Manhattan": 0.5})
    assert repr(regions) == "Regions(5 regions, levels {'Manhattan': 0.5})"
    assert repr(dpcore.regions.place("Sunnyside")) == "Area('Sunnyside' in Queens)"
    assert repr(dpcore.regions.place("Queens")) == "Area('Queens')"
    transcript = dpcore.run("eugkm", TINY, 2, 1.0, seed=0).transcript
    charges = f"{len(transcript)} charge{'s' * (len(transcript) != 1)}"
    assert repr(transcript) == f"Transcript({charges}, epsilon 1 of 1, add-remove)"
