"""Notebooks are files that Jupyter opens and executes."""

from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from dpcore.results.notebook_file import Code, Text, notebook_file
from tests.jupyter import executed


def test_a_notebook_runs_in_a_real_kernel(tmp_path: Path) -> None:
    file = notebook_file([Text("# Sum\nÜber"), Code("x = 20\nprint(x)"), Code("x + 22")])
    assert executed(file, tmp_path) == ["20\n", "42"]


def test_an_error_in_a_cell_is_raised(tmp_path: Path) -> None:
    with pytest.raises(CellExecutionError, match="division"):
        executed(notebook_file([Code("1 / 0")]), tmp_path)


def test_a_notebook_is_valid_and_the_same_each_time() -> None:
    cells = [Code("1"), Code("1"), Text("")]
    file = notebook_file(cells)
    nbformat.validate(nbformat.reads(file.decode(), as_version=4))
    assert file == notebook_file(cells)
