"""Data of one's own: read where they lie, counted in one pass, refused in words."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest

import dpcore
from dpcore.datasets import EngineDataset, GridDataset, RowsDataset, why_empty
from dpcore.datasets.engines import DataFileError
from dpcore.datasets.files import FileReading
from dpcore.geometry.domain import Box, Grid
from dpcore.results.non_private import NonPrivate

BOX = ([-74.1, 40.7], [-73.9, 40.9])
RNG = np.random.default_rng(5)
TRIPS = RNG.normal([-73.98, 40.76], [0.02, 0.03], (3000, 2))
WIDE = RNG.uniform(-1.2, 1.2, (2000, 5))


@pytest.fixture
def trips(tmp_path):
    path = tmp_path / "trips.parquet"
    pd.DataFrame(TRIPS, columns=["pickup_longitude", "pickup_latitude"]).to_parquet(path)
    return path


@pytest.fixture
def wide(tmp_path):
    path = tmp_path / "wide.parquet"
    pd.DataFrame(WIDE, columns=list("abcde")).to_parquet(path)
    return path


def test_two_columns_become_the_grid_that_numpy_counts(trips):
    data = FileReading(trips, box=BOX).dataset()
    assert isinstance(data, GridDataset)
    assert data.about.geographic
    assert data.box.names == ("pickup_longitude", "pickup_latitude")
    rows = RowsDataset.from_values(TRIPS, data.box)
    for side in (16, 1024):
        grid = Grid(data.box, side)
        np.testing.assert_array_equal(data.histogram(grid), rows.histogram(grid))


def test_rows_outside_are_dropped_or_moved_to_the_edge(trips):
    inside = Box.between(*BOX, 2).contains(TRIPS).sum()
    assert FileReading(trips, box=BOX).dataset().n == inside
    assert FileReading(trips, box=BOX, outside="clip").dataset().n == 3000


def test_more_columns_stay_in_the_file_and_answer_like_rows_in_memory(wide):
    data = FileReading(wide, list("abcde"), (-1, 1)).dataset()
    assert isinstance(data, EngineDataset)
    rows = RowsDataset.from_values(WIDE, data.box)
    centers = RNG.integers(-(2**21), 2**21, (2, 4, 5))
    assert data.n == rows.n
    for center_set in centers:
        ours, theirs = data.cluster_totals(center_set), rows.cluster_totals(center_set)
        np.testing.assert_array_equal(ours.counts, theirs.counts)
        np.testing.assert_array_equal(ours.sums, theirs.sums)
    np.testing.assert_array_equal(data.squared_ticks(centers), rows.squared_ticks(centers))
    grid = Grid(data.box, 3)
    np.testing.assert_array_equal(data.histogram(grid), rows.histogram(grid))


def test_a_run_on_a_file_equals_the_run_on_its_rows(wide):
    data = FileReading(wide, list("abcde"), (-1, 1)).dataset()
    rows = RowsDataset.from_values(WIDE, data.box)
    a, b = (dpcore.run("dplloyd", x, 3, 1.0, seed=2) for x in (data, rows))
    np.testing.assert_array_equal(a.centers, b.centers)
    assert dpcore.nicv(data, a.centers) == dpcore.nicv(rows, b.centers)


def test_a_glob_of_compressed_files_is_one_data_set(tmp_path):
    for i, part in enumerate(np.array_split(TRIPS, 2)):
        text = "lat,lon\n" + "".join(f"{y!r},{x!r}\n" for x, y in part.tolist())
        (tmp_path / f"part{i}.csv.gz").write_bytes(gzip.compress(text.encode()))
    data = FileReading(tmp_path / "*.csv.gz", box=BOX).dataset()
    assert data.box.names == ("lon", "lat")
    assert data.n == Box.between(*BOX, 2).contains(TRIPS).sum()


def test_the_box_must_be_given_because_taking_it_from_the_data_leaks(trips):
    with pytest.raises(ValueError, match="give the public box of pickup_longitude"):
        FileReading(trips).dataset()


@pytest.mark.parametrize(
    ("name", "content", "columns", "words"),
    [
        ("cut.parquet", b"PAR1 and no more", None, "cut.parquet"),
        ("not.parquet", b"a,b\n1,2\n", None, "not.parquet"),
        ("plain.csv", b"a,b\n1,2\n", ["a", "c"], "column 'c'"),
        ("empty.csv", b"", None, "empty"),
        ("cut.csv.gz", gzip.compress(b"lon,lat\n1,2\n" * 999)[:40], None, "damaged or cut short"),
        ("photo.jpg", b"\xff\xd8", None, "photo.jpg"),
    ],
    ids=["cut", "not Parquet", "no such column", "empty", "cut gzip", "other"],
)
def test_a_file_that_cannot_be_read_is_named_with_its_column(
    tmp_path, name, content, columns, words
):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataFileError, match=words.replace(".", r"\.")):
        FileReading(tmp_path / name, columns, BOX).dataset()


def test_a_bad_row_is_left_out_and_never_aborts(tmp_path):
    path = tmp_path / "dirty.csv"
    path.write_text("lon,lat\n-74,40.8\nnan,40.8\nx,y\n-74\n-74,40.8,1\ninf,40.8\n,\n-74,40.81\n")
    assert FileReading(path, box=BOX).dataset().n == 2


def test_lists_of_positions_that_are_swapped_are_explained_not_shown_as_an_empty_map(tmp_path):
    path = tmp_path / "swapped.csv"
    path.write_text("lon,lat\n40.8,-74\n40.75,-73.95\n")
    assert FileReading(path, box=BOX).dataset().n == 0
    words = why_empty(path, box=BOX)
    assert isinstance(words, NonPrivate)
    assert "longitude and latitude are swapped" in words.value
    assert why_empty(path, ["lat", "lon"], BOX) is None
