"""Every key of the session state is declared in one module, so no key has two meanings."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
FILES = [REPOSITORY / "app.py", *sorted((REPOSITORY / "pages").rglob("*.py"))]
METHODS = {"get", "pop", "setdefault"}


def is_state(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "session_state"


def uses(tree: ast.Module) -> Iterator[ast.expr]:
    """The expressions by which a module names what it reads or writes in the session state."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and is_state(node.value):
            yield node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in METHODS and is_state(node.func.value):
                yield node.args[0]
        elif isinstance(node, ast.Compare) and any(map(is_state, node.comparators)):
            yield node.left


def constants(tree: ast.Module) -> dict[str, str]:
    """The names that a module gives to strings."""
    named = {}
    for node in tree.body:
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            pairs = (
                zip(target.elts, node.value.elts, strict=False)
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
                else [(target, node.value)]
            )
            for name, value in pairs:
                if (
                    isinstance(name, ast.Name)
                    and isinstance(value, ast.Constant)
                    and isinstance(value.value, str)
                ):
                    named[name.id] = value.value
    return named


def declared() -> dict[str, set[str]]:
    """Each key of the session state, and the modules that declare it."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in FILES:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        own = constants(tree)
        for key in uses(tree):
            if isinstance(key, ast.Constant):
                found[key.value].add(file.stem)
            elif isinstance(key, ast.Name) and key.id in own:
                found[own[key.id]].add(file.stem)
    return found


def test_each_key_of_the_session_state_is_declared_in_one_module() -> None:
    keys = declared()
    assert len(keys) > 30
    assert {key: modules for key, modules in keys.items() if len(modules) > 1} == {}
