"""A ledger with every hour of a year in it: what one more release costs, and how large it gets."""

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
HOURS, EACH = 365 * 24, Fraction(1, 1000)
#: Bytes of a release's files, so that the folder's growth is that of the ledger itself.
CONTENT = b"0" * 1000


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(folder)
        times = [recorded(ledger, hour) for hour in range(HOURS)]
        first, last = median(times[24:240]), median(times[-240:])
        yield Row("recording the last releases / the first", last / first, 30)
        yield Row("recording one of the last releases", 1000 * last, 100, "ms")
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
        yield Row("the folder, for each release of 1 kB", size / HOURS / 1000, 4, "kB")
        account = ledger.account("city")
        assert account is not None
        assert account.used.epsilon == HOURS * EACH
        start = time.process_time()
        ledger.heads()
        yield Row("checking the whole chain", time.process_time() - start, 5, "s")


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
