"""One coreset answers for every k, and is as private as the run it came from."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dpcore
from dpcore.algorithms.base import Algorithm, _registry
from dpcore.geometry.domain import Box
from dpcore.privacy.accounting import Verdict
from dpcore.results.centers import (
    Centers,
    NonPrivateCenters,
    ReleasedCenters,
    SimulatedCenters,
    UnchargedCenters,
)
from dpcore.results.run_result import Outcome, UnprovenResult
from dpcore.results.synopsis import Coreset, Synopsis

BOX = Box((0, 10), (4, 14), ("longitude", "latitude"))
#: In data units: (1, 11), (3, 11) and (2, 13), which weigh 1, 1 and 2.
PLAIN = Coreset(np.array([[-0.5, -0.5], [0.5, -0.5], [0.0, 0.5]]), np.array([1.0, 1.0, 2.0]), BOX)
THREE = PLAIN.vouched(ReleasedCenters)


def random_coreset(n: int, seed: int = 0) -> Synopsis:
    rng = np.random.default_rng(seed)
    coreset = Coreset(rng.uniform(-1, 1, (n, 2)), rng.exponential(size=n) + 0.01, BOX)
    return coreset.vouched(SimulatedCenters)


def test_k_means_of_three_points_by_hand():
    assert np.asarray(THREE.kmeans(1, seed=0)).tolist() == [[2.0, 12.0]]
    two = sorted(np.asarray(THREE.kmeans(2, seed=0)).tolist())
    assert two == [pytest.approx([2, 11]), pytest.approx([2, 13])]
    assert THREE.kmeans(2).private


def test_cost_is_the_weighted_squared_distance_in_unit_coordinates():
    # In unit coordinates (2, 12) is the origin: .5 + .5 + 2 * .25.
    assert THREE.cost([[2.0, 12.0]]) == pytest.approx(1.5)
    assert THREE.cost(THREE.kmeans(2, seed=0)) == pytest.approx(0.5)
    assert THREE.cost(THREE.points) == pytest.approx(0, abs=1e-12)


def test_cost_over_weight_estimates_the_nicv():
    data = dpcore.datasets.load("nyc-taxi")
    result = dpcore.run("adaptive", data, 5, 1.0, seed=0)
    estimate = result.coreset.cost(result.centers) / result.coreset.weights.sum()
    assert estimate == pytest.approx(dpcore.nicv(data, result.centers), rel=0.02)


@pytest.mark.parametrize("k", [1, 2, 7, 20])
def test_any_k_can_be_clustered_from_one_release(k):
    coreset = dpcore.run("adaptive", dpcore.datasets.load("s1-like"), 3, 1.0, seed=0).coreset
    centers = coreset.kmeans(k, seed=1)
    assert centers.shape == (k, 2)
    assert isinstance(centers, SimulatedCenters)
    assert np.array_equal(centers, coreset.kmeans(k, seed=1))


def test_more_centers_cost_less():
    coreset = random_coreset(500)
    costs = [coreset.cost(coreset.kmeans(k, seed=0)) for k in (1, 2, 4, 8, 16)]
    assert costs == sorted(costs, reverse=True)


def test_k_means_is_as_good_as_scikit_learn_on_the_same_points():
    from sklearn.cluster import KMeans

    coreset = random_coreset(1000)
    other = KMeans(8, n_init=5, random_state=0)
    other.fit(coreset.unit_points, sample_weight=coreset.weights)
    assert coreset.cost(coreset.kmeans(8, seed=0)) <= other.inertia_ * 1.001


def test_more_clusters_than_points_give_the_points_and_the_heaviest_again():
    centers = np.asarray(THREE.kmeans(5, seed=0)).tolist()
    assert sorted(centers) == [[1, 11], [2, 13], [2, 13], [2, 13], [3, 11]]


def test_a_coreset_without_points_spreads_centers_over_the_box():
    nothing = Coreset(np.empty((0, 2)), np.empty(0), BOX).vouched(SimulatedCenters)
    centers = nothing.kmeans(4, seed=0)
    assert len(np.unique(np.asarray(centers), axis=0)) == 4
    assert BOX.contains(centers).all()
    assert nothing.cost(centers) == 0


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "3"])
def test_an_impossible_k_is_refused(k):
    with pytest.raises(ValueError, match="k must be a whole number"):
        THREE.kmeans(k)


@pytest.mark.parametrize("weights", [[1, 1, 0], [1, 1, -2], [1, 1, np.nan], [1, 1, np.inf]])
def test_weights_that_are_not_positive_are_refused(weights):
    with pytest.raises(ValueError, match="positive weight"):
        Coreset(THREE.unit_points, np.array(weights, dtype=float), BOX)


def test_merging_keeps_weight_and_mean():
    coreset = random_coreset(400)
    few = coreset.reduced(30)
    assert isinstance(few.kmeans(2), SimulatedCenters)
    assert len(few) == 30
    assert few.weights.sum() == pytest.approx(coreset.weights.sum())
    means = [c.weights @ c.points / c.weights.sum() for c in (few, coreset)]
    assert means[0] == pytest.approx(means[1])


def test_merging_to_more_points_than_there_are_changes_nothing():
    same = THREE.reduced(10)
    assert sorted(same.points.tolist()) == sorted(THREE.points.tolist())
    with pytest.raises(ValueError, match="at least one point"):
        THREE.reduced(0)


def test_a_frame_has_a_row_for_each_point_in_data_units():
    frame = THREE.to_frame()
    assert list(frame.columns) == ["longitude", "latitude", "weight"]
    assert frame.to_numpy().tolist() == [[1, 11, 1], [3, 11, 1], [2, 13, 2]]


def test_geojson_has_a_weighted_point_for_each():
    collection = json.loads(THREE.to_geojson())
    assert collection["type"] == "FeatureCollection"
    last = collection["features"][-1]
    assert last["geometry"] == {"type": "Point", "coordinates": [2.0, 13.0]}
    assert last["properties"] == {"weight": 2.0}


def test_geojson_is_for_maps():
    solid = Coreset(np.zeros((1, 3)), np.ones(1), Box.cube(3)).vouched(ReleasedCenters)
    with pytest.raises(ValueError, match="longitude and latitude"):
        solid.to_geojson()


def test_an_unsealed_coreset_vouches_for_nothing():
    plain = Coreset(THREE.unit_points, THREE.weights, BOX)
    assert isinstance(plain.kmeans(2), NonPrivateCenters)
    assert isinstance(plain.reduced(2).kmeans(2), NonPrivateCenters)
    for written in (plain.to_frame, plain.to_geojson, plain.reduced(2).to_frame):
        with pytest.raises(TypeError, match="not private"):
            written()


KINDS: list[type[Centers]] = [SimulatedCenters, UnchargedCenters, ReleasedCenters]


@pytest.mark.parametrize("kind", KINDS)
def test_what_comes_of_a_coreset_is_what_the_coreset_is(kind):
    coreset = PLAIN.vouched(kind)
    assert type(coreset.kmeans(2)) is kind
    assert type(coreset.reduced(2).kmeans(1)) is kind
    assert type(PLAIN.kmeans(2)) is NonPrivateCenters
    said = coreset.to_frame().get("status")
    assert (said is None) if kind is ReleasedCenters else set(said) == {kind.status}


def test_a_coreset_in_text_says_what_may_be_done_with_it():
    assert repr(THREE) == "Coreset(3 points)"
    simulated = PLAIN.vouched(SimulatedCenters)
    assert repr(simulated) == "Coreset(3 points, simulated, not for publication)"
    assert repr(PLAIN) == "Coreset(not private, for your eyes only)"


@pytest.mark.parametrize("leak", ["verdict", "hands out the data"])
def test_the_coreset_of_an_unproven_run_gives_no_private_centers(monkeypatch, leak):
    class Leaky(Algorithm):
        key = "leaky"
        title = "Leaky"
        paper = "ours"
        verdict = Verdict.UNPROVEN if leak == "verdict" else Verdict.PROVED

        def run(self, curator, k):
            if leak != "verdict":
                curator.unprotected()
            return Outcome(np.zeros((k, 2)), Coreset(np.zeros((1, 2)), np.ones(1), curator.box))

    monkeypatch.setitem(_registry, "leaky", Leaky())
    result = dpcore.run("leaky", dpcore.datasets.load("s1-like"), 2, 1.0)
    assert isinstance(result, UnprovenResult)
    with pytest.raises(TypeError, match="not private"):
        result.coreset.to_frame()
    assert isinstance(result.coreset.kmeans(3), NonPrivateCenters)
