"""Pages of the gallery as notebooks: a real kernel runs them, and the site shows what came out.

A page in docs/gallery is Markdown with blocks of Python. When the site is built, the page becomes a
notebook, its cells are run one after the other, and each block is followed by its output. The
notebook can be downloaded.
"""

from __future__ import annotations

import html
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from plotly.offline import get_plotlyjs

sys.path.insert(0, str(Path(__file__).parents[2]))

from dpcore.results.notebook_file import Code, Text, notebook_file
from tests.jupyter import run_notebook

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FIGURE = "application/vnd.plotly.v1+json"
PLOTLY = "gallery/plotly.min.js"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    files.append(File.generated(config, PLOTLY, content=get_plotlyjs()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str | None:
    path = page.file.src_uri
    if not path.startswith("gallery/") or not BLOCK.search(markdown):
        return None
    name = f"{Path(path).stem}.ipynb"
    # Charts as data, and commands of this environment.
    os.environ["PLOTLY_RENDERER"] = "plotly_mimetype"
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with tempfile.TemporaryDirectory() as folder:
        notebook = run_notebook(notebook_file(list(cells(markdown))), Path(folder))
    content = nbformat.writes(notebook)
    files.append(File.generated(config, f"gallery/{name}", content=content))
    parts = [_written(cell) for cell in notebook.cells]
    title, _, rest = "\n\n".join(parts).partition("\n")
    script = '<script src="plotly.min.js"></script>' if FIGURE in content else ""
    return f"{title}\n\n[Download this page as a notebook]({name}){script}\n{rest}"


def cells(markdown: str) -> Iterator[Text | Code]:
    """Text and code, in turn."""
    for place, part in enumerate(BLOCK.split(markdown)):
        if part.strip():
            yield Code(part.strip()) if place % 2 else Text(part.strip())


def _written(cell: Any) -> str:
    """A cell of an executed notebook as Markdown."""
    if cell.cell_type == "markdown":
        return str(cell.source)
    outputs = [_output(each) for each in cell.outputs]
    return "\n\n".join([f"```python\n{cell.source}\n```", *filter(None, outputs)])


def _output(output: Any) -> str:
    if output.output_type == "stream":
        return _block(output.text) if output.name == "stdout" else ""
    data = output.data
    if FIGURE in data:
        figure = html.escape(json.dumps(data[FIGURE]), quote=True)
        return (
            f'<div class="figure" data-figure="{figure}"></div>\n'
            "<script>(box => { const { data, layout } = JSON.parse(box.dataset.figure); "
            "Plotly.newPlot(box, data, layout, { responsive: true, displayModeBar: false }) "
            "})(document.currentScript.previousElementSibling)</script>"
        )
    if "text/html" in data:
        table = data["text/html"].replace('border="1" class="dataframe"', "")  # of pandas
        return f'<div class="output">{table}</div>'
    return _block(data["text/plain"])


def _block(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```"
