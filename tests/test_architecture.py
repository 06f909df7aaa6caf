"""Rules of the house that a reader relies on and a reviewer would otherwise have to check."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CORE = sorted((ROOT / "dpcore").rglob("*.py"))
PAGES = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", CORE, ids=name)
def test_the_core_knows_no_user_interface(path):
    assert not {n for n in imported(path) if n.split(".")[0] in ("streamlit", "pydeck", "plotly")}


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_a_page_computes_nothing_asks_no_table_and_draws_no_noise(path):
    forbidden = ("numpy", "scipy", "sklearn", "duckdb", "pyspark", "opendp", "random")
    assert not {n for n in imported(path) if n.split(".")[0] in forbidden}
    doors = ("dpcore.noise", "dpcore.curator", "dpcore.release_noise", "dpcore.kmeans")
    assert not {n for n in imported(path) if n.startswith(doors)}


@pytest.mark.parametrize("path", sorted((ROOT / "dpcore/algorithms").glob("*.py")), ids=name)
def test_an_algorithm_reaches_data_through_the_curator_only(path):
    reached = {n for n in imported(path) if n.startswith(("dpcore.datasets", "dpcore.engines"))}
    assert reached <= {"dpcore.datasets.base", "dpcore.datasets.base.Dataset"}


def test_importing_dpcore_imports_no_engine_no_opendp_and_no_streamlit():
    code = "import sys, dpcore; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    loaded = set(run.stdout.split())
    assert "dpcore" in loaded
    assert not loaded & {"duckdb", "opendp", "pyspark", "streamlit", "pydeck", "plotly"}


def test_everything_exported_exists_and_is_sorted():
    import dpcore

    assert dpcore.__all__ == sorted(dpcore.__all__)
    for each in dpcore.__all__:
        assert hasattr(dpcore, each)
