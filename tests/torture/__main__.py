"""`python -m tests.torture [--full] [NAME …]`: every module here that has `run(full)`.

A module raises where something does not hold, and may give back lines that tell what was tried.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
import time
import traceback

from tests import torture


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser("python -m tests.torture")
    parser.add_argument("names", nargs="*", help="modules to run (all)")
    parser.add_argument("--full", action="store_true", help="as much as a release of dpcore needs")
    asked = parser.parse_args(words)
    failed = []
    for name in asked.names or [m.name for m in pkgutil.iter_modules(torture.__path__)]:
        if name == "__main__":
            continue
        module = importlib.import_module(f"tests.torture.{name}")
        if not hasattr(module, "run"):
            continue
        start = time.monotonic()
        try:
            lines = module.run(asked.full) or ()
            for line in lines:
                print(f"{name}: {line}", flush=True)
        except Exception:
            traceback.print_exc()
            failed.append(name)
        print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)
    print(f"FAILED: {', '.join(failed)}" if failed else "all of it holds")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
