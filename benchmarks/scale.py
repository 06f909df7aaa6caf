"""Processor time against the number of rows, for each engine and default method, and its chart.

`python -m benchmarks.scale docs/scale.svg` measures and draws. Lines go on dashed to a billion rows
at the cost of a row between the first point and the last: nothing there was measured.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

import duckdb

import dpcore
from benchmarks.engines import MAKE
from benchmarks.table import Row
from dpcore.datasets.engines import DuckDBEngine, Ids, open_source
from dpcore.datasets.files import FileReading
from dpcore.geometry.domain import Box, Grid

TITLE = "Scale: processor time against rows"
BOX = Box((-74.1, 40.7), (-73.9, 40.9), ("lon", "lat"))
GRID = Grid(BOX, 1024)
SIZES = (10_000, 100_000, 1_000_000, 4_000_000)
FURTHEST = 1_000_000_000
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 860, 520, 64, 56, 24
COLORS = ("#1f6feb", "#b35900", "#8250df", "#116329", "#a40e26")

Line = list[tuple[int, float]]


def rows() -> Iterator[Row]:
    for name, line in measured().items():
        (n0, s0), (n1, s1) = line[-2:]
        growth = math.log(s1 / s0) / math.log(n1 / n0)
        # Nothing grows faster than its rows do.
        yield Row(f"{name}: growth from {n0:.0e} to {n1:.0e} rows, as a power", growth, 1.15, "")


def measured(sizes: tuple[int, ...] = SIZES) -> dict[str, Line]:
    """Seconds by number of rows, the least of some tries."""
    times: dict[str, Line] = {}
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as database:
        for n in sizes:
            for name, job in _jobs(database, folder, n).items():
                job()
                seconds = min(_spent(job) for _ in range(3 if n < 10_000_000 else 1))
                times.setdefault(name, []).append((n, seconds))
    return times


def _jobs(
    database: duckdb.DuckDBPyConnection, folder: str, n: int
) -> dict[str, Callable[[], object]]:
    path, lines, people, wide = (str(Path(folder) / f"{i}.{n}") for i in range(4))
    path, lines, people, wide = f"{path}.parquet", f"{lines}.csv", f"{people}.pq", f"{wide}.pq"
    database.execute(MAKE.format(n=n, path=path))
    database.execute(f"COPY (FROM '{path}') TO '{lines}'")
    whose = f"CAST(random() * {max(1, n * 2 // 5)} AS BIGINT) AS card"
    database.execute(f"COPY (SELECT *, {whose} FROM '{path}') TO '{people}' (FORMAT parquet)")
    box = Box.cube(10)
    value = "greatest(-1, least(1, random() + random() - 1)) AS {}".format
    columns = ", ".join(map(value, box.names))
    database.execute(f"COPY (SELECT {columns} FROM range({n})) TO '{wide}' (FORMAT parquet)")
    engine = DuckDBEngine()

    def grid(file: str) -> None:
        engine.grid_counts(open_source(engine, file, ("lon", "lat")), GRID)

    def grid_of_ids() -> None:
        source = open_source(engine, people, ("lon", "lat")).told_apart(Ids("card", 3, "key"))
        engine.grid_counts(source, GRID)

    return {
        "map from Parquet": lambda: grid(path),
        "map from CSV": lambda: grid(lines),
        "map, 3 rows an id": grid_of_ids,
        "auto on a map": lambda: dpcore.run(
            "auto", FileReading(path, box=BOX).dataset(), 10, 1.0, seed=1
        ),
        "auto, 10 columns": lambda: dpcore.run(
            "auto", FileReading(wide, box.names, box).dataset(), 10, 1.0, seed=1
        ),
    }


def _spent(job: Callable[[], object]) -> float:
    start = time.process_time()
    job()
    return time.process_time() - start


def chart(lines: dict[str, Line]) -> str:
    """A page with both axes in powers of ten, as SVG."""
    least = math.floor(math.log10(min(s for line in lines.values() for _, s in line)))
    first, last, most = 4, math.log10(FURTHEST), 4
    right = WIDTH - 210

    def at(n: float, seconds: float) -> str:
        x = LEFT + (math.log10(n) - first) / (last - first) * (right - LEFT)
        y = TOP + (most - math.log10(seconds)) / (most - least) * (HEIGHT - TOP - BOTTOM)
        return f"{x:.1f},{y:.1f}"

    def text(x: float, y: float, words: str, more: str = "") -> str:
        return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(words)}</text>'

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="13" fill="#1f2328">',
        "<title>Processor time against the number of rows</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for power in range(first, int(last) + 1):
        x, y = at(10**power, 10**least).split(",")
        parts.append(f'<path d="M{x},{TOP}V{y}" stroke="#d0d7de"/>')
        parts.append(text(float(x), float(y) + 20, f"{10**power:,}", 'text-anchor="middle"'))
    for power in range(least, most + 1):
        x, y = at(10**first, 10**power).split(",")
        parts.append(f'<path d="M{x},{y}H{right}" stroke="#d0d7de"/>')
        parts.append(text(LEFT - 8, float(y) + 4, f"{10.0**power:g} s", 'text-anchor="end"'))
    parts.append(text((LEFT + right) / 2, HEIGHT - 10, "rows", 'text-anchor="middle"'))
    ends = []
    for (name, line), color in zip(lines.items(), COLORS, strict=True):
        (n0, s0), (n1, s1) = line[0], line[-1]
        a_row = (s1 - s0) / (n1 - n0)
        further = [n1, *(10**power for power in range(7, int(last) + 1))]
        beyond = [(n, s1 + (n - n1) * a_row) for n in further]
        end = beyond[-1][1]
        points = " ".join(at(n, s) for n, s in line)
        style = f'fill="none" stroke="{color}" stroke-width="2.5"'
        parts.append(f'<polyline points="{points}" {style}/>')
        ahead = " ".join(at(n, s) for n, s in beyond)
        parts.append(f'<polyline points="{ahead}" {style} stroke-dasharray="5 5"/>')
        dots = (
            f'<circle cx="{x}" cy="{y}" r="4" fill="{color}"/>'
            for x, y in (at(n, s).split(",") for n, s in line)
        )
        parts.extend(dots)
        ends.append((float(at(FURTHEST, end).split(",")[1]), name, color))
    below = TOP
    for height, name, color in sorted(ends):
        below = max(below, int(height))
        parts.append(text(right + 10, below + 4, name, f'fill="{color}"'))
        below += 18
    parts.append(text(right + 10, HEIGHT - 10, "dashed: not measured"))
    return "\n".join([*parts, "</svg>\n"])


if __name__ == "__main__":
    times = measured()
    Path(sys.argv[1]).write_text(chart(times))
    for name, line in times.items():
        print(name, *(f"{n:.0e} {seconds:.3g} s" for n, seconds in line), sep=" | ")
