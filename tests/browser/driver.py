"""A cold server, a real Chromium, and eyes: what tests, screenshots and benchmarks share."""

from __future__ import annotations

import contextlib
import io
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from PIL import Image, ImageChops
from playwright.sync_api import ConsoleMessage, Error, FloatRect, Locator, Page, Request, WebSocket
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

ROOT = Path(__file__).parents[2]
#: Software rendering; a sandbox needs rights that containers do not give.
FLAGS = ["--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
#: What unfolds is open at once: a click on something that still moves would land beside it.
WITHOUT_MOTION = """
const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, options) {
  return animate.call(this, frames, { ...options, duration: 0 });
};
"""
#: Milliseconds that anything may take where others share the machine.
LONG = 90_000
DESK = {"width": 1400, "height": 900}
PHONE = {"width": 390, "height": 844}
PROJECTOR = {"width": 1280, "height": 720}
#: Open a path as somebody new would: the fixture `visit`.
Visit = Callable[..., Page]


class Server(NamedTuple):
    """Where a server answers, and which process it is."""

    address: str
    pid: int


def free_port() -> tuple[socket.socket, int]:
    """A port for a server, and the socket to close when the server has ended.

    While the socket is bound to the port, Linux gives it to nobody else, and a server may listen.
    """
    probe = socket.socket()
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
    if sys.platform != "linux":
        probe.close()
    return probe, port


@contextlib.contextmanager
def serving(
    ledger: str | None = None, main: str = "app.py", root: Path = ROOT, **environment: str
) -> Iterator[Server]:
    """A server that was just started, on a free port, with a ledger of its own.

    It asks for no token, unless the environment says otherwise.
    """
    probe, port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", main]
    options = [f"--server.port={port}", "--server.fileWatcherType=none"]
    folder = tempfile.TemporaryDirectory()
    errors = Path(folder.name) / "errors"
    with errors.open("wb") as said:  # a pipe that nobody reads would fill up and stop the server
        process = subprocess.Popen(
            [*command, *options],
            cwd=root,
            env=os.environ
            | {"DPCORE_LEDGER": ledger or f"{folder.name}/ledger", "DPCORE_TOKEN": "off"}
            | environment,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        eventually(lambda: answers(address) or process.poll() is not None)
        assert process.poll() is None, errors.read_text()
        yield Server(address, process.pid)
    finally:
        process.terminate()
        process.wait(timeout=LONG / 1000)
        probe.close()
        folder.cleanup()


def answers(address: str) -> bool:
    with contextlib.suppress(OSError):
        urllib.request.urlopen(f"{address}/_stcore/health", timeout=10)
        return True
    return False


class Talk:
    """What a page asks its server for, and whether that was answered."""

    def __init__(self, page: Page) -> None:
        #: Since when the page waits for an answer, or None.
        self.waiting: float | None = None
        self.requests = 0
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        self.waiting = time.monotonic()  # it asks for the page
        socket.on("framesent", self._asked)
        socket.on("framereceived", self._answered)
        socket.on("close", self._ended)

    def _asked(self, content: str | bytes) -> None:
        if isinstance(content, bytes) and BackMsg.FromString(content).HasField("rerun_script"):
            self.waiting = time.monotonic()
            self.requests += 1

    def _answered(self, content: str | bytes) -> None:
        if not isinstance(content, bytes):
            return
        said = ForwardMsg.FromString(content)
        early = said.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
        if said.HasField("new_session"):
            self.waiting = None
        elif said.HasField("script_finished") and early:
            self.waiting = time.monotonic()

    def _ended(self, _: WebSocket) -> None:
        self.waiting = None


#: Where an error hurts nobody: at a page's own address Streamlit first asks for its server one
#: folder too deep, and where a busy machine keeps its connection waiting, it connects once more.
HARMLESS = r"://[^/]+/[^/]+/_stcore/|/_stcore/stream$"
#: Seconds after which a page is taken to have no answer to expect.
PATIENCE = 20.0
_talks: WeakKeyDictionary[Page, Talk] = WeakKeyDictionary()


def answered(page: Page) -> None:
    """Wait until the server has begun to answer what the page asked for."""
    if (talk := _talks.get(page)) is None:
        return
    while talk.waiting is not None and time.monotonic() - talk.waiting < PATIENCE:
        page.wait_for_timeout(50)


def watch(page: Page, server: str, problems: list[str]) -> None:
    """Write down every error of the page, and every request to another host."""
    _talks[page] = Talk(page)
    page.on("pageerror", lambda error: problems.append(f"page error: {error}"))

    def hear(said: ConsoleMessage) -> None:
        if said.type == "error" and not re.search(HARMLESS, said.location["url"]):
            problems.append(f"console: {said.text}")

    def see(request: Request) -> None:
        if not request.url.startswith((server, "data:", "blob:")):
            problems.append(f"request: {request.url}")

    page.on("console", hear)
    page.on("request", see)


def open_page(page: Page, name: str) -> None:
    """Follow a link of the bar, or of the menu that stands for it in a narrow window."""
    menu = page.get_by_role("button", name="Menu", exact=True)
    link = page.locator(".st-key-menu").get_by_role("link", name=name, exact=True)
    menu.or_(link).filter(visible=True).first.wait_for()
    if menu.is_visible():
        menu.click()
    link.click()


def picture(page: Page, which: int = 0) -> Locator:
    return page.get_by_role("figure").nth(which)


def downloaded(page: Page, press: Callable[[], None]) -> Path:
    """The file that a press downloads."""
    with page.expect_download() as download:
        press()
    return download.value.path()


def in_address(page: Page, *texts: str) -> None:
    """Wait until the address says so."""
    for text in texts:
        page.wait_for_function(
            "text => decodeURIComponent(location.search).includes(text)", arg=text, timeout=LONG
        )


def width(page: Page) -> int:
    """As wide as the page is, with what can only be seen by scrolling."""
    return page.evaluate(
        "Math.max(document.documentElement.scrollWidth,"
        " document.querySelector('[data-testid=stMain]').scrollWidth)"
    )


def place(target: Locator) -> FloatRect:
    """Where it is drawn, once that no longer moves."""
    places = [target.bounding_box()]

    def stands() -> bool:
        places.append(target.bounding_box())
        return places[-1] is not None and places[-1] == places[-2]

    eventually(stands)
    assert places[-1] is not None
    return places[-1]


def settled(page: Page) -> Page:
    """Wait until the script has finished, draws included, and a map shows its centers."""
    picture(page).wait_for(timeout=LONG)
    page.wait_for_function(
        "() => { const told = [...document.querySelectorAll("
        "'[data-testid=stMetricValue], .figures .value')]"
        ".map(value => value.innerText.trim());"
        " return told.length >= 3 && !told.includes('…')"
        " && !document.body.innerText.includes('draws so far'); }",
        timeout=LONG,
    )
    idle(page)
    return page


#: Every map that has been begun is drawn, with its streets, and moves no more.
STILL = """() => [...document.querySelectorAll('.city-map')]
  .every(each => each.cityMap?.isStill || !each.checkVisibility())"""


THEME = """() => {
  const color = getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor;
  return color === 'rgb(255, 255, 255)' ? 'light' : 'dark';
}"""


def change_theme(page: Page, theme: str) -> None:
    """Have the browser prefer light or dark, and wait until the server draws the page so."""
    before = _talks[page].requests
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    eventually(lambda: page.evaluate(THEME) == theme and _talks[page].requests > before)
    idle(page)


def at_rest(page: Page) -> None:
    """Wait until what the page asked for is drawn."""
    answered(page)
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for(
        timeout=LONG
    )
    page.wait_for_function(STILL, timeout=LONG)


def idle(page: Page) -> None:
    """Wait until the server has nothing left to say and the map has drawn it."""
    for _ in range(2):  # a slider tells the server of a key only after a moment
        at_rest(page)
        page.wait_for_timeout(500)


def pixels(target: Locator) -> Image.Image:
    return Image.open(io.BytesIO(target.screenshot())).convert("RGB")


def count(image: Image.Image, color: str, tolerance: int = 6) -> int:
    """How many pixels have a color, nearly."""
    wanted = tuple(int(color[i : i + 2], 16) for i in (1, 3, 5))
    near = (
        number
        for number, found in image.getcolors(image.width * image.height) or []
        if max(abs(a - b) for a, b in zip(found, wanted, strict=True)) <= tolerance
    )
    return sum(near)


def shows(target: Locator, color: str, more_than: int) -> None:
    """Wait until more pixels than so many have a color."""
    eventually(lambda: count(pixels(target), color) > more_than)


def alike(one: Image.Image, other: Image.Image) -> bool:
    """Whether two pictures are the same but for the smoothing of edges."""
    if one.size != other.size:
        return False
    apart = ImageChops.difference(one, other).convert("L").point(lambda level: 255 * (level > 16))
    return apart.histogram()[255] < one.width * one.height / 1000


def eventually(claim: Callable[[], bool], why: Callable[[], str] = lambda: "Never true.") -> None:
    """Wait until a claim holds, or say why it does not."""
    deadline = time.monotonic() + LONG / 1000
    while True:
        try:
            if claim():
                return
        except Error:  # what it looks at was replaced while it looked
            if time.monotonic() >= deadline:
                raise
        assert time.monotonic() < deadline, why()
        time.sleep(0.2)
