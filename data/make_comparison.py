"""Makes comparison.json: how every method does on the data that ship, at every named level.

    python data/make_comparison.py [DATA SETS]

The figures repeat by their seeds; only the run times depend on the machine. Without arguments all
sets are measured, which takes about half an hour on one core; with arguments those sets are, and
the others stay as they are in the file. Of large sets only the times of runs are kept.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from dpcore.datasets.builtin import BUILTIN
from dpcore.study import kept_standings
from dpcore.study.kept_standings import FILE

HERE = Path(__file__).parent
#: Data with this many rows are too large to be measured.
LARGE = 1_000_000


def main(names: list[str]) -> None:
    file = HERE / FILE
    comparison = json.loads(file.read_text()) if file.exists() else {"sets": {}, "times": {}}
    before, times = comparison["sets"], comparison["times"]
    date = datetime.now(UTC).date().isoformat()
    for data in names or BUILTIN:
        if BUILTIN[data].rows >= LARGE:
            times[data] = kept_standings.run_times(data)
        else:
            before[data] = kept_standings.measure(data)
        ordered = {key: before[key] for key in BUILTIN if key in before}
        file.write_text(kept_standings.to_json(date, ordered, times))


if __name__ == "__main__":
    main(sys.argv[1:])
