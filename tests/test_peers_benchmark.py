"""A peer that cannot be installed, or fails, says so in its place, and the others go on."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import peers, workloads

HERE = Path(sys.executable)
MIDDLE = (
    "class Fitted:\n"
    "    def __init__(self, X, k): self.cluster_centers_ = np.tile(X.mean(axis=0), (k, 1))\n"
    "def fit(X, k, epsilon, seed):\n"
    "    return Fitted(X, k)\n"
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, np.random.default_rng(0).uniform(-1, 1, (60, 2)))
    return path


def failures(program, file, **settings):
    runs = peers.answers_of(program, HERE, file, 3, (0.1, 1.0), 2, **settings)
    assert [run["epsilon"] for run in runs] == [0.1, 0.1, 1.0, 1.0]
    return [run.get("failed") for run in runs]


def test_a_peer_tells_of_every_run_whatever_else_it_prints(file):
    runs = peers.answers_of(f"print('hello')\n{MIDDLE}", HERE, file, 3, (0.1, 1.0), 2)
    assert [run["epsilon"] for run in runs] == [0.1, 0.1, 1.0, 1.0]
    for run in runs:
        np.testing.assert_allclose(run["centers"], np.tile(np.load(file).mean(axis=0), (3, 1)))
        assert run["seconds"] >= 0
        assert run["megabytes"] >= 0


def test_memory_is_that_of_the_run_and_not_of_whoever_started_it(file):
    held = np.ones(30_000_000)
    eager = MIDDLE.replace("return", "np.ones(10_000_000 if epsilon == 2 else 1); return")
    for epsilon, megabytes in ((1.0, 0), (2.0, 80)):
        run = peers.answers_of(eager, HERE, file, 3, (epsilon,), 1)[0]
        assert run["megabytes"] == pytest.approx(megabytes, abs=20)
    assert held.size


def test_one_that_does_not_even_import_has_failed_every_run(file):
    assert (
        failures("import no_such_package\n", file)
        == ["ModuleNotFoundError: No module named 'no_such_package'"] * 4
    )


def test_one_that_fails_on_a_cell_goes_on_with_the_next(file):
    short = MIDDLE.replace("return", "if epsilon < 1: raise ValueError('too small')\n    return")
    assert failures(short, file) == ["ValueError: too small"] * 2 + [None] * 2


@pytest.mark.parametrize("bad", ["float('nan') * X[:k]", "X[: k - 1]"])
def test_what_is_no_answer_is_a_failure(bad, file):
    assert (
        failures(MIDDLE.replace("np.tile(X.mean(axis=0), (k, 1))", bad), file)
        == ["ValueError: no 3 finite centers came back"] * 4
    )


def test_runs_after_a_crash_or_without_an_end_have_failed(file):
    crash = MIDDLE.replace("return", "if seed == 1: import os; os._exit(3)\n    return")
    assert failures(crash, file) == [None] + ["exit status 3"] * 3
    endless = MIDDLE.replace("return", "if epsilon == 0.1: time.sleep(60)\n    return")
    assert failures(endless, file, patience=2.0) == ["no answer after 2 seconds"] * 4


def test_an_environment_that_cannot_be_made_says_why(tmp_path):
    failed = peers.environment(tmp_path / "peer", ["./no-such-folder"])
    assert isinstance(failed, peers.Failed)
    assert str(failed).startswith("not installed: ERROR:")
    assert "no-such-folder" in str(failed)


def test_the_others_go_on_beside_one_that_is_missing(monkeypatch, tmp_path):
    monkeypatch.setattr(
        peers, "PEERS", {"gone": peers.Peer((), ""), "middle": peers.Peer((), MIDDLE)}
    )
    monkeypatch.setattr(
        workloads, "MAKERS", {"few": lambda: np.repeat([[-0.5], [0.5]], 40, axis=0)}
    )
    pythons = {"gone": peers.Failed("not installed: nowhere to be found"), "middle": HERE}
    found = {row.what: row for row in peers.on("few", 2, pythons, 2, tmp_path)}
    for epsilon in ("0.1", "1"):
        gone = found[f"gone on few, k=2, ε={epsilon}: NICV"]
        assert math.isnan(gone.figure)
        assert gone.note == "2 of 2 runs failed: not installed: nowhere to be found"
        assert gone.met
        middle = found[f"middle on few, k=2, ε={epsilon}: NICV"]
        assert middle.figure == pytest.approx(0.25)
        assert middle.bar == found[f"auto on few, k=2, ε={epsilon}: NICV"].figure


def test_ours_may_not_fail(monkeypatch, tmp_path):
    monkeypatch.setattr(peers, "OURS", "raise ValueError('broken')\n")
    monkeypatch.setattr(workloads, "MAKERS", {"few": lambda: np.zeros((50, 1))})
    with pytest.raises(RuntimeError, match="broken"):
        list(peers.on("few", 2, {}, 1, tmp_path))
