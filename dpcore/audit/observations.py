"""Everything that a run reveals, as numbers in columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np

from dpcore.geometry.domain import FloatArray
from dpcore.privacy.transcript import Charge, Transcript
from dpcore.results.run_result import RunResult

#: Of a longer array, so many numbers are looked at one by one, and the rest through their sum.
ELEMENTS = 128

Seen = dict[str, Any]


def failure(error: Exception) -> Seen:
    """The observation of a run that ends in an error: the class and the whole message."""
    seen: Seen = {"error": type(error).__name__, "error.message": str(error)}
    smallest = getattr(error, "smallest_epsilon", None)
    if smallest is not None:
        seen["error.smallest epsilon"] = float(smallest)
    return seen


def result(run: RunResult) -> Seen:
    """The observation of a complete run: centers, synopsis, facts, every step and every charge.

    Without the truth behind the steps, which only the owner of the data may see.
    """
    charges = list(_all_charges(run.transcript))
    seen: Seen = {
        "type": type(run).__name__,
        "verdict": str(run.verdict),
        "parameters": repr(dict(run.parameters)),
        "centers": np.asarray(run.centers),
        "transcript.epsilon": np.array([c.epsilon for c in charges]),
        "transcript.scale": np.array([math.nan if c.scale is None else c.scale for c in charges]),
        "transcript.why": "; ".join(f"{c.mechanism}: {c.why}" for c in charges),
        "transcript": repr(run.transcript.as_dicts()),
        "box": repr(run.box),
        "steps": " ".join(step.kind for step in run.steps),
    }
    if run.synopsis is not None:
        seen["synopsis.points"] = run.synopsis.unit_points
        seen["synopsis.weights"] = run.synopsis.weights
    for name, value in run.facts.items():
        seen[f"facts.{name}"] = value
    for i, step in enumerate(run.steps, start=1):
        for name, value in step.released.items():
            seen[f"step {i}.{step.kind}.{name}"] = value
    return seen


def _all_charges(transcript: Transcript) -> Iterator[Charge]:
    """The charges, and those of the accounts that they paid for."""
    for charge in transcript:
        yield charge
        for account in charge.inner:
            yield from _all_charges(account)


def flattened(seen: Seen) -> dict[str, FloatArray]:
    """Every value as a short array of numbers."""
    flat: dict[str, FloatArray] = {}
    for name, value in seen.items():
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            numbers = value.ravel().astype(np.float64)
            flat[name] = numbers[:ELEMENTS]
            if numbers.size != 1:
                flat[f"{name} (sum)"] = np.array([numbers.sum()])
                flat[f"{name} (size)"] = np.array([float(numbers.size)])
            if numbers.size > ELEMENTS:
                flat[f"{name} (all)"] = np.array([float(crc32(numbers.tobytes()))])
        elif isinstance(value, bool | int | float | np.number):
            flat[name] = np.array([float(value)])
        elif isinstance(value, Mapping):
            flat |= flattened({f"{name}.{key}": inner for key, inner in value.items()})
        else:
            flat[name] = np.array([_number_of(value)])
    return flat


def _number_of(value: Any) -> float:
    """A number for something said in words or shown as an object. Two that differ in what they
    say differ in their number."""
    if isinstance(value, str):
        return float(crc32(value.encode()))
    parts = {name: part for name, part in getattr(value, "__dict__", {}).items() if name[0] != "_"}
    if not parts:
        shows_address = repr(value).startswith("<")
        return float(crc32((type(value).__name__ if shows_address else repr(value)).encode()))
    flat = flattened(parts)
    return float(crc32(b"".join(k.encode() + v.tobytes() for k, v in flat.items())))


def tabulated(runs: Sequence[dict[str, FloatArray]]) -> tuple[FloatArray, list[str]]:
    """A table with a row for each run and a column for each number, and the names of the columns.

    NaN stands where a run has no such number.
    """
    widths: dict[str, int] = {}
    for run in runs:
        for name, numbers in run.items():
            widths[name] = max(widths.get(name, 0), len(numbers))
    starts = dict(zip(widths, np.cumsum([0, *widths.values()]).tolist(), strict=False))
    table = np.full((len(runs), sum(widths.values())), np.nan)
    for row, run in zip(table, runs, strict=True):
        for name, numbers in run.items():
            row[starts[name] : starts[name] + len(numbers)] = numbers
    names = [
        name if width == 1 else f"{name}[{i}]"
        for name, width in widths.items()
        for i in range(width)
    ]
    return table, names
