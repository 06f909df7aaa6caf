"""Every question is booked before it is answered, and scaled to the relation it claims."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpcore.datasets import GridDataset, RowsDataset
from dpcore.errors import BudgetExceeded
from dpcore.geometry.domain import TICKS, Box, Grid
from dpcore.privacy.accounting import Accounting, Budget, Neighbors
from dpcore.privacy.losses import Approx, Pure, Selection
from dpcore.privacy.noise import SimulatedNoise
from dpcore.privacy.noise_proxy import NoiseKind, NoiseProxy
from dpcore.queries.curator import Curator
from dpcore.queries.scores import LowCost
from dpcore.results.non_private import NonPrivate

BOX = Box.cube(2)
ROWS = np.array([[-0.5, -0.5], [-0.5, 0.5], [0.5, 0.5], [0.25, 0.5]])


class Watched(RowsDataset):
    """Says when it was looked at."""

    looked = False

    def histogram(self, partition):
        Watched.looked = True
        return super().histogram(partition)


class NoNoise(NoiseProxy):
    """Hands exact answers through and remembers what it was asked for."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def answer(self, request):
        if request.kind is NoiseKind.CHOICE:
            self.asked.append(("choose", request.sensitivity, request.price, request.monotone))
            return int(np.argmax(request.values))
        self.asked.append((str(request.kind), request.sensitivity, request.price))
        return np.asarray(request.values)


def curator(neighbors="add-remove", epsilon=1.0, delta=0.0, accounting="pure", **kw) -> Curator:
    data = RowsDataset.from_values(ROWS, BOX)
    return Curator(data, Budget(epsilon, delta, accounting), NoNoise(), neighbors, **kw)


def test_size_is_noisy_and_charged_under_add_remove():
    c = curator()
    n, rest = c.size(0.05)
    assert (n, rest) == (4, 0.95)
    assert [charge.epsilon for charge in c.transcript] == [0.05]


def test_size_is_public_and_free_under_replace_one():
    c = curator("replace-one")
    assert c.size(0.05) == (4, 1.0)
    assert len(c.transcript) == 0


@pytest.mark.parametrize(("neighbors", "l1"), [("add-remove", 1), ("replace-one", 2)])
def test_a_histogram_is_scaled_to_the_relation(neighbors, l1):
    c = curator(neighbors)
    counts = c.noisy_counts(Grid(BOX, 2), Pure(1.0), "grid")
    assert counts.tolist() == [1, 1, 0, 2]
    assert c._noise.asked == [("geometric", l1, 1.0)]
    assert c.transcript[0].scale == l1


@pytest.mark.parametrize(("neighbors", "factor"), [("add-remove", 1), ("replace-one", 2)])
def test_cluster_totals_are_scaled_to_the_relation_and_dimension(neighbors, factor):
    c = curator(neighbors)
    counts, sums = c.noisy_totals(np.array([[-0.5, 0.0], [0.5, 0.5]]), Pure(0.25), Pure(0.75), "r")
    assert counts.tolist() == [2, 2]
    np.testing.assert_allclose(sums, [[-1.0, 0.0], [0.75, 1.0]], atol=4 / TICKS)
    assert c._noise.asked == [
        ("geometric", factor, 0.25),
        ("geometric", factor * 2 * TICKS, 0.75),
    ]


def test_gaussian_totals_use_the_l2_norm():
    c = curator(delta=1e-6)
    c.noisy_totals(np.zeros((1, 2)), Pure(0.5), Approx(0.5, 1e-6), "r")
    kind, sensitivity, rho = c._noise.asked[1]
    assert kind == "gaussian"
    assert sensitivity == pytest.approx(math.sqrt(2) * TICKS)
    assert rho == Approx(0.5, 1e-6).rho


def test_overspending_is_refused_before_the_data_are_looked_at():
    data = Watched.from_values(ROWS, BOX)
    c = Curator(data, Budget(1.0), NoNoise())
    with pytest.raises(BudgetExceeded):
        c.noisy_counts(Grid(BOX, 2), Pure(1.01), "too much")
    assert not Watched.looked
    assert c._noise.asked == []
    assert c.transcript.epsilon == 0


