"""The outcomes of the last full measurement of all findings, in a file that ships."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from dpcore.datasets.data_folder import data_file
from dpcore.papers.figure_row import Row
from dpcore.papers.reproduction import REPRODUCTIONS, Reproduction, ReproductionRun, current_name

FILE = "findings.json"
#: The digits of a figure that are kept.
DIGITS = 4
FIGURE, PAPER, ERROR = "figure", "paper", "error"


@lru_cache(maxsize=1)
def kept_outcomes() -> Mapping[str, ReproductionRun]:
    """The kept outcomes by the names of their findings; empty where the file is not there."""
    try:
        return MappingProxyType(from_json(data_file(FILE).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}


def to_json(outcomes: Iterable[ReproductionRun]) -> str:
    """A table for each finding, with one row a line, so that two measurements can be compared."""
    entries = (f"{json.dumps(each.reproduction.name)}: {_entry(each)}" for each in outcomes)
    return "{\n" + ",\n".join(entries) + "\n}\n"


def from_json(text: str) -> dict[str, ReproductionRun]:
    """The outcomes that `to_json` wrote, judged by their rows. A finding that no longer exists, or
    that now makes another claim, is left out."""
    outcomes = {}
    for name, entry in json.loads(text).items():
        current = current_name(name)
        if current is not None and entry["claim"] == REPRODUCTIONS[current].claim:
            outcomes[current] = _outcome(REPRODUCTIONS[current], entry)
    return outcomes


def _outcome(each: Reproduction, entry: Mapping[str, Any]) -> ReproductionRun:
    rows = [each.beside(_row(entry["columns"], cells)) for cells in entry["rows"]]
    return ReproductionRun(each, rows, each.judge(rows), entry["date"])


def _entry(outcome: ReproductionRun) -> str:
    columns = list(dict.fromkeys(name for row in outcome.rows for name in row.setting))
    columns += [FIGURE, PAPER, ERROR]
    head = {
        "date": outcome.date,
        "claim": outcome.reproduction.claim,
        "columns": columns,
    }
    fields = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
    rows = ",\n".join(f"  {json.dumps(_cells(row, columns))}" for row in outcome.rows)
    return "{\n" + ",\n".join([*fields, f' "rows": [\n{rows}\n ]']) + "\n}"


def _cells(row: Row, columns: Iterable[str]) -> list[Any]:
    """The row in the order of the columns; null where it has nothing to say."""
    figures = {FIGURE: _short(row.figure), PAPER: row.paper, ERROR: _short(row.error)}
    cells = {**row.setting, **figures}
    return [cells.get(name) for name in columns]


def _short(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(f"{value:.{DIGITS}g}")


def _row(columns: Iterable[str], cells: Iterable[Any]) -> Row:
    setting = {name: cell for name, cell in zip(columns, cells, strict=True) if cell is not None}
    figure = setting.pop(FIGURE, math.nan)
    return Row(setting, figure, setting.pop(PAPER, None), setting.pop(ERROR, None))
