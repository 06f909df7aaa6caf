"""Spend once: read, draw the noise that may leave, write ledger and files, and only then show."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from dpcore.datasets.base import Dataset
from dpcore.kmeans.stages import listening
from dpcore.privacy.accounting import Infeasible
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.release import bundle
from dpcore.release.certificate import NAME as CERTIFICATE
from dpcore.release.ledger import Entry, Ledger
from dpcore.release.plan import ReleasePlan
from dpcore.results.run_result import ReleasedResult, UnchargedResult
from dpcore.runs.run import run

#: Seconds between two looks at how far the rows are read.
NEWS = 0.2


@dataclass(frozen=True)
class Progress:
    """What is being done, and which part of that is done, from 0 to 1."""

    doing: str
    part: float


@dataclass(frozen=True)
class Release:
    """A release that is in the ledger: its entry, and the files that may leave, by name."""

    entry: Entry
    files: Mapping[str, bytes]

    @cached_property
    def certificate(self) -> dict[str, Any]:
        """What the release says of itself."""
        return json.loads(self.files[CERTIFICATE])

    def save(self, folder: str | Path) -> None:
        """Write the files into a folder."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, content in self.files.items():
            (Path(folder) / name).write_bytes(content)


class Unanswered(Infeasible):
    """The run began to ask and ended without an answer: its price is spent, as `entry` says."""

    def __init__(self, entry: Entry):
        super().__init__(
            f"{entry.failure} The run had begun to ask when it ended, so {entry.charged} is spent."
        )
        self.entry = entry


def publish(
    plan: ReleasePlan, ledger: Ledger, progress: Callable[[Progress], None] | None = None
) -> Release:
    """Make the release that a plan describes, charge the ledger, and return what may be shown.

    Raises ReleaseRefused, with nothing spent, when the account cannot pay, or the same data have
    another name. When the algorithm itself ends without an answer after it has asked, the whole
    price is charged, and Unanswered raised (see `dpcore.release.ledger`).
    """
    tell = progress or (lambda _: None)
    tell(Progress("looking at the ledger", 0.0))
    claim = plan.claim(plan.data.fingerprints(ledger.key))
    ledger.check(claim)
    # Taken before anything private is read: how long the rest takes depends on the data.
    time = datetime.now(UTC).isoformat(timespec="seconds")
    data = _opened(plan, tell)
    noise = ReleaseNoise(lambda done, of: tell(Progress("drawing noise", done / of)))
    try:
        with listening(lambda doing, part: tell(Progress(doing, part))):
            result = run(
                plan.algorithm,
                data,
                plan.k,
                plan.per_row.epsilon,
                plan.per_row.delta,
                plan.neighbors,
                noise=noise,
                progress=lambda part: tell(Progress("spending the budget", part)),
                **plan.parameters,
            )
        if not isinstance(result, UnchargedResult):
            raise TypeError(f"{type(result).__name__} is not for release.")
        tell(Progress("writing the files", 0.0))
        published = bundle.bundle(plan, ReleasedResult.of(result, claim), time)
    except Exception as error:
        if not noise.asked:
            raise
        reason = str(error) if isinstance(error, Infeasible) else type(error).__name__
        entry = ledger.record(claim, plan.purpose, time, plan.as_dict(), {}, reason)
        raise Unanswered(entry) from error
    entry = ledger.record(claim, plan.purpose, time, plan.as_dict(), published)
    return reopened(ledger, entry.number)


def reopened(ledger: Ledger, number: int) -> Release:
    """A release that was made before, to show it or download it again, for free."""
    return Release(ledger.entry(number), ledger.files(number))


def _opened(plan: ReleasePlan, tell: Callable[[Progress], None]) -> Dataset:
    """The rows, while it is told how far they are read."""
    with ThreadPoolExecutor(1) as elsewhere:
        rows = elsewhere.submit(plan.data.open, plan.unit)
        while True:
            tell(Progress("counting the rows", plan.data.progress))
            if wait([rows], NEWS).done:
                return rows.result()