def test_selection_is_cheaper_where_rows_can_only_raise_the_cost():
    sets = np.array([[[0.0, 0.0]], [[0.2, 0.2]]])
    added, replaced = curator(), curator("replace-one")
    for c in (added, replaced):
        assert c.select(LowCost(sets), Selection(1.0), "best") == 0 or True
    assert added._noise.asked[0][3] is True
    assert replaced._noise.asked[0][3] is False


def test_selection_prefers_the_cheaper_centers():
    sets = np.array([[[0.9, -0.9]], [[0.0, 0.3]], [[-0.9, -0.9]]])
    assert curator().select(LowCost(sets), Selection(1.0), "best") == 1


def test_an_inner_account_is_paid_for_at_once_and_adds_up():
    c = curator(delta=1e-6)
    inner = c.account(Budget(0.8, 1e-6, Accounting.ZCDP), "zCDP part")
    assert c.transcript.epsilon == pytest.approx(0.8)
    inner.noisy_counts(Grid(BOX, 2), inner.budget.share(0.5), "half")
    inner.noisy_counts(Grid(BOX, 2), inner.budget.share(0.5), "half")
    with pytest.raises(BudgetExceeded):
        inner.noisy_counts(Grid(BOX, 2), inner.budget.share(0.01), "more")
    assert c.transcript[0].inner[0].epsilon == pytest.approx(0.8)
    assert c.transcript.epsilon == pytest.approx(0.8)
    assert c.transcript.delta == 1e-6


def test_raw_data_make_epsilon_infinite_here_and_in_the_account_above():
    c = curator(delta=1e-6)
    inner = c.account(Budget(0.5), "part")
    assert inner.unprotected().n == 4
    assert c.transcript.unprotected
    assert c.transcript.epsilon == math.inf


def test_the_price_of_a_selection_buys_no_numbers():
    c = curator()
    with pytest.raises(TypeError, match="pays for a choice"):
        c.noisy_counts(Grid(BOX, 2), Selection(0.5), "counts")
    assert len(c.transcript) == 0


def test_the_journal_keeps_the_truth_only_when_told_to():
    for keep in (False, True):
        c = curator(keep_journal=keep)
        c.noisy_counts(Grid(BOX, 2), Pure(1.0), "grid")
        assert isinstance(c.steps[0].truth, NonPrivate) is keep
        assert "1" not in repr(c.steps[0].truth)


def test_removing_the_nearest_rows_costs_nothing_and_leaves_the_caller_data_alone():
    data = RowsDataset.from_values(ROWS, BOX)
    c = Curator(data, Budget(1.0), NoNoise())
    c.remove_nearest(np.array([0.5, 0.5]), 2)
    assert c.noisy_counts(Grid(BOX, 2), Pure(1.0), "left").tolist() == [1, 1, 0, 0]
    assert data.n == 4


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_grid_and_rows_answer_alike(neighbors):
    rng = np.random.default_rng(3)
    cells = rng.integers(0, 16, (200, 2))
    counts = np.zeros((16, 16), dtype=np.int64)
    np.add.at(counts, tuple(cells.T), 1)
    on_grid = GridDataset(counts, BOX)
    rows = RowsDataset.from_values((2 * cells + 1) / 16 - 1, BOX)
    centers = rng.uniform(-1, 1, (3, 2))
    for partition in (Grid(BOX, 4), Grid(BOX, 5), Grid(BOX, 16)):
        answers = [
            Curator(data, Budget(1.0), SimulatedNoise(1), neighbors).noisy_counts(
                partition, Pure(1.0), "grid"
            )
            for data in (on_grid, rows)
        ]
        if partition.cells_per_side == 5:
            continue  # a row sits in a wide cell's center on the grid, in the fine cell beside it
        np.testing.assert_array_equal(*answers)
    np.testing.assert_allclose(on_grid.cost(centers[None]), rows.cost(centers[None]), rtol=1e-5)
