"""The files that buttons hand out. Each stays for a while after its button was drawn again."""

from __future__ import annotations

import time
from collections.abc import Callable

from streamlit.runtime import Runtime
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

    def remove_orphaned_files(self) -> None:
        self._remove_unused_for(GRACE)

    def forget_unused(self) -> None:
        """Drop at once what no button names."""
        self._remove_unused_for(0.0)

    def _remove_unused_for(self, seconds: float) -> None:
        with self._lock:
            now = self._now()
            self._unused = {name: self._since(name, now) for name in self._unused_names()}
            over = [name for name, (_, since) in self._unused.items() if now - since >= seconds]
            for name in over:
                if name in self._file_metadata:
                    self._delete_file(name)
                self._drop_deferred_id(name)
                del self._unused[name]  # a function that makes a file holds what it is made of

    def _unused_names(self) -> set[str]:
        used = {
            name for files in self._files_by_session_and_coord.values() for name in files.values()
        }
        return (self._file_metadata.keys() | self._deferred_callables.keys()) - used

    def _since(self, name: str, now: float) -> tuple[object, float]:
        """A file that was made again has another entry, and its time begins again."""
        entry = self._file_metadata.get(name) or self._deferred_callables.get(name)
        known, since = self._unused.get(name, (None, now))
        return (entry, since) if known is entry else (entry, now)


def keep(runtime: Runtime) -> None:
    """Have a server keep its files so, before its first visit."""
    runtime._media_file_mgr = DownloadFiles(runtime.media_file_mgr._storage)
