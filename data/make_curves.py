"""Makes curves.json and draws.json: the runs with which Curves and Explore open on what ships.

    python data/make_curves.py [DATA SETS]

The figures repeat by their seeds; only the run times depend on the machine. Without arguments all
sets are measured, which takes a few minutes on one core; with arguments those sets are, and the
others stay as they are in the files.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from dpcore.datasets.builtin import BUILTIN
from dpcore.study import kept_curves, kept_draws

HERE = Path(__file__).parent
#: Data with so many rows are too large for curves.
LARGE = 1_000_000


def main(names: list[str]) -> None:
    date = datetime.now(UTC).date().isoformat()
    for module in (kept_curves, kept_draws):
        file = HERE / module.FILE
        sets = json.loads(file.read_text())["sets"] if file.exists() else {}
        for data in names or BUILTIN:
            if module is kept_curves and BUILTIN[data].rows >= LARGE:
                continue
            sets[data] = module.measure(data)
            ordered = {key: sets[key] for key in BUILTIN if key in sets}
            file.write_text(module.to_json(date, ordered))


if __name__ == "__main__":
    main(sys.argv[1:])
