"""Work in the background.

Pictures that somebody is waiting for come first. Jobs that stream results take turns on one thread,
one step at a time. A call that must not wait for others, such as a release, gets its own thread.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from dpcore.study.pauses import pausing
from pages.server import session_cleanup

T = TypeVar("T")
#: What a job is doing, and the fraction that is done (0 if unknown).
State = tuple[str, float]

#: Seconds after the last look until a job counts as unwatched.
PATIENCE = 5.0
#: How many jobs a worker remembers.
KEPT = 256
#: A step begins only after no picture was wanted for so many seconds: the browser still draws the
#: last one, and whoever drags a slider wants the next one soon.
QUIET = 0.35
#: The most seconds that a step waits for pictures, so that many visitors cannot block it.
PATIENCE_WITH_PICTURES = 0.5
#: A step that takes longer than this many seconds, or nobody knows how long, would slow a picture
#: down more, so it waits longer.
LONG_STEP, PATIENCE_OF_LONG_STEPS = 0.05, 2.0
#: A step stops for pictures that are wanted while it runs, for so many seconds in all.
PATIENCE_WITHIN_STEPS = 2.0
#: Seconds to try stopping a job for, and between tries.
STOPPING, BETWEEN = 5.0, 0.05


class PictureQueue:
    """A queue that lets a few pictures be computed at a time.

    If all ran at once, they would share the processor and all finish at the end. In turn, half of
    them are ready after half the time.
    """

    def __init__(self, at_once: int = os.cpu_count() or 1) -> None:
        self._free = at_once
        self._wanted = 0
        #: When the last picture was ready.
        self._ready = float("-inf")
        #: Steps that are being taken, by any worker.
        self._steps = 0
        self._changed = threading.Condition()

    @contextmanager
    def turn(self) -> Iterator[None]:
        with self._changed:
            self._wanted += 1
            self._changed.wait_for(lambda: self._free)
            self._free -= 1
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._wanted -= 1
                self._ready = time.monotonic()
                self._changed.notify_all()

    @contextmanager
    def step(self, alone: bool) -> Iterator[bool]:
        """Take a step of a job. One that must be alone is refused (False) while a picture or
        another step is under way."""
        with self._changed:
            allowed = not alone or self._changed.wait_for(
                lambda: not (self._wanted or self._steps), BETWEEN
            )
            self._steps += allowed
        try:
            yield allowed
        finally:
            with self._changed:
                self._steps -= allowed
                self._changed.notify_all()

    @property
    def waiting_for(self) -> int:
        """The number of pictures that somebody waits for."""
        return self._wanted

    def give_way(self, seconds: float, quiet: float = 0.0) -> None:
        """Wait until nobody is waiting for a picture, nor was for a while, or until the seconds
        are over."""
        end = time.monotonic() + seconds
        with self._changed:
            while (now := time.monotonic()) < end:
                rest = end if self._wanted else min(end, self._ready + quiet)
                if rest <= now:
                    return
                self._changed.wait(rest - now)


class Job(Generic[T]):
    """Something that is computed step by step, and its results so far."""

    def __init__(
        self,
        steps: Callable[[], Iterator[T]],
        state: Callable[[], State] = lambda: ("Working", 0.0),
        stop: Callable[[], None] | None = None,
        stoppable: Callable[[], bool] = lambda: True,
    ) -> None:
        self.results: list[T] = []
        self.failure: Exception | None = None
        self.state = state
        #: How many results are wanted; None for all.
        self.enough: int | None = None
        #: Whether its steps are taken only while nothing else runs, since they are timed.
        self.alone = False
        self.watched = 0.0
        #: Seconds of the last step, once there was one.
        self.took = float("inf")
        self._steps: Callable[[], Iterator[T]] | None = steps
        self._iterator: Iterator[T] | None = None
        #: Interrupts the current operation; a step may consist of several.
        self._stop, self._stoppable = stop, stoppable
        self._ended = threading.Event()

    @property
    def done(self) -> bool:
        return self._ended.is_set()

    @property
    def result(self) -> T:
        """The last result."""
        return self.results[-1]

    @property
    def waiting(self) -> bool:
        """Whether more results are wanted than there are."""
        return not self.done and (self.enough is None or len(self.results) < self.enough)

    def advance(self) -> None:
        """Take one step. Only the thread that runs the job calls this."""
        try:
            if self._iterator is None:
                assert self._steps is not None
                self._iterator = self._steps()
            self.results.append(next(self._iterator))
            return
        except StopIteration:
            pass
        except Exception as failure:
            _let_go(failure)
            self.failure = failure
        # A job outlives a visit, so it must not hold the visitor's data.
        self._iterator = self._steps = None
        self._ended.set()

    def finish(self) -> None:
        """Take all steps."""
        while not self.done:
            self.advance()

    @property
    def can_stop(self) -> bool:
        return self._stop is not None and self._stoppable()

    def stop(self) -> None:
        """Stop the job early: it fails, and its failure says that it was stopped."""
        give_up = time.monotonic() + STOPPING
        while self._stop and self._stoppable() and not self.done and time.monotonic() < give_up:
            self._stop()
            self.wait(BETWEEN)

    def wait(self, seconds: float) -> None:
        self._ended.wait(seconds)


def _let_go(failure: BaseException | None) -> None:
    """Drop the stack frames of an exception: their variables may hold private data."""
    while failure is not None:
        failure.__traceback__ = None
        failure = failure.__context__


def begin(
    work: Callable[[], T],
    state: Callable[[], State],
    stop: Callable[[], None] | None = None,
    stoppable: Callable[[], bool] = lambda: True,
) -> Job[T]:
    """Start a call on its own thread. It continues when the script or the visit ends."""

    def steps() -> Iterator[T]:
        yield work()

    job = Job(steps, state, stop, stoppable)
    threading.Thread(target=job.finish, name="job", daemon=True).start()
    return job


def finished(results: Iterable[T]) -> Job[T]:
    """A job whose results are there already."""
    job = Job(lambda: iter(results))
    job.finish()
    return job


class Worker:
    """A thread that runs jobs one step at a time, so that no job waits for another to finish."""

    def __init__(self, pictures: PictureQueue | None = None) -> None:
        self._pictures = pictures or PictureQueue()
        self._jobs: OrderedDict[Hashable, Job[Any]] = OrderedDict()
        #: Calls that must happen once. They are never forgotten.
        self._begun: dict[Hashable, Job[Any]] = {}
        self._changed = threading.Condition()
        self._stopped = False
        threading.Thread(target=self._work, name="steps", daemon=True).start()

    def begin_once(self, key: Hashable, make: Callable[[], Job[T]]) -> Job[T]:
        """Return the job for a key, and start it if there is none yet."""
        with self._changed:
            if key not in self._begun:
                self._begun[key] = make()
            return self._begun[key]

    def begun(self, key: Hashable) -> Job[Any] | None:
        """Return the job that was started for a key, if any."""
        return self._begun.get(key)

    def job(
        self,
        key: Hashable,
        steps: Callable[[], Iterator[T]],
        enough: int | None = None,
        alone: bool = False,
    ) -> Job[T]:
        """Return the streaming job for a key, and mark it as watched.

        The job pauses once it has enough results and continues when more are wanted; with
        `enough=0` it is only looked at. With `alone` it runs only while nothing else does.
        """
        with self._changed:
            job = self._jobs.get(key) or self._jobs.setdefault(key, Job(steps))
            self._jobs.move_to_end(key)
            job.watched, job.enough, job.alone = time.monotonic(), enough, alone
            while len(self._jobs) > KEPT:
                self._jobs.popitem(last=False)
            self._changed.notify()
        return job

    def stop(self) -> None:
        """Forget all jobs, and end the thread after its current step."""
        with self._changed:
            self._stopped = True
            self._jobs.clear()
            self._changed.notify()

    def _work(self) -> None:
        while True:
            with self._changed:
                while (job := self._next()) is None and not self._stopped:
                    self._changed.wait()
                if job is None:
                    return
            is_long = job.took > LONG_STEP
            patience = PATIENCE_OF_LONG_STEPS if is_long else PATIENCE_WITH_PICTURES
            self._pictures.give_way(patience, QUIET)
            with self._pictures.step(job.alone) as allowed:
                if allowed:
                    self._advance(job)

    def _advance(self, job: Job[Any]) -> None:
        """Take a step of a job. Wherever its computation reports progress, it stops while somebody
        waits for a picture, which would take twice as long beside it."""
        start, patience = time.monotonic(), PATIENCE_WITHIN_STEPS

        def give_way() -> None:
            nonlocal patience
            if self._pictures.waiting_for and patience > 0:
                stopped = time.monotonic()
                self._pictures.give_way(patience)
                patience -= time.monotonic() - stopped

        if job.alone:  # it is timed
            job.advance()
        else:
            with pausing(give_way):
                job.advance()
        if job.done:
            session_cleanup.worked.set()
        waited = PATIENCE_WITHIN_STEPS - patience
        job.took = time.monotonic() - start - waited

    def _next(self) -> Job[Any] | None:
        """The watched job with the fewest results, so that everybody soon sees first results.
        Jobs that run alone come after all others."""
        now = time.monotonic()
        open_jobs = [
            job for job in self._jobs.values() if job.waiting and now - job.watched < PATIENCE
        ]
        return min(reversed(open_jobs), key=lambda job: (job.alone, len(job.results)), default=None)
