"""A visitor without a browser: everything that a page sends, as text, and any forged request."""

from __future__ import annotations

import re
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from email.message import Message
from typing import NamedTuple
from urllib.parse import urlsplit

from google.protobuf.text_format import MessageToString
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect

TOKEN = "a-token-of-this-test"
#: Seconds that anything may take where others share the machine.
LONG = 600


class Answer(NamedTuple):
    status: int
    text: str
    headers: Message


def fetch(
    address: str, headers: Mapping[str, str] | None = None, method: str = "GET", body: bytes = b""
) -> Answer:
    request = urllib.request.Request(address, body or None, dict(headers or {}), method=method)
    try:
        with urllib.request.urlopen(request, timeout=LONG) as answer:
            return Answer(answer.status, answer.read().decode(errors="replace"), answer.headers)
    except urllib.error.HTTPError as refusal:
        return Answer(refusal.code, refusal.read().decode(errors="replace"), refusal.headers)


def stream(server: str, headers: Mapping[str, str] | None = None) -> ClientConnection:
    """The connection that a page's script talks over."""
    sent = dict(headers or {})
    known = urlsplit(server)
    return connect(
        f"ws://{sent.pop('Host', known.netloc)}/_stcore/stream",
        sock=socket.create_connection((known.hostname, known.port), LONG),
        additional_headers=sent,
        subprotocols=["streamlit"],  # type: ignore[list-item]
        open_timeout=LONG,
        max_size=None,
        compression=None,
    )


def draw(connection: ClientConnection, page: str, query: str = "") -> str:
    """Ask for a page by its address, and everything that is drawn until its script ends."""
    asked = BackMsg()
    asked.rerun_script.page_name = page
    asked.rerun_script.query_string = query
    connection.send(asked.SerializeToString())
    drawn = []
    while True:
        message = ForwardMsg()
        message.ParseFromString(connection.recv(timeout=LONG))  # type: ignore[arg-type]
        drawn.append(MessageToString(message, as_utf8=True))
        if message.WhichOneof("type") == "script_finished":
            return "\n".join(drawn)


def drawn(server: str, page: str, query: str = "", **headers: str) -> str:
    """A page as somebody new sees it."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    with stream(server, {"X-Dpcore-Token": TOKEN, **sent}) as connection:
        return draw(connection, page, query)


class Visit:
    """A visit that moves controls by their keys, and asks again for what redraws itself."""

    def __init__(
        self, connection: ClientConnection, server: str, page: str, query: str = ""
    ) -> None:
        self._connection, self._server, self._page = connection, server, page
        self._values: dict[str, WidgetState] = {}
        #: Parts of the page that redraw themselves: seconds between two times, and the next one.
        self._redrawn: dict[str, tuple[float, float]] = {}
        self.shown, self._query, self._hash = "", query, ""
        self.ask()

    def ask(self, trigger: str | None = None, part: str = "") -> str:
        """Send all values, perhaps a press, and hear until no script runs."""
        asked = BackMsg()
        asked.rerun_script.page_name = "" if self._hash else self._page
        asked.rerun_script.page_script_hash = self._hash
        asked.rerun_script.query_string = self._query
        asked.rerun_script.fragment_id = part
        asked.rerun_script.is_auto_rerun = bool(part)
        asked.rerun_script.widget_states.widgets.extend(self._values.values())
        if trigger:
            asked.rerun_script.widget_states.widgets.add(id=self.id(trigger), trigger_value=True)
        self._connection.send(asked.SerializeToString())
        while not self._drawn(part):  # a script may begin anew by itself
            part = ""
        return self.shown

    def _drawn(self, part: str) -> bool:
        """Hear what is drawn until a script ends; False if another begins at once."""
        before = self.shown if part else ""
        if not part:
            self._redrawn.clear()
        drawn = []
        while (message := self._heard()).WhichOneof("type") != "script_finished":
            if message.WhichOneof("type") == "auto_rerun":
                every = message.auto_rerun.interval
                self._redrawn[message.auto_rerun.fragment_id] = every, time.monotonic() + every
            if message.WhichOneof("type") == "navigation":
                self._hash = message.navigation.page_script_hash
            if message.WhichOneof("type") == "page_info_changed":
                self._query = message.page_info_changed.query_string
            drawn.append(MessageToString(message, as_utf8=True))
        self.shown = "\n".join([before, *drawn])
        return message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN

    def set(self, key: str, value: str) -> None:
        """Choose or type something."""
        found = self.id(key)
        self._values[found] = WidgetState(id=found, string_value=value)

    def upload(self, name: str, content: bytes) -> None:
        """Hand over a file."""
        asked = BackMsg()
        asked.file_urls_request.request_id = "1"
        asked.file_urls_request.file_names.append(name)
        self._connection.send(asked.SerializeToString())
        while (message := self._heard()).WhichOneof("type") != "file_urls_response":
            pass
        (given,) = message.file_urls_response.file_urls
        head = f'Content-Disposition: form-data; name="file"; filename="{name}"'
        body = f"--border\r\n{head}\r\n\r\n".encode() + content + b"\r\n--border--\r\n"
        cookie = fetch(f"{self._server}/_stcore/health").headers["Set-Cookie"].partition(";")[0]
        kind = {
            "Content-Type": "multipart/form-data; boundary=border",
            "Cookie": cookie,
            "X-Xsrftoken": cookie.partition("=")[2],
        }
        answer = fetch(self._server + given.upload_url, kind, "PUT", body)
        assert answer.status < 300, answer
        found = self.id("upload-")
        state = WidgetState(id=found)
        state.file_uploader_state_value.uploaded_file_info.add(
            name=name, size=len(content), file_id=given.file_id, file_urls=given
        )
        self._values[found] = state
        self.ask()

    def watch(self, until: Callable[[str], bool]) -> None:
        """Let the page redraw itself as a browser does, until it shows something."""
        deadline = time.monotonic() + LONG
        while not until(self.shown):
            assert time.monotonic() < deadline, self.shown[-3000:]
            now = time.monotonic()
            for part, (every, due) in list(self._redrawn.items()):
                if now >= due:
                    self._redrawn[part] = every, now + every
                    self.ask(part=part)
            time.sleep(0.02)

    def id(self, key: str) -> str:
        """What Streamlit calls a control; a key may be given by its beginning."""
        found = re.findall(rf'"(\$\$ID-[0-9a-f]+-{re.escape(key)}[^"]*)"', self.shown)
        assert found, f"No control {key!r} in {self.shown[-3000:]}"
        return str(found[-1])

    def _heard(self) -> ForwardMsg:
        message = ForwardMsg()
        message.ParseFromString(self._connection.recv(timeout=LONG))  # type: ignore[arg-type]
        return message
