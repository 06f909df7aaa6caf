"""What the pages share: the worker and the colors."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator

import pandas as pd
import pytest

from dpcore.kmeans.stages import tell
from pages.ui import figures
from pages.ui.background import Job, PictureQueue, Worker
from pages.ui.palette import DARK, LIGHT, Palette
from tests.waiting import eventually

#: Seconds that others on the machine may keep a thread from what takes it an instant.
LONG = 60


def wait_for(job: Job[int]) -> None:
    eventually(lambda: job.done)


def test_a_job_is_worked_on_once_for_everybody_who_asks() -> None:
    started = []

    def steps() -> Iterator[int]:
        started.append(threading.current_thread())
        yield from range(5)

    worker = Worker()
    jobs = [worker.job("same", steps) for _ in range(3)]
    wait_for(jobs[0])
    assert jobs[0] is jobs[1] is jobs[2]
    assert jobs[0].results == [0, 1, 2, 3, 4]
    assert len(started) == 1
    assert started[0] is not threading.main_thread()


def test_jobs_take_turns_so_that_a_long_one_blocks_nobody() -> None:
    def endless() -> Iterator[int]:
        for i in itertools.count():
            time.sleep(0.001)
            yield i

    worker = Worker()
    long = worker.job("long", endless)
    short = worker.job("short", lambda: iter(range(3)))
    wait_for(short)
    assert not long.done


def test_what_nobody_watches_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.ui.background.PATIENCE", 0.05)

    def slow() -> Iterator[int]:
        for i in itertools.count():
            time.sleep(0.01)
            yield i

    worker = Worker()
    job = worker.job("watched", slow)

    def waits() -> bool:
        seen = len(job.results)
        time.sleep(0.3)
        return len(job.results) == seen

    eventually(waits)
    seen = len(job.results)
    eventually(lambda: len(worker.job("watched", slow).results) > seen)


def test_a_failure_is_kept_and_the_next_job_runs() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise ValueError("no luck")

    worker = Worker()
    job = worker.job("broken", broken)
    wait_for(job)
    assert (job.results, str(job.failure)) == ([1], "no luck")
    after = worker.job("after", lambda: iter([2]))
    wait_for(after)
    assert after.results == [2]


def test_pictures_are_made_a_few_at_a_time_and_all_are_made() -> None:
    pictures, making, most, made = PictureQueue(at_once=2), set[int](), list[int](), list[int]()
    two = threading.Barrier(2, timeout=LONG)

    def make(name: int) -> None:
        with pictures.turn():
            making.add(name)
            two.wait()
            time.sleep(0.01)
            most.append(len(making))
            making.remove(name)
            made.append(name)

    threads = [threading.Thread(target=make, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=LONG)
    assert sorted(made) == list(range(8))
    assert max(most) == 2


def test_a_picture_that_fails_gives_its_turn_back() -> None:
    pictures = PictureQueue(at_once=1)
    for _ in range(3):
        with pytest.raises(ValueError, match="no picture"), pictures.turn():
            raise ValueError("no picture")
    pictures.give_way(seconds=0)


def test_steps_give_way_to_pictures_but_are_not_stopped_by_a_crowd(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("PATIENCE_WITH_PICTURES", "PATIENCE_OF_LONG_STEPS"):
        monkeypatch.setattr(f"pages.ui.background.{name}", LONG)
    pictures = PictureQueue(at_once=1)
    worker = Worker(pictures)
    with pictures.turn():
        waiting = worker.job("waiting", lambda: iter([1]))
        time.sleep(0.1)
        assert not waiting.results
    wait_for(waiting)

    for name in ("PATIENCE_WITH_PICTURES", "PATIENCE_OF_LONG_STEPS"):
        monkeypatch.setattr(f"pages.ui.background.{name}", 0.02)
    with pictures.turn():
        wait_for(worker.job("crowded", lambda: iter([1])))


def test_a_step_stops_where_it_reports_progress_while_a_picture_is_wanted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began, go_on = threading.Event(), threading.Event()

    def steps() -> Iterator[int]:
        began.set()
        go_on.wait(LONG)
        tell("counting", 0.5)
        yield 1

    for patience, stops in ((LONG, True), (0.02, False)):
        monkeypatch.setattr("pages.ui.background.PATIENCE_WITHIN_STEPS", patience)
        began.clear()
        go_on.clear()
        pictures = PictureQueue(at_once=1)
        job = Worker(pictures).job("long", steps)
        assert began.wait(LONG)
        with pictures.turn():
            go_on.set()
            if stops:
                time.sleep(0.1)
                assert not job.results
            else:  # nor is it stopped by a crowd
                wait_for(job)
        wait_for(job)
        assert job.results == [1]


def test_a_long_step_begins_once_nobody_drags_a_slider_any_more() -> None:
    pictures = PictureQueue(at_once=1)
    with pictures.turn():
        before = time.monotonic()
    pictures.give_way(seconds=LONG)
    pictures.give_way(seconds=LONG, quiet=0.2)
    assert 0.2 <= time.monotonic() - before < LONG / 2
    pictures.give_way(seconds=LONG, quiet=0.2)


def test_a_short_step_too_waits_until_nobody_drags_a_slider(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("PATIENCE_WITH_PICTURES", "PATIENCE_OF_LONG_STEPS", "LONG_STEP", "PATIENCE"):
        monkeypatch.setattr(f"pages.ui.background.{name}", LONG)
    monkeypatch.setattr("pages.ui.background.QUIET", 0.2)
    pictures = PictureQueue(at_once=1)
    worker = Worker(pictures)
    job = worker.job("short", lambda: iter([1, 2]), enough=1)
    eventually(lambda: len(job.results) == 1)
    with pictures.turn():
        before = time.monotonic()
    worker.job("short", lambda: iter([1, 2]), enough=2)
    eventually(lambda: len(job.results) == 2)
    assert time.monotonic() - before >= 0.2


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_marks_stand_out_from_land_and_water(palette: Palette) -> None:
    """WCAG asks a contrast of 3 of graphics and 4.5 of text."""
    for ground in (palette.land, palette.water):
        for mark in (palette.points, palette.private, palette.non_private, palette.unproven):
            assert contrast(mark, ground) >= 3
    assert contrast(palette.text, palette.paper) >= 4.5
    assert contrast(palette.quiet, palette.paper) >= 4.5


def test_a_place_is_told_as_people_write_it() -> None:
    assert figures.degrees(-87.62981, 41.87811) == "41.8781° N, 87.6298° W"
    assert figures.degrees(151.2, -33.9) == "33.9000° S, 151.2000° E"


def test_values_on_an_axis_are_told_apart_to_a_thousandth_of_it() -> None:
    values = pd.Series([4.1234, 4.1244])
    assert figures.coordinates(values, 4.0, 5.0) == ["4.123", "4.124"]
    assert figures.coordinates(values * 1000, 0.0, 9000.0) == ["4123", "4124"]
