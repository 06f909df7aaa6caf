"""Every engine against plain numpy, on rows chosen to tell them apart."""

from __future__ import annotations

import gzip
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore.datasets.engines import DataFileError, Engine, open_source
from dpcore.geometry.domain import Box, FloatArray, Grid, cell_ticks
from tests.datasets.engines import reference

BOX = Box((-74.1, 40.7), (-73.9, 40.9), ("lon", "lat"))
#: Cells a side that are whole cells of the lattice, and that are not.
CELLS = (16, 13)
GRID = Grid(BOX, 16)
#: Fields that look like numbers to somebody; half of them do to nobody here.
FIELDS = [
    *("-74", " -74.0 ", '"-74"', '" -74. "', "-74e0", "-740E-1", "-.74e2", "-74.00000000000001"),
    *("-7_4", "-74d", "-74f", "-0x4A", "NaN", "nan", "inf", "-Infinity", "1e400", "-1e-400"),
    *("", " ", "NULL", "-", ".", "e5", "--74", "+-74", "-74,0", "-74\t", "-74\xa0", "٧٤", "-7 4"),
    *('"-74"" "', '-7"4"', '"-"74', '"-74,"', '"-74\n"', '"\r\n-74"', "1e308", "-1e308", "9" * 400),
]


def awkward(box: Box) -> FloatArray:
    """Points on and one ulp beside every border of cells, and numbers that are no positions."""
    axes = []
    for low, high in zip(box.low, box.high, strict=True):
        shares = [np.arange(g + 1) / g for g in CELLS]
        borders = low + (high - low) * np.unique(np.concatenate(shares))
        near = np.concatenate([borders, np.nextafter(borders, -9e9), np.nextafter(borders, 9e9)])
        odd = [np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -0.0, np.nextafter(high, low)]
        axes.append(np.concatenate([near, odd]))
    return np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, box.d)


def write_csv(path: Path, header: str, lines: list[str], end: str = "\n") -> bytes:
    text = end.join([header, *lines]).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return text


@pytest.fixture(scope="session")
def csv_files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, FloatArray]:
    """Two files with their columns in different order, one compressed, and what they hold."""
    folder = tmp_path_factory.mktemp("awkward csv")
    points = awkward(BOX).tolist()
    lines = [f"a,{x!r},{y!r},b" for x, y in points]
    first = write_csv(folder / "first.csv.gz", "id,lon,lat,note", lines)
    lines = [f'40.8,"a, b {i}",{field}' for i, field in enumerate(FIELDS)]
    lines += ["40.8,a", "40.8,a,-74,b", "40.8,a,-74,", ",,", "", "  ", "40.8,a,-74"]
    lines += [
        "lat,note,lon",
        '40.8,"two lines,\r\n""so"" called",-74',
        '40.8,"40.8,a,-74\n40.8,a,-74\n",-74',
        '40.8,an "" even number,-74',
        "40.8,a\r,-74",
        "40.8,a,-74\r40.8,a,-74",
    ]
    lines += ["40.8,Ελλάδα,-74", "40.8," + "a" * (1 << 20) + ",-74", "40.8,a\\,-74", "40.8,\0,-74"]
    second = write_csv(folder / "[2nd] {file}.csv", "\ufefflat,note,lon", lines, end="\r\n")
    latin = "\n40.8,Caf\xe9,-74\n40.8,a,-74".encode("latin-1")
    (folder / "[2nd] {file}.csv").write_bytes(second + latin)
    columns = BOX.names
    values = [reference.csv_values(text, columns) for text in (first, second + latin)]
    return str(folder / "*.csv*"), np.concatenate(values)


