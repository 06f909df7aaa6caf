"""The sweeper that forgets a visit's data soon after it ends, and returns its memory."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.state import SessionState

from pages.server.memory import give_back, trim

#: Seconds between looks, and seconds within which a lost connection may come back. Together they
#: stay well below the minute that is promised.
EVERY, GRACE = 5.0, 30.0
#: Set where something large was let go of: its memory goes back at the next look.
let_go = threading.Event()
#: Set where background work ended: what it computed with is free, but still this program's.
worked = threading.Event()


class Sweeper:
    """A sweeper that ends visits whose browser has left.

    Streamlit drops such a visit when another one comes or goes, and does not end it: its uploads
    stay, and so does what a script that was still running put into the caches of its session.
    """

    def __init__(self, runtime: Runtime, now: Callable[[], float] = time.monotonic) -> None:
        self._runtime = runtime
        self._now = now
        self._left: dict[str, float] = {}

    async def run(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            if self.sweep() or let_go.is_set():
                let_go.clear()
                await asyncio.to_thread(give_back)
            elif worked.is_set():
                worked.clear()
                await asyncio.to_thread(trim)

    def sweep(self) -> int:
        """End the visits that are over, and return their number."""
        sessions = self._runtime._session_mgr.list_sessions()
        waiting = {info.session.id for info in sessions if info.client is None}
        self._left = {each: self._left.get(each, self._now()) for each in waiting}
        over = [each for each, since in self._left.items() if self._now() - since >= GRACE]
        for info in sessions:
            if info.session.id in over:
                self._runtime.close_session(info.session.id)
                _empty(info.session)
        files: Any = self._runtime.uploaded_file_mgr  # its interface leaves out what it stores
        visits = {info.session.id for info in sessions}
        orphans = set(files.file_storage) - visits
        for each in orphans:
            files.remove_session_files(each)
        self._runtime.media_file_mgr.remove_orphaned_files()
        return len(over) + len(orphans)


def _empty(session: AppSession) -> None:
    """Empty a session. Streamlit's message loop keeps the last session that it served until it
    serves another."""
    session._session_state = SessionState()
    session._fragment_storage = MemoryFragmentStorage()
