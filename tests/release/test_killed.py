"""Killed at any moment, there is no release and no charge, or a charge with its release; and
however many publish at once, nothing is overspent. Real processes, a real ledger."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.release.victims import PRICE, REFUSED

ROOT = Path(__file__).parents[2]
KILLS, RACERS, RACES = 210, 9, 4

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that can fork")


def victims(*arguments: object):
    run = subprocess.run(
        [sys.executable, "-m", "tests.release.victims", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_no_kill_leaves_a_charge_without_its_release_or_a_release_without_its_charge(tmp_path):
    report = victims("kills", tmp_path, KILLS, 0)
    assert report["killed"] == KILLS
    assert report["torn"] == 0
    assert report["sound"]
    # What was shown is kept; some may have been killed after it was kept and before it was shown.
    assert 0 < report["shown"] <= report["kept"] <= report["started"]


def test_whoever_presses_at_once_cannot_overspend(tmp_path):
    for report in victims("race", tmp_path, RACERS, RACES):
        assert report["codes"] == [0] * 4 + [REFUSED] * (RACERS - 4)
        assert report["shown"] == report["entries"] == 4
        assert report["used"] == 4 * PRICE
