"""Waiting for what must come about, and never for a time."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Seconds that anything may take where others share the machine.
LONG = 600


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + LONG
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)
