"""What `python -m tests.torture --full` does at length, in a minute: kills at chosen calls, power
cuts, races. All of it with real processes, real files and a real ledger."""

from __future__ import annotations

import os

import pytest

from tests.conftest import missing
from tests.torture import kills, power, races, witness


@pytest.fixture(scope="module")
def watched() -> None:
    """A library between a process and the disk, which has to be built."""
    if not witness.possible():
        missing("Linux with gcc and the headers of C, to watch what goes to the disk")
    witness.library()


def test_killed_at_a_call_that_changes_files_nothing_is_torn_lost_or_free(watched):
    (told,) = kills.run(False)
    assert "half way through a write" in told


def test_after_a_power_cut_what_was_shown_is_there_and_whole(watched):
    (told,) = power.run(False)
    assert int(told.split()[0]) >= 100


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that can fork")
def test_fourteen_at_once_cannot_overspend():
    (told,) = races.run(False)
    assert "14 processes for 12 charges" in told
