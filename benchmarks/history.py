"""The ratios of earlier measurements, which show a commit that made something slower.

`make bench` adds a line to `history.jsonl` for each module that it measures. Only ratios are kept:
seconds of one machine say nothing on another. `python -m benchmarks.history` lists what has grown.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median

from benchmarks.table import Row

HISTORY = Path(__file__).with_name("history.jsonl")
#: Compared with the median of so many earlier figures, one larger by this factor is told.
EARLIER, GROWN = 5, 1.5


def add(module: str, rows: Iterable[Row], history: Path = HISTORY) -> None:
    """Keep the ratios that a module measured at the present commit."""
    ratios = {row.what: float(f"{row.figure:.4g}") for row in rows if row.unit == "×"}
    if ratios:
        record = {"commit": _commit(), "module": module, "ratios": ratios}
        with history.open("a") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def grown(history: Path = HISTORY) -> Iterator[str]:
    """What its last measurement found much slower than those before it."""
    lines = [json.loads(line) for line in history.read_text().splitlines()]
    figures: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for line in lines:
        for what, ratio in line["ratios"].items():
            figures.setdefault((line["module"], what), []).append((line["commit"], ratio))
    for (module, what), all_ in figures.items():
        *before, (commit, now) = all_
        usual = median(ratio for _, ratio in before[-EARLIER:]) if before else now
        if now > GROWN * usual:
            yield f"{module}: {what}: {usual:g} before, {now:g} at {commit}"


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=HISTORY.parent, check=False)
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    print("\n".join(grown()) or "Nothing has become slower.")
