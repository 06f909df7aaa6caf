"""A reading process: started, watched, stopped, and its end explained in words."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dpcore.datasets.engines.reading_limits import ReadingLimits
from dpcore.datasets.engines.wire import TOO_LARGE, Arrays, Fields, TooLarge, receive, send
from dpcore.errors import DataFileError, ReadingStopped
from dpcore.geometry.domain import IntArray

#: The package without what `import dpcore` and its data sets bring along, which takes a second.
#: A new process, not a copy of this one: threads do not survive a copy, and a copy holds all that
#: this one holds.
START = """
import sys, types
for name, folder in zip(("dpcore", "dpcore.datasets"), sys.argv[1:]):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [folder]
from dpcore.datasets.engines.reader import main
main()
"""
#: Arrow's and OpenBLAS' own ways set a gigabyte aside, which would count against the limit.
THRIFTY = {"ARROW_DEFAULT_MEMORY_POOL": "system", "OPENBLAS_NUM_THREADS": "1"}
PACKAGES = [str(Path(__file__).parents[up]) for up in (2, 1)]
STOPPED, SLOW = "stopped", "slow"
#: Seconds within which a killed process is gone.
PATIENCE = 10


class ReadingProcess:
    """A process that reads one held file, or files on this machine, within limits."""

    def __init__(
        self,
        limits: ReadingLimits,
        name: str | None = None,
        content: bytes = b"",
        root: str | None = None,
    ):
        self._limits = limits
        self._why = ""
        # What it writes of rows that do not fit in memory must go even when it is killed.
        folder = tempfile.mkdtemp(prefix="dpcore-") if name is None else None
        spill = {"TMPDIR": folder, "TEMP": folder} if folder else {}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", START, *PACKAGES],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # an error can quote rows
            # Linux shares a busy machine among sessions: in one of its own, what this process
            # computes is not taken from who asked, who has others to answer.
            start_new_session=True,
            env={**os.environ, **THRIFTY, **spill},
        )
        #: Ends the process now; by itself it happens when nobody holds this object anymore.
        self.end = weakref.finalize(self, _end, self._process, folder)
        self._first: tuple[Mapping[str, Any], bytes] | None = (
            {"limits": asdict(limits), "name": name, "size": len(content), "root": root},
            content,
        )

    @property
    def lives(self) -> bool:
        return self._process.poll() is None

    def kill(self, why: str = STOPPED) -> None:
        """End it from another thread, and so what it is being asked."""
        self._why = self._why or why
        self._process.kill()

    def ask(
        self, fields: Mapping[str, Any], arrays: Arrays, tell: Callable[[float], None]
    ) -> tuple[Fields, list[IntArray]]:
        """Its answer; DataFileError if it refuses, or dies of the question."""
        deadline = threading.Timer(self._limits.seconds, self.kill, [SLOW])
        deadline.daemon = True
        deadline.start()
        try:
            answer, numbers = self._exchange(fields, arrays, tell)
        except TooLarge as error:
            self._process.kill()
            raise DataFileError(fields["path"], TOO_LARGE) from error
        except Exception as error:  # it is gone, or what it says is no message
            self._process.kill()
            raise self._death(fields["path"]) from error
        finally:
            deadline.cancel()
        if "refused" in answer:
            path, problem, column = answer["refused"]
            raise DataFileError(path, problem, column)
        return answer, numbers

    def _exchange(
        self, fields: Mapping[str, Any], arrays: Arrays, tell: Callable[[float], None]
    ) -> tuple[Fields, list[IntArray]]:
        questions, answers = self._process.stdin, self._process.stdout
        assert questions is not None
        assert answers is not None
        if self._first is not None:
            first, content = self._first
            self._first = None
            send(questions, first)
            questions.write(content)
        send(questions, fields, arrays)
        while True:
            answer, numbers = receive(answers, self._limits.answer)
            if "progress" not in answer:
                return answer, numbers
            tell(float(answer["progress"]))

    def _death(self, path: str) -> DataFileError:
        """The reason why it ended, in words."""
        code = self._process.wait(PATIENCE)
        limits, most = self._limits, f"{self._limits.memory >> 30} GB"
        if self._why == STOPPED:
            return ReadingStopped(path)
        if self._why == SLOW:
            return DataFileError(path, f"reading it takes more than {limits.seconds:g} seconds.")
        if code == -getattr(signal, "SIGXCPU", 0):
            return DataFileError(
                path, f"reading it takes more than {limits.computing} seconds of computing."
            )
        return DataFileError(
            path,
            f"the process that read it ended. It is damaged, or reading it takes more than {most} "
            "of memory.",
        )


def _end(process: subprocess.Popen[bytes], folder: str | None) -> None:
    process.kill()
    process.wait(PATIENCE)
    for stream in (process.stdin, process.stdout):
        try:
            if stream:
                stream.close()
        except OSError:  # what was not yet written
            pass
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
