"""What a release costs in time, and where that goes."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import duckdb

import dpcore
from benchmarks.table import Row, unit
from dpcore.datasets import DataInfo
from dpcore.datasets.engines import DuckDBEngine, open_source
from dpcore.datasets.files import with_tally
from dpcore.geometry.domain import Box
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.release import (
    Amount,
    BuiltinData,
    FileData,
    Ledger,
    Progress,
    ReleasePlan,
    publish,
    verify,
)
from dpcore.release.certificate import NAME
from dpcore.runs.request import Request

TITLE = "Release"
#: As many rows as yellow taxis had trips in a month, and runs of which the fastest counts.
MONTH, RUNS = 11_800_000, 2
MAKE = """
    COPY (SELECT -74 + 0.08 * (random() + random() - 1) AS lon,
                 40.8 + 0.08 * (random() + random() - 1) AS lat FROM range({n}))
    TO '{path}'{options}
"""
#: A person who waits longer than this is told how far it is.
UNTOLD = 1.0
#: The longest work without news that we allow.
SILENT = 0.35
#: OpenDP's geometric sampler, values a second, as measured for the design.
SAMPLER = 1.8e5


def rows() -> Iterator[Row]:
    yield from of_files()
    base = unit()
    dpcore.datasets.load("nyc-month")
    for algorithm in ("coreset", "adaptive", "eugkm"):
        plan = ReleasePlan(
            "month", BuiltinData("nyc-month"), Request(algorithm, 5, 0.5), allowed=Amount.of(10.0)
        )
        with tempfile.TemporaryDirectory() as folder:
            ledger = Ledger(folder)
            publish(plan, ledger)
            with watched() as spent, waiting() as silence:
                start = time.process_time()
                release = publish(plan, ledger, silence)
                whole = time.process_time() - start
            rest = whole - spent["noise"] - spent["selection"]
            name = f"{algorithm} on nyc-month, k=5, ε=0.5"
            yield Row(f"{name}: in all", whole, unit="s", note=f"{whole / base:.0f} × bincount")
            seconds = spent["values"] / SAMPLER
            yield Row("  noise", spent["noise"], unit="s", note=f"{spent['values']:,.0f} values")
            if seconds > UNTOLD / 10:
                yield Row(
                    "  noise / OpenDP's sampler at 1.8e5 values a second",
                    spent["noise"] / seconds,
                    1.5,
                )
            yield Row(
                "  selection", spent["selection"], unit="s", note=f"{spent['picks']:.0f} picks"
            )
            yield Row("  rest: counting, clustering, files, ledger", rest, unit="s")
            yield Row("  longest work without news", silence.longest, SILENT, "s")
            start = time.process_time()
            verify(release.files[NAME], release.files)
            yield Row("  verifying it", time.process_time() - start, unit="s")


def of_files() -> Iterator[Row]:
    """A month of rows in files, beside the count of them that Publish makes before a release."""
    box = Box((-74.1, 40.7), (-73.9, 40.9), ("lon", "lat"))
    with tempfile.TemporaryDirectory() as folder:
        for kind, options in (("parquet", ""), ("csv", " (HEADER)")):
            path = f"{folder}/month.{kind}"
            duckdb.execute(MAKE.format(n=MONTH, path=path, options=options))
            engine = DuckDBEngine()
            source = open_source(engine, path, ("lon", "lat"))
            counted, released = [], []
            for number in range(RUNS):
                start = time.process_time()
                with_tally(engine, source, box, DataInfo("month", "Month"))
                counted.append(time.process_time() - start)
                plan = ReleasePlan(
                    "month", FileData(path, ("lon", "lat"), box), Request("adaptive", 5, 0.5)
                )
                start = time.process_time()
                publish(plan, Ledger(f"{folder}/books-{kind}-{number}"))
                released.append(time.process_time() - start)
            yield Row(
                f"release of 11.8M rows of {kind} / their count",
                min(released) / min(counted),
                3.0,
                note=f"{min(released):.1f} s / {min(counted):.1f} s of CPU time",
            )


@contextmanager
def watched() -> Iterator[dict[str, float]]:
    """Processor time in the samplers of a release, and what they drew."""
    spent = dict.fromkeys(("noise", "selection", "values", "picks"), 0.0)
    kinds = {"geometric": "noise", "gaussian": "noise", "choose": "selection"}

    def timed(draw: Callable[..., Any], kind: str) -> Callable[..., Any]:
        @wraps(draw)
        def timed_draw(self: ReleaseNoise, values: Any, *rest: Any, **named: Any) -> Any:
            start = time.process_time()
            try:
                return draw(self, values, *rest, **named)
            finally:
                spent[kind] += time.process_time() - start
                spent["values" if kind == "noise" else "picks"] += (
                    values.size if kind == "noise" else 1
                )

        return timed_draw

    before = {name: getattr(ReleaseNoise, name) for name in kinds}
    try:
        for name, kind in kinds.items():
            setattr(ReleaseNoise, name, timed(before[name], kind))
        yield spent
    finally:
        for name, draw in before.items():
            setattr(ReleaseNoise, name, draw)


class Silence:
    """How much work it was at most between two pieces of news."""

    def __init__(self) -> None:
        self.longest, self._last = 0.0, time.process_time()

    def __call__(self, progress: Progress | None = None) -> None:
        now = time.process_time()
        self.longest, self._last = max(self.longest, now - self._last), now


@contextmanager
def waiting() -> Iterator[Silence]:
    silence = Silence()
    yield silence
    silence()
