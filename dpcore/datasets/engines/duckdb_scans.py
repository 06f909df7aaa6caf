"""DuckDB's view of columns, and the expressions that select those of a source."""

from __future__ import annotations

import glob
from typing import Any

from dpcore.datasets.engines.plain import Plain
from dpcore.datasets.engines.source import Column, Format, Kind, Layout, Source
from dpcore.datasets.engines.sql import as_double, as_id, csv_columns, csv_names, quoted

#: DuckDB's parser, told everything, for a plain file. One column more than the header has names
#: shows where a line is too long or, with NULL in the last, too short; no field is a quote.
PARSER = (
    "auto_detect = false, header = true, quote = '', escape = '', comment = '', nullstr = '\"', "
    "null_padding = true, strict_mode = false, ignore_errors = true, encoding = 'utf-8'"
)
#: Types of numbers, and those of whole numbers that a BIGINT holds.
NUMBERS = {
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
}
WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}


def typed_rows(source: Source, layout: Layout, scan: str) -> str:
    columns = []
    for i, name in enumerate(source.columns):
        kind = layout.columns[layout.position(name)].kind
        columns.append(f"{as_double(identifier(name), kind)} AS x{i}")
    if source.ids:
        name = identifier(source.ids.column)
        kind = layout.columns[layout.named(source.ids.column)].kind
        whose = f"CAST({name} AS BIGINT)" if has_whole_ids(source) else as_id(name, kind)
        columns.append(f"{whose} AS id")
    return f"SELECT {', '.join(columns)} FROM {scan}"


def has_whole_ids(source: Source) -> bool:
    """Whether in every file ids are of a type of whole numbers; else they are read as text."""
    assert source.ids is not None
    name = source.ids.column
    return all(layout.columns[layout.named(name)].type in WHOLE for layout in source.layouts)


def plain_rows(source: Source, layout: Layout, plain: Plain, paths: list[str]) -> str:
    """The rows of plain files, from DuckDB's own parser."""
    form = source.form(layout)
    width = form.width
    types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(width + 1))
    whole = f"CASE WHEN c{width - 1} IS NOT NULL AND c{width} IS NULL THEN {{}} END".format
    scan = (
        f"read_csv({file_list(paths)}, columns = {{{types}}}, delim = {quoted(layout.delimiter)}, "
        f"new_line = '{plain.line_end}', {PARSER})"
    )
    if plain.plain_numbers and not source.ids and source.format is Format.CSV:
        numbers = [f"TRY_CAST({whole(f'c{place}')} AS DOUBLE)" for place in form.places]
        columns = ", ".join(f"{number} AS x{i}" for i, number in enumerate(numbers))
        return f"SELECT {columns} FROM {scan}"
    named = zip(form.places, csv_names(source), strict=True)
    texts = ", ".join(f"{whole(f'c{place}')} AS {name}" for place, name in named)
    return f"SELECT {', '.join(csv_columns(source))} FROM (SELECT {texts} FROM {scan})"


def file_list(paths: list[str]) -> str:
    """Files for DuckDB, to which a path is a pattern unless its brackets are escaped."""
    return "[" + ", ".join(quoted(glob.escape(path)) for path in paths) + "]"


def identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def layout_of(path: str, table: Any) -> Layout:
    """The columns of an Arrow table."""
    import pyarrow as pa

    def kind(type: Any) -> Kind:
        if pa.types.is_floating(type) or pa.types.is_integer(type) or pa.types.is_decimal(type):
            return Kind.NUMBER
        return Kind.TEXT if pa.types.is_string(type) else Kind.OTHER

    columns = [Column(field.name, kind(field.type), str(field.type)) for field in table.schema]
    return Layout(path, tuple(columns))


def kind_of(type: str) -> Kind:
    if type.split("(")[0] in NUMBERS:
        return Kind.NUMBER
    return Kind.TEXT if type == "VARCHAR" else Kind.OTHER
