"""What is told every time is found, and what is told now and then is not."""

from __future__ import annotations

import itertools

from tests.leaks import in_each


def test_what_is_always_told_is_a_leak() -> None:
    assert in_each([{1, 7}, {7, 2}, {7}]) == {7}
    assert in_each([{7}]) == {7}


def test_what_is_told_now_and_then_may_be_chance() -> None:
    assert in_each([{1, 7}, {2, 7}, {1, 2}]) == set()
    assert in_each([]) == set()


def test_nobody_is_asked_again_once_nothing_can_be_told_every_time() -> None:
    answers = itertools.chain([{1}, {2}], itertools.repeat({1}))
    assert in_each(answers) == set()
