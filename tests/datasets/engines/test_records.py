"""One record more or less moves the table by one row at most, in every reader, whatever it holds.

Files are made from what breaks parsers. Every reader must read each of them row for row as plain
Python does, or refuse it just when that does.
"""

from __future__ import annotations

import gzip
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb as duckdb_library
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dpcore.datasets.engines import DataFileError, DuckDBEngine, Engine, HeldFile, Ids, open_source
from dpcore.datasets.engines.plain import PIECE, Plain, find_plain
from dpcore.datasets.engines.records import (
    MAX_RECORD,
    UNREADABLE,
    BrokenQuotesError,
    Form,
    fields,
    first_record,
)
from dpcore.datasets.engines.source import Layout
from dpcore.datasets.engines.sql import NUMBER, quoted
from dpcore.geometry.domain import Box
from tests.datasets.engines import reference

BOX = Box((0, 0), (1, 1), ("lon", "lat"))
NUMBERS = [
    *(".5", "0.25", ".125", "1e-1", "+.5", " .5", ".5 ", '".5"', '" .5"', "0.75", "0.5000", "5E-1"),
    *(
        "1_0",
        "+-1",
        "0x1",
        "inf",
        "nan",
        "1d",
        "1e",
        "",
        "-",
        ".",
        "1e999",
        "\t.5",
        ".5\v",
        "٣",
        "1,",
    ),
]
IDS = ["a", " a", "a_b", '"a,b"', '"a ""b"""', '"a\nb"', '"a\r\nb"', "17", "17.0", "é", "", '""']
NOTES = [
    *("", "x", "😀", "\ufdd0", "\ufeff", "NULL", "#", "\\", "'", "a;b", "\0", " ", "a_b", "\u2028"),
    *('""', '"a,b"', '"a ""q"" b"', '"a\nb"', '"a\r\nb"', '"a\rb"', '"\n\n"', '"0.5,0.5,a,x\n"'),
    *('"1,2\n.5,.5,a,b\n"', '5" by 6"', '"a"b', '"a" "b"', '"', 'x"', '"a', '"a\n', "y" * 300),
]
BAD = [b"\xff", b"\xed\xa0\x80", b"caf\xe9", b"\xef\xb7"]
HEADER = "lon,lat,who,note"


def make_record(coins: random.Random, strange: float) -> bytes:
    """A record, or something that is none: the stranger, the more often."""
    pick = coins.choice
    if coins.random() > strange:
        record = f"{coins.randrange(16) / 16},{coins.randrange(16) / 16},{pick('abc')},"
        return record.encode() + pick([b"", b"x", "é".encode(), b"a b"])
    kind = coins.random()
    if kind < 0.05:
        return pick([b"", HEADER.encode(), b",", b",,,", b"  ", b",,,,", b'""', b"\xef\xbb\xbf"])
    record = ",".join([pick(NUMBERS), pick(NUMBERS[:12]), pick(IDS), pick(NOTES)]).encode()
    if kind < 0.1:
        record += pick([*BAD, b",", b"\0", b"\r"])
    elif kind < 0.101:
        record += b"z" * MAX_RECORD
    return record


def is_complete(record: bytes) -> bool:
    """Whether the proof speaks of it: one record, quotes even, well formed if it spans lines."""
    try:
        return len(reference.csv_records(b"h\n" + record)) == 2
    except reference.BrokenQuotesError:
        return False


def join(records: list[bytes], ends: list[bytes], mark: bool) -> bytes:
    header = HEADER.encode() + ends[-1].replace(b"\r\r", b"\r")
    text = b"".join(record + end for record, end in zip(records, ends, strict=False))
    return b"\xef\xbb\xbf" * mark + header + text


def neighbors(coins: random.Random) -> list[bytes]:
    """A file and four with one complete record more, at any place."""
    strange = coins.choice([0, 0.1, 0.5, 0.9])
    records = [make_record(coins, strange) for _ in range(coins.randrange(12))]
    if coins.random() < 0.8:
        records = list(filter(is_complete, records))
    style = coins.choice([[b"\n"], [b"\r\n"], [b"\n", b"\r\n", b"\r\r\n", b"\n\n"]])
    ends = [coins.choice(style) for _ in range(len(records) + 1)]
    mark = coins.random() < 0.1
    files = [join(records, ends, mark)]
    while len(files) < 5:
        added = make_record(coins, coins.choice([0, 1]))
        if is_complete(added):
            at = coins.randrange(len(records) + 1)
            more = [*records[:at], added, *records[at:]]
            files.append(join(more, [*ends[:at], coins.choice(style), *ends[at:]], mark))
    return files


Table = Counter[tuple[str, str, str | None]]


