"""Best-of-many k-means on noisy grids, and the non-private baseline."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from dpcore.geometry.domain import LATTICE_CELLS, Box, cell_ticks, from_ticks
from dpcore.kmeans.lloyd import lloyd
from dpcore.kmeans.noisy_grid import coarsened, solve_grid, standing_out, totals
from dpcore.kmeans.reference import best_on_grid, best_on_rows
from dpcore.kmeans.scanline import RowSums
from dpcore.kmeans.seeding import sphere_packing


def counted(rows, side):
    d = rows.shape[1]
    cells = Box.cube(d).cells(rows, side)
    flat = np.ravel_multi_index(tuple(cells.T), (side,) * d)
    return np.bincount(flat, minlength=side**d).reshape((side,) * d)


def city(n=20_000, seed=0):
    """A dense middle, suburbs, and two far places."""
    rng = np.random.default_rng(seed)
    parts = [
        rng.normal((0.1, 0.1), (0.04, 0.12), (n * 8 // 10, 2)),
        rng.normal((0, 0.1), 0.3, (n * 15 // 100, 2)),
        rng.normal((0.8, -0.7), 0.01, (n * 3 // 100, 2)),
        rng.normal((-0.8, 0.6), 0.01, (n * 2 // 100, 2)),
    ]
    rows = np.concatenate(parts)
    return rows[(np.abs(rows) < 1).all(axis=1)]


@pytest.mark.parametrize("k", [1, 4, 12])
def test_without_noise_it_is_as_good_as_scikit_learn(k):
    counts = counted(city(), 256)
    cells = np.argwhere(counts)
    points = (2 * cells - 255) / 256
    model = KMeans(k, n_init=10, random_state=0).fit(points, sample_weight=counts[counts > 0])
    for solve in (
        lambda rng: solve_grid(counts, k, 30, rng),
        lambda rng: best_on_grid(counts, k, rng),
    ):
        cost = RowSums(counts).cost(solve(np.random.default_rng(1)))
        assert cost <= 1.005 * model.inertia_


def test_noise_in_empty_cells_does_not_hide_the_city():
    counts = counted(city(200_000), 128)
    rng = np.random.default_rng(2)
    noisy = counts + rng.integers(-4, 5, counts.shape)
    exact = RowSums(counts)
    best = exact.cost(best_on_grid(counts, 5, rng))
    assert exact.cost(solve_grid(noisy, 5, 30, rng)) <= 1.02 * best


@pytest.mark.parametrize("shape", [(200,), (96, 130), (20, 20, 20), (5, 5, 5, 5)])
def test_every_number_of_dimensions_works(shape):
    rng = np.random.default_rng(3)
    counts = rng.integers(-2, 30, shape)
    centers = solve_grid(counts, 3, 9, rng)
    assert centers.shape == (3, len(shape))
    middle = np.zeros((3, len(shape)))
    assert totals(counts).step(centers)[2] < totals(counts).step(middle)[2]


@pytest.mark.parametrize("counts", [np.zeros((4, 4)), -np.ones((120, 120)), np.ones((1, 1))])
@pytest.mark.parametrize("starts", [1, 30])
def test_a_grid_with_nothing_in_it_still_gives_centers_in_the_box(counts, starts):
    centers = solve_grid(counts.astype(np.int64), 3, starts, np.random.default_rng(4))
    assert centers.shape == (3, 2)
    assert (np.abs(centers) <= 1).all()


def test_packed_starts_look_at_no_counts():
    counts = counted(city(), 32)
    found = solve_grid(counts, 4, 7, np.random.default_rng(5), packed=True)
    packed = sphere_packing(4, 2, 7, np.random.default_rng(5))
    each, inertia = lloyd(RowSums(counts), packed, iterations=60, tolerance=4e-4)
    np.testing.assert_array_equal(found, each[inertia.argmin()])


def test_from_what_was_found_no_more_steps_lead_to_anything_better():
    """What `dpcore verify` asks of published centers, on counts that are mostly noise."""
    counts = counted(city(3_000), 14)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        noisy = counts + np.rint(rng.laplace(0, 12, counts.shape)).astype(np.int64)
        found = solve_grid(noisy, 6, 30, rng)[None]
        _, further = lloyd(RowSums(noisy), found, iterations=60)
        assert RowSums(noisy).cost(found) <= further + 0.01 * np.abs(further)


def test_coarsening_keeps_the_total():
    rng = np.random.default_rng(5)
    grid = rng.integers(-3, 9, (100, 769))
    coarse = coarsened(grid, 48**2)
    assert coarse.shape == (48, 48)
    assert coarse.sum() == grid.sum()
    small = rng.integers(-3, 9, (90, 90))
    assert coarsened(small, 48**2) is small


def test_only_cells_above_the_deepest_noise_stand_out():
    points, weights = standing_out(np.array([[-3, 3], [4, 0]]))
    assert points.tolist() == [[0.5, -0.5]]
    assert weights.tolist() == [4]
    points, weights = standing_out(np.array([[0, 3], [4, 0]]))
    assert weights.tolist() == [3, 4]


def test_the_same_generator_gives_the_same_centers():
    counts = counted(city(), 256)
    a, b = (solve_grid(counts, 6, 30, np.random.default_rng(6)) for _ in range(2))
    assert (a == b).all()


@pytest.mark.parametrize("d", [2, 4])
def test_the_baseline_of_rows_is_as_good_as_scikit_learn(d):
    rng = np.random.default_rng(d)
    middles = rng.uniform(-0.7, 0.7, (6, d))
    rows = np.clip(middles[rng.integers(0, 6, 2000)] + rng.normal(0, 0.1, (2000, d)), -1, 0.999)
    cells = Box.cube(d).cells(rows).astype(np.int32)
    points = from_ticks(cell_ticks(cells))
    centers = best_on_rows(cell_ticks(cells), 5, rng)
    cost = ((points[:, None] - centers) ** 2).sum(axis=2).min(axis=1).sum()
    assert cost <= 1.002 * KMeans(5, n_init=10, random_state=0).fit(points).inertia_


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("n", [0, 1, 3, 40])
def test_the_baseline_survives_fewer_distinct_rows_than_centers(n, d):
    cells = np.full((n, d), LATTICE_CELLS // 2, dtype=np.int32)
    centers = best_on_rows(cell_ticks(cells), 4, np.random.default_rng(0))
    assert centers.shape == (4, d)
    assert np.abs(centers).max() < 1e-5
