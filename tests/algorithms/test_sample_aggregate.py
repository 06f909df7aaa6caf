"""The baseline that no source states runs as GkM repaired, and says so."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore
from dpcore.privacy.accounting import Neighbors

DATA = dpcore.datasets.load("s1-like")


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_it_is_gkm_repaired_to_the_last_bit(neighbors):
    a, b = (dpcore.run(key, DATA, 3, 1.0, 0.0, neighbors, 0) for key in ("sample-aggregate", "gkm"))
    np.testing.assert_array_equal(np.asarray(a.centers), np.asarray(b.centers))
    assert a.transcript.as_dicts() == b.transcript.as_dicts()
    assert "GkM" in dpcore.algorithms.get("sample-aggregate").specification["Repair"]
