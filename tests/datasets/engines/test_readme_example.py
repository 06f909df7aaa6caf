"""The README's example for Spark."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from dpcore.datasets import OwnData
from dpcore.datasets.engines import Engine

README = Path(__file__).parents[3] / "README.md"


def test_the_example_runs_on_files_here(spark: Engine, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    (code,) = (block for block in blocks if 'engine="spark"' in block)
    places = {"pickup_longitude": [-74.0, -73.98, 0.0], "pickup_latitude": [40.75, 40.8, 0.0]}
    pd.DataFrame(places).to_parquet(tmp_path / "1.parquet")
    names: dict[str, OwnData] = {}
    exec(
        compile(f"import dpcore\n{code.replace('hdfs:///trips', str(tmp_path))}", "README", "exec"),
        names,
    )
    assert names["data"].n.value == 2
