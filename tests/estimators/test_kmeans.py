"""PrivateKMeans keeps scikit-learn's contract."""

from __future__ import annotations

import pickle
import traceback
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import dpcore
from dpcore import ALGORITHMS, Accountant, Box, PrivateCoreset, PrivateKMeans
from dpcore.algorithms.base import PublishesPoints
from dpcore.release import Ledger, verify
from dpcore.results import export
from dpcore.results.centers import ReleasedCenters, SimulatedCenters, UnchargedCenters
from dpcore.results.synopsis import Coreset

X = np.random.default_rng(0).normal(size=(3000, 2)) * 0.1 + [[0.5, -0.5]]

#: Checks that no private estimator can pass, and why.
FEW_COLUMNS = "coresets are found for two to four columns, and the check has others"
EXPECTED = {
    "PrivateKMeans": {
        "check_clustering": "labels_ would keep where each training row lies; it is not kept",
    },
    "PrivateCoreset": {
        "check_estimators_dtypes": FEW_COLUMNS,
        "check_dtype_object": FEW_COLUMNS,
        "check_fit2d_1sample": FEW_COLUMNS,
        "check_fit2d_1feature": FEW_COLUMNS,
    },
}


@parametrize_with_checks(
    [
        PrivateKMeans(n_clusters=3, bounds=(-1000, 1000), random_state=0),
        PrivateCoreset(n_clusters=3, bounds=(-1000, 1000), random_state=0),
    ],
    expected_failed_checks=lambda estimator: EXPECTED[type(estimator).__name__],
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
    assert kept == {"result_", "centers_", "cluster_centers_", "box_", "n_features_in_"}


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


# Answers that may be published.


def released(**more):
    common = {"n_clusters": 2, "epsilon": 0.5, "bounds": (-1, 1), "noise": "release"}
    return PrivateKMeans(**{**common, **more})


def test_a_fit_charged_to_a_ledger_gives_centers_that_may_be_published(tmp_path: Path):
    model = released(ledger=tmp_path / "books", account="points", allowed=1.0)
    model.fit(pd.DataFrame(X, columns=["width", "height"]))
    assert type(model.centers_) is ReleasedCenters
    assert export.centers_csv(model.centers_).splitlines()[0] == "center,width,height"
    assert "status" not in export.centers_geojson(model.centers_)
    np.testing.assert_array_equal(model.centers_, model.cluster_centers_)
    account = Ledger(tmp_path / "books").account("points")
    assert account is not None
    assert str(account.used) == "ε 0.5"
    assert model.predict(pd.DataFrame(X, columns=["width", "height"])).shape == (3000,)
    certificate = model.release_.files["certificate.json"]
    findings = verify(certificate, model.release_.files)
    assert [finding for finding in findings if finding.holds is False] == []


def test_the_ledger_refuses_what_the_account_cannot_pay_and_other_names(tmp_path: Path):
    released(ledger=tmp_path, account="points", allowed=0.8).fit(X)
    with pytest.raises(dpcore.Refusal, match="is left"):
        released(ledger=tmp_path, account="points").fit(X)
    with pytest.raises(dpcore.Refusal, match="published before under the name 'points'"):
        released(ledger=tmp_path, account="others", allowed=5.0, epsilon=0.1).fit(X)


def test_without_a_ledger_centers_say_that_none_was_charged():
    accountant = Accountant(1.0)
    model = released(accountant=accountant).fit(X)
    assert type(model.centers_) is UnchargedCenters
    assert str(accountant.spent) == "ε 0.5"
    assert "simulated" not in repr(model)
    assert type(PrivateKMeans(2, bounds=(-1, 1)).fit(X).centers_) is SimulatedCenters


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "Give either ledger"),
        ({"accountant": Accountant(1), "ledger": "x"}, "Give either ledger"),
        ({"accountant": Accountant(1), "random_state": 0}, "takes no random_state"),
        ({"accountant": Accountant(1), "noise": "simulated"}, "Simulated noise uses no budget"),
        ({"accountant": Accountant(1), "noise": "other"}, "noise must be"),
        ({"accountant": Accountant(0.1)}, "would cost ε 0.5, and ε 0.1"),
        ({"ledger": "x"}, "Name the data"),
    ],
)
def test_contradictions_are_refused_before_anything_is_spent(more, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=words):
        released(**more).fit(X)
    assert not (tmp_path / "x" / "ledger.sqlite").exists() or not Ledger("x").entries()
    if "accountant" in more:
        assert str(more["accountant"].spent) == "ε 0"