@pytest.fixture(scope="session")
def parquet_files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, FloatArray]:
    """Files whose columns differ in order and type, and what they hold."""
    folder = tmp_path_factory.mktemp("awkward parquet")
    x, y = awkward(BOX).T
    missing = pa.array([None, -74.0, None])
    lon = pa.concat_arrays([pa.array(x), missing])
    lat = pa.concat_arrays([pa.array(y), pa.array([40.8, None, None])])
    pq.write_table(pa.table({"lon": lon, "lat": lat}), folder / "doubles.parquet")
    texts = ["40.8", "forty", "nan", None, " 40.75 "]
    tables = {
        "another": {"note": ["a"], "lat": [40.8], "lon": [-73.9001]},
        "text": {"lat": texts, "lon": pa.array([-74.0] * 5, pa.float32())},
        "whole": {"n": [1, 2], "lon": pa.array([-74, -75], pa.int16()), "lat": [40.8, 40.8]},
        "decimal": {"lon": [Decimal("-73.95"), Decimal("-80.00")], "lat": [40.8, 40.8]},
    }
    for name, table in tables.items():
        pq.write_table(pa.table(table), folder / f"{name}.parquet")
    nan = np.nan
    rest = [[nan, 40.8], [-74, nan], [nan, nan], [-74, 40.8], [-74, nan], [-74, nan], [-74, nan]]
    rest += [[-74, 40.75], [-74, 40.8], [-75, 40.8], [-73.95, 40.8], [-80, 40.8]]
    rest += [[-73.9001, 40.8]]
    return str(folder / "*.parquet"), np.concatenate([np.stack([x, y], axis=1), rest])


@pytest.mark.parametrize("files", ["csv_files", "parquet_files"])
def test_counts_rows_and_tally_are_those_of_numpy_to_the_bit(
    engine: Engine, files: str, request: pytest.FixtureRequest
) -> None:
    path, values = request.getfixturevalue(files)
    source = open_source(engine, path)
    assert source.columns == BOX.names
    for grid in (Grid(BOX, g) for g in CELLS):
        np.testing.assert_array_equal(
            engine.grid_counts(source, grid), reference.grid_counts(values, grid)
        )
    rows = engine.lattice_rows(source, BOX)
    np.testing.assert_array_equal(reference.in_order(rows), reference.lattice_rows(values, BOX))
    assert engine.tally(source, BOX) == reference.tally(values, BOX)


def test_whole_lattice_cells_hold_what_the_grid_holds_when_asked_at_once() -> None:
    values = awkward(BOX)
    direct = BOX.cells(values[BOX.contains(values)], 16) @ [16, 1]
    at_once = np.bincount(direct, minlength=256).reshape(16, 16)
    np.testing.assert_array_equal(at_once, reference.grid_counts(values, GRID))


def test_rows_outside_can_be_moved_to_the_edge(
    engine: Engine, parquet_files: tuple[str, FloatArray]
) -> None:
    path, values = parquet_files
    source = open_source(engine, path, clip=True)
    counts = engine.grid_counts(source, GRID)
    expected = reference.grid_counts(reference.clipped(values, BOX), GRID)
    np.testing.assert_array_equal(counts, expected)


@pytest.mark.parametrize("clip", [False, True], ids=["drop", "clip"])
@pytest.mark.parametrize("files", ["csv_files", "parquet_files"])
def test_a_census_counts_and_tallies_in_one_pass(
    engine: Engine, files: str, clip: bool, request: pytest.FixtureRequest
) -> None:
    path, values = request.getfixturevalue(files)
    source = open_source(engine, path, clip=clip)
    kept = reference.clipped(values, BOX) if clip else values
    for grid in (Grid(BOX, g) for g in CELLS):
        counts, tally = engine.census(source, grid)
        np.testing.assert_array_equal(counts, reference.grid_counts(kept, grid))
        assert tally == reference.tally(values, BOX)


def test_columns_bind_by_name_in_the_order_asked(
    engine: Engine, csv_files: tuple[str, FloatArray]
) -> None:
    path, values = csv_files
    swapped = BOX.take([1, 0])
    source = open_source(engine, path, ["lat", "lon"])
    np.testing.assert_array_equal(
        engine.grid_counts(source, Grid(swapped, 16)), reference.grid_counts(values, GRID).T
    )


def test_cluster_totals_are_those_of_numpy_ties_included(engine: Engine, tmp_path: Path) -> None:
    d, k = 10, 10
    box = Box.cube(d)
    rng = np.random.default_rng(0)
    values = rng.integers(-9, 10, (3000, d)) / 8
    values[rng.random(values.shape) < 0.01] = np.nan
    pq.write_table(pa.table(dict(zip(box.names, values.T, strict=True))), tmp_path / "d.parquet")
    centers = cell_ticks(box.cells(rng.integers(-2, 3, (k, d)) / 2.5))
    centers[7] = centers[2]
    centers[8] = -centers[3]
    source = open_source(engine, str(tmp_path / "d.parquet"), box.names)
    counts, sums = engine.cluster_totals(source, box, centers)
    expected = reference.cluster_totals(values, box, centers)
    np.testing.assert_array_equal(counts, expected[0])
    np.testing.assert_array_equal(sums, expected[1])
    assert counts[7] == 0 < counts[2]

    ticks = cell_ticks(box.cells(values[box.contains(values)])).astype(object)
    assert engine.squared_ticks(source, box) == (ticks**2).sum()


