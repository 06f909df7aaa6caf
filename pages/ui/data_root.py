"""The one folder in which this dashboard reads and writes what a visitor names."""

from __future__ import annotations

import os
import re
from pathlib import Path

from dpcore.datasets.engines import DataFileError, IsolatedEngine, Source
from pages.server import settings


class Outside(DataFileError):
    """A path outside the data folder. It was not looked up, so the error says nothing about it."""

    def __init__(self, path: str):
        super().__init__(
            path,
            f"it is not in {settings.data_root()}, the only folder that this dashboard reads. "
            f"Whoever runs it can choose another: {settings.DATA}.",
        )


def inside(path: str) -> str:
    """The path, with every link followed, if it lies in the data folder.

    A relative path starts there. The part of a pattern before its first wildcard is checked here;
    what the pattern matches, file by file, by the engine.
    """
    root = settings.data_root()
    whole = os.path.join(root, os.path.expanduser(path))
    fixed = re.split(r"[*?\[{]", whole, maxsplit=1)[0]
    rest = whole[len(fixed) :]
    if ".." in Path(rest).parts:
        raise Outside(path)
    if not rest:
        return _contained(whole, path)
    folder, _, start = fixed.rpartition(os.sep)
    return os.path.join(_contained(folder or os.sep, path), start + rest)


def file(path: str) -> str:
    """A regular file in the data folder, with every link followed."""
    real = _contained(os.path.join(settings.data_root(), os.path.expanduser(path)), path)
    if not os.path.isfile(real):
        raise DataFileError(path, "there is no such file.")
    return real


def _contained(place: str, path: str) -> str:
    if "\0" in path or "://" in path:
        raise Outside(path)
    real = os.path.realpath(place)
    if not Path(real).is_relative_to(settings.data_root()):
        raise Outside(path)
    return real


class RootedEngine(IsolatedEngine):
    """Reads regular files in the data folder, in a process of its own."""

    def __init__(self) -> None:
        super().__init__(root=str(settings.data_root()))

    def look(self, path: str, format: str | None = None) -> Source:
        return super().look(inside(path), format)

    def files(self, path: str) -> list[str]:
        return super().files(inside(path))