def test_a_fit_spends_no_more_than_its_accountant_is_charged():
    accountant = Accountant(1.0)
    model = released(accountant=accountant, epsilon=0.1).fit(X)
    assert Fraction(model.result_.transcript.budget.epsilon) <= accountant.spent.epsilon
    assert accountant.spent.epsilon == Fraction(1, 10)


def test_a_refused_setting_costs_the_accountant_nothing():
    accountant = Accountant(5.0)
    with pytest.raises(ValueError, match="k must be"):
        released(accountant=accountant, n_clusters=0).fit(X)
    assert str(accountant.spent) == "ε 0"


def test_a_grid_search_adds_up_what_all_its_fits_spend():
    accountant = Accountant(4.0)
    search = GridSearchCV(released(accountant=accountant), {"n_clusters": [2, 3]}, cv=3)
    search.fit(X)
    assert str(accountant.spent) == "ε 3.5"  # 2 settings, 3 folds, and the best one once more
    with pytest.raises(dpcore.BudgetExceeded):
        released(accountant=accountant, epsilon=0.6).fit(X)


def test_a_grid_search_that_the_budget_cannot_pay_is_refused():
    search = GridSearchCV(
        released(accountant=Accountant(1.0)), {"n_clusters": [2, 3]}, cv=3, error_score="raise"
    )
    with pytest.raises(dpcore.BudgetExceeded):
        search.fit(X)


def test_a_grid_search_charges_the_account_of_a_ledger(tmp_path: Path):
    model = released(ledger=str(tmp_path), account="points", allowed=9.0, algorithm="dplloyd")
    GridSearchCV(model, {"n_clusters": [1, 2]}, cv=2).fit(X[:400])
    account = Ledger(tmp_path).account("points")
    assert account is not None
    assert str(account.used) == "ε 2.5"


def test_an_accountant_cannot_be_copied():
    accountant = Accountant(1.0)
    assert clone(released(accountant=accountant)).accountant is accountant
    with pytest.raises(TypeError, match="n_jobs=1"):
        pickle.dumps(accountant)


def test_an_accountant_keeps_to_one_relation():
    accountant = Accountant(2.0)
    released(accountant=accountant).fit(X)
    with pytest.raises(ValueError, match="counts under add-remove"):
        released(accountant=accountant, neighbors="replace-one").fit(X)


# Weights, scores, names and boxes.


@pytest.mark.parametrize("kind", [PrivateKMeans, PrivateCoreset])
def test_weights_are_refused_with_the_reason_wherever_they_are_given(kind):
    model, weights = kind(2, bounds=(-1, 1)), np.ones(len(X))
    with pytest.raises(TypeError, match="Rows cannot be weighted"):
        model.fit(X, sample_weight=weights)
    with pytest.raises(TypeError, match="fit takes X and y, not wieght"):
        model.fit(X, wieght=weights)
    assert model.fit(X, sample_weight=None) is model
    if kind is PrivateKMeans:
        with pytest.raises(TypeError, match="Rows cannot be weighted"):
            model.fit_predict(X, sample_weight=weights)
        with pytest.raises(TypeError, match="Rows cannot be weighted"):
            model.fit(X).score(X, sample_weight=weights)