def expected(text: bytes) -> Table | None:
    """Rows as the bits of two numbers and an id, or None for a file that is to be refused."""
    try:
        table = reference.csv_table(text, ("lon", "lat", "who"))
    except reference.BrokenQuotesError:
        return None
    rows = [row or ["", "", ""] for row in table]
    return Counter(
        (as_text(reference._number(x)), as_text(reference._number(y)), reference.csv_id(who))
        for x, y, who in rows
    )


def as_text(value: float) -> str:
    return float(value).hex() if np.isfinite(value) else "nothing"


def is_refused(engine: Engine, path: str) -> bool:
    try:
        engine.look(path)
    except DataFileError as error:
        return "quotes do not tell" in str(error)
    return False


def rows_of(engine: Engine, path: str) -> Table:
    """The rows of a file or of all files in a folder."""
    source = open_source(engine, path).told_apart(Ids("who", 3, "key"))
    found = engine._answer(source, lambda relation: f"SELECT x0, x1, id FROM {relation} AS r")
    x, y = (np.ma.filled(np.ma.asarray(found[name]).astype(float), np.nan) for name in ("x0", "x1"))
    who = [None if name is np.ma.masked or name is None else str(name) for name in found["id"]]
    found_rows = zip(x.tolist(), y.tolist(), who, strict=True)
    return Counter((as_text(a), as_text(b), name) for a, b, name in found_rows)


class HeldFolder(HeldFile):
    """Many files in memory, each read as one is, that one query may ask."""

    def __init__(self, files: dict[str, bytes]):
        super().__init__("folder.csv", b"")
        self._held = files

    def _files(self, path: str) -> list[str]:
        return list(self._held) if path == self.name else [path]

    def pieces(self, path: str) -> Iterator[bytes]:
        yield self._held[path]

    def _text(self, path: str, size: int) -> Iterator[bytes]:
        return HeldFile(path, self._held[path])._text(path, size)


def families(n: int, seed: int = 0) -> list[list[bytes]]:
    coins = random.Random(seed)
    return [neighbors(coins) for _ in range(n)]


def test_one_record_more_is_one_row_more_at_most_in_two_thousand_files() -> None:
    moved = refused = 0
    for before, *after in [[expected(text) for text in family] for family in families(400)]:
        for more in after:
            if before is None or more is None:
                assert before is more is None
                refused += 1
                continue
            assert not before - more
            assert (more - before).total() <= 1
            moved += more != before
    assert refused > 50
    assert moved > 1000


def test_readers_of_disk_and_memory_read_those_files_row_for_row(tmp_path: Path) -> None:
    # Neighbors lie in different folders, so that what one gains no other can lose.
    plain = 0
    for i, texts in enumerate(zip(*families(400), strict=True)):
        engine, held, rows = DuckDBEngine(), {}, Table()
        (tmp_path / str(i)).mkdir()
        for j, text in enumerate(texts):
            path = tmp_path / str(i) / f"{j}.csv"
            path.write_bytes(text)
            table = expected(text)
            assert is_refused(engine, str(path)) == (table is None), text
            assert is_refused(HeldFile("a.csv", text), "a.csv") == (table is None), text
            if table is None:
                path.unlink()
            else:
                held[f"{j}.csv"] = text
                rows += table
        assert rows_of(engine, str(tmp_path / str(i))) == rows
        assert rows_of(HeldFolder(held), "folder.csv") == rows
        plain += sum(look is not None for look in engine._looked_at.values())
    assert plain > 200


def test_spark_reads_such_files_row_for_row(spark: Engine, tmp_path: Path) -> None:
    rows, refused = Table(), 0
    for i, (text, *_) in enumerate(families(16, seed=1)):
        path = tmp_path / f"{i}.csv"
        path.write_bytes(text)
        table = expected(text)
        if table is None:
            refused += is_refused(spark, str(path))
            path.unlink()
        else:
            rows += table
    assert rows_of(spark, str(tmp_path)) == rows
    assert refused > 0


def test_a_file_is_the_same_in_pieces_of_any_size() -> None:
    form = Form(HEADER, ",", 4, (0, 1, 2, 3))
    for text, *_ in families(60, seed=2):
        found = []
        for size in (1, 2, 7, len(text)) if len(text) < 2000 else (1 << 16, len(text)):
            pieces = [text[i : i + size] for i in range(0, len(text), size)]
            found.append(in_pieces(pieces, form))
        assert all(rows == found[0] for rows in found)


def in_pieces(pieces: list[bytes], form: Form) -> list[tuple[str | None, ...]] | None:
    try:
        return [
            row
            for some in fields(pieces, form)
            for row in zip(*map(pa.Array.to_pylist, some), strict=True)
        ]
    except BrokenQuotesError:
        return None


