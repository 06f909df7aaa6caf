"""Points that are packed for a browser."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.study.packed_points import packed, unpacked
from dpcore.study.run_view import Marks


@pytest.mark.parametrize("n", [0, 1, 20_000])
def test_packed_points_come_back_to_a_step(n: int) -> None:
    rng = np.random.default_rng(4)
    x, y = rng.uniform(-74.1, -73.9, n), rng.uniform(40.7, 40.9, n)
    rows = np.column_stack([x, y, rng.exponential(3, n)])
    sent = packed(Marks(rows, n))
    found = np.array(unpacked(sent)).reshape(-1, 3)
    expected = rows[np.argsort(x)]
    # Two points within one step may change places.
    assert np.abs(found[:, 0] - expected[:, 0]).max(initial=0) < 1e-5
    assert sorted(found[:, 1]) == pytest.approx(sorted(y), abs=1e-5)
    assert found[:, 2].sum() == pytest.approx(rows[:, 2].sum(), rel=1e-3)
    assert len(sent["packed"]) <= 9 * n + 64