BOXES = [
    (-1, 1),
    ([-1, -4], [1, 4]),
    Box((-1, -100), (1, 3)),
    {0: (-1, 1), 1: (-0.001, 900)},
]


@pytest.mark.parametrize("bounds", BOXES)
def test_predict_agrees_with_transform_and_score_on_every_box(bounds):
    rows = np.random.default_rng(1).uniform([-1, -0.001], [1, 1], (2000, 2))
    model = PrivateKMeans(5, epsilon=5.0, bounds=bounds, random_state=0).fit(rows)
    distances = model.transform(rows)
    np.testing.assert_array_equal(model.predict(rows), distances.argmin(axis=1))
    assert model.score(rows) == pytest.approx(-(distances.min(axis=1) ** 2).sum())


def test_bounds_by_name_follow_the_columns_and_names_reach_the_exports():
    frame = pd.DataFrame({"lat": X[:, 1] + 41, "lon": X[:, 0] - 74})
    by_name = {"lon": (-75.0, -72.0), "lat": (40.0, 42.0)}
    box = Box((-75.0, 40.0), (-72.0, 42.0), ("lon", "lat"))
    first, second = (PrivateKMeans(2, bounds=b, random_state=0).fit(frame) for b in (by_name, box))
    assert first.box_ == second.box_ == box.take([1, 0])
    assert export.centers_csv(first.centers_).startswith("center,lat,lon,status")
    with pytest.raises(ValueError, match="name each column"):
        PrivateKMeans(2, bounds={"lon": (0, 1)}).fit(frame)
    with pytest.raises(ValueError, match="by column are pairs"):
        PrivateKMeans(2, bounds={"lon": 1, "lat": 2}).fit(frame)
    with pytest.raises(ValueError, match="bounds must be"):
        PrivateKMeans(2, bounds=3).fit(frame)


def test_its_columns_have_names_and_its_output_can_be_a_frame():
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = PrivateKMeans(3, bounds=(-1, 1), random_state=0).set_output(transform="pandas")
    names = ["privatekmeans0", "privatekmeans1", "privatekmeans2"]
    assert model.fit_transform(frame).columns.tolist() == names
    assert model.get_feature_names_out().tolist() == names
    assert model.predict(frame).shape == (3000,)
    both = ColumnTransformer([("near", PrivateKMeans(2, bounds=(-1, 1)), ["a", "b"])])
    both.set_output(transform="pandas")
    assert both.fit_transform(frame).shape == (3000, 2)


def test_rows_outside_are_dropped_by_default_and_moved_to_the_edge_if_wanted():
    rows = np.vstack([X, np.full((3000, 2), 9.0)])
    for outside, size in (("drop", 3000), ("clip", 6000)):
        model = PrivateKMeans(
            1, epsilon=100.0, bounds=(-1, 1), outside=outside, algorithm="dplloyd", random_state=0
        ).fit(rows)
        near = np.array([0.5, -0.5]) if size == 3000 else np.array([0.75, 0.25])
        np.testing.assert_allclose(model.cluster_centers_[0], near, atol=0.02)


def test_a_scaler_before_it_works_in_a_pipeline():
    pipeline = make_pipeline(MinMaxScaler(), PrivateKMeans(2, bounds=(0, 1), random_state=0))
    assert pipeline.fit(X).score(X) < 0


# Weighted points for other estimators.


def test_a_coreset_stands_for_the_rows_in_other_estimators(tmp_path: Path):
    coreset = PrivateCoreset(3, epsilon=2.0, bounds=(-1, 1), random_state=0).fit(X)
    assert coreset.points_.shape == (len(coreset.sample_weight_), 2)
    assert (coreset.sample_weight_ > 0).all()
    assert coreset.sample_weight_.sum() == pytest.approx(3000, rel=0.1)
    private = coreset.fit_estimator(KMeans(1, random_state=0)).cluster_centers_
    np.testing.assert_allclose(private[0], X.mean(axis=0), atol=0.05)
    released = PrivateCoreset(
        3, bounds=(-1, 1), noise="release", ledger=tmp_path, account="points", allowed=1.0
    )
    points, weights = released.fit_resample(X)
    assert len(points) == len(weights)
    assert type(released.coreset_.kmeans(2)) is ReleasedCenters
    assert "status" not in released.coreset_.to_frame().columns


