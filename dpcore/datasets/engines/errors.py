"""Errors of reading data, and names as they show them."""

from __future__ import annotations

from collections.abc import Iterable

from dpcore.errors import DataFileError as DataFileError
from dpcore.errors import shortened as shortened

#: Characters of a list of names that an error shows.
LIST_SHOWN = 1000


class ReadingStopped(DataFileError):
    """Somebody stopped the reading of a file."""

    def __init__(self, path: str):
        super().__init__(path, "reading it was stopped.")


def listed(names: Iterable[str]) -> str:
    """Names in a line, as many as a person would read."""
    text = ""
    for name in names:
        if text and len(text) + len(name) > LIST_SHOWN:
            return f"{text} …"
        text += ", " * bool(text) + shortened(name)
    return text
