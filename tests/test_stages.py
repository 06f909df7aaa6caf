"""Long work says how far it is, and a line that a person watches never stands still."""

from __future__ import annotations

import io
import sys
import threading
from itertools import pairwise

import numpy as np
import pytest

import dpcore
from dpcore.cli import main
from dpcore.cli.progress_meter import Stages, time_left
from dpcore.datasets import from_array
from dpcore.geometry.domain import Box
from dpcore.kmeans.seeding import SEEDING
from dpcore.kmeans.stages import listening, tell


class Watched(io.StringIO):
    """A terminal that somebody looks at, and that says when it was written to."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Semaphore(0)

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.written.release()
        return super().write(text)


def test_many_centers_tell_which_stage_they_are_at_and_which_part_is_done():
    data = from_array(np.random.default_rng(0).uniform(-1, 1, (400, 2)), Box.cube(2))
    heard: list[tuple[str, float]] = []
    with listening(lambda doing, part: heard.append((doing, part))):
        dpcore.run("eugkm", data, 40, 1.0, seed=0, starts=2)
    packed = [part for doing, part in heard if doing == SEEDING]
    assert len(packed) > 40
    assert all(one <= two for one, two in pairwise(packed))
    assert {SEEDING, "moving centers"} == {doing for doing, _ in heard}
    assert all(0 <= part <= 1 for _, part in heard)


def test_nobody_listens_after_the_block_nor_in_another_thread():
    heard: list[str] = []
    with listening(lambda doing, _: heard.append(doing)):
        other = threading.Thread(target=tell, args=("elsewhere", 0.5))
        other.start()
        other.join()
        tell("here", 0.5)
    tell("afterwards", 0.5)
    assert heard == ["here"]


def test_a_watched_line_is_written_again_without_news(monkeypatch: pytest.MonkeyPatch):
    screen = Watched()
    monkeypatch.setattr(sys, "stderr", screen)
    with Stages() as stages:
        stages("moving centers", 0.4)
        for _ in range(4):
            assert screen.written.acquire(timeout=600)
    lines = screen.getvalue().split("\r")[1:]
    assert len(lines) >= 4
    assert all("moving centers" in line and "40 %" in line for line in lines)
    assert len(set(lines)) == len(lines)
    assert screen.getvalue().endswith("\n")


def test_the_time_left_is_told_once_there_is_something_to_go_by():
    assert time_left(6.0, 0.75) == ", this step 2 s more"
    assert time_left(0.5, 0.5) == time_left(60.0, 0.01) == time_left(60.0, 1.0) == ""


def test_nothing_is_written_where_nobody_watches(capsys: pytest.CaptureFixture[str]):
    with Stages() as stages:
        stages("moving centers", 0.4)
    assert capsys.readouterr().err == ""


def test_a_sweep_tells_how_many_runs_are_done_and_how_far_the_next_one_is(
    monkeypatch: pytest.MonkeyPatch,
):
    heard: list[tuple[str, float]] = []
    monkeypatch.setattr(Stages, "__call__", lambda _, *told: heard.append(told))
    words = ["sweep", "eugkm", "--data", "iris", "-k", "30", "--epsilons", "1", "--runs", "2"]
    assert main([*words, "--csv"]) == 0
    assert [part for doing, part in heard if doing == "sweep"] == [0.0, 0.5, 1.0]
    inside = {(doing.partition(",")[0], part) for doing, part in heard if doing != "sweep"}
    assert {(f"sweep: {SEEDING}", part) for part in (0.0, 0.5)} <= inside
