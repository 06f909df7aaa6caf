"""The one SQL text that every engine runs.

Nothing here knows an engine. A query is written for a relation whose columns x0, x1, ... are the
columns of a source as DOUBLE, and so that DuckDB, Spark and `Box.cells` agree to the bit:

* the closed box `x >= low AND x <= high` leaves out NULL, NaN and infinities everywhere;
* numbers are written as CAST('...' AS DOUBLE) from their shortest exact text, since engines read
  a bare 0.1 as a decimal;
* cells are floor((x - low) * scale), which IEEE 754 rounds one way, and at most the last cell,
  in which the upper end of the box lies too;
* from there on everything is a whole number, so no order of rows or threads can matter.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import replace

from dpcore.datasets.engines.source import Format, Kind, Source
from dpcore.geometry.domain import LATTICE_BITS, LATTICE_CELLS, TICKS, Box, Grid, IntArray

#: A number in text, in plain or scientific notation, perhaps in quotes: by themselves, engines
#: disagree on "1_000", "1d" and "0x10". It has no backslash, whose meaning in a literal differs,
#: and only one way to match, so that no text, however long, takes more than linear time.
NUMBER = '^ *(?:" *)?[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]+)? *(?:" *)?$'

#: Coordinates of a lattice cell that one BIGINT holds.
PACKED = 3
#: Lots that one digest holds, each of eight hexadecimal digits.
LOTS = 4

#: Up to here a DOUBLE tells one whole number from the next.
EXACT_IN_DOUBLE = 1 << 53


def quoted(text: str) -> str:
    """A text as a literal."""
    return "'" + text.replace("'", "''") + "'"


def literal(value: float) -> str:
    """A number as a literal that every engine reads as the same DOUBLE."""
    return f"CAST('{float(value)!r}' AS DOUBLE)"


def as_double(expression: str, kind: Kind) -> str:
    """A column as DOUBLE; what is not a number becomes NULL."""
    if kind is Kind.TEXT:
        number = f"TRY_CAST(replace({expression}, '\"', '') AS DOUBLE)"
        return f"CASE WHEN regexp_like({expression}, {quoted(NUMBER)}) THEN {number} END"
    return f"CAST({expression} AS DOUBLE)"


def as_id(expression: str, kind: Kind) -> str:
    """The id of a row, as text; nobody's when there is nothing in the field.

    A whole number is one id in every type: where some ids are missing, a file often holds 17.0
    for what is 17 in the next, and somebody with two ids would keep twice as many rows.
    """
    if kind is Kind.NUMBER:
        number, largest = as_double(expression, kind), literal(sys.float_info.max)
        whole = f"{number} = floor({number}) AND abs({number}) <= {EXACT_IN_DOUBLE}"
        return (
            f"CASE WHEN {whole} THEN CAST(TRY_CAST({expression} AS BIGINT) AS STRING) "
            f"WHEN abs({number}) <= {largest} THEN CAST({expression} AS STRING) END"
        )
    if kind is Kind.TEXT:
        name = f"nullif(trim({expression}), '')"
        # To Java, though not to DuckDB, an end is also what stands before the last line end.
        whole = f"regexp_like(concat({name}, ';'), '^-?[0-9]+[.]0*;$')"
        return f"CASE WHEN {whole} THEN split_part({name}, '.', 1) ELSE {name} END"
    return f"CAST({expression} AS STRING)"


def unquoted(field: str) -> str:
    """The text of a CSV field with quotes, by RFC 4180; NULL if it begins with one out of place."""
    text = f"trim({field})"
    inner = f"substr({text}, 2, length({text}) - 2)"
    others = f"contains(replace({inner}, '\"\"', ''), '\"')"
    enclosed = f"length({text}) > 1 AND substr({text}, length({text}), 1) = '\"' AND NOT {others}"
    return (
        f"CASE WHEN substr({text}, 1, 1) <> '\"' THEN {field} "
        f"WHEN {enclosed} THEN replace({inner}, '\"\"', '\"') END"
    )


def csv_names(source: Source) -> list[str]:
    """The names of the fields of a CSV file before they are read."""
    return [f"t{i}" for i in range(len(source.columns))] + ["who"] * bool(source.ids)


def csv_columns(source: Source) -> list[str]:
    """The columns of a source from those fields."""
    texts = [f"t{i}" for i in range(len(source.columns))]
    if source.format is Format.CSV_COMMA:  # a point there stands for thousands, or for nothing
        texts = [f"replace(replace({text}, '.', 'x'), ',', '.')" for text in texts]
    columns = [f"{as_double(text, Kind.TEXT)} AS x{i}" for i, text in enumerate(texts)]
    if source.ids:
        columns.append(f"{as_id(unquoted('who'), Kind.TEXT)} AS id")
    return columns


def grid_query(relation: str, source: Source, grid: Grid) -> str:
    """Occupied cells, flattened in C order, and how many rows each holds: cell, n."""
    rows = f"SELECT {_flat_cell(source, grid)} AS cell {_kept_rows(relation, source, grid.box)}"
    return f"SELECT cell, count(*) AS n FROM ({rows}) AS cells GROUP BY cell"


def cells_query(relation: str, source: Source, grid: Grid) -> str:
    """The cell of every row, flattened in C order: cell."""
    kind = "INTEGER" if grid.n_cells <= 1 << 31 else "BIGINT"
    cell = f"CAST({_flat_cell(source, grid)} AS {kind})"
    return f"SELECT {cell} AS cell {_kept_rows(relation, source, grid.box)}"


def census_query(relation: str, source: Source, grid: Grid) -> str:
    """The rows in each cell and what became of all rows, in one pass: cell, fate, n.

    Fate is 0 in the box, 1 outside, 2 without a finite number. Every row is given the cell at the
    edge that it would be moved to, which for a row in the box is its own.
    """
    edge = replace(source, clip=True)
    flat = _flat_cell(edge, grid)
    fate = f"CASE WHEN {_inside(grid.box)} THEN 0 WHEN {_finite(grid.box)} THEN 1 ELSE 2 END"
    rows = f"SELECT {flat} AS cell, {fate} AS fate FROM {_points(relation, source)} AS points"
    return f"SELECT cell, fate, count(*) AS n FROM ({rows}) AS cells GROUP BY cell, fate"


def rows_query(relation: str, source: Source, box: Box) -> str:
    """The lattice cell of every row along each coordinate: c0, c1, ..."""
    return f"SELECT {_lattice_cells(source, box)} {_kept_rows(relation, source, box)}"


def rows_of_part_query(
    relation: str, source: Source, box: Box, whole: bool, parts: int, part: int
) -> str:
    """The rows of those ids that belong to one of the parts: hash, id, p0, p1, ...

    Rows that do not count and rows without an id are left out. Ids are whole numbers, or else text.
    The hash is DuckDB's own, under a key; p0, p1, ... are the lattice cell, as many coordinates
    packed into each as it holds.
    """
    assert source.ids is not None
    key = hashlib.md5(source.ids.key.encode()).hexdigest()
    number = int(key[:15], 16)
    hashed = f"hash(xor(id, {number}))" if whole else f"hash(concat('{key}', id))"
    packed = []
    for first in range(0, box.d, PACKED):
        cells = [_cell(source, box, i, LATTICE_CELLS) for i in range(box.d)[first:][:PACKED]]
        places = [f"({cell} << {LATTICE_BITS * j})" for j, cell in enumerate(reversed(cells))]
        packed.append(f"{' | '.join(places)} AS p{first // PACKED}")
    mine = f"{hashed} % {parts} = {part}" if parts > 1 else "true"
    rows = f"{_counted_rows(relation, source, box)} AND id IS NOT NULL AND {mine}"
    return f"SELECT {hashed} AS hash, id, {', '.join(packed)} {rows}"


def totals_query(relation: str, source: Source, box: Box, centers: IntArray) -> str:
    """Rows nearest each center, and the sums of their ticks: label, n, s0, s1, ...

    |t - c|^2 without |t|^2, which all centers share, is |c|^2 - 2 c.t, a whole number that a
    BIGINT holds for any d below 2^19. CASE takes the first center that attains the least.
    """
    names = [f"score{j}" for j in range(len(centers))]
    scores = ", ".join(f"{_score(c)} AS {names[j]}" for j, c in enumerate(centers.tolist()))
    cases = " ".join(f"WHEN {name} THEN {j}" for j, name in enumerate(names))
    label = f"CASE least({', '.join(names)}) {cases} END"
    sums = ", ".join(f"CAST(sum(t{i}) AS BIGINT) AS s{i}" for i in range(box.d))
    scored = f"SELECT *, {scores} FROM ({_ticks(relation, source, box)}) AS ticks"
    labelled = f"SELECT *, {label} AS label FROM ({scored}) AS scored"
    return f"SELECT label, count(*) AS n, {sums} FROM ({labelled}) AS labelled GROUP BY label"


def spread_query(relation: str, source: Source, box: Box) -> str:
    """The sum over rows of |t|^2, which one BIGINT might not hold, as high * 2^21 + low."""
    square = " + ".join(f"t{i} * t{i}" for i in range(box.d))
    squares = f"SELECT {square} AS q FROM ({_ticks(relation, source, box)}) AS ticks"
    return (
        f"SELECT coalesce(CAST(sum(q >> {LATTICE_BITS}) AS BIGINT), 0) AS high, "
        f"coalesce(CAST(sum(q & {LATTICE_CELLS - 1}) AS BIGINT), 0) AS low "
        f"FROM ({squares}) AS squares"
    )


def tally_query(relation: str, source: Source, box: Box) -> str:
    """The number of rows, of those with a finite number in every column, and of those in the
    box."""
    return (
        f"SELECT count(*) AS n, count(CASE WHEN {_finite(box)} THEN 1 END) AS readable, "
        f"count(CASE WHEN {_inside(box)} THEN 1 END) AS inside "
        f"FROM {_points(relation, source)} AS points"
    )


def rows_of_ids_query(relation: str, most: int) -> str:
    """The number of ids with each number of rows, wherever these lie: number, n. More rows than
    most count as most."""
    each = f"SELECT id, count(*) AS many FROM {relation} AS named WHERE id IS NOT NULL GROUP BY id"
    number = f"SELECT CAST(least(many, {most:d}) AS BIGINT) AS number FROM ({each}) AS ids"
    return f"SELECT number, count(*) AS n FROM ({number}) AS numbers GROUP BY number"


def _points(relation: str, source: Source) -> str:
    """The coordinates of rows. Zone ids become positions, two coordinates for each column of ids;
    a zone that the table does not know gives NULL, which no box holds."""
    if source.zones is None:
        return relation
    rows = ", ".join(
        f"({literal(zone)}, {literal(x)}, {literal(y)})" for zone, x, y in source.zones.positions
    )
    columns = range(len(source.columns))
    positions = ", ".join(f"z{i}.x AS x{2 * i}, z{i}.y AS x{2 * i + 1}" for i in columns)
    if source.ids:
        positions += ", ids.id AS id"
    joins = " ".join(
        f"LEFT JOIN (VALUES {rows}) AS z{i} (id, x, y) ON ids.x{i} = z{i}.id" for i in columns
    )
    return f"(SELECT {positions} FROM {relation} AS ids {joins})"


def _kept_rows(relation: str, source: Source, box: Box) -> str:
    """Rows that count, with a limit on those of each id."""
    rows = _counted_rows(relation, source, box)
    return _few_of_each(rows, source, box) if source.ids else rows


def _counted_rows(relation: str, source: Source, box: Box) -> str:
    """Rows that count: those in the box or, when others are moved to its edge, all finite ones."""
    condition = _finite(box) if source.clip else _inside(box)
    return f"FROM {_points(relation, source)} AS points WHERE {condition}"


def _few_of_each(rows: str, source: Source, box: Box) -> str:
    """The rows kept of each id, no more than `Ids.rows`, and none without an id.

    The rows of an id are numbered in the order of their lattice cells, which are all that any
    question sees of them. A row's lot is part of a digest of the key, the id and this number; the
    lowest lots are kept, and of equal lots that of the lower number. So neither the order of rows
    nor anybody else's rows have a part in the choice.
    """
    assert source.ids is not None
    cells = [_cell(source, box, axis, LATTICE_CELLS) for axis in range(box.d)]
    named = f"SELECT * {rows} AND id IS NOT NULL"
    number = f"row_number() OVER (PARTITION BY id ORDER BY {', '.join(cells)})"
    numbered = f"SELECT *, {number} AS number FROM ({named}) AS named"
    lots = f"SELECT *, {_lot(source.ids.key)} AS lot FROM ({numbered}) AS numbered"
    place = "row_number() OVER (PARTITION BY id ORDER BY lot, number)"
    placed = f"SELECT *, {place} AS place FROM ({lots}) AS drawn"
    return f"FROM ({placed}) AS placed WHERE place <= {source.ids.rows}"


def _lot(key: str) -> str:
    """The lot of a row, from the columns number, which begins with 1, and id."""
    place = f"CAST((number - 1) % {LOTS} AS INTEGER)"
    block = f"(number - 1 - {place})"
    return f"substr({digest(key, f'CAST({block} / {LOTS} AS BIGINT)')}, 8 * {place} + 1, 8)"


def digest(key: str, block: str) -> str:
    """The lots of some rows of an id, which follow each other; the number of the block, from 0."""
    return f"md5(concat_ws(':', {quoted(key)}, CAST({block} AS STRING), id))"


def _lattice_cells(source: Source, box: Box) -> str:
    """The lattice cell of a row along each coordinate: c0, c1, ..."""
    return ", ".join(
        f"CAST({_cell(source, box, i, LATTICE_CELLS)} AS INTEGER) AS c{i}" for i in range(box.d)
    )


def _inside(box: Box) -> str:
    return " AND ".join(
        f"x{i} >= {literal(low)} AND x{i} <= {literal(high)}"
        for i, (low, high) in enumerate(zip(box.low, box.high, strict=True))
    )


def _finite(box: Box) -> str:
    largest = sys.float_info.max
    return " AND ".join(
        f"x{i} >= {literal(-largest)} AND x{i} <= {literal(largest)}" for i in range(box.d)
    )


def _cell(source: Source, box: Box, axis: int, cells_per_side: int) -> str:
    """The cell of a row along one coordinate: the expression of `Box.cells` on the lattice.

    A row is known by its lattice cell only. Where cells of the grid are not whole lattice cells
    it falls where the center of its lattice cell does, as in `coarsen`; elsewhere that is the
    same as asking for the cell of the grid at once.
    """
    if LATTICE_CELLS % cells_per_side:
        cell = _cell(source, box, axis, LATTICE_CELLS)
        return f"((2 * {cell} + 1) * {cells_per_side} >> {LATTICE_BITS + 1})"
    low, high = box.low[axis], box.high[axis]
    x = f"x{axis}"
    if source.clip:
        x = f"least(greatest({x}, {literal(low)}), {literal(high)})"
    scale = cells_per_side / (high - low)
    cell = f"CAST(floor(({x} - {literal(low)}) * {literal(scale)}) AS BIGINT)"
    return f"least({cell}, {cells_per_side - 1})"


def _flat_cell(source: Source, grid: Grid) -> str:
    """The cell of a row in C order."""
    g = grid.cells_per_side
    flat = _cell(source, grid.box, 0, g)
    for axis in range(1, grid.d):
        flat = f"({flat}) * {g} + {_cell(source, grid.box, axis, g)}"
    return flat


def _ticks(relation: str, source: Source, box: Box) -> str:
    """Positions as `cell_ticks` has them: t0, t1, ..."""
    ticks = ", ".join(
        f"2 * {_cell(source, box, i, LATTICE_CELLS)} - {TICKS - 1} AS t{i}" for i in range(box.d)
    )
    return f"SELECT {ticks} {_kept_rows(relation, source, box)}"


def _score(center: Sequence[int]) -> str:
    """|c|^2 - 2 c.t for one center."""
    product = " + ".join(f"({-2 * c}) * t{i}" for i, c in enumerate(center))
    return f"{sum(c * c for c in center)} + {product}"
