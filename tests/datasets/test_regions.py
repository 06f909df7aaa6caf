"""Each part of the map at a level of its own: who is protected by how much, and by what runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely

import dpcore
from dpcore import regions
from dpcore.datasets import GridDataset, RowsDataset, city_shapes
from dpcore.datasets.divided import divided
from dpcore.errors import BudgetExceeded
from dpcore.geometry.domain import TICKS, Box, Grid, cell_ticks
from dpcore.kmeans.noisy_grid import solve_grid
from dpcore.privacy.accounting import Budget
from dpcore.privacy.noise import SimulatedNoise
from dpcore.queries.curator import Curator
from dpcore.results.centers import PrivateCenters
from dpcore.results.run_result import UnprovenResult
from dpcore.results.synopsis import Coreset, NoisyGrid, Synopsis
from dpcore.runs.regional import joined

SQUARE = Box.cube(2)
#: The left half, and the upper right quarter; the lower right one is elsewhere.
THREE = regions.boxes({"left": ((-1, -1), (0, 1)), "upper": ((0, 0), (1, 1))}, SQUARE)
TAXI = dpcore.datasets.load("nyc-taxi")


def random_rows(n: int, seed: int = 0) -> RowsDataset:
    rng = np.random.default_rng(seed)
    return RowsDataset.from_values(rng.uniform(-1, 1, (n, 2)), SQUARE)


def random_grid(side: int, rows: int = 5000) -> GridDataset:
    counts = np.random.default_rng(0).poisson(rows / side**2, (side, side))
    return GridDataset(counts, SQUARE)


def places(data) -> np.ndarray:
    """Where every row is, in unit coordinates of the whole square, in order."""
    ticks, weights = data.positions()
    unit = data.box.from_unit(ticks / TICKS)
    unit = unit if weights is None else np.repeat(unit, weights, axis=0)
    return unit[np.lexsort(unit.T)]


def curator(data, epsilon: float = 1.0, neighbors: str = "add-remove") -> Curator:
    return Curator(data, Budget(epsilon), SimulatedNoise(0), neighbors)


# The partition.


def test_rectangles_are_regions_and_the_rest_is_elsewhere():
    assert THREE.names == ("left", "upper", "elsewhere")
    points = np.array([[-0.5, 0.7], [0.5, 0.7], [0.5, -0.7], [0.0001, 0.0001]])
    assert THREE.labels(np.rint(points * TICKS).astype(int)).tolist() == [0, 1, 2, 1]


@pytest.mark.parametrize("layer", ["boroughs", "neighborhoods"])
def test_polygons_hold_the_cells_whose_centers_lie_inside(layer):
    drawn = getattr(regions, layer)()
    cells = np.random.default_rng(0).integers(0, regions.SIDE, (500, 2))
    degrees = drawn.box.from_unit((2 * cells + 1) / regions.SIDE - 1)
    found = [drawn.names[j] for j in drawn.image[*cells.T]]
    for area in getattr(city_shapes, layer)():
        assert [name == area.name for name in found] == shapely.contains_xy(
            area.shape, degrees
        ).tolist()


def test_every_window_is_a_power_of_two_wide_and_holds_its_region():
    drawn = regions.neighborhoods()
    for region, window in enumerate(drawn.windows):
        assert window.side & (window.side - 1) == 0
        inside = np.count_nonzero(window.of(drawn.image) == region)
        assert inside == np.count_nonzero(drawn.image == region)


def test_points_outside_a_region_move_to_its_nearest_cell():
    points = np.array([[0.5, -0.3], [-0.2, 0.9], [0.25, 0.25]])
    edge = 0.5 / regions.SIDE * 2
    expected = [[0.5, edge], [edge, 0.9], [0.25, 0.25]]
    assert np.abs(THREE.drawn_inside(1, points) - expected).max() <= 1 / regions.SIDE


def test_on_a_coarse_grid_a_cell_belongs_where_its_center_lies():
    coarse = THREE.with_levels({"upper": 0.5}).at_resolution(8)
    assert coarse.image.shape == (8, 8)
    assert coarse.labels(cell_ticks([[0, 0], [4, 4], [4, 3]], 8)).tolist() == [0, 1, 2]
    assert coarse.levels == {"upper": 0.5}
    sliver = regions.boxes({"sliver": ((0, -1), (0.01, 1))}, SQUARE)
    assert sliver.with_levels({"sliver": 0.1}).at_resolution(4).names == ("elsewhere",)


# Dividing the data.


@pytest.mark.parametrize("data", [random_rows(3000), random_grid(1024), random_grid(2048)])
def test_every_row_goes_to_its_region_and_stays_where_it_was(data):
    parts = divided(data, THREE)
    everywhere = places(data)
    labels = THREE.labels(np.rint(everywhere * TICKS).astype(int))
    for region, part in enumerate(parts):
        assert type(part) is type(data)
        expected = everywhere[labels == region]
        assert part.n == len(expected)
        # A row may move by a tick, so that it has a cell of the smaller lattice to itself.
        assert np.abs(places(part) - expected).max() <= 2 / TICKS


def test_a_region_of_a_coarse_grid_is_a_smaller_grid_of_the_same_cells():
    data = random_grid(16)
    left, upper, rest = divided(data, THREE.at_resolution(16))
    assert (left.resolution, upper.resolution, rest.resolution) == (16, 8, 8)
    assert upper.box.low == (0, 0)
    counts = data.histogram(Grid(SQUARE, 16)).reshape(16, 16)
    assert np.array_equal(upper.histogram(Grid(SQUARE, 8)).reshape(8, 8), counts[8:, 8:])
    assert np.array_equal(rest.histogram(Grid(SQUARE, 8)).reshape(8, 8), counts[8:, :8])


def test_a_row_more_changes_the_data_of_one_region_only():
    rows = np.random.default_rng(3).uniform(-1, 1, (200, 2))
    whole = divided(RowsDataset.from_values(rows, SQUARE), THREE)
    for left_out in range(0, 200, 7):
        without = np.delete(rows, left_out, axis=0)
        fewer = divided(RowsDataset.from_values(without, SQUARE), THREE)
        changed = [
            not np.array_equal(places(a), places(b)) for a, b in zip(whole, fewer, strict=True)
        ]
        sizes = [a.n - b.n for a, b in zip(whole, fewer, strict=True)]
        assert sum(changed) == sum(sizes) == 1
        assert changed == [bool(size) for size in sizes]


# What it costs.


def test_regions_side_by_side_are_one_charge_at_the_largest_level():
    asked = curator(random_rows(100))
    parts = asked.side_by_side(THREE, [Budget(0.2), Budget(1.0), Budget(0.5)])
    assert [c.epsilon for c in asked.transcript] == [1.0]
    for part in parts:
        part.noisy_counts(Grid(part.box, 2), part.budget.share(1.0), "all of it")
    (charge,) = asked.transcript
    assert [account.epsilon for account in charge.inner] == [0.2, 1.0, 0.5]
    assert asked.transcript.epsilon == 1.0


def test_a_region_cannot_overspend_though_another_has_more():
    small, _, _ = curator(random_rows(100)).side_by_side(
        THREE, [Budget(0.2), Budget(1.0), Budget(1.0)]
    )
    with pytest.raises(BudgetExceeded):
        small.noisy_counts(Grid(small.box, 2), Budget(0.3).share(1.0), "too much")


def test_regions_cannot_cost_more_than_the_run_has():
    asked = curator(random_rows(100), 0.5)
    with pytest.raises(BudgetExceeded):
        asked.side_by_side(THREE, [Budget(0.2), Budget(1.0), Budget(0.5)])
    assert len(asked.transcript) == 0


def test_handing_out_one_region_unprotects_the_whole_run():
    asked = curator(random_rows(100))
    asked.side_by_side(THREE, [Budget(1.0)] * 3)[1].unprotected()
    assert asked.transcript.epsilon == math.inf


def test_under_replace_one_a_region_spends_half_its_level_so_that_a_move_costs_the_mean():
    asked = curator(random_rows(9), 2.0, "replace-one")
    levels = [Budget(0.5), Budget(1.0), Budget(2.0)]
    parts = asked.side_by_side(THREE, levels)
    assert [part.budget.epsilon for part in parts] == [0.25, 0.5, 1.0]
    assert all(part.neighbors.size_is_private for part in parts)
    assert [charge.epsilon for charge in asked.transcript] == [2.0]


def test_under_replace_one_two_steps_cost_no_more_delta_than_the_level():
    whole = Budget(1.0, 1e-6)
    (part, *_) = Curator(random_rows(9), whole, SimulatedNoise(0), "replace-one").side_by_side(
        THREE, [whole] * 3
    )
    own = part.budget
    assert 2 * own.epsilon <= 1.0
    assert 0.49 * 1e-6 / math.exp(0.5) < own.delta * (1 + math.exp(own.epsilon)) <= 1e-6


def test_what_a_region_draws_depends_on_the_seed_and_its_name_alone():
    alone = regions.boxes({"left": ((-1, -1), (0, 1))}, SQUARE)
    data = random_rows(4000)
    one, other = (
        dpcore.run("adaptive", data, 3, 1.0, seed=5, regions=drawn) for drawn in (alone, THREE)
    )
    left = [each.synopsis.unit_points[:, 0] < 0 for each in (one, other)]
    assert np.array_equal(one.synopsis.weights[left[0]], other.synopsis.weights[left[1]])
    assert not np.array_equal(one.synopsis.weights, other.synopsis.weights)


def test_a_move_costs_both_levels_and_the_statement_says_so():
    levels = THREE.with_levels({"left": 0.25, "upper": 0.5})
    assert levels.epsilons(2.0) == (0.25, 0.5, 2.0)
    assert levels.epsilon_of_move("left", "upper", 2.0) == 0.75
    assert levels.epsilon_of_move("left", "left", 2.0) == 0.5
    said = " ".join(levels.sentences(2.0, "trip"))
    assert "a trip is in the data" in said
    assert "left 0.25, upper 0.5, 2 everywhere else" in said
    assert "2.5 at most between two areas and 4 at most within one" in said
    assert "1 everywhere." in " ".join(THREE.sentences(1.0))


# The run.


@pytest.mark.parametrize(
    ("algorithm", "factor"), [("adaptive", 1.005), ("eugkm", 1.005), ("coreset", 1.1)]
)
def test_with_hardly_any_noise_regions_change_nothing_worth_mentioning(algorithm, factor):
    levels = regions.boroughs().with_levels({"Manhattan": 150.0})
    best = dpcore.nicv(TAXI, dpcore.baseline(TAXI, 5).centers)
    result = dpcore.run(algorithm, TAXI, 5, 200.0, regions=levels, seed=0)
    assert dpcore.nicv(TAXI, result.centers) <= factor * best
    assert isinstance(result.centers, PrivateCenters)


@pytest.mark.parametrize("algorithm", ["adaptive", "coreset", "eugkm"])
def test_every_region_spends_its_own_level_on_its_own_rows(algorithm):
    levels = regions.boroughs().with_levels({"Manhattan": 0.4, "Queens": 0.8})
    result = dpcore.run(algorithm, TAXI, 4, 2.0, regions=levels, seed=1)
    (charge,) = result.transcript
    assert result.epsilon == charge.epsilon == 2.0
    spent = dict(zip(levels.names, (a.epsilon for a in charge.inner), strict=True))
    assert result.facts["regions"] == dict(zip(levels.names, levels.epsilons(2.0), strict=True))
    for name, epsilon in spent.items():
        assert 0 < epsilon <= result.facts["regions"][name]
    assert spent["Manhattan"] == pytest.approx(0.4)
    # How many rows a region has is asked by the region, for noise.
    assert all(account[0].why == "number of rows" for account in charge.inner)
    ticks = TAXI.positions()[0]
    true = np.bincount(levels.labels(ticks), minlength=5)
    points = np.rint(result.synopsis.unit_points * TICKS).astype(np.int64)
    weights = np.bincount(levels.labels(points), result.synopsis.weights, 5)
    assert weights == pytest.approx(true, abs=1000)


def test_the_union_of_coresets_is_a_private_coreset_and_of_signed_counts_is_not():
    coreset = dpcore.run("adaptive", TAXI, 3, 0.5, regions=regions.boroughs(), seed=0).coreset
    assert isinstance(coreset, Coreset)
    assert isinstance(coreset.kmeans(8), PrivateCenters)
    grid = dpcore.run("eugkm", TAXI, 3, 0.5, regions=regions.boroughs(), seed=0)
    assert grid.coreset is None
    assert type(grid.synopsis) is Synopsis


def test_noisy_cells_that_cannot_hold_a_row_are_left_out_of_the_union():
    strip = regions.boxes({"strip": ((-1, -1), (1, -0.75))}, SQUARE)
    noisy = [NoisyGrid(Grid(strip.box_of(j), 4), np.full((4, 4), 7)) for j in range(2)]
    union = joined(strip, noisy)
    assert union.unit_points[:4] == pytest.approx(
        np.array([[x, -0.875] for x in (-0.75, -0.25, 0.25, 0.75)])
    )
    # The rest of the map fills 12 cells, and half of the other four, of which the upper half.
    assert union.unit_points[4:8, 1] == pytest.approx([-0.625, -0.25, 0.25, 0.75])
    assert len(union) == 4 + 16


def test_a_coreset_point_outside_its_region_is_drawn_to_it():
    strip = regions.boxes({"strip": ((-1, -1), (1, -0.75))}, SQUARE)
    middle = Coreset(np.zeros((1, 2)), np.ones(1), strip.box_of(0))
    nothing = Coreset(np.empty((0, 2)), np.empty(0), strip.box_of(1))
    union = joined(strip, [middle, nothing])
    assert isinstance(union, Coreset)
    assert union.unit_points == pytest.approx(np.array([[0, -0.75]]), abs=2 / regions.SIDE)


def test_empty_regions_do_no_harm():
    corner = RowsDataset.from_values(np.full((2000, 2), 0.9), SQUARE)
    result = dpcore.run("adaptive", corner, 3, 1.0, regions=THREE, seed=0)
    assert np.abs(np.asarray(result.centers) - 0.9).max(axis=1).min() < 0.02
    nobody = RowsDataset.from_values(np.empty((0, 2)), SQUARE)
    assert np.isfinite(dpcore.run("eugkm", nobody, 3, 1.0, regions=THREE, seed=0).centers).all()


def test_a_seed_repeats_a_run_by_regions():
    levels = regions.neighborhoods().with_levels({"Gramercy": 0.1})
    first, again = (dpcore.run("adaptive", TAXI, 3, 0.5, regions=levels, seed=4) for _ in range(2))
    assert np.array_equal(first.centers, again.centers)


class Unreadable(RowsDataset):
    def positions(self):
        raise AssertionError("the data were read")


@pytest.mark.parametrize(
    ("algorithm", "levels", "complaint"),
    [
        ("dplloyd", THREE, "With regions use adaptive, .*coreset, .*eugkm"),
        ("adaptive", regions.boroughs(), "another box"),
        ("adaptive", THREE.with_levels({"left": 3.0}), "'left' must be a number from 1e-06 to 1"),
        ("adaptive", THREE.with_levels({"left": 0}), "not 0"),
        ("adaptive", THREE.with_levels({"left": math.nan}), "not nan"),
    ],
)
def test_an_impossible_wish_is_refused_before_the_data_are_read(algorithm, levels, complaint):
    data = Unreadable.from_values(np.zeros((3, 2)), SQUARE)
    with pytest.raises(ValueError, match=complaint):
        dpcore.run(algorithm, data, 2, 1.0, regions=levels)


def test_a_level_that_coarse_data_cannot_keep_is_refused():
    sliver = regions.boxes({"sliver": ((0, -1), (0.01, 1))}, SQUARE)
    assert dpcore.run("eugkm", random_grid(4), 2, 1.0, regions=sliver, seed=0).epsilon == 1.0
    with pytest.raises(ValueError, match="level of sliver cannot be kept"):
        dpcore.run("eugkm", random_grid(4), 2, 1.0, regions=sliver.with_levels({"sliver": 0.1}))


def test_an_unknown_region_is_named():
    with pytest.raises(ValueError, match=r"No region 'right'\. There are: left, upper, elsewhere"):
        THREE.with_levels({"right": 1.0})


def test_the_union_is_not_worse_than_its_noise():
    data = dpcore.datasets.load("nyc-month")
    counts = data.histogram(Grid(data.box, data.resolution)).reshape(1024, 1024)
    best = data.cost(solve_grid(counts, 4, 10, np.random.default_rng(0))[None])[0]
    for algorithm in ("adaptive", "eugkm"):
        result = dpcore.run(algorithm, data, 4, 0.5, regions=regions.boroughs(), seed=0)
        assert data.cost(data.box.to_unit(result.centers)[None])[0] <= 1.005 * best
        assert not isinstance(result, UnprovenResult)
