"""What takes a while: done once, in a thread of its own, however often it is asked for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

import streamlit as st

from pages.ui import fragments

T = TypeVar("T")
#: What is being done, and which part of it is done, if that can be told.
State = tuple[str, float]

#: Seconds between looks, and seconds within which nobody needs a bar.
PAUSE, SOON = 0.5, 0.4
#: Seconds within which a task is stopped, and between tries.
STOPPING, BETWEEN = 5.0, 0.05


class Task(Generic[T]):
    """One call in a thread; a script that ends, or a visit that ends, does not end it."""

    def __init__(
        self,
        work: Callable[[], T],
        state: Callable[[], State],
        stop: Callable[[], None] | None = None,
    ):
        self.state = state
        #: Ends what is being done at the moment, of which there may be several in a row.
        self._stop = stop
        self.result: T | None = None
        self.failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self._thread.start()

    def _run(self, work: Callable[[], T]) -> None:
        try:
            self.result = work()
        except Exception as failure:
            _let_go(failure)
            self.failure = failure

    @property
    def done(self) -> bool:
        return not self._thread.is_alive()

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
        self._thread.join(seconds)


def _let_go(failure: BaseException | None) -> None:
    """Forget its frames: their variables hold somebody's data, and tasks outlive visits."""
    while failure is not None:
        failure.__traceback__ = None
        failure = failure.__context__


class Once:
    """Tasks by key: who asks for one that was begun is given that one."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, Task[Any]] = {}
        self._lock = threading.Lock()

    def begin(self, key: Hashable, make: Callable[[], Task[T]]) -> Task[T]:
        with self._lock:
            if key not in self._tasks:
                self._tasks[key] = make()
            return self._tasks[key]

    def get(self, key: Hashable) -> Task[Any] | None:
        return self._tasks.get(key)


def watch(task: Task[T]) -> bool:
    """Whether it is done; else a bar that moves, and the page is drawn again at the end."""
    task.wait(SOON)
    if not task.done:
        fragments.redrawn(_bar, PAUSE, task)
    return task.done


def _bar(task: Task[T]) -> None:
    doing, part = task.state()
    st.progress(min(max(part, 0.0), 1.0), f"{doing} …")
    if task.can_stop:
        st.button("Stop", icon=":material/stop:", key="stop", on_click=task.stop)
    if task.done:
        st.rerun()
