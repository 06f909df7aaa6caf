"""The folder of the files that ship: data/ in a checkout, inside the package once installed."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def data_file(name: str) -> Path:
    """The path of a file, or a folder of files, that ships, such as nyc_taxi.parquet."""
    for folder in (_PACKAGE / "_data", _PACKAGE.parent / "data"):
        if (folder / name).exists():
            return folder / name
    raise FileNotFoundError(f"{name} does not ship with dpcore, or this installation has lost it.")
