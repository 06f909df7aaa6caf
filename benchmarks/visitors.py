"""Visitors without a browser: they move the slider over the connection that a page talks over."""

from __future__ import annotations

import os
import re
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

LONG = 600.0


class Visitor:
    """One visit to Explore, which answers whatever redraws itself as a browser does."""

    def __init__(self, address: str, query: str = "", compression: str | None = "deflate") -> None:
        place = urlsplit(address)
        assert place.hostname
        assert place.port
        self._socket = _CountingSocket(socket.create_connection((place.hostname, place.port), LONG))
        self._connection = connect(
            f"ws://{place.netloc}/_stcore/stream",
            sock=self._socket,  # type: ignore[arg-type]
            subprotocols=["streamlit"],  # type: ignore[list-item]
            open_timeout=LONG,
            max_size=None,
            compression=compression,
        )
        self._query, self._page = query, ""
        #: The slider, and the part of the page that is drawn again when it moves.
        self._slider, self._slider_part = "", ""
        #: Parts that redraw themselves: seconds between two times, and when the next is due.
        self._due: dict[str, tuple[float, float]] = {}
        #: When the map came, on the clock of `time.perf_counter`.
        self.map_at = 0.0
        #: How often a part redrew itself, and how often that changed nothing.
        self.ticks, self.idle_ticks = 0, 0
        #: What was drawn since something was last asked for, and what each part drew last.
        self._drawn: list[bytes] = []
        self._last: dict[str, list[bytes]] = {}
        self._ask()

    @property
    def received(self) -> int:
        """Bytes that came over the wire so far."""
        return self._socket.received

    def move(self, level: str) -> float:
        """Move the slider there; seconds until the map came."""
        state = WidgetState(id=self._slider)
        state.string_array_value.data.append(level)
        start, self.map_at = time.perf_counter(), 0.0
        self._ask(state, part=self._slider_part)
        return self.map_at - start

    def settle(self) -> None:
        """Let the page redraw itself until nothing on it changes anymore."""
        while self._due:
            part, (every, due) = min(self._due.items(), key=lambda item: item[1][1])
            time.sleep(max(due - time.monotonic(), 0.0))
            self._due[part] = every, time.monotonic() + every
            self.ticks += 1
            self._ask(part=part, by_itself=True)
            self.idle_ticks += part in self._due and self._drawn == self._last.get(part)
            self._last[part] = self._drawn

    def close(self) -> None:
        self._connection.close()

    def _ask(
        self, state: WidgetState | None = None, part: str = "", by_itself: bool = False
    ) -> None:
        message = BackMsg()
        message.rerun_script.query_string = self._query
        message.rerun_script.page_script_hash = self._page
        message.rerun_script.fragment_id = part
        message.rerun_script.is_auto_rerun = by_itself
        if state is not None:
            message.rerun_script.widget_states.widgets.append(state)
        self._drawn = []
        self._connection.send(message.SerializeToString())
        if not part:
            self._due.clear()
        while not self._hear():
            pass

    def _hear(self) -> bool:
        """Read one message, and return whether it is the last one of a page."""
        message = ForwardMsg()
        message.ParseFromString(self._connection.recv(timeout=LONG))  # type: ignore[arg-type]
        kind = message.WhichOneof("type")
        if kind == "new_session":
            if not message.metadata.run.fragment_ids:
                self._due.clear()
            self._page = message.new_session.page_script_hash
        elif kind == "auto_rerun":
            every = message.auto_rerun.interval
            self._due[message.auto_rerun.fragment_id] = every, time.monotonic() + every
        elif kind == "stop_auto_rerun":
            for part in message.stop_auto_rerun.fragment_ids:
                self._due.pop(part, None)
        elif kind == "page_info_changed":
            self._query = message.page_info_changed.query_string
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            self._drawn.append(element.SerializeToString())
            if element.WhichOneof("type") == "slider" and "-at-privacy" in element.slider.id:
                self._slider, self._slider_part = element.slider.id, message.delta.fragment_id
            elif element.bidi_component.component_name == "city-map":
                self.map_at = time.perf_counter()
        elif kind == "script_finished":
            return bool(message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN)
        return False


class _CountingSocket:
    """A socket that counts what it receives."""

    def __init__(self, inner: socket.socket) -> None:
        self._inner = inner
        self.received = 0

    def recv(self, size: int, flags: int = 0) -> bytes:
        data = self._inner.recv(size, flags)
        self.received += len(data)
        return data

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)


def cpu_seconds(pid: int) -> float:
    """Processor time of a process, with all threads that it ever had."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """Megabytes of memory that a process holds."""
    status = Path(f"/proc/{pid}/status").read_text()
    match = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert match
    return int(match[1]) / 1024
