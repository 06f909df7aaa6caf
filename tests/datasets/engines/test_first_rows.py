"""The first rows of a file, as text, for whoever brought it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore.datasets.engines import DataFileError, DuckDBEngine, Engine, HeldFile, IsolatedEngine

ROWS = [["1.5", "a,b"], ["-2.0", ""], ["3.25", "é"]]
TEXT = 'x,name\n1.5,"a,b"\n-2.0,\n3.25,é\n'


def opened(
    kind: str, folder: Path, held: type[HeldFile | IsolatedEngine] | None
) -> tuple[Engine, str]:
    path = folder / f"rows.{kind}"
    if kind == "parquet":
        numbers, names = ([row[i] for row in ROWS] for i in (0, 1))
        pq.write_table(pa.table({"x": list(map(float, numbers)), "name": names}), path)
    else:
        path.write_bytes(gzip.compress(TEXT.encode()) if kind.endswith("gz") else TEXT.encode())
    if held is None:
        return DuckDBEngine(), str(path)
    return held(path.name, path.read_bytes()), path.name


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet"])
@pytest.mark.parametrize("held", [None, HeldFile, IsolatedEngine], ids=["path", "held", "isolated"])
def test_the_first_rows_are_those_of_the_file(
    kind: str, held: type[HeldFile | IsolatedEngine] | None, tmp_path: Path
) -> None:
    engine, path = opened(kind, tmp_path, held)
    source = engine.look(path)
    assert engine.first_rows(source, 2) == ROWS[:2]
    assert engine.first_rows(source, 9) == ROWS


def test_rows_of_points_show_their_properties(tmp_path: Path) -> None:
    point = {"type": "Point", "coordinates": [4.9, 52.4]}
    feature = {"type": "Feature", "geometry": point, "properties": {"what": "bench"}}
    path = tmp_path / "places.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    engine = DuckDBEngine()
    (row,) = engine.first_rows(engine.look(str(path)), 5)
    assert "4.9" in row
    assert "bench" in row


def test_a_long_field_is_shortened(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("x\n" + "9" * 10_000 + "\n")
    engine = DuckDBEngine()
    ((field,),) = engine.first_rows(engine.look(str(path)), 1)
    assert len(field) <= 200


def test_a_field_too_long_for_a_line_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("x\n" + "9" * 200_000 + "\n")
    engine = DuckDBEngine()
    with pytest.raises(DataFileError, match="cannot be shown"):
        engine.first_rows(engine.look(str(path)), 1)
