"""Cubes are cut where rows are: hand-made cases in one and two dimensions."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.algorithms._private_partition import Cubes, numbered, private_partition
from dpcore.datasets import RowsDataset
from dpcore.geometry.domain import TICKS, Box, to_ticks
from dpcore.privacy.accounting import Budget
from dpcore.privacy.noise import SimulatedNoise
from dpcore.queries.curator import Curator


def unshifted(d):
    return Cubes.around_the_ball(d, 0.0, np.random.default_rng(0))


def test_the_cube_holds_the_ball_wherever_it_is_shifted():
    rng = np.random.default_rng(0)
    for shift in (0.25, 1.0):
        cubes = [Cubes.around_the_ball(3, shift, rng) for _ in range(200)]
        corners = np.array([c.corner for c in cubes])
        assert (corners <= -TICKS).all()
        assert (corners + cubes[0].width >= TICKS).all()
        assert np.ptp(corners) > 1.8 * shift * TICKS


def test_halves_are_named_by_the_side_of_each_coordinate():
    cubes = unshifted(2)
    ticks = to_ticks([[-0.5, -0.5], [-0.25, -0.75], [0.5, -0.1], [-0.1, 0.5]])
    cells, counts = cubes.occupied(ticks, None)
    assert cells.bits.tolist() == [[False, False], [False, True], [True, False]]
    assert counts.tolist() == [2, 1, 1]
    assert cubes.occupied(ticks, np.array([5, 6, 7, 8]))[1].tolist() == [11, 8, 7]
    halves = cubes.halved(cells)
    np.testing.assert_allclose(halves.middles(), [[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5]])
    again, counts = halves.occupied(ticks, None)
    assert again.groups.tolist() == [0, 0, 1, 2]
    assert counts.tolist() == [1, 1, 1, 1]


def test_rows_in_no_living_cube_are_in_no_cell():
    cubes = Cubes(unshifted(1).corner, 2 * TICKS, 1, np.array([[1]]))
    cells, counts = cubes.occupied(to_ticks([[-0.9], [0.25], [0.75], [0.8]]), None)
    assert cells.groups.tolist() == [0, 0]
    assert counts.tolist() == [1, 2]
    cells, counts = cubes.occupied(to_ticks([[-0.9]]), None)
    assert len(cells) == len(counts) == 0


def test_numbers_tell_rows_apart_and_nothing_else():
    rows = np.array([[1, 2, 3], [1, 2, 4], [0, 2, 3], [1, 2, 3], [0, 2, 3]])
    number = numbered(rows)
    assert len(set(number.tolist())) == 3
    assert number[0] == number[3]
    assert number[2] == number[4]
    assert numbered(np.empty((0, 4), dtype=np.int64)).shape == (0,)


def test_middles_of_full_cubes_close_in_on_the_rows():
    rows = [[0.3]] * 500 + [[-0.9]] * 3
    data = RowsDataset.from_values(rows, Box.cube(1))
    curator = Curator(data, Budget(10.0), SimulatedNoise(0))
    middles = private_partition(curator, unshifted(1), 4, 10.0, 20.0, "partition")
    np.testing.assert_allclose(middles, [[0.0], [0.5], [0.25], [0.375]])
    assert [c.epsilon for c in curator.transcript] == [pytest.approx(10 / 3)] * 3


def test_where_no_cube_lives_on_the_questions_end():
    curator = Curator(
        RowsDataset.from_values(np.zeros((5, 2)), Box.cube(2)), Budget(1.0), SimulatedNoise(0)
    )
    middles = private_partition(curator, unshifted(2), 6, 1.0, 30.0, "partition")
    assert middles.tolist() == [[0.0, 0.0]]
    assert curator.transcript.epsilon == pytest.approx(1 / 5)
