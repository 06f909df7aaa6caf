"""The first steps with an installed dpcore, on any system, without make or a shell.

Run it outside a checkout: `python -P first_steps.py`. It needs the extra `app`.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

#: Seconds within which the dashboard answers on a slow machine.
PATIENCE = 180


def dpcore(*words: str, folder: Path) -> str:
    """What a command prints."""
    run = subprocess.run(
        [sys.executable, "-P", "-m", "dpcore", *words],
        cwd=folder,
        env={**os.environ, "DPCORE_LEDGER": str(folder / "ledger")},
        capture_output=True,
    )
    if run.returncode:
        sys.exit(f"dpcore {words[0]} ended with {run.returncode}: {run.stderr.decode('utf-8')}")
    return run.stdout.decode("utf-8")


def release(folder: Path) -> None:
    """Publish a file of one's own, check it, and look at what it cost."""
    rows = "".join(f"{-74 + i % 40 / 1000},{40.72 + i % 50 / 1000}\n" for i in range(2000))
    (folder / "fährten.csv").write_text("lon,breite °\n" + rows, encoding="utf-8")
    plan = ["adaptive", "--data", "fährten.csv", "--columns", "lon", "breite °"]
    box = ["--box", "-74.1", "40.7", "-73.9", "40.9"]
    cost = ["-k", "2", "--epsilon", "0.5", "--allowed", "1", "--unit", "trip", "--name", "Fährten"]
    dpcore("release", *plan, *box, *cost, "--output", "released", "--yes", folder=folder)
    dpcore("verify", "released", "--ledger", "ledger", folder=folder)
    (account,) = json.loads(dpcore("history", "--json", folder=folder))["accounts"]
    assert account["name"] == "Fährten", account
    dpcore("ledger", "backup", "backup", folder=folder)
    dpcore("ledger", "check", folder=folder)


def open_dashboard(folder: Path) -> None:
    """Start the dashboard and wait until it is healthy. Another program may take a free port first:
    then another port is tried."""
    if not any(is_healthy(folder) for _ in range(3)):
        sys.exit("The dashboard does not answer.")


def is_healthy(folder: Path) -> bool:
    """Whether a dashboard on a free port answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "dpcore", "dashboard", "--port", str(port), "--no-browser"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + PATIENCE
        while process.poll() is None and time.monotonic() < end:
            try:
                with urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5) as answer:
                    assert answer.status == 200
                    return True
            except (URLError, TimeoutError, ConnectionError):
                time.sleep(0.2)
        return False
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        release(Path(temporary))
        open_dashboard(Path(temporary))
    print("The first steps work.")
