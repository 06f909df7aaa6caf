"""Makes curves.json: every run of the curves with which Curves opens on the small sets that ship.

    python data/make_curves.py [DATA SETS]

The figures repeat by their seeds; only the run times depend on the machine. Without arguments all
sets are measured, which takes a few minutes on one core; with arguments those sets are, and the
others stay as they are in the file.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from dpcore.datasets.builtin import BUILTIN
from dpcore.study import kept_curves
from dpcore.study.kept_curves import FILE

HERE = Path(__file__).parent
#: Data with so many rows are too large to be measured.
LARGE = 1_000_000


def main(names: list[str]) -> None:
    file = HERE / FILE
    sets = json.loads(file.read_text())["sets"] if file.exists() else {}
    date = datetime.now(UTC).date().isoformat()
    small = [key for key, each in BUILTIN.items() if each.rows < LARGE]
    for data in names or small:
        sets[data] = kept_curves.measure(data)
        ordered = {key: sets[key] for key in small if key in sets}
        file.write_text(kept_curves.to_json(date, ordered))


if __name__ == "__main__":
    main(sys.argv[1:])
