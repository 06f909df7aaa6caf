"""The calls of this project's functions in a server, noted between two signals.

`listen` runs when the server starts, from a `sitecustomize` that its parent puts on the path.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
BEGIN, END = signal.SIGUSR1, signal.SIGUSR2
#: The variable that names the file for the calls. While it is empty, calls are being noted.
VARIABLE = "DPCORE_CALLS"
STARTUP = "from benchmarks import call_trace\n\ncall_trace.listen()\n"


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


def listen() -> None:
    """Note calls in all threads that start between the two signals."""
    calls: list[Call] = []
    file = Path(os.environ[VARIABLE])

    def note(frame: FrameType, event: str, _: Any) -> None:
        module = module_of(frame)
        name = frame.f_code.co_name
        if event == "call" and module and (name == "<module>" or not name.startswith("<")):
            calls.append(Call(module, frame.f_code.co_qualname, caller_of(frame)))

    def begin(*_: object) -> None:
        threading.setprofile(note)  # each redraw of a page runs in a thread of its own
        file.touch()

    def end(*_: object) -> None:
        threading.setprofile(None)
        whole = file.with_suffix(".whole")
        whole.write_text(json.dumps([asdict(call) for call in calls]))
        whole.replace(file)

    signal.signal(BEGIN, begin)
    signal.signal(END, end)


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
