"""Work in the background: pictures that somebody waits for come first, then one step after the
other of what streams in. What must not wait for others has a thread of its own."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

T = TypeVar("T")
#: What is being done, and which part of it is done, if that can be told.
State = tuple[str, float]

#: Seconds after which nobody is taken to be watching any more.
PATIENCE = 5.0
#: Finished and abandoned jobs that are remembered.
KEPT = 256
#: Seconds that a step gives way to pictures, at most: a crowd must not stop it altogether.
PATIENCE_WITH_PICTURES = 0.5
#: Seconds within which a job is stopped, and between tries.
STOPPING, BETWEEN = 5.0, 0.05


class PictureQueue:
    """Lets a few pictures be made at a time, each as fast as it can be.

    Made all at once, they would share the processor and all be ready at the end; one after the
    other, half of them are ready by half the time.
    """

    def __init__(self, at_once: int = os.cpu_count() or 1) -> None:
        self._free = at_once
        self._wanted = 0
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
                self._changed.notify_all()

    def give_way(self, seconds: float) -> None:
        """Return when nobody waits for a picture, or after so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: not self._wanted, seconds)


class Job(Generic[T]):
    """Results so far of something that is computed step by step."""

    def __init__(
        self,
        steps: Callable[[], Iterator[T]],
        state: Callable[[], State] = lambda: ("Working", 0.0),
        stop: Callable[[], None] | None = None,
    ) -> None:
        self.results: list[T] = []
        self.failure: Exception | None = None
        self.state = state
        #: How many results are wanted; None for all there are.
        self.enough: int | None = None
        self.watched = 0.0
        self._steps: Callable[[], Iterator[T]] | None = steps
        self._iterator: Iterator[T] | None = None
        #: Ends what is being done at the moment, of which there may be several in a row.
        self._stop = stop
        self._ended = threading.Event()

    @property
    def done(self) -> bool:
        return self._ended.is_set()

    @property
    def result(self) -> T:
        """What came last, where something did."""
        return self.results[-1]

    @property
    def waiting(self) -> bool:
        """Whether somebody wants more than there is."""
        return not self.done and (self.enough is None or len(self.results) < self.enough)

    def advance(self) -> None:
        """Take one step. Only the thread that works on it calls this."""
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
        # What it worked on may be somebody's data, and a job outlives a visit.
        self._iterator = self._steps = None
        self._ended.set()

    def finish(self) -> None:
        """Take all steps."""
        while not self.done:
            self.advance()

    @property
    def can_stop(self) -> bool:
        return self._stop is not None

    def stop(self) -> None:
        """End it before it is done: it fails, and says that it was stopped."""
        give_up = time.monotonic() + STOPPING
        while self._stop and not self.done and time.monotonic() < give_up:
            self._stop()
            self.wait(BETWEEN)

    def wait(self, seconds: float) -> None:
        self._ended.wait(seconds)


def _let_go(failure: BaseException | None) -> None:
    """Forget its frames: their variables hold somebody's data."""
    while failure is not None:
        failure.__traceback__ = None
        failure = failure.__context__


def begin(
    work: Callable[[], T], state: Callable[[], State], stop: Callable[[], None] | None = None
) -> Job[T]:
    """One call in a thread of its own, which goes on when the script or the visit ends."""

    def steps() -> Iterator[T]:
        yield work()

    job = Job(steps, state, stop)
    threading.Thread(target=job.finish, name="job", daemon=True).start()
    return job


class Worker:
    """Runs jobs one step at a time, so that none waits for another to finish."""

    def __init__(self, pictures: PictureQueue | None = None) -> None:
        self._pictures = pictures or PictureQueue()
        self._jobs: OrderedDict[Hashable, Job[Any]] = OrderedDict()
        #: Each is begun once, and never forgotten: by them it is known what was done.
        self._begun: dict[Hashable, Job[Any]] = {}
        self._changed = threading.Condition()
        self._stopped = False
        threading.Thread(target=self._work, name="steps", daemon=True).start()

    def begin_once(self, key: Hashable, make: Callable[[], Job[T]]) -> Job[T]:
        """The job of that key, begun if nobody did; who asks again is given that one."""
        with self._changed:
            if key not in self._begun:
                self._begun[key] = make()
            return self._begun[key]

    def begun(self, key: Hashable) -> Job[Any] | None:
        return self._begun.get(key)

    def job(
        self, key: Hashable, steps: Callable[[], Iterator[T]], enough: int | None = None
    ) -> Job[T]:
        """The job of that key, begun if it is new, and watched from now on.

        With enough results it pauses, and goes on when somebody wants more; 0 only looks.
        """
        with self._changed:
            job = self._jobs.setdefault(key, Job(steps))
            self._jobs.move_to_end(key)
            job.watched, job.enough = time.monotonic(), enough
            while len(self._jobs) > KEPT:
                self._jobs.popitem(last=False)
            self._changed.notify()
        return job

    def stop(self) -> None:
        """Forget all jobs and do no more, once the step that is being made is done."""
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
            self._pictures.give_way(PATIENCE_WITH_PICTURES)
            job.advance()

    def _next(self) -> Job[Any] | None:
        """The watched job with the fewest results: everybody's first figures come first."""
        now = time.monotonic()
        open_jobs = [
            job for job in self._jobs.values() if job.waiting and now - job.watched < PATIENCE
        ]
        return min(reversed(open_jobs), key=lambda job: len(job.results), default=None)
