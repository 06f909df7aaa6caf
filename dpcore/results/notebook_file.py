"""Jupyter notebooks, written as files: text and code that repeats what a page shows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from string import punctuation


@dataclass(frozen=True)
class Text:
    """A cell of text, in Markdown."""

    source: str


@dataclass(frozen=True)
class Code:
    """A cell of Python."""

    source: str


def as_text(name: str) -> str:
    """A name as Markdown shows it letter by letter: no link, no picture and no element of a page.

    Whoever opens a notebook would else ask a stranger's server for a picture. Markdown takes any
    ASCII punctuation after a backslash for itself.
    """
    return "".join(f"\\{each}" if each in punctuation else each for each in " ".join(name.split()))


def notebook_file(cells: Sequence[Text | Code]) -> bytes:
    """A notebook in format 4.5, without outputs.

    The same cells give the same bytes, so that a notebook can be compared and cached.

    Parameters
    ----------
    cells : sequence of Text or Code
        What the notebook holds, from top to bottom.

    Returns
    -------
    bytes
        The file's content, to be saved as ``.ipynb``.

    Examples
    --------
    >>> import json
    >>> file = notebook_file([Text("# One and one"), Code("1 + 1")])
    >>> [cell["cell_type"] for cell in json.loads(file)["cells"]]
    ['markdown', 'code']
    """
    return json.dumps(
        {
            "cells": [_cell(place, cell) for place, cell in enumerate(cells)],
            "metadata": {
                "kernelspec": {
                    "display_name": "Python 3",
                    "language": "python",
                    "name": "python3",
                },
                "language_info": {"name": "python"},
            },
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        indent=1,
        ensure_ascii=False,
    ).encode()


def _cell(place: int, cell: Text | Code) -> dict[str, object]:
    written: dict[str, object] = {
        "id": sha256(f"{place} {cell.source}".encode()).hexdigest()[:12],
        "metadata": {},
        "source": cell.source.splitlines(keepends=True),
    }
    if isinstance(cell, Text):
        return {"cell_type": "markdown", **written}
    return {"cell_type": "code", **written, "execution_count": None, "outputs": []}
