"""A real Jupyter kernel that executes notebooks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

#: A notebook that takes longer than this has hung.
LONGEST = 300


def run_notebook(file: bytes, folder: Path) -> Any:
    """The notebook with what its cells printed or showed; an error in a cell is raised.

    The kernel is this interpreter, and works in ``folder``.
    """
    notebook: Any = nbformat.reads(file.decode(), as_version=4)
    nbformat.validate(notebook)
    spec = folder / "kernels" / "python3"
    spec.mkdir(parents=True)
    (spec / "kernel.json").write_text(
        f'{{"argv": ["{sys.executable}", "-m", "ipykernel_launcher", "-f", "{{connection_file}}"],'
        ' "display_name": "Python 3", "language": "python"}'
    )
    client = NotebookClient(
        notebook, timeout=LONGEST, kernel_name="python3", resources={"metadata": {"path": folder}}
    )
    client.create_kernel_manager().kernel_spec_manager.kernel_dirs.insert(0, str(spec.parent))
    client.execute()
    return notebook


def executed(file: bytes, folder: Path) -> list[str]:
    """What each code cell of a notebook printed or showed as text."""
    cells = run_notebook(file, folder).cells
    return [_shown(cell) for cell in cells if cell.cell_type == "code"]


def _shown(cell: Any) -> str:
    return "".join(
        output.get("text") or output.get("data", {}).get("text/plain", "")
        for output in cell.outputs
    )
