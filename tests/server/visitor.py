"""A visitor without a browser: everything that a page sends, as text, and any forged request."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from collections.abc import Mapping
from email.message import Message
from typing import NamedTuple
from urllib.parse import urlsplit

from google.protobuf.text_format import MessageToString
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

TOKEN = "a-token-of-this-test"
#: Seconds that anything may take where others share the machine.
LONG = 120


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
