"""A job in a process of its own: its processor time, and the memory that it takes at most."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import Any

#: A peak is never unlearned, so each job has its own process; what it imports is not counted.
PROGRAM = """
import json, re, sys, time
from pathlib import Path

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024

values = json.loads(sys.argv[1])
{setup}
before, start = peak(), time.process_time()
{job}
print(json.dumps([time.process_time() - start, time.process_time(), before, peak()]))
"""


@dataclass(frozen=True)
class Spent:
    """Seconds of processor time, of the job and with its imports; megabytes, before it and most."""

    seconds: float
    whole: float
    before: float
    peak: float


def spent(setup: str, job: str, **values: Any) -> Spent:
    """What a job takes. `values` is a dictionary of that name in both parts of the program."""
    program = PROGRAM.format(setup=setup, job=job)
    command = [sys.executable, "-c", program, json.dumps(values)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=compiled())
    return Spent(*json.loads(done.stdout.splitlines()[-1]))


def compiled() -> dict[str, str]:
    """The environment in which a program keeps what Python compiles, as one that is installed
    does; the first run of several is slower."""
    return {
        **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        "PYTHONPYCACHEPREFIX": os.path.join(tempfile.gettempdir(), "dpcore-benchmarks"),
    }
