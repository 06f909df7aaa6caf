"""The gate before every request: host, token, limits, and the headers that browsers obey."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from base64 import b64encode
from collections.abc import Callable
from html import escape
from http import HTTPStatus
from pathlib import Path
from re import DOTALL, findall
from urllib.parse import quote, urlencode

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from pages.server import settings, uploads
from pages.server.settings import ServerLimits

#: Says that the server is there, and nothing else: for whoever watches over it.
HEALTH = "/_stcore/health"
UPLOAD = "/_stcore/upload_file/"
TOKEN_HEADER = b"x-dpcore-token"
#: Names the visit to the page's script. Only the gate sets it.
VISIT_HEADER = b"x-dpcore-visit"
#: Seconds of moves that a visit may make at once before it has to wait.
BURST = 3.0
#: Seconds for which a page says that moves had to wait.
SAID = 10.0

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}
<style>body {{ font: 1rem/1.5 system-ui, sans-serif; margin: 4rem auto; max-width: 36rem;
padding: 0 1rem; color-scheme: light dark; }}</style></head>
<body><h1>{title}</h1>{body}</body></html>"""

HOW_TO_GET_IN = """
<p>Open the address that the server printed when it started. It ends in <code>?token=…</code>.</p>
<p>Were you here before, in this browser? Then <a href="">go on</a>.</p>"""


def plain_page(status: HTTPStatus, title: str, body: str, head: str = "") -> Response:
    return HTMLResponse(
        PAGE.format(title=escape(title), body=body, head=head),
        status,
        {"Cache-Control": "no-store"},
    )


