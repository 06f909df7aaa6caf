"""Malformed files of every kind, made from a seed."""

from __future__ import annotations

import gzip
import io
import json
import struct
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

DATA, ZONES, REGIONS = "data", "zones", "regions"

Random = np.random.Generator
Make = Callable[[Random, int], tuple[str, bytes]]


@dataclass(frozen=True)
class Malformed:
    """A file, and what it is said to be."""

    kind: str
    role: str
    name: str
    content: bytes


def rows(rng: Random, n: int = 30) -> list[str]:
    points = rng.uniform((-75.5, 39.5), (-72.5, 41.5), (n, 2))
    return [f"{x:.6f},{y:.6f}" for x, y in points]


def csv_text(rng: Random, n: int = 30) -> bytes:
    return "\n".join(["lon,lat", *rows(rng, n), ""]).encode()


def table(rng: Random, n: int = 50) -> pa.Table:
    x, y = rng.uniform((-75, 40), (-73, 41), (n, 2)).T
    return pa.table({"lon": x, "lat": y, "name": [f"row {i}" for i in range(n)]})


def parquet(content: pa.Table, **options: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(content, file, **options)
    return file.getvalue()


def cut(rng: Random, content: bytes) -> bytes:
    return content[: int(rng.integers(0, len(content)))]


def flipped(rng: Random, content: bytes) -> bytes:
    damaged = bytearray(content)
    for at in rng.integers(0, len(content), rng.integers(1, 9)):
        damaged[at] ^= 1 << int(rng.integers(8))
    return bytes(damaged)


def spliced(rng: Random, content: bytes) -> bytes:
    at, size = int(rng.integers(0, len(content))), int(rng.integers(1, 200))
    return content[:at] + rng.bytes(size) + content[at + int(rng.integers(0, size)) :]


def pick(rng: Random, values: list[Any]) -> Any:
    return values[int(rng.integers(len(values)))]


def hurt(rng: Random, content: bytes) -> bytes:
    return bytes(pick(rng, [cut, flipped, spliced])(rng, content))


def damaged_csv(rng: Random, scale: int) -> tuple[str, bytes]:
    return "a.csv", hurt(rng, csv_text(rng))


def damaged_gzip(rng: Random, scale: int) -> tuple[str, bytes]:
    packed = gzip.compress(csv_text(rng))
    more = pick(rng, [b"", b"tail", packed, gzip.compress(rng.bytes(40))])
    return "a.csv.gz", pick(rng, [hurt(rng, packed), packed + more])


def damaged_parquet(rng: Random, scale: int) -> tuple[str, bytes]:
    compression = pick(rng, ["snappy", "zstd", "gzip", "none"])
    return "a.parquet", hurt(rng, parquet(table(rng), compression=compression))


def damaged_footer(rng: Random, scale: int) -> tuple[str, bytes]:
    content = parquet(table(rng))
    size = pick(rng, [0, 1, len(content), 1 << 31, (1 << 32) - 1, int(rng.integers(1 << 16))])
    return "a.parquet", content[:-8] + struct.pack("<I", size) + b"PAR1"


def wrong_types(rng: Random, scale: int) -> tuple[str, bytes]:
    n = 20
    made: dict[str, Any] = {
        "text": pa.array([f"{i}" for i in range(n)]),
        "list": pa.array([[1.0, float(i)] for i in range(n)]),
        "struct": pa.array([{"a": 1.0, "b": {"c": i}} for i in range(n)]),
        "map": pa.array([[("a", 1.0)]] * n, pa.map_(pa.string(), pa.float64())),
        "bytes": pa.array([rng.bytes(8) for _ in range(n)]),
        "time": pa.array(np.arange(n).astype("datetime64[ns]")),
        "bool": pa.array([True, None] * (n // 2)),
        "nothing": pa.nulls(n),
        "half": pa.array(np.arange(n, dtype=np.float16)),
        "decimal": pa.array(range(n), pa.decimal128(38, 10)),
        "dictionary": pa.array(["1", "2"] * (n // 2)).dictionary_encode(),
        "big": pa.array([2**63 - 1, -(2**63)] * (n // 2)),
        "odd": pa.array([np.nan, np.inf, -np.inf, None, 1e308] * (n // 5)),
    }
    lon, lat = (pick(rng, list(made)) for _ in range(2))
    names = pick(rng, [["lon", "lat"], ["lon", "LAT"], ["", "lat"], ["lon\0", "lat"], ["x", "y"]])
    return "a.parquet", parquet(pa.table([made[lon], made[lat]], names=names))


def odd_parquet(rng: Random, scale: int) -> tuple[str, bytes]:
    whole = table(rng)
    odd = [
        lambda: pa.table({}),
        lambda: whole.slice(0, 0),
        lambda: whole.replace_schema_metadata({"m": "x" * 300_000 * scale}),
        lambda: pa.table({f"c{i}": [1.0] for i in range(2_000)}),
        lambda: pa.table({"lon" * 70_000: [1.0], "lat": [2.0]}),
        lambda: whole.rename_columns(["lon", "lon", "lat"]),
        lambda: pa.table({"lon": [[[[[[1.0]]]]]], "lat": [1.0]}),
        lambda: pa.table({"lon": [1.0] * 100_000 * scale, "lat": [1.0] * 100_000 * scale}),
    ]
    return "a.parquet", parquet(pick(rng, odd)())


def junk(rng: Random, scale: int) -> tuple[str, bytes]:
    starts = [b"", b"PAR1", b"PK\3\4", b"\x1f\x8b\x08", b"\x7fELF", b"SQLite format 3\0", b"%PDF"]
    name = pick(rng, ["a.csv", "a.csv.gz", "a.parquet", "a.tsv", "a.txt", "a.pq"])
    return name, pick(rng, starts) + rng.bytes(int(rng.integers(1, 5000)))


def wrong_ending(rng: Random, scale: int) -> tuple[str, bytes]:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a.csv", csv_text(rng))
    made = [csv_text(rng), gzip.compress(csv_text(rng)), parquet(table(rng)), archive.getvalue()]
    ends = ["csv", "csv.gz", "parquet", "pq", "tsv", "txt", "gz", "zip", "json", "", "parquet.gz"]
    return f"a.{pick(rng, ends)}", pick(rng, made)


def zeros(rng: Random, scale: int) -> tuple[str, bytes]:
    text = bytearray(csv_text(rng))
    for at in rng.integers(0, len(text), 1 + int(rng.integers(20))):
        text[at] = 0
    return "a.csv", pick(rng, [bytes(text), bytes(5_000), b"lon,lat\n" + bytes(50_000)])


def encodings(rng: Random, scale: int) -> tuple[str, bytes]:
    names = ["utf-16", "utf-32", "utf-16-le", "utf-8-sig", "latin-1", "cp1252", "utf-7", "cp037"]
    text = "lon,lat,ñäme\n" + "\n".join(f"{row},é€" for row in rows(rng)).replace("€", "¤")
    encoded = text.encode(pick(rng, names), errors="replace")
    return "a.csv", pick(rng, [encoded, encoded + b"\xff\xfe\x80", b"\xef\xbb\xbf" + encoded])


def huge_field(rng: Random, scale: int) -> tuple[str, bytes]:
    size = int(pick(rng, [131_072, 131_073, 200_000, 1 << 20, (1 << 20) + 1, 3 << 20]))
    letters = pick(rng, [b"x", b"9", b'"', b"\xc3\xa9", b" "]) * size
    header = pick(rng, [letters + b",lon,lat", b"lon,lat", b"lon,lat," + letters, letters])
    row = pick(rng, [b"-74," + letters, letters, b"-74,40.5", b'"' + letters + b'",1'])
    return "a.csv", header + b"\n" + row + b"\n-74,40.5\n"


def wide(rng: Random, scale: int) -> tuple[str, bytes]:
    n = int(pick(rng, [1_000, 9_999, 10_000, 10_001, 60_000, 300_000 * scale]))
    names = ",".join(pick(rng, [f"c{i}", ""]) for i in range(min(n, 10_000))) + "," * (n - 9_999)
    return "a.csv", f"lon,lat,{names}\n{',' * n}\n".encode()


def bomb(rng: Random, scale: int) -> tuple[str, bytes]:
    size = 400_000 * scale
    inside = pick(
        rng,
        [
            b"lon,lat\n" + b"x" * 8 * size,
            b"lon,lat\n" + b"1\n" * size,
            b"lon,lat\n" + b"\n" * 4 * size,
            b"\n" * 4 * size,
            b'lon,lat\n"' + b'""' * size,
            b"lon,lat\n" + b"," * 2 * size,
            bytes(4 * size),
            gzip.compress(gzip.compress(bytes(4 * size))),
            csv_text(rng, 10) * 2_000,
        ],
    )
    return "a.csv.gz", gzip.compress(inside, 1)


def empty(rng: Random, scale: int) -> tuple[str, bytes]:
    content = [b"", b"\n", b"\r\n" * 3, b"\xef\xbb\xbf", b"lon,lat", b"lon,lat\n", b" ", b",", b'"']
    name = pick(rng, ["a.csv", "a.csv.gz", "a.parquet", "a.tsv"])
    inside = pick(rng, content)
    return name, gzip.compress(inside) if name.endswith("gz") and rng.random() < 0.7 else inside


def odd_header(rng: Random, scale: int) -> tuple[str, bytes]:
    headers = [
        *("lon,lon,lat", "lat,lat", '"lon","lat', "lon;lat", "lon\tlat", "lon|lat", "lon lat"),
        *("'; DROP TABLE held; --,lat", '"lon"",""lat",lat', "lon,lat,lon_1", "{},{}", "$1,$2"),
        *("<script>,lat", "=1+1,lat", "lon,lat\r", "LON,Lat", " lon , lat ", "1,2", "-74,40.5"),
        *("null,NULL", "x0,x1", "line,f", "lon,lat" * 500, "\u202elon,lat", "lon\u0000,lat"),
    ]
    return "a.csv", "\n".join([pick(rng, headers), *rows(rng, 5)]).encode()


def odd_rows(rng: Random, scale: int) -> tuple[str, bytes]:
    odd = [
        *("1e999,40.5", "nan,inf", "0x10,1_000", "9" * 5_000 + ",1", "-74", "-74,40.5,1,2", ",,"),
        *('"-74","40.5"', '"-74,40.5', '-74,"40\n.5"', "-74;40.5", "−74,40.5", "-74,40.5\r\r"),
        *("٧٤,٤٠", "1e-999,-0", "-74,40.5\0", '""' * 500, "'" * 99, "\\N,\\N", "e,.e", "+,-"),
    ]
    lines = [pick(rng, odd) if rng.random() < 0.5 else row for row in rows(rng, 20)]
    return "a.csv", pick(rng, ["\n", "\r\n", "\r", "\n\n"]).join(["lon,lat", *lines]).encode()


def nested_json(rng: Random, scale: int) -> tuple[str, bytes]:
    depth = int(pick(rng, [5, 1_000, 100_000]))
    text = pick(rng, ["[" * depth + "]" * depth, '{"a":' * depth, json.dumps({"lon": 1, "lat": 2})])
    return pick(rng, ["a.csv", "a.json", "a.txt"]), text.encode()


def odd_name(rng: Random, scale: int) -> tuple[str, bytes]:
    names = [
        *("a b.csv", "[a].csv", "{a}.csv", "*.csv", "?.csv", "'; --.csv", '"a".csv', "%00.csv"),
        *("ñ.csv", "a\n.csv", "-k.csv", "~.csv", "$HOME.csv", "a\\.csv", "a" * 240 + ".csv"),
        *("\u202e.csv", "s3:a.csv", "a.CSV", "a.csv.csv", ".csv", "_a.csv", "a.parquet.csv"),
    ]
    return pick(rng, names), hurt(rng, csv_text(rng)) if rng.random() < 0.3 else csv_text(rng)


def odd_zones(rng: Random, scale: int) -> tuple[str, bytes]:
    whole = "LocationID,longitude,latitude\n" + "\n".join(
        f"{i},{-74 + i / 100},{40.5 + i / 100}" for i in range(1, 20)
    )
    odd: list[bytes] = [
        *(hurt(rng, whole.encode()) for _ in range(8)),
        whole.encode("utf-16"),
        b"",
        b"LocationID\n1\n",
        b"LocationID,longitude,latitude\n" + b"1\n" * 20_000,
        b"LocationID,longitude,latitude\n" + b"1e300,1e300,1e300\n",
        b"LocationID,longitude,latitude\n1,nan,inf\n",
        "\n".join([whole.split("\n")[0], *(f"{i},-74,40.5" for i in range(12_000))]).encode(),
        b"x" * 200_000 + b",LocationID,longitude,latitude\n1,2,3,4\n",
        b'"' * 200_000,
        whole.replace(",", "\0").encode(),
        bytes(10_000),
        rng.bytes(3_000),
        gzip.compress(whole.encode()),
        b"," * 200_000 + b"\n" + b"1\n" * 1_000,
    ]
    return "zones.csv", pick(rng, odd)


def odd_regions(rng: Random, scale: int) -> tuple[str, bytes]:
    def features(coordinates: Any, **properties: Any) -> dict[str, Any]:
        geometry = {"type": "Polygon", "coordinates": coordinates}
        return {"features": [{"properties": {"name": "a", **properties}, "geometry": geometry}]}

    square = [[[-74.5, 40.2], [-73.5, 40.2], [-73.5, 40.8], [-74.5, 40.8]]]
    whole = features(square, epsilon=0.5)
    zigzag = [[[-75 + 2 * i / 9_000, 40 + i % 2] for i in range(9_000)]]
    odd: list[Any] = [
        *(hurt(rng, json.dumps(whole).encode()) for _ in range(12)),
        *(b"", b"[]", b"{}", b"null", b'{"features": 1}', b'{"features": [1]}', b"nan", bytes(500)),
        b"[" * 100_000,
        b'{"features":[' + b'{"geometry":' * 5_000,
        features([]),
        features([[]]),
        features([[[1, 2]]]),
        features([[["x", "y"]] * 4]),
        features([[[10**400, 1]] * 4]),
        features([[[float("nan"), 1]] * 4]),
        features([[[1e308, -1e308], [-1e308, 1e308], [1e308, 1e308]]]),
        features(zigzag),
        features(square, epsilon=10**400),
        features(square, epsilon="x" * 100_000),
        features(square, epsilon=-1),
        features(square, name="n" * 100_000, epsilon=9),
        {"features": whole["features"] * 300},
        {"features": [{"properties": None, "geometry": None}]},
        {"features": [{"properties": {"name": {}}, "geometry": {"type": "Point"}}]},
        {"features": [{"properties": {"name": 1}, "geometry": {"type": [1] * 9_999}}]},
        json.dumps(whole).encode("utf-16"),
        rng.bytes(2_000),
    ]
    made = pick(rng, odd)
    return "regions.geojson", made if isinstance(made, bytes) else json.dumps(made).encode()


KINDS: dict[str, tuple[str, Make]] = {
    make.__name__: (role, make)
    for role, makes in {
        DATA: [
            *(damaged_csv, damaged_gzip, damaged_parquet, damaged_footer, wrong_types),
            *(odd_parquet, junk, wrong_ending, zeros, encodings, huge_field, wide, bomb, empty),
            *(odd_header, odd_rows, nested_json, odd_name),
        ],
        ZONES: [odd_zones],
        REGIONS: [odd_regions],
    }.items()
    for make in makes
}


def files(n: int, scale: int = 1, seed: int = 0) -> Iterator[Malformed]:
    """A number of files, of each kind in turn."""
    kinds = list(KINDS.items())
    for i in range(n):
        kind, (role, make) = kinds[i % len(kinds)]
        name, content = make(np.random.default_rng([seed, i]), scale)
        yield Malformed(kind, role, name, content)
