"""The one error a person meets when data cannot be read."""

from __future__ import annotations

from collections.abc import Iterable

#: Characters of a name, and of a list of names, that an error shows.
NAME_SHOWN, LIST_SHOWN = 200, 1000


class DataFileError(ValueError):
    """A file, table or engine that cannot be used: which one, which column, and what to do."""

    def __init__(self, path: str, problem: str, column: str | None = None):
        where = shortened(path)
        if column is not None:
            where += f", column {shortened(column)!r}"
        super().__init__(f"{where}: {problem}")
        self.path = path
        self.problem = problem
        self.column = column


class ReadingStopped(DataFileError):
    """Somebody stopped the reading of a file."""

    def __init__(self, path: str):
        super().__init__(path, "reading it was stopped.")


def shortened(name: str, most: int = NAME_SHOWN) -> str:
    """A name, or of a long one the beginning and the end."""
    if len(name) <= most:
        return name
    return f"{name[: most // 2]}…{name[len(name) - most // 2 + 1 :]}"


def listed(names: Iterable[str]) -> str:
    """Names in a line, as many as a person would read."""
    text = ""
    for name in names:
        if text and len(text) + len(name) > LIST_SHOWN:
            return f"{text} …"
        text += ", " * bool(text) + shortened(name)
    return text
