"""Lessons are small files that a teacher can write, and mistakes in them are named."""

from __future__ import annotations

import pytest

from dpcore.classroom import lesson_plans
from dpcore.datasets.data_folder import data_file

GOOD = """
title = "A lesson"
aim = "See something."
minutes = 7

[[steps]]
title = "Look"
ask = "What is
it?"
note = "It is <b>one</b> & two."
open = { part = "luck", presenter = true, k = 3, epsilon = 0.5 }
""".replace("is\nit", "is it")


def test_a_file_becomes_a_lesson():
    lesson = lesson_plans.parse("mine", GOOD)
    assert (lesson.key, lesson.title, lesson.minutes) == ("mine", "A lesson", 7)
    (step,) = lesson.steps
    assert step.ask == "What is it?"
    assert step.opens == {"part": "luck", "presenter": "true", "k": "3", "epsilon": "0.5"}
    assert lesson.address(1) == {**step.opens, "lesson": "mine", "at": "1"}


def test_minutes_may_be_left_out():
    assert lesson_plans.parse("mine", GOOD.replace("minutes = 7\n", "")).minutes == 10


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('title = "A lesson"', "title = ", "no TOML file"),
        ('aim = "See something."\n', "", "needs a text for 'aim'"),
        ('aim = "See something."', 'aim = " "', "needs a text for 'aim'"),
        ("minutes = 7", "minutes = 0", "whole number, not 0"),
        ("minutes = 7", "minutes = true", "whole number, not True"),
        ("[[steps]]", "[step]", "has no steps"),
        ('note = "It is <b>one</b> & two."\n', "", "step 1 needs a text for 'note'"),
        ("open = {", "opens = {", "step 1 opens nothing"),
        ('title = "Look"', 'title = "Look"\ncolor = "red"', "step 1 has no 'color'"),
        ("minutes = 7", 'minutes = 7\nauthor = "me"', "has no 'author'"),
    ],
)
def test_a_mistake_is_named_with_its_lesson_and_step(before, after, told):
    assert before in GOOD
    with pytest.raises(ValueError, match="mine") as problem:
        lesson_plans.parse("mine", GOOD.replace(before, after))
    assert told in str(problem.value)


def test_a_folder_is_read_in_the_order_of_its_names(tmp_path):
    (tmp_path / "2-second.toml").write_text(GOOD)
    (tmp_path / "1-first.toml").write_text(GOOD)
    (tmp_path / "own.toml").write_text(GOOD)
    (tmp_path / "notes.txt").write_text("not a lesson")
    assert [lesson.key for lesson in lesson_plans.read(tmp_path)] == ["first", "second", "own"]


def test_ten_lessons_of_about_ten_minutes_ship():
    shipped = lesson_plans.shipped()
    assert len(shipped) == len(list(data_file("lessons").glob("*.toml"))) == 10
    for key, lesson in shipped.items():
        assert key == lesson.key
        assert 5 <= lesson.minutes <= 15
        assert 3 <= len(lesson.steps) <= 6


def test_notes_are_one_page_that_says_everything_and_asks_nobody_for_anything():
    lesson = lesson_plans.parse("mine", GOOD)
    page = lesson_plans.notes([lesson, *lesson_plans.shipped().values()])
    assert page.startswith("<!DOCTYPE html>")
    assert page.count("<article>") == 11
    assert "It is &lt;b&gt;one&lt;/b&gt; &amp; two." in page
    assert "/learn?part=luck&amp;presenter=true&amp;k=3&amp;epsilon=0.5&amp;lesson=mine" in page
    assert "<title>A lesson</title>" in lesson_plans.notes([lesson])
    for outside in ("http:", "https:", "<script", "<img", "@import", "url("):
        assert outside not in page
