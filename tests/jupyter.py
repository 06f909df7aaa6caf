"""A real Jupyter kernel that executes notebooks."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

#: Seconds: a kernel that takes longer to start, or a cell to run, has hung.
LONGEST = 600


def run_notebook(file: bytes, folder: Path) -> Any:
    """The notebook with what its cells printed or showed; an error in a cell is raised.

    The kernel is this interpreter, and works in ``folder``.
    """
    notebook: Any = nbformat.reads(file.decode(), as_version=4)
    nbformat.validate(notebook)
    spec = folder / "kernels" / "python3"
    spec.mkdir(parents=True)
    (spec / "kernel.json").write_text(
        f'{{"argv": ["{sys.executable}", "-m", "ipykernel_launcher", "-f", "{{connection_file}}",'
        ' "--HistoryManager.enabled=False"], "display_name": "Python 3", "language": "python"}'
    )
    client = NotebookClient(
        notebook,
        timeout=LONGEST,
        startup_timeout=LONGEST,
        kernel_name="python3",
        resources={"metadata": {"path": folder}},
    )
    manager = client.create_kernel_manager()
    manager.kernel_spec_manager.kernel_dirs.insert(0, str(spec.parent))
    with tempfile.TemporaryDirectory() as sockets:
        if sys.platform != "win32":
            # Files and no ports, which another process could take before the kernel does.
            manager.transport, manager.ip = "ipc", f"{sockets}/kernel"
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
