"""Malformed files by the command line and by upload: each gives an answer or one sentence.

Every file is made from a seed. The quick form takes every other way with every other file, the
full form both ways with five times as many and larger files. Only the reading is in this process,
where a fault shows as what it is; a few files of each kind go to a reading process as well.
"""

from __future__ import annotations

import contextlib
import io
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dpcore.cli import main
from dpcore.datasets.engines import DataFileError, HeldFile, IsolatedEngine, guess_columns
from dpcore.datasets.engines.reader import answer
from dpcore.datasets.engines.wire import source_fields, source_from
from dpcore.geometry.domain import Box
from tests.torture.bad_files import DATA, KINDS, REGIONS, ZONES, Malformed, csv_text, files

QUICK, FULL = 1_200, 6_000
#: CPU seconds that a file may take, and megabytes that all of them together may add.
SECONDS, MEGABYTES = 10.0, 1_500
#: A refusal is a sentence that a person would read to its end.
LONGEST = 1_600
BOX = Box((-75.0, 40.0), (-73.0, 41.0), ("lon", "lat"))


@dataclass
class Outcome:
    """What became of all files."""

    ends: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    slowest: float = 0.0
    megabytes: float = 0.0

    def __str__(self) -> str:
        ends = ", ".join(f"{number} {end}" for end, number in sorted(self.ends.items()))
        return (
            f"{self.ends.total()} files: {ends}; {len(self.problems)} problems; slowest "
            f"{self.slowest:.1f} CPU s; memory +{self.megabytes:.0f} MB"
        )


def run(full: bool = False) -> Outcome:
    """Read them all, and say what became of them."""
    outcome, before = Outcome(), peak()
    with tempfile.TemporaryDirectory() as folder:
        trips = Path(folder) / "trips.csv"
        trips.write_text("PULocationID\n" + "1\n2\n3\n" * 9)
        places = Path(folder) / "places.csv"
        places.write_bytes(csv_text(np.random.default_rng(0)))
        for i, file in enumerate(files(FULL if full else QUICK, 4 if full else 1)):
            # Every kind in turn, so that of each every other file goes the same way.
            ways = (i // len(KINDS)) % 2
            if full or ways == 0 or file.role == REGIONS:
                judge(outcome, file, lambda file: by_command(file, Path(folder), trips, places))
            if (full or ways == 1) and file.role != REGIONS:
                judge(outcome, file, lambda file: by_upload(file, Path(folder)))
    outcome.megabytes = peak() - before
    if outcome.megabytes > MEGABYTES:
        outcome.problems.append(f"memory grew by {outcome.megabytes:.0f} MB")
    return outcome


def judge(outcome: Outcome, file: Malformed, way: Callable[[Malformed], str]) -> None:
    """Read a file in a way, and keep what is wrong with how it ended."""
    what = f"{file.kind} {file.name!r} ({len(file.content):,} bytes)"
    start = time.process_time()
    try:
        said = way(file)
    except Exception as error:
        outcome.problems.append(f"{what}: {type(error).__name__}: {str(error)[:300]}")
        said = "fault"
    else:
        if said and (len(said) > LONGEST or "Traceback" in said or ".py:" in said):
            outcome.problems.append(f"{what}: says {said[:300]!r}")
    seconds = time.process_time() - start
    outcome.slowest = max(outcome.slowest, seconds)
    if seconds > SECONDS:
        outcome.problems.append(f"{what}: takes {seconds:.0f} CPU seconds")
    outcome.ends["answered" if not said else "faults" if said == "fault" else "refused"] += 1


def by_command(file: Malformed, folder: Path, trips: Path, places: Path) -> str:
    """The refusal of `dpcore run`, or nothing."""
    path = folder / file.name
    path.write_bytes(file.content)
    data, more = path, []
    if file.role == ZONES:
        data, more = trips, ["--zones", str(path)]
    elif file.role == REGIONS:
        data, more = places, ["--regions", str(path)]
    box = ["--box", "-75", "40", "-73", "41"]
    command = ["run", "eugkm", "--data", str(data), "-k", "1", "--epsilon", "1", *box, *more]
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            code = main([*command, "--seed", "0", "--format", "csv"])
    finally:
        path.unlink()
    if code not in (0, 2, 3) or (code and not said.getvalue().startswith("dpcore: ")):
        raise AssertionError(f"exit code {code}, and says {said.getvalue()!r}")
    return said.getvalue() if code else ""


def by_upload(file: Malformed, folder: Path) -> str:
    """The refusal of what a page asks of an upload, or nothing."""
    engine: Any = HeldFile(file.name, file.content)
    path, columns = file.name, None
    box = {"low": BOX.low, "high": BOX.high, "names": BOX.names}
    try:
        if file.role == ZONES:
            path = str(folder / file.name)
            Path(path).write_bytes(file.content)
            answer(engine, {"ask": "zones", "path": path}, ())
            return ""
        found, _ = answer(engine, {"ask": "look", "path": path, "format": None}, ())
        source = source_from(found)
        columns = guess_columns(source.schema) or tuple(source.schema)[:2]
        asked = {"path": path, "source": source_fields(source.reading(columns)), "box": box}
        if len(columns) == 2:
            answer(engine, {"ask": "census", "side": 8, **asked}, ())
    except DataFileError as error:
        return str(error)
    return ""


def by_process(each: int = 1) -> Outcome:
    """A few files of each kind, read by a process of their own."""
    outcome = Outcome()
    for file in files(each * len(KINDS), seed=1):
        if file.role == DATA:
            judge(outcome, file, _in_process)
    return outcome


def _in_process(file: Malformed) -> str:
    engine = IsolatedEngine(file.name, file.content)
    try:
        source = engine.look(file.name)
        columns = guess_columns(source.schema) or tuple(source.schema)[:2]
        if len(columns) == 2:
            engine.tally(source.reading(columns), BOX)
    except DataFileError as error:
        return str(error)
    return ""


def peak() -> float:
    """Megabytes that this process has held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
