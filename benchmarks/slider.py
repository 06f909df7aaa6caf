"""One move of the slider on Explore, traced: how much of this project it goes through."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.call_trace import BEGIN, END, STARTUP, VARIABLE, Call, is_core
from benchmarks.table import Row
from benchmarks.visitors import Visitor
from tests.browser.driver import ROOT, eventually, serving

TITLE = "A move of the slider"
LEVEL = "Stricter"


def rows() -> Iterator[Row]:
    calls = trace()
    own = [call for call in calls if not is_core(call.module)]
    yield Row("functions in one move", len({(c.module, c.function) for c in calls}), 150, "")
    yield Row("… of them in the pages", len({(c.module, c.function) for c in own}), unit="")
    yield Row("modules in one move", len({call.module for call in calls}), 25, "")
    yield Row("… of them in the pages", len({call.module for call in own}), unit="")
    yield Row("crossings between pages and dpcore", sum(c.crosses for c in calls), 150, "")
    yield Row("calls in one move", len(calls), unit="")


def trace() -> list[Call]:
    """The calls of a move to a level that nobody has seen, on a page that is warm.

    A visit moves the slider of a server, which then draws what it draws for a browser: the part of
    the page that the slider is in. Functions with a name count; comprehensions belong to the
    function around them.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "calls.json")
        Path(folder, "sitecustomize.py").write_text(STARTUP)
        path = {"PYTHONPATH": os.pathsep.join([folder, str(ROOT)]), VARIABLE: str(file)}
        with serving(**path) as server:
            visitor = Visitor(server.address)
            visitor.settle()
            os.kill(server.pid, BEGIN)
            eventually(file.exists)
            visitor.move(LEVEL)
            os.kill(server.pid, END)
            eventually(lambda: bool(file.read_text()))
            visitor.close()
        return [Call(**each) for each in json.loads(file.read_text())]
