"""Rules of the house that a reader relies on and a reviewer would otherwise have to check."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

import dpcore

ROOT = Path(__file__).parents[1]
CORE = sorted((ROOT / "dpcore").rglob("*.py"))
PAGES = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]
#: Programs that nobody imports.
OTHER_PROGRAMS = sorted([*(ROOT / "benchmarks").glob("*.py"), *(ROOT / "data").glob("*.py")])

#: The folders of dpcore, from the ground up. A module imports from its own layer and those below.
LAYERS = (
    "randomness",
    "geometry",
    "kmeans",
    "privacy",
    "results",
    "datasets",
    "queries",
    "algorithms",
    "runs",
    "study",
    "audit",
    "release",
    "estimators",
    "classroom",
    "papers",
    "cli",
)
#: What may lie in the root beside the layers: it imports nothing but itself.
ROOT_MODULES = {"dpcore", "dpcore._html", "dpcore._suggestion", "dpcore._version", "dpcore.errors"}
#: `python -m dpcore`: the one module above all layers.
PROGRAM = "dpcore.__main__"
#: Words that say what was done to a value, and leave open what it is.
PARTICIPLES = {
    "asked",
    "chosen",
    "drawn",
    "found",
    "given",
    "heard",
    "held",
    "kept",
    "known",
    "said",
    "shown",
    "taken",
    "told",
    "wanted",
}


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {dotted(path): path for path in [*CORE, *PAGES]}


def _without_type_checking(tree: ast.AST) -> list[ast.AST]:
    """All nodes but those that only a type checker sees."""
    nodes = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        nodes += [node, *_without_type_checking(node)]
    return nodes


def _names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(names)


@cache
def imported(path: Path) -> frozenset[str]:
    """Every name that a file imports when it runs, as `module` and as `module.name`."""
    return _names(_without_type_checking(ast.parse(path.read_text())))


@cache
def named(path: Path) -> frozenset[str]:
    """Every name that a file imports, also those that only a type checker sees."""
    return _names(ast.walk(ast.parse(path.read_text())))


@cache
def modules_imported(module: str) -> frozenset[str]:
    """The modules of this project that a module names in its imports."""
    names = imported(MODULES[module])
    return frozenset(
        each
        for each in names & MODULES.keys()
        if each != module and not any(n.startswith(f"{each}.") and n in MODULES for n in names)
    )


def layer(module: str) -> int:
    return LAYERS.index(module.split(".")[1])


@pytest.mark.parametrize("path", CORE, ids=name)
def test_every_module_of_the_core_lies_in_a_layer(path):
    module = dotted(path)
    assert module in {*ROOT_MODULES, PROGRAM} or module.split(".")[1] in LAYERS


@pytest.mark.parametrize("path", CORE, ids=name)
def test_nothing_imports_from_a_layer_above(path):
    module = dotted(path)
    others = {n for n in imported(path) if n.startswith("dpcore.") and n in MODULES}
    if module == PROGRAM:
        assert others == {"dpcore.cli"}
    elif module in ROOT_MODULES:
        assert others <= ROOT_MODULES
    else:
        others -= ROOT_MODULES
        assert not {other for other in others if layer(other) > layer(module)}


@pytest.mark.parametrize("path", CORE, ids=name)
def test_the_core_never_imports_its_own_root(path):
    assert "dpcore" not in imported(path)


@pytest.mark.parametrize("path", CORE, ids=name)
def test_the_core_knows_no_user_interface(path):
    assert not {n for n in imported(path) if n.split(".")[0] in ("streamlit", "pydeck", "plotly")}


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_a_page_computes_nothing_asks_no_table_and_draws_no_noise(path):
    forbidden = ("numpy", "scipy", "sklearn", "duckdb", "pyspark", "opendp", "random")
    assert not {n for n in imported(path) if n.split(".")[0] in forbidden}
    doors = ("dpcore.privacy.noise", "dpcore.privacy.release_noise", "dpcore.queries")
    assert not {n for n in imported(path) if n.startswith((*doors, "dpcore.kmeans"))}


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_no_page_imports_the_command_line(path):
    assert not {n for n in imported(path) if n.startswith("dpcore.cli")}


@pytest.mark.parametrize("path", sorted((ROOT / "dpcore/algorithms").rglob("*.py")), ids=name)
def test_an_algorithm_reaches_data_through_the_curator_only(path):
    assert not {n for n in named(path) if n.startswith("dpcore.datasets")}


def test_no_module_imports_itself_by_way_of_others():
    done: set[str] = set()

    def visit(module: str, above: tuple[str, ...]) -> None:
        assert module not in above, " > ".join([*above, module])
        if module not in done:
            for other in modules_imported(module):
                visit(other, (*above, module))
            done.add(module)

    for module in MODULES:
        visit(module, ())


@cache
def longest_chain(module: str) -> tuple[str, ...]:
    others = modules_imported(module)
    return (module, *max(map(longest_chain, sorted(others)), key=len, default=()))


@pytest.mark.parametrize(
    "path", [path for path in PAGES if path.parent.name in ("pages", ROOT.name)], ids=name
)
def test_no_chain_of_imports_below_a_page_is_longer_than_sixteen_modules(path):
    chain = longest_chain(dotted(path))
    assert len(chain) <= 16, " > ".join(chain)


def test_no_chain_of_imports_within_the_core_is_longer_than_fifteen_modules():
    chain = max((longest_chain(dotted(path)) for path in CORE), key=len)
    assert len(chain) <= 15, " > ".join(chain)


def test_importing_dpcore_imports_nothing_but_its_version():
    code = "import sys, dpcore; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    loaded = set(run.stdout.split())
    assert {each for each in loaded if each.startswith("dpcore")} == {"dpcore", "dpcore._version"}
    assert not loaded & {"numpy", "scipy", "pandas", "sklearn", "duckdb", "opendp", "streamlit"}


def test_using_dpcore_imports_no_engine_no_opendp_and_no_streamlit():
    code = "import sys, dpcore; dpcore.run, dpcore.datasets, dpcore.sweep; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    loaded = set(run.stdout.split())
    assert "dpcore.runs.run" in loaded
    assert not loaded & {"duckdb", "opendp", "pyspark", "streamlit", "pydeck", "plotly", "sklearn"}


def test_everything_exported_exists_and_is_sorted():
    assert dpcore.__all__ == sorted(dpcore.__all__)
    for each in dpcore.__all__:
        assert getattr(dpcore, each) is not None
    with pytest.raises(AttributeError):
        _ = dpcore.no_such_name


def test_a_class_name_stands_for_one_thing():
    names = Counter(
        node.name
        for path in [*CORE, *PAGES]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, times in names.items() if times > 1] == []


def test_a_module_name_stands_for_one_module():
    """Except for the base classes of packages, and for commands, named after what they do."""
    names = Counter(
        path.stem for path in [*CORE, *PAGES] if path.parent.name != "cli" and path.stem != "base"
    )
    del names["__init__"]
    assert [name for name, times in names.items() if times > 1] == []


@pytest.mark.parametrize("path", [*CORE, *PAGES], ids=name)
def test_a_module_has_at_most_400_lines(path):
    assert len(path.read_text().splitlines()) <= 400


@pytest.mark.parametrize("path", [*CORE, *PAGES], ids=name)
def test_text_is_read_and_written_as_utf8_on_every_system(path):
    unsaid = [
        f"line {call.lineno}: {ast.unparse(call)}"
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("read_text", "write_text")
        and "encoding" not in {keyword.arg for keyword in call.keywords}
    ]
    assert unsaid == []


def names_given(tree: ast.AST) -> Iterator[str]:
    """The names of functions, fields, variables and arguments, but not of those that users of
    dpcore pass."""
    left_out: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name in dpcore.__all__:
            left_out |= {id(argument) for argument in ast.walk(node.args)}
    for node in ast.walk(tree):
        if id(node) in left_out:
            continue
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef):
            yield node.name


@pytest.mark.parametrize("path", [*CORE, *PAGES, *OTHER_PROGRAMS], ids=name)
def test_a_thing_is_called_what_it_is_not_what_was_done_to_it(path):
    """Not `found`, but `cells`; not `said`, but `message`; not `told()`, but `sentence()`."""
    names = names_given(ast.parse(path.read_text(encoding="utf-8")))
    assert PARTICIPLES.intersection(names) == set()