@pytest.mark.parametrize("size", [1 << 16, MAX_RECORD, 3 * MAX_RECORD])
def test_a_record_too_long_to_count_still_ends_where_it_ends(size: int) -> None:
    form = Form("x,y", ",", 2, (0, 1))
    long = b'"' + b"a\n" * MAX_RECORD + b'""",b'
    for text, rows in {
        b"x,y\n1,2\n" + long + b"\n3,4\n5,6\n": [("1", "2"), ("3", "4"), ("5", "6")],
        b"x,y\n1,2\n" + b"a" * (MAX_RECORD + 1) + b",1\n3,4": [("1", "2"), ("3", "4")],
        b"x,y\n" + b"a" * MAX_RECORD + b"\n3,4": [(None, None), ("3", "4")],
        b"x,y\n1,2\n5 " + long + b"\n3,4": None,
        b"x,y\n1,2\n" + long + b'"\n3,4': None,
    }.items():
        assert in_pieces([text[i : i + size] for i in range(0, len(text), size)], form) == rows


def test_all_that_one_id_has_moves_no_more_than_so_many_rows(
    duckdb: Engine, tmp_path: Path
) -> None:
    coins = random.Random(3)
    for trial in range(20):
        records = [make_record(coins, 0.4) for _ in range(60)]
        records = [r for r in records if is_complete(r) and b"z" * 99 not in r]
        tables = [expected(HEADER.encode() + b"\n" + r) or Counter() for r in records]
        whose = coins.choice([who for table in tables for *_, who in table if who])
        others = [
            r for r, t in zip(records, tables, strict=True) if whose not in {w for *_, w in t}
        ]
        kept = []
        for name, some in (("with", records), ("without", others)):
            path = tmp_path / f"{trial} {name}.csv"
            path.write_bytes(b"\n".join([HEADER.encode(), *some]))
            source = open_source(duckdb, str(path)).told_apart(Ids("who", 3, "key"))
            kept.append(Counter(map(tuple, duckdb.lattice_rows(source, BOX).tolist())))
        assert not kept[1] - kept[0]
        assert (kept[0] - kept[1]).total() <= 3


def test_ids_with_delimiters_quotes_and_line_ends_are_different_ids(
    engine: Engine, tmp_path: Path
) -> None:
    ids = ["a,b", "a_b", 'a"b', "ab", "a\nb", "a\rb", "a\r\nb", "a_1b", "a_0b", "a;b", "a\ufdd0b"]
    frame = pd.DataFrame({"lon": 0.5, "lat": 0.5, "who": np.repeat(ids, 3)})
    frame.to_csv(tmp_path / "ids.csv", index=False)
    found = rows_of(engine, str(tmp_path / "ids.csv"))
    assert {who: n for (*_, who), n in found.items()} == dict.fromkeys(ids, 3)
    held = HeldFile("ids.csv", (tmp_path / "ids.csv").read_bytes())
    assert rows_of(held, "ids.csv") == found


def test_a_note_of_many_lines_is_no_row_of_anybody_else(engine: Engine, tmp_path: Path) -> None:
    notes = ["", "two\nlines", "\n".join(f"{i / 99},.5,{i}," for i in range(50))]
    frame = pd.DataFrame({"lon": 0.5, "lat": 0.5, "who": list("abc"), "note": notes})
    frame.to_csv(tmp_path / "notes.csv", index=False)
    assert engine.tally(open_source(engine, str(tmp_path / "notes.csv")), BOX).inside == 3


def test_quotes_that_do_not_tell_where_records_end_are_refused(
    engine: Engine, tmp_path: Path
) -> None:
    (tmp_path / "mac.csv").write_text("lon,lat\r1,2\r")
    with pytest.raises(DataFileError, match="CR alone"):
        engine.look(str(tmp_path / "mac.csv"))
    for i, lines in enumerate(['5",1\n2,3', '"5,1\n2,3', '5"a,1\n2,"3', '"lon\n1,2']):
        path = tmp_path / f"{i}.csv"
        path.write_text(lines if i == 3 else f"lon,lat\n{lines}\n")
        with pytest.raises(DataFileError, match="quotes do not tell"):
            engine.look(str(path))


