"""Notebooks are files that Jupyter opens and executes."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from dpcore.results.notebook_file import Code, Text, as_text, notebook_file
from tests.jupyter import executed


def test_a_notebook_runs_in_a_real_kernel(tmp_path: Path) -> None:
    file = notebook_file([Text("# Sum\nÜber"), Code("x = 20\nprint(x)"), Code("x + 22")])
    assert executed(file, tmp_path) == ["20\n", "42"]


def test_an_error_in_a_cell_is_raised(tmp_path: Path) -> None:
    with pytest.raises(CellExecutionError, match="division"):
        executed(notebook_file([Code("1 / 0")]), tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "![](https://elsewhere.example/seen.png)",
        "<img src=https://elsewhere.example/seen.png>",
        "[trips](https://elsewhere.example)",
        "https://elsewhere.example www.elsewhere.example me@elsewhere.example",
        "$\\href{javascript:alert(1)}{x}$",
        "a\n# b\n\n    c",
    ],
)
def test_a_name_in_a_notebook_is_shown_letter_by_letter(name: str) -> None:
    """Whoever opens the notebook would else tell a stranger's server of it."""
    shown = as_text(name)
    assert re.sub(r"\\([!-/:-@[-`{-~])", r"\1", shown) == " ".join(name.split())
    assert re.fullmatch(r"(\\[!-/:-@[-`{-~]|[a-z0-9 ])*", shown)


def test_a_notebook_is_valid_and_the_same_each_time() -> None:
    cells = [Code("1"), Code("1"), Text("")]
    file = notebook_file(cells)
    nbformat.validate(nbformat.reads(file.decode(), as_version=4))
    assert file == notebook_file(cells)
