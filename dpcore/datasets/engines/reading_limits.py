"""The limits of memory, time and size for reading an untrusted file."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

if sys.platform != "win32":  # which has no such limits
    import resource

    #: What macOS may answer to a limit that it does not know. On Linux every limit must hold.
    REFUSED = () if sys.platform == "linux" else (OSError, ValueError)

#: Files that one pattern or folder may stand for, and columns that a file may have.
MAX_FILES, MAX_COLUMNS = 10_000, 10_000
#: Bytes of a table of zones, and of a file of regions.
MAX_TABLE = 16 << 20
#: What a reading process takes before it reads anything, and DuckDB's share of the rest.
BASE, SHARE = 256 << 20, 0.8
#: How much a reading process gives way to others.
LATER = 5


@dataclass(frozen=True)
class ReadingLimits:
    """Limits of one reading process."""

    #: Bytes of memory.
    memory: int
    #: Seconds of one question: of computing, on all cores together, and by the clock.
    computing: int
    seconds: float
    #: Bytes of one answer.
    answer: int = 1 << 30

    @property
    def for_database(self) -> int:
        """Bytes that DuckDB may take; what does not fit, it writes to disk or refuses."""
        return int((self.memory - BASE) * SHARE)

    def restrict_memory(self) -> None:
        """Limit the memory of this process, for good, and leave no core file with rows in it.

        The limit is on data, not on addresses: past that one, Arrow and DuckDB crash; here they
        say that there is no memory.
        """
        if sys.platform != "win32":
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            _, most = resource.getrlimit(resource.RLIMIT_DATA)
            memory = self.memory if most == resource.RLIM_INFINITY else min(self.memory, most)
            with suppress(*REFUSED):
                resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
            os.nice(LATER)  # a page that somebody looks at goes first
            with suppress(OSError):  # of its session, where Linux has such a thing
                Path("/proc/self/autogroup").write_text(str(LATER), encoding="utf-8")

    def restrict_computing(self) -> None:
        """Limit what this process computes from now on."""
        if sys.platform != "win32":
            used = resource.getrusage(resource.RUSAGE_SELF)
            end = int(used.ru_utime + used.ru_stime) + self.computing
            _, most = resource.getrlimit(resource.RLIMIT_CPU)
            if most == resource.RLIM_INFINITY or end <= most:
                resource.setrlimit(resource.RLIMIT_CPU, (end, most))


#: For a file that was handed over: small, and answered while somebody waits. By the clock it has
#: longer, so that a busy machine refuses no file that a quiet one reads.
FOR_UPLOADS = ReadingLimits(memory=2 << 30, computing=120, seconds=300)
#: For files on this machine, which may be large: whoever waits can stop it.
FOR_PATHS = ReadingLimits(memory=4 << 30, computing=4 * 3600, seconds=3600)