def test_a_header_may_span_lines(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('\ufeff"lon\n(degrees)","a;;;;b",lat\n.5,x,.5\n')
    source = open_source(engine, str(tmp_path / "a.csv"), ("lon\n(degrees)", "lat"))
    assert engine.tally(source, BOX).inside == 1


def test_spark_cuts_a_large_file_in_its_order(spark: Engine, tmp_path: Path) -> None:
    rows = [f'.{1 + i % 9},.5,"{i} {"x" * 90}\n.5,.5,"\n' for i in range(60_000)]
    (tmp_path / "large.csv").write_text("lon,lat,note\n" + "".join(rows))
    tally = spark.tally(open_source(spark, str(tmp_path / "large.csv")), BOX)
    assert (tally.total, tally.inside) == (60_000, 60_000)


def test_a_plain_file_needs_no_look_at_what_its_numbers_are_made_of() -> None:
    letters = ["0", "1", ".", "e", "+", "-", "x", "n", "a", "i", "f", " ", "d", "\u00a0", ","]
    with duckdb_library.connect() as database:
        database.execute("CREATE TABLE letters AS SELECT unnest(?) AS c", [letters])
        for n in range(1, 6):
            text = " || ".join(f"l{i}.c" for i in range(n))
            tables = ", ".join(f"letters AS l{i}" for i in range(n))
            number = f"regexp_matches(t, {quoted(NUMBER)})"
            finite = "coalesce(isfinite(TRY_CAST(t AS DOUBLE)), false)"
            differ = database.execute(
                f"SELECT t FROM (SELECT {text} AS t FROM {tables}) "
                f"WHERE {number} != {finite} AND NOT contains(t, '+-') LIMIT 5"
            ).fetchall()
            assert differ == []


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("1,2\n3,é\n", Plain("\\n", True)),
        ("1,2\r\n3,4\r\n5", Plain("\\r\\n", True)),
        ("1_0,2\n", Plain("\\n", False)),
        ("+-1,2\n", Plain("\\n", False)),
        ("1,\t2\n", Plain("\\n", False)),
        ("1,2\r3,4\n", None),
        ("1,2\n3,4\r", None),
        ("1,2\n3,4\r\n", None),
        ("1,\0\n", None),
        ('1,"2"\n', None),
        ("1,\udcff\n", None),
        ("1,\udce2", None),
        ("1,2\nx,y\n", None),
        ("1,2\nx,y", None),
        ("a" * MAX_RECORD + ",1\n", None),
    ],
)
def test_a_file_is_plain_when_nothing_in_it_has_to_be_decided(
    rows: str, found: Plain | None, size: int
) -> None:
    end = "\r\n" if rows.startswith("1,2\r\n") else "\n"
    text = b"x,y" + (end + rows).encode("utf-8", "surrogateescape")
    size = size if len(text) < 1000 else PIECE
    # The header is in the first piece, which is never as short as the others here.
    pieces = [text[:5], *(text[i : i + size] for i in range(5, len(text), size))]
    assert find_plain(pieces, Layout.of_csv("a.csv", "x,y")) == found


def test_the_first_record_names_the_columns_wherever_it_is_cut() -> None:
    for mark in (b"", b"\xef\xbb\xbf"):
        text = mark + b'\r\n\n"a\nb",c\n1,2\n'
        for size in (1, 2, 50):
            pieces = (text[i : i + size] for i in range(0, len(text), size))
            assert first_record(pieces) == '"a\nb",c'


UNREADABLE_HEADERS = [
    "Länge;Breite\nAlice;777.5\n".encode("cp1252"),
    b"\n" + b"x" * (MAX_RECORD + 1) + b"\nAlice,777.5\n",
]


@pytest.mark.parametrize("text", UNREADABLE_HEADERS, ids=["not UTF-8", "too long"])
@pytest.mark.parametrize("size", [1 << 12, 1 << 24])
def test_a_row_never_stands_for_a_header_that_cannot_be_read(text: bytes, size: int) -> None:
    assert first_record(text[i : i + size] for i in range(0, len(text), size)) == UNREADABLE


@pytest.mark.parametrize("text", UNREADABLE_HEADERS, ids=["not UTF-8", "too long"])
def test_a_file_whose_header_cannot_be_read_is_refused(
    engine: Engine, tmp_path: Path, text: bytes
) -> None:
    (tmp_path / "a.csv").write_bytes(text)
    with pytest.raises(DataFileError, match="names the columns, is not in UTF-8") as error:
        open_source(engine, str(tmp_path / "a.csv"), ["lon", "lat"])
    assert "Alice" not in str(error.value)


@pytest.mark.parametrize("columns", [["lon", "lat"], None])
def test_no_error_shows_a_row_that_stands_where_names_should(
    engine: Engine, tmp_path: Path, columns: list[str] | None
) -> None:
    (tmp_path / "a.csv").write_text("Alice,-73.9,40.7\nBob,-73.8,40.8\n", encoding="utf-8")
    with pytest.raises(DataFileError, match="numbers where names of columns are expected") as error:
        open_source(engine, str(tmp_path / "a.csv"), columns)
    assert "Alice" not in str(error.value)
    assert "73.9" not in str(error.value)


def test_a_gzip_file_of_many_members_is_read_to_its_end(duckdb: Engine, tmp_path: Path) -> None:
    members = [gzip.compress(text) for text in (b"lon,lat\n.5,.5\n", b".5,.5\n" * 9)]
    (tmp_path / "a.csv.gz").write_bytes(b"".join(members))
    assert duckdb.tally(open_source(duckdb, str(tmp_path / "a.csv.gz")), BOX).inside == 10
