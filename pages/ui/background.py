"""Who goes first: pictures that somebody waits for, then one thread's steps of what streams in."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

T = TypeVar("T")

#: Seconds after which nobody is taken to be watching any more.
PATIENCE = 5.0
#: Finished and abandoned jobs that are remembered.
KEPT = 256
#: Seconds that a step gives way to pictures, at most: a crowd must not stop it altogether.
PATIENCE_WITH_PICTURES = 0.5


class Pictures:
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


@dataclass
class Job(Generic[T]):
    """Results so far of something that is computed step by step."""

    steps: Callable[[], Iterator[T]]
    results: list[T] = field(default_factory=list)
    done: bool = False
    failure: Exception | None = None
    #: How many results are wanted; None for all there are.
    enough: int | None = None
    watched: float = 0.0
    _iterator: Iterator[T] | None = None

    @property
    def waiting(self) -> bool:
        """Whether somebody wants more than there is."""
        return not self.done and (self.enough is None or len(self.results) < self.enough)

    def advance(self) -> None:
        """Take one step. Only the worker's thread calls this."""
        try:
            if self._iterator is None:
                self._iterator = self.steps()
            self.results.append(next(self._iterator))
        except StopIteration:
            self.done = True
        except Exception as failure:
            self.failure, self.done = failure, True
        if self.done:
            self._iterator = None


class Worker:
    """Runs jobs one step at a time, so that none waits for another to finish."""

    def __init__(self, pictures: Pictures | None = None) -> None:
        self._pictures = pictures or Pictures()
        self._jobs: OrderedDict[Hashable, Job[Any]] = OrderedDict()
        self._changed = threading.Condition()
        self._stopped = False
        threading.Thread(target=self._work, name="draws", daemon=True).start()

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
