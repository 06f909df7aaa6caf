"""Viewers of one public release: what a plain file server needs to show them its map."""

from __future__ import annotations

import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from benchmarks.table import Row
from dpcore.release import Amount, BuiltinData, Ledger, ReleasePlan, output, publish
from dpcore.runs.request import Request

TITLE = "Viewers of a release"
MAP = "map.html"
VIEWERS, AT_ONCE = 2_000, 50


class Quiet(SimpleHTTPRequestHandler):
    """Python's own file server, without a line for each request."""

    def log_message(self, *_: object) -> None:
        pass


def rows() -> Iterator[Row]:
    run = Request("adaptive", 5, 1.0)
    plan = ReleasePlan("taxi", BuiltinData("nyc-taxi"), run, allowed=Amount.of(1.0))
    with tempfile.TemporaryDirectory() as folder:
        released = Path(folder) / "released"
        output.write(released, dict(publish(plan, Ledger(f"{folder}/ledger")).files))
        size = (released / MAP).stat().st_size
        yield Row("the map, with all that it needs", size / 1000, 400, "kB")
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(released)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/{MAP}"

        def view(_: int) -> int:
            with urllib.request.urlopen(address) as page:
                return len(page.read())

        start = time.process_time()
        with ThreadPoolExecutor(AT_ONCE) as viewers:
            complete = sum(got == size for got in viewers.map(view, range(VIEWERS)))
        spent = time.process_time() - start
        server.shutdown()
        server.server_close()
    yield Row(f"of {VIEWERS:,} viewers, who got all of it", complete, VIEWERS, "", at_least=True)
    yield Row("processor time of a viewer, server and client", 1000 * spent / VIEWERS, 2, "ms")
