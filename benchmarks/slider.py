"""One move of the slider on Explore, traced: how much of this project it goes through."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

from streamlit.testing.v1 import AppTest

from benchmarks.table import Row
from tests.browser.driver import ROOT

TITLE = "A move of the slider"
LEVEL = "Stricter"


@dataclass(frozen=True)
class Call:
    """A call of a function of this project, and the module that it came from, by way of others."""

    module: str
    function: str
    caller: str | None

    @property
    def crosses(self) -> bool:
        """Whether it leads from the pages into dpcore, or back."""
        return self.caller is not None and is_core(self.caller) != is_core(self.module)


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

    Functions with a name count; comprehensions belong to the function around them.
    """
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DPCORE_LEDGER": folder, "DPCORE_TOKEN": "off"}
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
        while "so far" in str(app.caption) or any(metric.value == "…" for metric in app.metric):
            time.sleep(0.1)
            app.run()
        calls: list[Call] = []

        def note(frame: FrameType, event: str, _: Any) -> None:
            module = module_of(frame)
            name = frame.f_code.co_name
            if event == "call" and module and (name == "<module>" or not name.startswith("<")):
                calls.append(Call(module, frame.f_code.co_qualname, caller_of(frame)))

        threading.setprofile(note)  # the page's script runs in a thread of its own
        try:
            app.select_slider(key="at-privacy").set_value(LEVEL).run()
        finally:
            threading.setprofile(None)
    assert app.select_slider(key="at-privacy").value == LEVEL
    assert not app.exception
    return calls


def module_of(frame: FrameType) -> str | None:
    """Which module of this project a frame belongs to, if any."""
    file = frame.f_code.co_filename
    if not file.startswith(str(ROOT)):
        return None
    name = os.path.relpath(file, ROOT)
    return name if name.startswith(("app.py", f"pages{os.sep}", f"dpcore{os.sep}")) else None


def caller_of(frame: FrameType) -> str | None:
    """The nearest module of this project further up."""
    above = frame.f_back
    while above is not None and module_of(above) is None:
        above = above.f_back
    return None if above is None else module_of(above)


def is_core(module: str) -> bool:
    return module.startswith(f"dpcore{os.sep}")
