"""The built-in sets are what they say they are, inside boxes that look at no data."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from dpcore.datasets.builtin import BUILTIN, MONTH_CELLS, MONTH_ROWS, BuiltinSet, builtin_set
from dpcore.datasets.generated import gaussians, spread_centers

#: Sizes that descriptions and papers state.
SHAPES = {
    "nyc-taxi": (50_000, 2),
    "nyc-taxi-trips": (50_000, 4),
    "nyc-month": (1024, 1024),
    "iris": (150, 4),
    "wine": (178, 13),
    "breast-cancer": (569, 30),
    "digits": (1_797, 64),
    "image-rgb": (34_112, 3),
    "s1-like": (5_000, 2),
    "gaussians-k5-d4": (10_000, 4),
}


@pytest.mark.parametrize("each", BUILTIN.values(), ids=BUILTIN)
def test_every_set_has_its_size_and_type(each: BuiltinSet) -> None:
    made = each.make()
    side = each.resolution
    assert made.shape == SHAPES.get(
        each.about.key, (side, side) if side else (len(made), each.box.d)
    )
    assert made.dtype == (np.float64 if each.resolution is None else np.int64)


@pytest.mark.parametrize(
    "each", [s for s in BUILTIN.values() if s.resolution is None], ids=lambda s: s.about.key
)
def test_every_row_lies_in_the_public_box(each: BuiltinSet) -> None:
    rows = each.make()
    assert rows.shape == (each.rows, each.box.d)
    assert each.box.contains(rows).all()


@pytest.mark.parametrize(
    ("key", "load"), [("iris", "load_iris"), ("breast-cancer", "load_breast_cancer")]
)
def test_columns_carry_the_names_scikit_learn_gives_them(key: str, load: str) -> None:
    from sklearn import datasets

    assert list(builtin_set(key).box.names) == list(getattr(datasets, load)().feature_names)


def test_taxi_coordinates_are_the_published_32_bit_degrees() -> None:
    pickups = builtin_set("nyc-taxi").make()
    assert (pickups == pickups.astype(np.float32)).all()
    # A trip ends near where it begins, in the same order of columns.
    trips = builtin_set("nyc-taxi-trips").make()
    assert (trips[:, :2] == pickups).all()
    assert np.median(np.abs(trips[:, :2] - trips[:, 2:])) < 0.02


def test_the_month_has_exactly_the_rows_of_the_paper() -> None:
    month = builtin_set("nyc-month").make()
    assert MONTH_ROWS == 11_840_734
    assert month.sum() == MONTH_ROWS
    assert month.min() >= 0


def test_the_month_is_the_same_each_time() -> None:
    make = builtin_set("nyc-month").make
    assert (make() == make()).all()


def test_the_month_is_spread_as_the_real_pickups_are() -> None:
    each = builtin_set("nyc-month")
    blocks = 32
    month = each.make().reshape(blocks, MONTH_CELLS // blocks, blocks, -1).sum(axis=(1, 3))
    real = np.zeros((blocks, blocks))
    np.add.at(real, tuple(each.box.cells(builtin_set("nyc-taxi").make(), blocks).T), 1)
    assert np.corrcoef(month.ravel(), real.ravel())[0, 1] > 0.99
    # The uniform part reaches the north, where the sample has no trips at all.
    north = slice(blocks // 2 + 1, None)
    assert real[:, north].sum() == 0
    assert 0.004 < month[:, north].sum() / MONTH_ROWS < 0.005


def test_whatever_is_simulated_says_so() -> None:
    simulated = {key for key, each in BUILTIN.items() if each.about.simulated}
    assert simulated >= {"nyc-month", "s1-like", "gaussians-k5-d4"}
    assert not simulated & {"nyc-taxi", "iris", "digits"}
    assert all("simulated" in BUILTIN[key].about.description for key in simulated)
    assert "simulated" in BUILTIN["nyc-month"].about.title


def test_the_gaussian_family_has_any_k_and_d() -> None:
    each = builtin_set("gaussians-k3-d7")
    assert each.about.simulated
    assert each.make().shape == (10_000, 7)
    assert each.box.contains(each.make()).all()


@pytest.mark.parametrize("key", ["gaussians-k0-d2", "gaussians-k2-d101", "iris ", "Iris", ""])
def test_an_unknown_key_is_refused_with_the_known_ones(key: str) -> None:
    with pytest.raises(ValueError, match=r"nyc-taxi.*gaussians-kK-dD"):
        builtin_set(key)


@pytest.mark.parametrize(("k", "d"), [(2, 2), (10, 2), (4, 10), (1, 1)])
def test_gaussian_clusters_are_equal_and_far_apart(k: int, d: int) -> None:
    """Every row is nearest the center it was drawn around, so each cluster keeps its share."""
    rows = gaussians(k, d, n=1_000, seed=3)
    centers = spread_centers(k, d, 0.75, np.random.default_rng(3))
    labels = np.linalg.norm(rows[:, None] - centers, axis=2).argmin(axis=1)
    assert set(Counter(labels.tolist()).values()) == {1_000 // k}


def test_more_clusters_than_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot make 5 clusters"):
        gaussians(5, 2, n=4)


def test_the_registry_loads_without_engines_noise_or_pages() -> None:
    program = (
        "import sys, dpcore.datasets.builtin\n"
        "heavy = {'duckdb', 'opendp', 'pyspark', 'streamlit'}\n"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == []
