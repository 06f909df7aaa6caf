"""Explanations of why no row of a file lies in the box, for the owner of the data only."""

from __future__ import annotations

from dataclasses import replace

from dpcore.datasets.engines.base import Engine
from dpcore.datasets.engines.source import Format, Kind, Source
from dpcore.errors import listed
from dpcore.geometry.domain import Box


def explain_empty(engine: Engine, source: Source, box: Box) -> str | None:
    """The reason why no row lies in the box, and how to mend that; None when one does."""
    tally = engine.tally(source, box)
    if tally.inside:
        return None
    if not tally.total:
        return f"{source.path} has no rows under its column names."
    columns = listed(source.columns).replace(", ", " and ")
    if tally.unreadable == tally.total:
        numbers = [name for name, kind in source.schema.items() if kind is Kind.NUMBER]
        others = f" Columns of numbers are {listed(numbers)}." if numbers else ""
        commas = ""
        if source.format is Format.CSV and source.layouts[0].delimiter != ",":
            commas = " If numbers have decimal commas, give format='csv-comma'."
        return (
            f"None of the {tally.total:,} rows has a number in {columns}. "
            f"Name other columns.{others}{commas}"
        )
    if swapped := in_other_order(engine, source, box):
        inside = engine.tally(swapped, box).inside
        return (
            f"All rows lie outside the box, but {inside:,} of {tally.total:,} lie inside when "
            f"{columns} trade places: longitude and latitude are swapped. "
            f"Name the columns in this order: {', '.join(swapped.columns)}."
        )
    return (
        f"All {tally.outside:,} rows with numbers in {columns} lie outside the box: "
        f"{box.words()}. Check that the box and the file use the same units, or give another box. "
        "Take it from what is publicly known, not from the rows."
    )


def in_other_order(engine: Engine, source: Source, box: Box) -> Source | None:
    """The source with the two columns of each pair exchanged, if rows would lie in the box then."""
    if source.zones or len(source.columns) % 2:
        return None
    pairs = zip(source.columns[1::2], source.columns[::2], strict=True)
    swapped = replace(source, columns=tuple(name for pair in pairs for name in pair))
    return swapped if engine.tally(swapped, box).inside else None
