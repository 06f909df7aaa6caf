"""What a synopsis is for: counts in rectangles, k-median, and months united to a year."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import dpcore
from dpcore.geometry.domain import Box, Grid
from dpcore.kmeans.weighted_median import weighted_kmedian
from dpcore.results.centers import (
    Centers,
    NonPrivateCenters,
    ReleasedCenters,
    SimulatedCenters,
    UnchargedCenters,
)
from dpcore.results.rectangles import geometric_variance
from dpcore.results.synopsis import Coreset, NoisyGrid

BOX = Box((0, 0), (4, 4))
#: Cells of side 1, first coordinate first: 4 rows by 4 columns.
GRID = NoisyGrid(Grid(BOX, 4), np.arange(16).reshape(4, 4), scale=2.0)
POINTS = np.array([[-0.5, -0.5], [0.5, -0.5], [0.0, 0.5]])


def coreset(kind: type[Centers] = ReleasedCenters) -> Coreset:
    plain = Coreset(POINTS, np.array([1.0, 1.0, 2.0]), BOX, np.array([4.0, 9.0, 16.0]))
    vouched = plain.vouched(kind)
    assert isinstance(vouched, Coreset)
    return vouched


def city(n: int, seed: int) -> np.ndarray:
    """Rows of a generated city: two centers, a road, some anywhere."""
    rng = np.random.default_rng(seed)
    half, rest = n // 2, n - n // 2
    here = rng.normal([1.0, 1.2], [0.3, 0.2], (half, 2))
    road = np.stack([rng.uniform(0.5, 3.5, rest), rng.normal(2.5, 0.2, rest)], axis=1)
    return np.clip(np.concatenate([here, road]), 0.001, 3.999)


def exactly(rows: np.ndarray, low, high) -> int:
    return int(((rows >= low) & (rows <= high)).all(axis=1).sum())


def test_a_rectangle_of_whole_cells_is_the_sum_of_their_counts():
    found = GRID.count((1, 1), (3, 3))
    assert found.value == 5 + 6 + 9 + 10
    assert found.cut == 0
    assert found.error == pytest.approx((4 * geometric_variance(2.0)) ** 0.5)


def test_a_cell_that_is_cut_counts_with_its_share_and_its_rows_may_be_anywhere_in_it():
    # Half of cells (0, 0), (0, 1); a quarter of none else.
    found = GRID.count((0, 0), (0.5, 2))
    assert found.value == pytest.approx((0 + 1) / 2)
    assert found.cut == 0 + 1
    assert found.error == pytest.approx((2 * 0.25 * geometric_variance(2.0)) ** 0.5)
    assert (found.low, found.high) == (0, pytest.approx(0.5 + 2 * found.error + 1))


def test_the_whole_box_and_more_than_it_count_everything():
    assert GRID.count((0, 0), (4, 4)).value == 120
    assert GRID.count((-9, -9), (99, 99)).value == 120
    assert GRID.count((5, 5), (9, 9)).value == 0
    assert coreset().count(0, 4).value == 4


def test_the_variance_of_geometric_noise_is_that_of_its_distribution():
    x = np.arange(-2000, 2001)
    for scale in (0.3, 1.0, 20.0):
        p = np.exp(-np.abs(x) / scale)
        assert geometric_variance(scale) == pytest.approx((p / p.sum()) @ x**2)
    assert geometric_variance(0.0) == 0


def test_a_coreset_counts_its_points_and_says_what_the_border_cuts():
    # In data units the points are (1, 1), (3, 1) and (2, 3); half of their way apart is about 1.
    found = coreset().count((0, 0), (4, 1.5))
    assert (found.value, found.error) == (2, pytest.approx(16**0.5))
    assert found.cut == 2
    # A little higher the border leaves the lower two alone and comes near the upper one.
    assert coreset().count((0, 0), (4, 2.2)).cut == 2
    assert coreset().count((0, 0), (4, 2.2)).value == 2
    unknown = Coreset(POINTS, np.ones(3), BOX).count(0, 4)
    assert unknown.error is None
    assert "noise unknown" in str(unknown)


def test_a_rectangle_that_is_none_is_refused():
    with pytest.raises(ValueError, match="at most its high end"):
        GRID.count((3, 3), (1, 1))
    with pytest.raises(ValueError, match="one number for each of x0, x1"):
        GRID.count((1, 2, 3), (4, 4))


def test_an_estimate_says_that_it_is_simulated():
    assert str(GRID.vouched(SimulatedCenters).count(0, 4)).endswith(
        "(simulated, not for publication)"
    )
    assert coreset().count(0, 4).status == ""


@pytest.mark.parametrize("key", ["eugkm", "adaptive"])
def test_19_of_20_true_counts_lie_between_the_ends_of_the_estimate(key):
    rng, held, tried = np.random.default_rng(5), 0, 0
    rows = city(20_000, 0)
    data = dpcore.datasets.from_array(rows, box=(0, 4))
    for seed in range(4):
        synopsis = dpcore.run(key, data, 3, 0.5, seed=seed).synopsis
        for _ in range(25):
            ends = np.sort(rng.uniform(0, 4, (2, 2)), axis=0)
            found = synopsis.count(*ends)
            assert found.error > 0
            held += found.low <= exactly(rows, *ends) <= found.high
            tried += 1
    assert held / tried >= 0.95


@pytest.mark.parametrize("neighbors", ["add-remove", "replace-one"])
def test_the_standard_error_is_that_of_the_noise_that_was_drawn(neighbors):
    rows = city(5000, 1)
    data = dpcore.datasets.from_array(rows, box=(0, 4))
    off = []
    for seed in range(30):
        grid = dpcore.run("eugkm", data, 2, 1.0, neighbors=neighbors, seed=seed, starts=1).synopsis
        assert grid.scale == pytest.approx(1 / 0.95 if neighbors == "add-remove" else 2.0)
        off.append((grid.count(0, 4).value - 5000) / grid.count(0, 4).error)
    assert 0.6 < np.std(off) < 1.5


def test_k_median_stays_at_the_crowd_where_k_means_goes_to_the_outlier():
    points = np.array([[0.0, 0.0], [0.01, 0.0], [0.0, 0.01], [0.9, 0.9]])
    one = Coreset(points, np.array([10.0, 10.0, 10.0, 1.0]), Box.cube(2)).vouched(ReleasedCenters)
    median, mean = np.asarray(one.kmedian(1, seed=0))[0], np.asarray(one.kmeans(1, seed=0))[0]
    assert np.abs(median).max() < 0.01 < 0.025 < np.abs(mean).max()
    assert one.cost([median], squared=False) < one.cost([mean], squared=False)
    assert one.cost([mean]) < one.cost([median])


def test_k_median_is_as_good_as_the_best_of_all_medoids_can_promise():
    rng = np.random.default_rng(0)
    points, weights = rng.uniform(-1, 1, (40, 2)), rng.exponential(size=40)
    centers, cost = weighted_kmedian(points, weights, 2, 12, rng)
    assert cost == pytest.approx(weights @ cdist(points, centers).min(axis=1))
    apart = cdist(points, points)
    medoids = min(
        weights @ np.minimum(apart[:, i], apart[:, j]) for i in range(40) for j in range(i)
    )
    assert cost <= medoids


@pytest.mark.parametrize("k", [1, 3, 5])
def test_k_median_is_of_the_coresets_kind_and_repeats_with_its_seed(k):
    for kind in (SimulatedCenters, UnchargedCenters, ReleasedCenters):
        found = coreset(kind).kmedian(k, seed=1)
        assert type(found) is kind
        assert found.shape == (k, 2)
        np.testing.assert_array_equal(found, coreset(kind).kmedian(k, seed=1))
    with pytest.raises(ValueError, match="k must be a whole number"):
        coreset().kmedian(0)


def test_a_union_has_all_points_weights_and_noise():
    both = coreset().union(coreset(), coreset())
    assert len(both) == 9
    assert both.weights.sum() == 12
    assert both.count(0, 4).error == pytest.approx((3 * 29) ** 0.5)
    # Points of other months at the same place do not make a point's surroundings smaller.
    assert both.count((0, 0), (4, 1.5)).cut == 3 * coreset().count((0, 0), (4, 1.5)).cut


ORDER = (NonPrivateCenters, SimulatedCenters, UnchargedCenters, ReleasedCenters)


@pytest.mark.parametrize("a", ORDER)
@pytest.mark.parametrize("b", ORDER)
def test_a_union_may_be_used_as_its_least_trusted_part_may(a, b):
    for united in (coreset(a).union(coreset(b)), coreset(b).union(coreset(a))):
        weaker = ORDER[min(ORDER.index(a), ORDER.index(b))]
        assert type(united.kmeans(2, seed=0)) is weaker
        assert type(united.reduced(2).kmedian(1, seed=0)) is weaker
        if weaker is NonPrivateCenters:
            with pytest.raises(TypeError, match="not private"):
                united.to_frame()
        else:
            assert ("status" in united.to_frame()) == (weaker is not ReleasedCenters)


def test_other_boxes_cannot_be_united():
    with pytest.raises(ValueError, match="Coresets of one box"):
        coreset().union(Coreset(POINTS, np.ones(3), Box.cube(2)))


def test_reducing_keeps_weight_mean_and_noise():
    year = coreset().union(*[coreset() for _ in range(11)])
    few = year.reduced(2)
    assert len(few) == 2
    assert few.weights.sum() == pytest.approx(year.weights.sum())
    assert few.count(0, 4).error == pytest.approx(year.count(0, 4).error)


def test_a_year_of_twelve_released_months_clusters_as_well_as_a_release_of_the_year():
    months = [city(4000, seed) for seed in range(12)]
    year = dpcore.datasets.from_array(np.concatenate(months), box=(0, 4))

    def summary(data, seed):
        return dpcore.run("adaptive", data, 3, 1.0, seed=seed).coreset

    def cost(coreset):
        return dpcore.nicv(year, coreset.kmeans(3, seed=0)).value

    whole = cost(summary(year, 0))
    parts = [summary(dpcore.datasets.from_array(m, box=(0, 4)), i) for i, m in enumerate(months)]
    united = parts[0].union(*parts[1:])
    assert united.weights.sum() == pytest.approx(48_000, rel=0.03)
    assert cost(united) < whole * 1.02
    # One month after the other, never more than 500 points.
    running = parts[0]
    for part in parts[1:]:
        running = running.union(part).reduced(500)
    assert len(running) == 500
    assert cost(running) < whole * 1.05
