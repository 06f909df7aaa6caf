"""The C library between a process and the disk: built once, loaded into processes that are watched.

`witnessed` runs a module of this package under it; there, `Witness` says what to watch.
"""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_name("witness.c")
ROOT = Path(__file__).parents[2]


def possible() -> bool:
    """Whether this machine can build and load it."""
    return sys.platform == "linux" and shutil.which("gcc") is not None


@functools.cache
def library() -> str:
    """Its path; the folder is left to the system's temporary files."""
    built = Path(tempfile.mkdtemp(prefix="dpcore-witness-")) / "witness.so"
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Werror"]
    subprocess.run(["gcc", *flags, "-o", built, SOURCE, "-ldl", "-lpthread"], check=True)
    return str(built)


def witnessed(module: str, *arguments: object) -> str:
    """What a module of this package prints, run as a program under the library."""
    preloaded = {"LD_PRELOAD": library(), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", f"tests.torture.{module}", *map(str, arguments)]
    run = subprocess.run(
        command, cwd=ROOT, env=os.environ | preloaded, capture_output=True, text=True, check=False
    )
    if run.returncode:
        raise AssertionError(f"{module} ended with {run.returncode}:\n{run.stdout}{run.stderr}")
    return run.stdout


class Witness:
    """The library as it is loaded into this process."""

    def __init__(self) -> None:
        self._calls = ctypes.CDLL(None)
        self._calls.witness_seen.restype = ctypes.c_char_p

    def watch(self, folder: Path, kill_at: int = 0, half: bool = False, into: int = -1) -> None:
        """Look at what happens under a folder from now on."""
        path = os.fsencode(folder)
        self._calls.witness_watch(path, ctypes.c_long(kill_at), int(half), into)

    @property
    def seen(self) -> bytes:
        """The calls that changed something so far, a letter each: W for what writes bytes."""
        return bytes(self._calls.witness_seen())

    def note(self, words: str) -> None:
        """Write words between the calls."""
        self._calls.witness_note(words.encode())
