"""The history of measurements tells a commit that made something slower."""

from __future__ import annotations

from benchmarks import history
from benchmarks.table import Row


def test_only_ratios_are_kept_and_what_has_grown_is_told(tmp_path):
    file = tmp_path / "history.jsonl"
    for figure in (1.0, 1.1, 0.9, 1.2):
        rows = [Row("reading", figure), Row("waiting", 9 * figure, unit="s")]
        history.add("engines", rows, file)
    assert not list(history.grown(file))
    history.add("engines", [Row("reading", 2.0)], file)
    (told,) = history.grown(file)
    assert told.startswith("engines: reading: 1.05 before, 2 at")
    assert "waiting" not in file.read_text()


def test_the_history_that_ships_can_be_read():
    assert history.HISTORY.read_text()
    list(history.grown())
