"""`python -m benchmarks [NAME …]`: every module here that has `TITLE` and `rows()`."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks
from benchmarks.table import show


def main(names: list[str]) -> int:
    found = [m.name for m in pkgutil.iter_modules(benchmarks.__path__)]
    met = True
    for name in names or found:
        if name == "__main__":
            continue
        module = importlib.import_module(f"benchmarks.{name}")
        if hasattr(module, "rows"):
            met &= show(module.TITLE, module.rows())
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
