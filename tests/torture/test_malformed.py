"""Malformed files, in quick form: `python -m tests.torture` takes more of them, and larger ones."""

from __future__ import annotations

from tests.torture import malformed


def test_every_malformed_file_gives_an_answer_or_a_sentence() -> None:
    outcome = malformed.run()
    assert outcome.problems == [], outcome
    assert outcome.ends.total() >= 1_200
    # A generator that makes only good files, or only hopeless ones, would test nothing.
    assert min(outcome.ends["answered"], outcome.ends["refused"]) > 300


def test_a_reading_process_ends_malformed_files_the_same_way() -> None:
    outcome = malformed.by_process()
    assert outcome.problems == [], outcome
    assert outcome.ends["refused"] > 3
