"""PrivateKMeans keeps scikit-learn's contract."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import dpcore
from dpcore import PrivateKMeans

X = np.random.default_rng(0).normal(size=(3000, 2)) * 0.1 + [[0.5, -0.5]]

#: Checks that no private estimator can pass, and why.
EXPECTED = {
    "check_clustering": "labels_ would keep where each training row lies; it is not kept",
}


@parametrize_with_checks(
    [PrivateKMeans(n_clusters=3, bounds=(-1000, 1000), random_state=0)],
    expected_failed_checks=lambda _: EXPECTED,
)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


def test_bounds_must_be_given():
    with pytest.raises(ValueError, match="needs bounds"):
        PrivateKMeans().fit(X)


@pytest.mark.parametrize("bad", [0, -1, np.nan])
def test_an_impossible_epsilon_is_refused_in_words(bad):
    with pytest.raises(ValueError, match="epsilon must be a number"):
        PrivateKMeans(epsilon=bad, bounds=(-1, 1)).fit(X)


def test_not_a_number_in_the_data_is_refused():
    dirty = X.copy()
    dirty[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        PrivateKMeans(bounds=(-1, 1)).fit(dirty)


def test_centers_are_found_in_data_units_and_rows_are_labelled_by_the_nearest():
    model = PrivateKMeans(2, epsilon=5.0, bounds=([-1, -1], [1, 1]), random_state=1)
    labels = model.fit_predict(X)
    assert model.cluster_centers_.shape == (2, 2)
    assert np.linalg.norm(X.mean(0) - model.cluster_centers_[np.bincount(labels).argmax()]) < 0.5
    np.testing.assert_array_equal(labels, model.transform(X).argmin(axis=1))


def test_it_says_what_it_spent_and_on_what():
    model = PrivateKMeans(3, epsilon=0.5, bounds=(-1, 1), algorithm="dplloyd", random_state=0)
    model.fit(X)
    assert model.result_.epsilon == 0.5
    assert len(model.result_.transcript) == 10


def test_nothing_of_the_rows_is_kept_but_the_private_centers():
    model = PrivateKMeans(3, bounds=(-1, 1), random_state=0).fit(X)
    kept = {n for n in vars(model) if n.endswith("_")}
    assert kept == {"result_", "cluster_centers_", "n_features_in_"}


def test_it_clones_and_works_in_a_pipeline():
    pipeline = make_pipeline(
        FunctionTransformer(lambda x: x / 2, check_inverse=False),
        PrivateKMeans(2, bounds=(-1, 1), parameters={"rounds": 2}, algorithm="dplloyd"),
    )
    assert clone(pipeline).fit(X).predict(X).shape == (3000,)


def test_the_same_random_state_gives_the_same_centers():
    a, b = (PrivateKMeans(2, bounds=(-1, 1), random_state=4).fit(X) for _ in range(2))
    np.testing.assert_array_equal(a.cluster_centers_, b.cluster_centers_)


def test_it_agrees_with_run():
    model = PrivateKMeans(2, bounds=(-1, 1), algorithm="eugkm", random_state=4).fit(X)
    assert model.result_.algorithm == "eugkm"
    assert dpcore.ALGORITHMS["eugkm"].verdict is model.result_.verdict