def test_an_algorithm_without_a_coreset_is_refused_before_anything_is_spent():
    for key in (key for key, each in ALGORITHMS.items() if not each.publishes_coreset):
        accountant = Accountant(1.0)
        model = PrivateCoreset(
            2, bounds=(-1, 1), algorithm=key, noise="release", accountant=accountant
        )
        with pytest.raises(dpcore.Infeasible, match="publishes no coreset"):
            model.fit(X)
        assert str(accountant.spent) == "ε 0"


@pytest.mark.parametrize("key", sorted(ALGORITHMS))
def test_an_algorithm_says_whether_it_publishes_a_coreset(key):
    if ALGORITHMS[key].publishes_points is PublishesPoints.NEVER:
        assert not ALGORITHMS[key].publishes_coreset
        return
    rows = np.random.default_rng(0).uniform(0, 0.1, (20_000, 3 if key == "coreset-split" else 2))
    data = dpcore.datasets.from_array(rows, (0, 1))
    found = dpcore.run(key, data, k=2, epsilon=10.0, delta=1e-6 * uses_delta(key), seed=0)
    assert isinstance(found.synopsis, Coreset) == ALGORITHMS[key].publishes_coreset


def uses_delta(key: str) -> bool:
    return ALGORITHMS[key].uses_delta


def test_an_estimator_on_the_points_of_a_frame_knows_its_columns():
    frame = pd.DataFrame(X, columns=["a", "b"])
    coreset = PrivateCoreset(2, bounds=(-1, 1), random_state=0).fit(frame)
    model = coreset.fit_estimator(KMeans(2, random_state=0))
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.predict(frame).shape == (3000,)


# What is refused, and in which words.


@pytest.mark.parametrize(
    "rows",
    [[0.25, 777.125], 777.125, [["777.125x", 1]], np.array([[777.125j, 1.0]])],
    ids=["1d", "scalar", "text", "complex"],
)
def test_no_error_quotes_a_value(rows):
    fitted = PrivateKMeans(2, bounds=(-1, 1), random_state=0).fit(X)
    for ask in (PrivateKMeans(2, bounds=(-1, 1)).fit, fitted.predict, fitted.transform):
        with pytest.raises(ValueError, match=r"X|data") as error:
            ask(rows)
        assert "777" not in "".join(traceback.format_exception(error.value))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"bounds": {0: (0, 1), 7: (0, 1)}}, "must name each column of X once: x0, x1, not x0, 7"),
        ({"bounds": [(0, 1), (0, 1)]}, "for a pair of ends for each column, give a dict"),
        ({"bounds": ("a", 1)}, "bounds are all low ends, then all high ends"),
        ({"accountant": 2.0}, "accountant must be a dpcore.Accountant, not 2.0"),
        ({"ledger": 2.0}, "ledger must be a Ledger or the path of its folder"),
    ],
)
def test_a_wrong_parameter_is_refused_in_words(more, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    payer = {} if {"accountant", "ledger"} & more.keys() else {"accountant": Accountant(1.0)}
    with pytest.raises(ValueError, match=words):
        released(**payer, **more).fit(X)
    assert not list(tmp_path.iterdir())


def test_a_box_of_other_columns_is_refused():
    box = Box((-1, -1), (1, 1), ("lon", "lat"))
    with pytest.raises(ValueError, match="The box is of lon, lat, and the columns of X are a, b"):
        PrivateKMeans(2, bounds=box).fit(pd.DataFrame(X, columns=["a", "b"]))
    assert PrivateKMeans(2, bounds=box, random_state=0).fit(X).box_ == box