def test_one_cluster_holds_every_row(engine: Engine, parquet_files: tuple[str, FloatArray]) -> None:
    path, values = parquet_files
    source = open_source(engine, path)
    counts, sums = engine.cluster_totals(source, BOX, np.array([[5, -3]]))
    expected = reference.cluster_totals(values, BOX, np.array([[5, -3]]))
    np.testing.assert_array_equal(counts, expected[0])
    np.testing.assert_array_equal(sums, expected[1])


def test_a_file_without_rows_gives_nothing_but_no_error(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "none.tsv").write_text("lon\tlat\n")
    source = open_source(engine, str(tmp_path / "none.tsv"))
    assert not engine.grid_counts(source, GRID).any()
    assert engine.lattice_rows(source, BOX).shape == (0, 2)
    assert not engine.cluster_totals(source, BOX, np.zeros((2, 2)))[0].any()
    assert engine.squared_ticks(source, BOX) == 0


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_the_header_tells_the_delimiter(engine: Engine, tmp_path: Path, delimiter: str) -> None:
    lines = [["lon", '"a, b"', "lat"], ["-74", f'"{delimiter}"', "40.8"], ["-74,5", "x", "40.8"]]
    (tmp_path / "file.csv").write_text("\n".join(map(delimiter.join, lines)))
    source = open_source(engine, str(tmp_path / "file.csv"))
    assert engine.grid_counts(source, GRID).sum() == 1


def test_zones_stand_for_their_positions(engine: Engine, tmp_path: Path) -> None:
    zones = tmp_path / "zones.csv"
    zones.write_text(
        "LocationID,zone,longitude,latitude\n1,a,-74,40.75\n2,b,-73.95,40.8\n2,b,0,0\n3,c,,\n"
    )
    trips = {"PULocationID": [1, 1, 2, 3, 99, None], "DOLocationID": [2.0, 1, 2, 1, 1, 1]}
    pq.write_table(pa.table(trips), tmp_path / "trips.parquet")
    path = str(tmp_path / "trips.parquet")

    pickups = open_source(engine, path, zones=str(zones))
    values = np.array([[-74, 40.75]] * 2 + [[-73.95, 40.8]])
    np.testing.assert_array_equal(
        engine.grid_counts(pickups, GRID), reference.grid_counts(values, GRID)
    )
    tally = engine.tally(pickups, BOX)
    assert (tally.total, tally.unreadable, tally.inside) == (6, 3, 3)

    trips_4d = open_source(engine, path, list(trips), zones=str(zones))
    box = Box(BOX.low * 2, BOX.high * 2)
    values = np.hstack([values, [[-73.95, 40.8], [-74, 40.75], [-73.95, 40.8]]])
    rows = reference.in_order(engine.lattice_rows(trips_4d, box))
    np.testing.assert_array_equal(rows, reference.lattice_rows(values, box))


