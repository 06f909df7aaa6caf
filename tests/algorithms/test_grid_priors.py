"""Public guesses: the same for everybody, in the box, and worth having."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.algorithms._grid_priors import (
    FINE_CELLS,
    along_the_diagonal,
    histograms,
    spread_out,
    synthetic_rows,
)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_root_makes_variance_one_with_its_share_along_the_diagonal(share):
    root = along_the_diagonal(5, share)
    covariance = root @ root.T
    ones = np.ones(5) / np.sqrt(5)
    assert np.trace(covariance) == pytest.approx(1)
    assert ones @ covariance @ ones == pytest.approx(share + (1 - share) / 5)


@pytest.mark.parametrize("m", [1, 4, 300])
def test_spread_centers_explain_some_variance_of_fresh_rows_and_add_none(m):
    rng = np.random.default_rng(0)
    root = 0.3 * along_the_diagonal(30, 0.2)
    centers = spread_out(m, root, rng)
    rows = rng.standard_normal((4000, 30)) @ root.T
    left = ((rows[:, None] - centers) ** 2).sum(-1).min(1).mean()
    assert centers.shape == (m, 30)
    assert left < (rows**2).sum(1).mean() * (1.001 if m == 1 else 0.97)


def test_synthetic_rows_lie_in_the_box_and_spread():
    rng = np.random.default_rng(0)
    for _ in range(50):
        rows = synthetic_rows(3, rng)
        assert (np.abs(rows) <= 1).all()
        assert rows.std(axis=0).min() > 0.02


def test_histograms_are_shares_of_rows_and_always_the_same():
    guess = histograms(3, 2)
    assert guess.mean.sum() == pytest.approx(1)
    assert guess.fine_mean.sum() == pytest.approx(1)
    np.testing.assert_allclose(guess.covariance.sum(axis=0), 0, atol=1e-12)
    histograms.cache_clear()
    np.testing.assert_array_equal(histograms(3, 2).covariance, guess.covariance)


def by_cell(guess, fine):
    """Figures of the finer cells added up to those of the grid's."""
    return np.stack([fine[guess.parent == cell].sum(axis=0) for cell in range(len(guess.mean))])


@pytest.mark.parametrize(("d", "side"), [(2, 5), (3, 2), (4, 4)])
def test_finer_cells_are_parts_of_the_cells(d, side):
    guess = histograms(d, side)
    finer = len(guess.fine_mean) // side**d
    assert finer > 1
    assert len(guess.fine_mean) <= FINE_CELLS
    np.testing.assert_array_equal(np.bincount(guess.parent), finer)
    np.testing.assert_allclose(by_cell(guess, guess.fine_mean), guess.mean)
    np.testing.assert_allclose(by_cell(guess, guess.fine_covariance), guess.covariance, atol=1e-12)


def test_a_grid_as_fine_as_can_be_is_its_own_finer_grid():
    guess = histograms(5, 4)
    np.testing.assert_array_equal(guess.parent, np.arange(4**5))
    np.testing.assert_allclose(guess.fine_covariance, guess.covariance, atol=1e-12)


def test_a_centroid_lies_in_its_cell():
    guess = histograms(3, 2)
    np.testing.assert_array_equal(
        (guess.centroids > 0) @ [4, 2, 1], guess.parent, err_msg="by signs of coordinates"
    )


def test_exact_counts_are_believed_and_drowned_ones_ignored():
    guess = histograms(3, 2)
    counts = np.array([100.0, 0, 0, 20, 0, 0, 0, 80])
    found = [by_cell(guess, guess.expected(counts, 200, noise)) for noise in (1e-6, 1e12)]
    np.testing.assert_allclose(found[0], counts, atol=0.1)
    np.testing.assert_allclose(found[1], 200 * guess.mean, atol=0.1)


def test_the_estimate_beats_the_noisy_counts():
    rng = np.random.default_rng(1)
    guess, errors = histograms(4, 2), []
    for _ in range(40):
        rows = synthetic_rows(4, rng)
        exact = np.bincount((rows > 0) @ [8, 4, 2, 1], minlength=16)
        noisy = exact + rng.laplace(0, 25, 16)
        ours = by_cell(guess, guess.expected(noisy, 200, 2 * 25**2))
        errors.append([((e - exact) ** 2).sum() for e in (ours, np.maximum(noisy, 0))])
    ours, plain = np.mean(errors, axis=0)
    assert ours < 0.6 * plain


def test_within_a_cell_rows_are_thought_nearer_to_its_full_neighbors():
    guess = histograms(2, 2)
    parts = guess.expected(np.array([100.0, 100, 0, 0]), 200, 1.0)
    first = guess.parent == 0
    alone = guess.expected(np.array([100.0, 0, 0, 0]), 100, 1.0)
    beside, lonely = (w[first] @ guess.centroids[first, 1] / w[first].sum() for w in (parts, alone))
    assert beside > lonely + 0.02
