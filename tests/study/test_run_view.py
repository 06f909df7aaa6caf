"""What a screen shows of a run, and that it is what the run published."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore
from dpcore.datasets.base import Dataset
from dpcore.datasets.rows import from_array
from dpcore.geometry.domain import Box, Grid
from dpcore.results.non_private import NonPrivate
from dpcore.results.synopsis import Coreset, NoisyGrid
from dpcore.study import run_view

SQUARE = Box((0, 10), (8, 18), ("x", "y"))


@pytest.fixture(scope="module")
def blobs() -> Dataset:
    """Two clusters: 300 rows near (2, 12) and 100 near (6, 16)."""
    rng = np.random.default_rng(0)
    middles = np.repeat([(2.0, 12.0), (6.0, 16.0)], [300, 100], axis=0)
    return from_array(middles + rng.normal(0, 0.2, (400, 2)), SQUARE)


def scattered(n: int, d: int = 2) -> Coreset:
    rng = np.random.default_rng(n)
    box = SQUARE if d == 2 else Box.cube(d)
    return Coreset(rng.uniform(-1, 1, (n, d)), rng.uniform(0.5, 2, n), box)


@pytest.mark.parametrize("n", [10, 1_500, 30_000])
def test_at_most_a_thousand_points_keep_all_weight_and_its_middle(n: int) -> None:
    coreset = scattered(n)
    shown = run_view.marks(coreset)
    weight = shown.frame["weight"]
    assert len(shown.frame) == min(n, run_view.MOST_POINTS)
    assert shown.published == n
    assert shown.cell is None
    assert weight.sum() == pytest.approx(coreset.weights.sum())
    middle = np.average(coreset.points, axis=0, weights=coreset.weights)
    assert np.average(shown.frame["x"], weights=weight) == pytest.approx(middle[0])
    assert np.average(shown.frame["y"], weights=weight) == pytest.approx(middle[1])


def test_a_projection_shows_the_named_coordinates() -> None:
    coreset = scattered(50, d=4)
    shown = run_view.marks(coreset, axes=(3, 1))
    assert set(shown.frame["x"]) == set(coreset.points[:, 3])
    assert set(shown.frame["y"]) == set(coreset.points[:, 1])


def test_cells_are_shown_where_they_are_and_only_if_positive() -> None:
    counts = np.array([[5, -2], [0, 7]])
    shown = run_view.marks(NoisyGrid(Grid(SQUARE, 2), counts))
    assert shown.frame.to_numpy().tolist() == [[2, 12, 5], [6, 16, 7]]
    assert shown.published == 4
    assert shown.cell == (4, 4)


def test_a_fine_grid_is_added_up_and_one_of_many_axes_too() -> None:
    counts = np.ones((100, 100), dtype=np.int64)
    shown = run_view.marks(NoisyGrid(Grid(SQUARE, 100), counts))
    assert len(shown.frame) == run_view.MOST_CELLS_PER_SIDE**2
    assert shown.frame["weight"].sum() == 10_000
    cube = NoisyGrid(Grid(Box.cube(3), 2), np.arange(8).reshape(2, 2, 2))
    across = run_view.marks(cube, axes=(2, 0)).frame
    assert across["weight"].tolist() == [0 + 2, 4 + 6, 1 + 3, 5 + 7]


@pytest.mark.parametrize("algorithm", ["adaptive", "eugkm"])
def test_shares_come_from_what_was_published(blobs: Dataset, algorithm: str) -> None:
    result = dpcore.run(algorithm, blobs, 2, 4.0, seed=0)
    shares = run_view.shares(result)
    assert shares is not None
    assert shares.sum() == pytest.approx(1)
    assert sorted(shares) == pytest.approx([0.25, 0.75], abs=0.1)
    table = run_view.centers_table(result, geographic=False)
    assert table["share"].is_monotonic_decreasing
    assert table.iloc[0][[0, 1]].tolist() == pytest.approx([2, 12], abs=0.5)


def test_coordinates_may_be_called_like_the_columns_beside_them() -> None:
    rows = np.random.default_rng(0).normal([0, 1], 0.01, (200, 2))
    data = from_array(rows, Box((-1, -1), (2, 2), ("share", "shift")))
    result = dpcore.run("adaptive", data, 1, 4.0, seed=0)
    reference = dpcore.baseline(data, 1)
    [center] = run_view.centers_table(result, geographic=True).to_dict("records")
    [partner] = run_view.truth(data, result, reference).value.partners.to_dict("records")
    assert [center[0], center[1]] == result.centers.tolist()[0]
    assert [partner[0], partner[1]] == reference.centers.tolist()[0]
    assert center["share"] == pytest.approx(1)
    assert partner["shift"] > 0


def test_without_a_synopsis_shares_are_not_made_up(blobs: Dataset) -> None:
    result = dpcore.run("dplloyd", blobs, 2, 4.0, seed=0)
    assert run_view.shares(result) is None
    assert run_view.centers_table(result, geographic=False)["share"].isna().all()


def test_partners_stand_beside_their_centers_and_the_truth_is_wrapped(blobs: Dataset) -> None:
    result = dpcore.run("adaptive", blobs, 2, 4.0, seed=0)
    told = run_view.truth(blobs, result, dpcore.baseline(blobs, 2))
    assert isinstance(told, NonPrivate)
    partners = told.value.partners
    assert list(partners.index) == [0, 1]
    apart = blobs.box.to_unit(partners[[0, 1]]) - blobs.box.to_unit(result.centers)
    assert np.linalg.norm(apart, axis=1) == pytest.approx(partners["shift"].to_numpy())
    assert partners["shift"].max() < 0.1
    assert told.value.rows == 400
    assert 0 <= told.value.worse < 0.2


def test_both_densities_are_bright_where_the_rows_are(blobs: Dataset) -> None:
    result = dpcore.run("adaptive", blobs, 2, 4.0, seed=0)
    assert result.synopsis is not None
    side = run_view.DENSITY_CELLS
    grid = dpcore.run("eugkm", blobs, 2, 4.0, seed=0).synopsis
    assert grid is not None
    for levels in (
        run_view.true_density(blobs).value,
        run_view.published_density(result.synopsis),
        run_view.published_density(grid),
    ):
        height, width = levels.shape
        assert levels.max() > 200
        row, column = np.unravel_index(levels.argmax(), levels.shape)
        # (2, 12) is a quarter from the left and a quarter from the bottom; rows go downwards.
        assert column / width == pytest.approx(0.25, abs=0.12)
        assert row / height == pytest.approx(0.75, abs=0.12)
    assert run_view.true_density(blobs).value.shape == (side, side)


def test_an_empty_set_has_an_empty_picture() -> None:
    nothing = from_array(np.empty((0, 2)), SQUARE)
    assert run_view.true_density(nothing).value.max() == 0
    assert len(run_view.marks(Coreset(np.empty((0, 2)), np.empty(0), SQUARE)).frame) == 0


def test_trips_are_named_by_both_their_ends() -> None:
    names = run_view.places([[-73.9855, 40.7580, -73.9654, 40.7829]])
    assert names == ["Midtown-Times Square → Central Park"]
