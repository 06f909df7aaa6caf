"""`python -m benchmarks [NAME …]`: every module here that has `TITLE` and `rows()`."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Iterable, Iterator

import benchmarks
from benchmarks import history
from benchmarks.table import Row, show


def main(names: list[str]) -> int:
    modules = [m.name for m in pkgutil.iter_modules(benchmarks.__path__)]
    met = True
    for name in names or modules:
        if name == "__main__":
            continue
        module = importlib.import_module(f"benchmarks.{name}")
        if hasattr(module, "rows"):
            rows: list[Row] = []
            met &= show(module.TITLE, _kept(module.rows(), rows))
            history.add(name, rows)
    return 0 if met else 1


def _kept(rows: Iterable[Row], rows_so_far: list[Row]) -> Iterator[Row]:
    for row in rows:
        rows_so_far.append(row)
        yield row


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
