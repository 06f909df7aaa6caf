"""The one error a person meets when data cannot be read."""

from __future__ import annotations


class DataFileError(ValueError):
    """A file, table or engine that cannot be used: which one, which column, and what to do."""

    def __init__(self, path: str, problem: str, column: str | None = None):
        where = path if column is None else f"{path}, column {column!r}"
        super().__init__(f"{where}: {problem}")
        self.path = path
        self.column = column
