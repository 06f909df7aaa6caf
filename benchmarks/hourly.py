"""A ledger that gets a release every hour: what one more costs, and how large it gets.

In memory, so that the disk's patience is not measured. What a release costs grows with those before
it, so the year's last is told from the growth over the first weeks.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from statistics import median

from benchmarks.table import Row
from dpcore.privacy.accounting import Neighbors
from dpcore.release import Amount, Ledger, Unit
from dpcore.release.accounts import Claim

TITLE = "Hourly releases for a year"
YEAR, HOURS, EACH = 365 * 24, 1000, Fraction(1, 1000)
#: Bytes of a release's files, so that the folder's growth is that of the ledger itself.
CONTENT = b"0" * 1000


def rows() -> Iterator[Row]:
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        ledger = Ledger(folder)
        times = [recorded(ledger, hour) for hour in range(HOURS)]
        first, last = (median(some) for some in (times[:100], times[-100:]))
        growth = (last - first) / (HOURS - 100)
        yield Row(f"recording release {HOURS:,}", 1000 * last, 18, "ms")
        yield Row("each later one takes longer by", 1e6 * growth, 17, "µs")
        yield Row("so the last of a year", 1000 * (last + growth * (YEAR - HOURS)), 150, "ms")
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
        yield Row("the folder, for each release of 1 kB", size / HOURS / 1000, 3, "kB")
        account = ledger.account("city")
        assert account is not None
        assert account.used.epsilon == HOURS * EACH
        start = time.process_time()
        ledger.heads()
        yield Row("checking the whole chain", time.process_time() - start, 0.045, "s")


def recorded(ledger: Ledger, hour: int) -> float:
    """Seconds of processor time to check and record one hour."""
    claim = Claim(
        "city",
        Neighbors.ADD_REMOVE,
        Unit("trip"),
        Amount(Fraction(10)),
        Amount(EACH),
        (f"{1:064x}",),
        {"source": "one"},
        f"rows{1:064x}",
    )
    start = time.process_time()
    ledger.record(claim, "hourly", f"2026-01-01T{hour % 24:02}:00:00+00:00", {}, {"a": CONTENT})
    return time.process_time() - start
