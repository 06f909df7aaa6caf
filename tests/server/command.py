"""A dashboard started by its command, as a person starts it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.browser.driver import LONG, answers, eventually, free_port


@contextmanager
def dashboard(folder: Path, path: Path, *command: str) -> Iterator[tuple[str, str]]:
    """The server's address and its token, as the command prints them.

    It runs in the folder with no other environment than a path of packages.
    """
    probe, port = free_port()
    said = folder / "said"
    with said.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, *command, "dashboard", "--port", str(port), "--no-browser"],
            cwd=folder,
            env={"PYTHONPATH": str(path), "HOME": str(folder)},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        server = f"http://127.0.0.1:{port}"
        eventually(lambda: answers(server) or process.poll() is not None)
        text = said.read_text(encoding="utf-8")
        printed = re.search(r"Open: (\S+)/\?token=(\S+)", text)
        assert printed, text
        assert printed[1] == server
        yield server, printed[2]
    finally:
        process.terminate()
        process.wait(timeout=LONG / 1000)
        probe.close()
