"""Points that stand for rows, after rounds of offsets: what rounds say of them, they say too."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore
from dpcore.algorithms._matched_points import LoosePoints, matched, points_of_cells
from dpcore.algorithms._offset_rounds import OffsetCells, OffsetRound
from dpcore.datasets.rows import from_array
from dpcore.geometry.domain import Box
from dpcore.release import Amount, BuiltinData, Ledger, ReleasePlan, publish, verify
from dpcore.release.certificate import NAME
from dpcore.runs.request import Request
from dpcore.study.metrics import nicv

ASKED = np.array([[-0.5, 0.0], [0.5, 0.0]])
SURE = 1e-3


def loose(room: float = 1.0) -> LoosePoints:
    """Two points around each of the centers that are asked about, .4 apart."""
    points = np.array([[-0.7, 0.1], [-0.3, 0.1], [0.3, 0.1], [0.7, 0.1]])
    each = np.ones(4)
    return LoosePoints(points, np.array([30.0, 10, 20, 20]), 100 * each, room * each)


def told(rows: list[float], energy: float, noise: float = SURE) -> OffsetRound:
    cells = OffsetCells(
        np.array([[-0.6, 0.2], [0.4, -0.1]]), np.array(rows), noise, np.full(2, energy)
    )
    return OffsetRound(ASKED, cells)


def test_points_have_the_number_the_mean_and_the_spread_of_a_sure_round():
    found = matched(loose(), [told([90.0, 50.0], 0.01)])
    for side, rows, mean in ((slice(0, 2), 90, (-0.6, 0.2)), (slice(2, 4), 50, (0.4, -0.1))):
        points, weights = found.points[side], found.weights[side]
        assert weights.sum() == pytest.approx(rows, rel=1e-3)
        np.testing.assert_allclose(np.average(points, axis=0, weights=weights), mean, atol=1e-3)
        spread = np.average(((points - mean) ** 2).sum(axis=1), weights=weights)
        assert spread == pytest.approx(0.01, rel=1e-2)


def test_a_round_that_is_all_noise_moves_nothing():
    found = matched(loose(), [told([90.0, 50.0], 0.01, noise=1e6)])
    np.testing.assert_allclose(found.points, loose().points, atol=1e-3)
    np.testing.assert_allclose(found.weights, loose().weights, rtol=1e-3)


def test_a_mean_that_a_round_has_shrunk_already_is_shrunk_no_more():
    """So many rows are enough for a mean, though not for a spread."""
    found = matched(loose(), [told([40.0, 40.0], 0.01, noise=8.0)])
    mean = np.average(found.points[:2], axis=0, weights=found.weights[:2])
    np.testing.assert_allclose(mean, (-0.6, 0.2), atol=0.01)


def test_points_without_room_keep_their_distances():
    """A clipped offset does not see a tail: what a point knows better, it keeps."""
    found = matched(loose(room=0.0), [told([40.0, 40.0], 0.001)])
    gaps = np.linalg.norm(found.points[[0, 2]] - found.points[[1, 3]], axis=1)
    np.testing.assert_allclose(gaps, 0.4)


def test_rows_where_no_point_was_get_one_if_they_stand_out():
    both = loose()
    parts = both.points, both.weights, both.variances, both.room
    only = LoosePoints(*(part[:2] for part in parts))
    for rows, points in ((50.0, 3), (2.0, 2)):
        found = matched(only, [told([40.0, rows], 0.01, noise=1.0)]).coreset(Box.cube(2))
        assert len(found) == points


def test_cells_are_as_heavy_as_all_rows_and_no_weight_is_negative():
    cells = OffsetCells(np.zeros((4, 9)), np.array([60.0, -5, 3, 50]), 4.0, np.full(4, 0.1))
    found = points_of_cells(cells, 100, 7.0)
    assert found.weights.sum() == pytest.approx(100)
    assert (found.weights >= 0).all()
    alone = OffsetCells(np.zeros((1, 9)), np.array([100.0]), 0.0, np.full(1, 0.1))
    assert points_of_cells(alone, 100, 7.0).variances.tolist() == [49.0]


def blobs(n: int, d: int, k: int = 5):
    rng = np.random.default_rng([n, d])
    rows = rng.uniform(-0.7, 0.7, (k, d))[rng.integers(0, k, n)]
    return from_array(rows + 0.05 * rng.standard_normal((n, d)), (-1, 1), outside="clip")


@pytest.mark.parametrize(
    ("n", "d"), [(40, 2), (5000, 2), (400, 3), (20_000, 3), (5000, 6), (3000, 8), (20_000, 20)]
)
@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
def test_auto_publishes_a_coreset_in_every_dimension(n, d, relation):
    result = dpcore.run("auto", blobs(n, d), 5, 0.5, neighbors=relation, seed=0)
    assert result.coreset is not None
    assert len(result.coreset) > 1
    assert result.coreset.weights.sum() == pytest.approx(n, rel=0.1, abs=30)
    assert (np.abs(result.coreset.unit_points) <= 1).all()
    assert result.epsilon == pytest.approx(0.5)


@pytest.mark.parametrize("d", [3, 6, 9])
def test_the_coreset_answers_for_fewer_centers_as_well_as_a_run_of_its_own(d):
    data = blobs(20_000, d, k=8)
    coreset = dpcore.run("auto", data, 8, 1.0, seed=0).coreset
    for k in (3, 5, 8):
        direct = nicv(data, dpcore.run("auto", data, k, 1.0, seed=1).centers)
        assert nicv(data, coreset.kmeans(k, seed=0)) <= 1.03 * direct


@pytest.mark.parametrize(("source", "epsilon"), [("wine", 1.0), ("iris", 1.0), ("iris", 20.0)])
def test_a_release_with_such_points_can_be_verified(source, epsilon, tmp_path):
    allowed = Amount.of(epsilon, 1e-6)
    plan = ReleasePlan(
        "flowers", BuiltinData(source), Request("auto", 3, epsilon, 1e-6), allowed=allowed
    )
    release = publish(plan, Ledger(tmp_path))
    assert release.synopsis is not None
    findings = verify(release.files[NAME], release.files)
    assert not [each.what for each in findings if each.holds is False]


def test_where_only_the_level_is_heard_there_is_no_coreset():
    result = dpcore.run("auto", blobs(100, 50), 3, 0.1, seed=0)
    assert result.coreset is None
    assert "rounds" not in result.facts


def test_the_stated_noise_is_no_less_than_what_any_sum_of_weights_has():
    """The covariance of the noise after two rounds, worked out from how each weight moves."""
    rng = np.random.default_rng(3)
    points = rng.uniform(-1, 1, (12, 2))
    weights = rng.choice([5.0, 60.0, 900.0], 12)
    before = LoosePoints(points, weights, np.full(12, 100.0), np.zeros(12))
    asked = [ASKED, np.array([[0.0, -0.5], [0.0, 0.5]])]

    def after(noise: np.ndarray) -> np.ndarray:
        """The weights where the tree and both rounds have this noise, and rows are as they are."""
        start = LoosePoints(points, weights + noise[:12], before.variances, np.zeros(12))
        rounds = []
        for told, of_round in zip(asked, noise[12:].reshape(2, 2), strict=True):
            near = ((points[:, None] - told) ** 2).sum(axis=2).argmin(axis=1)
            rows = np.bincount(near, weights, 2)
            # Where the mean and the spread are not told, points stay where they are.
            means = np.stack(
                [
                    np.average(points[near == j], axis=0, weights=weights[near == j])
                    for j in range(2)
                ]
            )
            cells = OffsetCells(means, rows + of_round, 4.0, np.full(2, 9.0))
            rounds.append(OffsetRound(told, cells))
        return matched(start, rounds)

    step = 1e-4
    moved = np.stack(
        [
            (after(step * one).weights - after(-step * one).weights) / (2 * step)
            for one in np.eye(16)
        ],
        axis=1,
    )
    covariance = moved @ np.diag([100.0] * 12 + [16.0] * 4) @ moved.T
    stated = after(np.zeros(16)).coreset(Box.cube(2)).variances
    for _ in range(300):
        some = rng.random(12) < rng.random()
        assert some @ covariance @ some <= stated[some].sum() * (1 + 1e-6)
