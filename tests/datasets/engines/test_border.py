"""A box is closed for every reader, and each row of it lies in exactly one cell."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from dpcore.datasets.engines import Engine, open_source
from dpcore.datasets.rows import RowsDataset
from dpcore.geometry.domain import Box, Grid
from tests.datasets.engines import reference

#: Boxes to try: Spark takes a second for each.
EXAMPLES = {"duckdb": 25, "spark": 4}


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    low = [draw(st.floats(-1e6, 1e6)) for _ in range(2)]
    high = [end + draw(st.floats(1e-3, 1e6)) for end in low]
    return Box(tuple(low), tuple(high), ("x", "y"))


def rows_at_borders(box: Box) -> np.ndarray:
    """Rows on both ends, one float beside each, on the borders of cells, and outside."""
    axes = []
    for low, high in zip(box.low, box.high, strict=True):
        axes.append(
            [
                *(low, math.nextafter(low, -math.inf), math.nextafter(low, math.inf)),
                *(high, math.nextafter(high, -math.inf), math.nextafter(high, math.inf)),
                *(low + (high - low) * i / 5 for i in range(6)),
            ]
        )
    return np.array(list(itertools.product(*axes)))


def test_a_row_on_an_end_of_the_box_is_in_and_in_one_cell(engine: Engine, tmp_path: Path) -> None:
    numbers = itertools.count()

    @settings(
        max_examples=EXAMPLES[engine.key],
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
        deadline=None,
        derandomize=True,
    )
    @given(boxes())
    def holds(box: Box) -> None:
        values = rows_at_borders(box)
        inside = ((values >= box.low) & (values <= box.high)).all(axis=1)
        assume(not inside.all())
        path = tmp_path / f"{next(numbers)}.parquet"
        pq.write_table(pa.table({"x": values[:, 0], "y": values[:, 1]}), path)
        for clip, expected in ((False, values), (True, reference.clipped(values, box))):
            source = open_source(engine, str(path), box.names, clip=clip)
            in_memory = RowsDataset.from_values(values, box, outside="clip" if clip else "drop")
            for grid in (Grid(box, 5), Grid(box, 4)):
                counts = engine.grid_counts(source, grid)
                assert counts.sum() == (len(values) if clip else inside.sum())
                np.testing.assert_array_equal(counts, reference.grid_counts(expected, grid))
                np.testing.assert_array_equal(counts.ravel(), in_memory.histogram(grid))
        np.testing.assert_array_equal(box.cells([box.high])[0], box.cells([box.high]).max())

    holds()


def test_pictures_whose_values_reach_both_ends_of_their_range_are_all_counted() -> None:
    from sklearn.datasets import load_digits

    import dpcore

    pictures = load_digits().data
    data = dpcore.datasets.from_array(pictures, (0, 16))
    assert data.n.value == len(pictures) == 1797


def test_an_empty_data_set_is_never_silent(tmp_path: Path) -> None:
    import pytest

    import dpcore

    with pytest.warns(dpcore.NoRowsWarning, match="No row lies in the box, x0 from 0 to 1"):
        assert dpcore.datasets.from_array([[3.0], [4.0]], (0, 1)).n.value == 0
    (tmp_path / "rows.csv").write_text("x,y,z\n9,9,9\n", encoding="utf-8")
    for columns in (["x", "y"], ["x", "y", "z"]):
        with pytest.warns(dpcore.NoRowsWarning, match="All 1 rows .* lie outside the box"):
            dpcore.datasets.from_file(tmp_path / "rows.csv", columns, (0, 1))


def test_rows_outside_are_dropped_by_default_wherever_rows_are_read() -> None:
    import inspect

    import dpcore
    from dpcore.release import FileData

    doors = (dpcore.datasets.from_array, dpcore.datasets.from_file, dpcore.datasets.why_empty)
    defaults = {
        inspect.signature(door).parameters["outside"].default
        for door in (*doors, RowsDataset.from_values, FileData)
    }
    assert defaults == {"drop"}
