"""Files made to harm whoever reads them: how long the server stands still, and what it grows by."""

from __future__ import annotations

import gzip
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from benchmarks.table import Row
from dpcore.datasets.engines import DataFileError, IsolatedEngine, open_source
from dpcore.datasets.engines.reading_limits import FOR_UPLOADS
from dpcore.datasets.named_boxes import PLACES
from dpcore.geometry.domain import Box, Grid
from tests.browser.driver import Server, serving
from tests.server.visitor import LONG, Visit, stream

TITLE = "Files made to harm: the process that asks for them"
BOX = Box((-75.0, 40.0), (-73.0, 41.0), ("lon", "lat"))
MEGABYTE = 1 << 20
#: Seconds that a health check may wait, megabytes that a server may grow by, by how much a file
#: may exceed its time until it is refused, and which part of a core waiting for it may take.
FREEZE, GROWTH, LATE, COMPUTING = 0.3, 20, 10, 0.02
BEAT = 0.02
#: How often a server is looked at while it reads, and at rest.
TURNS = 5


def packed(*parts: tuple[bytes, int]) -> bytes:
    """A .csv.gz of a header and then pieces, each so many times."""
    return b"".join(gzip.compress(piece) * times for piece, times in ((b"lon,lat\n", 1), *parts))


def cases() -> Iterator[tuple[str, str, bytes]]:
    yield "one line of 300 MB", "a.csv.gz", packed((b"x" * MEGABYTE, 300))
    yield "one line of 1,000 MB", "a.csv.gz", packed((b"x" * MEGABYTE, 1000))
    yield "40 million short lines", "a.csv.gz", packed((b"1\n" * MEGABYTE, 40))
    yield "47 million rows", "a.csv.gz", packed((b"-74.123456,40.654321\n" * 47_000, 1000))
    names = ",".join(f"c{i}" for i in range(1_000_000))
    yield "1,000,000 columns", "a.csv", f"{names}\n{',' * 999_999}\n".encode()


class Pulse:
    """The longest time for which a thread that only wants to look at the clock had to wait."""

    def __init__(self) -> None:
        self.longest = 0.0

    @contextmanager
    def measure(self) -> Iterator[None]:
        done = threading.Event()

        def beat() -> None:
            last = time.monotonic()
            while not done.wait(BEAT):
                now = time.monotonic()
                self.longest, last = max(self.longest, now - last - BEAT), now

        thread = threading.Thread(target=beat)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE


def read(name: str, content: bytes) -> str:
    """What comes of a file, in short."""
    engine = IsolatedEngine(name, content)
    try:
        tally = engine.census(open_source(engine, name, BOX.names), Grid(BOX, 1024))[1]
    except DataFileError as refusal:
        return refusal.problem[:60]
    return f"{tally.total:,} rows"


class HealthChecks:
    """How long a server took at most to say that it is there, asked again and again."""

    def __init__(self, address: str) -> None:
        self._connection = HTTPConnection(urlsplit(address).netloc, timeout=LONG)
        self._connection.connect()

    def longest(self, until: Callable[[], bool]) -> tuple[float, int]:
        """The longest answer, and how many there were, until something is so; at least one."""
        longest, number = 0.0, 0
        while not number or not until():
            start = time.monotonic()
            self._connection.request("GET", "/_stcore/health")
            self._connection.getresponse().read()
            longest, number = max(longest, time.monotonic() - start), number + 1
            time.sleep(BEAT)
        return longest, number


def counting(server: Server, path: Path | None, content: bytes) -> Visit:
    """A visit that needs only a press to read all of a file."""
    visit = Visit(stream(server.address), server.address, "publish", "from=path" if path else "")
    if path:
        visit.set("remembered-path", str(path))
        visit.ask()
    else:
        visit.upload("a.csv.gz", content)
    visit.ask("open")
    visit.watch(lambda page: "remembered-place" in page)
    visit.set("remembered-place", next(iter(PLACES)))
    visit.ask()
    return visit


def freezes(server: Server, visit: Visit) -> Iterator[tuple[float, float, float]]:
    """Seconds that a file is read, and the longest health check then and for as long before, at
    rest, by turns: others on the machine slow down both."""
    start = time.monotonic()
    count(visit)
    seconds = time.monotonic() - start
    for _ in range(TURNS):
        checks, end = HealthChecks(server.address), time.monotonic() + seconds
        idle, _ = checks.longest(lambda end=end: time.monotonic() > end)
        counted = threading.Thread(target=count, args=(visit,))
        start = time.monotonic()
        counted.start()
        busy, _ = checks.longest(lambda counted=counted: not counted.is_alive())
        seconds = time.monotonic() - start
        yield seconds, busy, idle


def count(visit: Visit) -> None:
    visit.ask("count")
    visit.watch(lambda page: "What became of the rows" in page or "cannot be read" in page)


def of_a_server() -> Iterator[Row]:
    """A real server while a page reads a file, redraws its bar, and others ask for its health."""
    content = packed((b"x" * MEGABYTE, 300))
    with TemporaryDirectory() as folder, serving(DPCORE_DATA=folder) as server:
        path = Path(folder) / "a.csv.gz"
        path.write_bytes(content)
        for way, location in (("upload", None), ("path", path)):
            pauses = list(freezes(server, counting(server, location, content)))
            more = [busy - idle for _, busy, idle in pauses]
            words = ", ".join(f"{busy:.2f} s and {idle:.2f} s" for _, busy, idle in pauses)
            note = f"read and at rest: {words}; each for some {median(s for s, *_ in pauses):.0f} s"
            what = f"one line of 300 MB by {way}: health check, longer than at rest"
            yield Row(what, median(more), FREEZE, "s", note=note)


def rows() -> Iterator[Row]:
    yield from of_a_server()
    idle = Pulse()
    with idle.measure():
        time.sleep(10)
    yield Row("the same thread with nothing to read", idle.longest, unit="s")
    folder = IsolatedEngine()
    for what, name, content in [*cases(), ("/usr/share/**/*.txt", "", b"")]:
        before, start, used, pulse = resident(), time.monotonic(), time.process_time(), Pulse()
        with pulse.measure():
            if name:
                came = read(name, content)
            else:
                try:
                    came = f"{len(folder.look(what).layouts):,} files"
                except DataFileError as refusal:
                    came = refusal.problem[:60]
        seconds, growth = time.monotonic() - start, resident() - before
        note = f"{len(content) >> 10:,} kB: {came}"
        yield Row(f"{what}: longest wait", pulse.longest, FREEZE, "s", note=note)
        computing = (time.process_time() - used) / seconds
        yield Row(f"{what}: computing, of a core", computing, COMPUTING)
        yield Row(f"{what}: growth", growth, GROWTH, "MB")
        yield Row(f"{what}: time", seconds, FOR_UPLOADS.seconds + LATE, "s")