def damaged(folder: Path) -> dict[str, tuple[Path, str]]:
    """Files that no engine can read, and a word of why."""
    table = pa.table({"lon": np.linspace(-74, -73, 5000), "lat": np.linspace(40, 41, 5000)})
    pq.write_table(table, folder / "whole.parquet")
    parquet = (folder / "whole.parquet").read_bytes()
    lines = [f"{x!r},{y!r}" for x, y in np.random.default_rng(0).random((5000, 2)).tolist()]
    compressed = gzip.compress("\n".join(["lon,lat", *lines]).encode())
    wrong = bytearray(compressed)
    wrong[-6] ^= 1
    made = {
        "cut.parquet": (parquet[: len(parquet) // 2], "damaged"),
        "text.parquet": (b"lon,lat\n-74,40.8\n", "damaged"),
        "empty.parquet": (b"", "damaged"),
        "cut.csv.gz": (compressed[: len(compressed) // 2], "damaged"),
        "checksum.csv.gz": (bytes(wrong), "damaged"),
        "parquet.csv": (parquet, "Parquet"),
        "utf16.csv": ("lon,lat\n-74,40.8\n".encode("utf-16"), "UTF-16"),
        "empty.csv": (b"", "no line"),
        "noheader.csv": (b"-74,40.8\n-74,40.9\n", "columns"),
    }
    for name, (content, _) in made.items():
        (folder / name).write_bytes(content)
    return {name: (folder / name, why) for name, (_, why) in made.items()}


def test_damaged_files_are_named_and_the_engine_goes_on(engine: Engine, tmp_path: Path) -> None:
    for name, (path, why) in damaged(tmp_path).items():
        with pytest.raises(DataFileError, match=why) as caught:
            engine.tally(open_source(engine, str(path)), BOX)
        assert name in str(caught.value)
    assert engine.tally(open_source(engine, str(tmp_path / "whole.parquet")), BOX).total == 5000


def test_what_is_not_there_is_named(engine: Engine, tmp_path: Path) -> None:
    when = pa.array([0], pa.timestamp("us"))
    pq.write_table(pa.table({"lon": [-74.0], "when": when}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"lon": [-74.0], "lat": [40.8]}), tmp_path / "b.parquet")
    (tmp_path / "twice.csv").write_text("lon,lon,lat\n1,2,3\n")

    def fails(path: str, columns: list[str], *words: str, format: str | None = None) -> None:
        with pytest.raises(DataFileError) as caught:
            open_source(engine, path, columns, format=format)
        for word in words:
            assert word in str(caught.value)

    fails(str(tmp_path / "*.parquet"), ["lon", "lat"], "a.parquet", "'lat'", "no such column")
    fails(str(tmp_path / "a.parquet"), ["lon", "when"], "a.parquet", "'when'", "not numbers")
    fails(str(tmp_path / "twice.csv"), ["lon", "lat"], "twice.csv", "'lon'", "more than one")
    fails(str(tmp_path / "none.csv"), ["lon"], "none.csv", "no such file")
    fails(str(tmp_path / "none*.csv"), ["lon"], "none*.csv", "no such file")
    fails("no_such_table", ["lon"], "no_such_table", "no such table", format="table")
    (tmp_path / "notes.docx").write_text("lon,lat\n")
    fails(
        str(tmp_path / "notes.docx"),
        ["lon"],
        "notes.docx",
        "does not say whether it is CSV, Parquet, GeoJSON or GeoPackage",
    )


def test_old_taxi_files_are_recognised(engine: Engine, extra_data: Path) -> None:
    source = open_source(engine, str(extra_data / "tlc/yellow_tripdata_2015-01_first_rows.csv.gz"))
    assert source.columns == ("pickup_longitude", "pickup_latitude")
    at_zero = Box((-0.5, -0.5), (0.5, 0.5))
    assert engine.tally(source, at_zero).inside == 41
    text = gzip.decompress(Path(source.layouts[0].path.removeprefix("file://")).read_bytes())
    values = reference.csv_values(text, source.columns)
    assert engine.tally(source, BOX) == reference.tally(values, BOX)
    np.testing.assert_array_equal(
        engine.grid_counts(source, GRID), reference.grid_counts(values, GRID)
    )

    source = open_source(engine, str(extra_data / "tlc/yellow_2009_01_15_noon_hour.parquet"))
    assert source.columns == ("Start_Lon", "Start_Lat")
    local = source.layouts[0].path.removeprefix("file://")
    table = pq.read_table(local, columns=[*source.columns])
    values = np.stack([column.to_numpy() for column in table.columns], axis=1)
    np.testing.assert_array_equal(
        engine.grid_counts(source, GRID), reference.grid_counts(values, GRID)
    )


def test_new_taxi_files_count_the_trips_of_zones_with_a_position(
    engine: Engine, extra_data: Path
) -> None:
    path = extra_data / "tlc/green_tripdata_2024-01.parquet"
    zones = str(extra_data / "tlc/taxi_zone_centroids.csv")
    source = open_source(engine, str(path), zones=zones)
    city = Box((-75, 40), (-73, 42))
    ids = pq.read_table(path, columns=["PULocationID"])[0].to_numpy()
    known = ~np.isin(ids, [57, 104, 105, 264, 265])
    tally = engine.tally(source, city)
    assert (tally.total, tally.inside) == (len(ids), known.sum())
    assert 0 < tally.unreadable == (~known).sum()
