"""Memory that work in the background has used goes back to the operating system."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from pages.server import session_cleanup
from pages.server.session_cleanup import Sweeper
from pages.ui.background import Worker

LONG = 60.0


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
