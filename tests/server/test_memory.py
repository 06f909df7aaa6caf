"""The memory of the server: threads share heaps, and what work has used goes back."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from typing import Any

import pytest

from pages.server import memory, session_cleanup
from pages.server.session_cleanup import Sweeper
from pages.ui.background import Worker

LONG = 60.0
#: Threads that allocate at the same time; then the number of heaps is printed.
ALLOCATING = """
import ctypes, sys, threading
from pages.server import memory
if sys.argv[1] == "shared":
    memory.share_heaps()
library = memory.c_library()
everybody = threading.Barrier(9)
def allocate():
    block = bytearray(100_000)
    everybody.wait()
    everybody.wait()
threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads:
    thread.start()
everybody.wait()
library.fdopen.restype = ctypes.c_void_p
library.malloc_info(0, ctypes.c_void_p(library.fdopen(1, b"w")))
library.fflush(None)
everybody.wait()
"""


def heaps(how: str) -> int:
    """How many heaps a program has whose threads allocate at the same time."""
    command = [sys.executable, "-c", ALLOCATING, how]
    described = subprocess.run(command, capture_output=True, check=True, timeout=LONG).stdout
    return described.count(b"<heap nr=")


@pytest.mark.skipif(memory.c_library() is None, reason="only the GNU C library has many heaps")
def test_threads_share_the_heaps_that_there_are() -> None:
    assert heaps("their own") > 8
    assert heaps("shared") <= 2  # the imports may have made one


def test_memory_goes_back_once_work_in_the_background_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trimmed, runtime = threading.Event(), Any
    monkeypatch.setattr(session_cleanup, "EVERY", 0.01)
    monkeypatch.setattr(session_cleanup, "worked", threading.Event())
    monkeypatch.setattr(session_cleanup, "trim", trimmed.set)
    monkeypatch.setattr(Sweeper, "sweep", lambda _: 0)

    async def swept_until_trimmed() -> None:
        sweeping = asyncio.create_task(Sweeper(runtime).run())
        await asyncio.to_thread(trimmed.wait, LONG)
        sweeping.cancel()

    worker = Worker()
    worker.job("steps", lambda: iter([1, 2])).wait(LONG)
    asyncio.run(swept_until_trimmed())
    worker.stop()
    assert trimmed.is_set()
