"""What checking a release costs, and how many changes to one it finds."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.foundation import NEEDED, cpu_seconds
from benchmarks.table import Row, seconds
from dpcore.release import (
    Amount,
    BuiltinData,
    Ledger,
    ReleasePlan,
    Unit,
    output,
    publish,
    verify,
)
from dpcore.release.certificate import NAME
from dpcore.runs.request import Request
from tests.release.tampering import TAMPERINGS, UNDONE, copied, edited, refingerprinted, remade

TITLE = "Verify"
#: How far a change is covered up: not at all; digests, fingerprint and page made again; all that
#: dpcore makes of a certificate made again. Then the least part of the changes to be found.
TIERS: tuple[tuple[str, Callable[..., dict[str, bytes]], str, float], ...] = (
    ("as they are", edited, "nothing", 1.0),
    ("digests and page made again", refingerprinted, "page", 0.95),
    ("everything made again", remade, "everything", 0.95),
)


def rows() -> Iterator[Row]:
    needed = cpu_seconds("-c", NEEDED)
    for algorithm, data, k, delta in (
        ("coreset", "nyc-taxi", 5, 1e-6),
        ("adaptive", "nyc-taxi", 5, 0.0),
        ("dplloyd", "wine", 3, 0.0),
    ):
        files = _released(algorithm, data, k, delta)
        spent = seconds(lambda files=files: verify(files[NAME], files), repeats=3)  # type: ignore[misc]
        yield Row(f"{algorithm} on {data}: one check", spent, unit="s")
        with tempfile.TemporaryDirectory() as folder:
            output.write(Path(folder) / "released", files)
            command = ("-m", "dpcore", "verify", str(Path(folder) / "released" / NAME))
            whole = cpu_seconds(*command)
        yield Row(f"{algorithm} on {data}: dpcore verify, the whole process", whole, 0.8, "s")
        yield Row("  the same / import of numpy, scipy.optimize and pandas", whole / needed)
    files = _released("coreset", "nyc-taxi", 5, 1e-6)
    for what, cover, undone, least in TIERS:
        names = sorted(set(TAMPERINGS) - UNDONE[undone])
        missed = [name for name in names if not _found(files, name, cover)]
        share = 1 - len(missed) / len(names)
        note = f"of {len(names)}; not found: {', '.join(missed) or 'none'}"
        yield Row(f"changes found, {what}", share, least, "", True, note)


def _released(algorithm: str, data: str, k: int, delta: float) -> dict[str, bytes]:
    unit = Unit("trip") if data == "nyc-taxi" else Unit()
    allowed = Amount.of(1.0, delta)
    plan = ReleasePlan(
        data, BuiltinData(data), Request(algorithm, k, 1.0, delta), unit=unit, allowed=allowed
    )
    with tempfile.TemporaryDirectory() as folder:
        return dict(publish(plan, Ledger(folder)).files)


def _found(files: dict[str, bytes], name: str, cover: Callable[..., dict[str, bytes]]) -> bool:
    certificate, changed = copied(files)
    TAMPERINGS[name](certificate, changed)
    changed = cover(certificate, changed)
    return any(each.holds is False for each in verify(changed[NAME], changed))
