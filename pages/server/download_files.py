"""The files that buttons hand out. Each stays for a while after its button was drawn again."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from streamlit.runtime import Runtime, media_file_manager
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorage

#: Seconds within which a browser fetches what it was told of.
GRACE = 10.0


class DownloadFiles(MediaFileManager):
    """Streamlit's files, and the functions that make them, each kept a while after its last use.

    Streamlit drops a file as soon as any visit's script ends and no button names the file. But the
    browser may be fetching it, or may not know of the new button yet. Pages that redraw themselves
    end a script twice a second.
    """

    def __init__(
        self, storage: MediaFileStorage, now: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(storage)
        self._now = now
        #: What no button names: which entry it is, and since when.
        self._unused: dict[str, tuple[object, float]] = {}
        #: The visits that made each file. Files with the same content are one file.
        self._makers: dict[str, set[str]] = defaultdict(set)

    def add(self, *args: Any, **kwargs: Any) -> str:
        url = super().add(*args, **kwargs)
        self._made(url, media_file_manager._get_session_id())
        return url

    def execute_deferred(self, file_id: str) -> str:
        with self._lock:
            entry = self._deferred_callables.get(file_id)
        url = super().execute_deferred(file_id)
        if entry is not None:
            self._made(url, entry["session_id"])
        return url

    def remove_orphaned_files(self) -> None:
        with self._lock:
            now = self._now()
            self._unused = {name: self._since(name, now) for name in self._unused_names()}
            for name, (_, since) in list(self._unused.items()):
                if now - since >= GRACE:
                    self._remove(name)

    def forget_unused(self, visit: str) -> None:
        """Drop at once what only this visit made and no button names."""
        with self._lock:
            for name in self._unused_names():
                if self._made_by(name) == {visit}:
                    self._remove(name)

    def _made(self, url: str, visit: str) -> None:
        with self._lock:
            self._makers[PurePosixPath(url).name.partition(".")[0]].add(visit)

    def _made_by(self, name: str) -> set[str]:
        entry = self._deferred_callables.get(name)
        return {entry["session_id"]} if entry else self._makers.get(name, set())

    def _remove(self, name: str) -> None:
        if name in self._file_metadata:
            self._delete_file(name)
        self._drop_deferred_id(name)  # a function that makes a file holds what it is made of
        self._unused.pop(name, None)
        self._makers.pop(name, None)

    def _unused_names(self) -> set[str]:
        used = {
            name for files in self._files_by_session_and_coord.values() for name in files.values()
        }
        return (self._file_metadata.keys() | self._deferred_callables.keys()) - used

    def _since(self, name: str, now: float) -> tuple[object, float]:
        """A file that was made again has another entry, and its time begins again."""
        entry = self._file_metadata.get(name) or self._deferred_callables.get(name)
        before, since = self._unused.get(name, (None, now))
        return (entry, since) if before is entry else (entry, now)


def keep(runtime: Runtime) -> None:
    """Have a server keep its files so, before its first visit."""
    runtime._media_file_mgr = DownloadFiles(runtime.media_file_mgr._storage)
