"""A tile server that an administrator configured, as a map uses it in Chromium."""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.driver import picture, serving, settled, shows

COLOR = "#FF00FF"


@pytest.fixture
def tiles() -> Iterator[tuple[str, list[str]]]:
    """The address of a server whose tiles have one color, and what it was asked."""
    content = io.BytesIO()
    Image.new("RGB", (256, 256), COLOR).save(content, "PNG")
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "image/png")
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()
            self.wfile.write(content.getvalue())

        def log_message(self, *_: object) -> None:
            """Tests print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


def test_tiles_come_from_the_configured_server_which_the_map_names(
    blank_page: Page, tiles: tuple[str, list[str]]
) -> None:
    host, asked = tiles
    settings = {"DPCORE_TILES": f"http://{host}/{{z}}/{{x}}/{{y}}.png", "DPCORE_TILES_CREDIT": "Ex"}
    with serving(**settings) as server:
        page = blank_page
        page.goto(server.address)
        settled(page)
        shows(picture(page), COLOR, 100_000)
        expect(page.locator(".map-credit")).to_have_text(f"Ex · {host} sees which area you look at")
        assert all(re.fullmatch(r"/1[1-3]/\d+/\d+\.png", path) for path in asked)
        page.locator(".map-save summary").click()
        with page.expect_download() as download:
            page.get_by_role("button", name="PNG").click()
        assert download.value.path().stat().st_size > 10_000