def policy() -> str:
    """The policy on what pages may load: files of this server, what their own scripts make, and map
    tiles where an administrator named a server for them."""
    page = Path(streamlit.__file__).with_name("static") / "index.html"
    inline = " ".join(
        f"'sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in findall(r"<script>(.*?)</script>", page.read_text(encoding="utf-8"), DOTALL)
    )
    tiles = settings.tiles()
    return "; ".join(
        (
            "default-src 'none'",
            # Each component's script comes from a blob, and Arrow's reader is WebAssembly.
            f"script-src 'self' 'wasm-unsafe-eval' blob: {inline}",
            "style-src 'self' 'unsafe-inline'",
            " ".join(["img-src 'self' data: blob:", *([tiles.origin] if tiles else [])]),
            "font-src 'self' data:",
            "connect-src 'self' data: blob:",
            "media-src 'self' blob:",
            "worker-src 'self' blob:",
            "manifest-src 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        )
    )


class Throttle:
    """Makes one visit wait where it moves controls faster than the limit, for long."""

    def __init__(self, per_second: int, now: Callable[[], float] = time.monotonic) -> None:
        self._pause = 1 / per_second
        self._now = now
        #: When the moves that were let through are paid for.
        self._paid = float("-inf")
        self.waited = float("-inf")

    def wait(self) -> float:
        """Seconds that the next move has to wait."""
        now = self._now()
        self._paid = max(self._paid, now - BURST) + self._pause
        seconds = max(self._paid - now, 0.0)
        if seconds:
            self.waited = now
        return seconds

    @property
    def is_busy(self) -> bool:
        return self._now() - self.waited < SAID


#: The open visits of this server, by the name that the gate gave each.
visits: dict[str, Throttle] = {}


class Gate:
    """ASGI middleware around the whole of Streamlit."""

    def __init__(self, app: ASGIApp, token: str | None, limits: ServerLimits) -> None:
        self._app = app
        self._token = token
        self._limits = limits
        self._uploading = 0
        # A cookie reaches every port of a host: it is not the token itself, and names its port.
        key = (token or "").encode()
        self._pass = hmac.new(key, b"dpcore cookie", hashlib.sha256).hexdigest()
        self._headers = {
            "Content-Security-Policy": policy(),
            "X-Frame-Options": "DENY",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._answer(scope, receive, self._with_headers(send))
        elif scope["type"] == "websocket":
            await self._listen(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        if scope["path"] == HEALTH:
            await self._app(scope, receive, send)
        elif refusal := self._refusal(connection):
            await refusal(scope, receive, send)
        elif scope["path"].startswith(UPLOAD) and scope["method"] == "PUT":
            await self._upload(connection, receive, send)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, connection: HTTPConnection) -> Response | None:
        """The answer in place of the dashboard, if there is one."""
        if not is_host_allowed(connection.headers.get("host")):
            return plain_page(
                HTTPStatus.FORBIDDEN,
                "This is not the address of the dashboard",
                "<p>Open the address that the server printed when it started. Whoever runs it can "
                "allow other names: <code>dpcore dashboard --host NAME</code>.</p>",
            )
        if not self._may_enter(connection):
            if self._token and self._knows(connection.query_params.get("token")):
                return self._welcome(connection)
            return plain_page(HTTPStatus.FORBIDDEN, "This dashboard needs its token", HOW_TO_GET_IN)
        if "token" in connection.query_params:
            return self._welcome(connection)
        is_page = "text/html" in connection.headers.get("accept", "")
        if is_page and len(visits) >= self._limits.visits:
            return plain_page(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "This dashboard is full",
                f"<p>It serves {self._limits.visits} visits at a time, and all are taken. Try "
                "again in a minute.</p>",
            )
        return None

    def _may_enter(self, connection: HTTPConnection) -> bool:
        if self._token is None or self._knows(connection.headers.get(TOKEN_HEADER.decode())):
            return True
        # Who came with the token alone could name anybody in a header that only a proxy may send.
        if settings.user_header():
            return False
        cookie = connection.cookies.get(self._cookie(connection), "")
        return hmac.compare_digest(cookie.encode(), self._pass.encode())

    def _knows(self, token: str | None) -> bool:
        return hmac.compare_digest((token or "").encode(), (self._token or "").encode())

    def _cookie(self, connection: HTTPConnection) -> str:
        _, port = connection.scope.get("server") or ("", 0)
        return f"dpcore-{port}"

    def _welcome(self, connection: HTTPConnection) -> Response:
        """Set the cookie and open the same page without the token.

        A redirect would not do: where another program or site was the one to open the address, a
        browser follows it without the strict cookie.
        """
        rest = [
            (name, value)
            for name, value in connection.query_params.multi_items()
            if name != "token"
        ]
        place = (
            "/" + quote(connection.url.path.lstrip("/")) + (f"?{urlencode(rest)}" if rest else "")
        )
        response = plain_page(
            HTTPStatus.OK,
            "Opening the dashboard",
            f'<p><a href="{escape(place)}">Open it</a></p>',
            f'<meta http-equiv="refresh" content="0;url={escape(place)}">',
        )
        if self._token and not settings.user_header():
            response.set_cookie(
                self._cookie(connection),
                self._pass,
                httponly=True,
                samesite="strict",
                secure=connection.url.scheme == "https",
            )
        return response

    async def _upload(self, connection: HTTPConnection, receive: Receive, send: Send) -> None:
        """Let an upload in while there is room for it among those of all visits."""
        scope = connection.scope
        length = connection.headers.get("content-length", "")
        if not length.isdecimal():
            refusal = HTTPStatus.LENGTH_REQUIRED, "<p>An upload says how long it is.</p>"
        elif uploads.total() + self._uploading + int(length) > self._limits.uploads << 20:
            refusal = HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"<p>{uploads.FULL}</p>"
        else:
            self._uploading += int(length)
            try:
                await self._app(scope, receive, send)
            finally:
                self._uploading -= int(length)
            return
        status, words = refusal
        await plain_page(status, status.phrase, words)(scope, receive, send)

    async def _listen(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The connection of one visit, which may move only so fast."""
        connection = HTTPConnection(scope)
        full = len(visits) >= self._limits.visits
        if (
            full
            or not is_host_allowed(connection.headers.get("host"))
            or not self._may_enter(connection)
        ):
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        visit, throttle = secrets.token_hex(8), Throttle(self._limits.moves)
        visits[visit] = throttle
        headers = [each for each in scope["headers"] if each[0] not in (VISIT_HEADER, TOKEN_HEADER)]
        scope = {**scope, "headers": [*headers, (VISIT_HEADER, visit.encode())]}

        async def slowly() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive":
                await asyncio.sleep(throttle.wait())
            return message

        try:
            await self._app(scope, slowly, send)
        finally:
            del visits[visit]

    def _with_headers(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers[name] = value
            await send(message)

        return sending
