"""Every key of the session state is declared once, with the type of its value."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
KEYS = REPOSITORY / "pages/ui/session_keys.py"
TREES = {
    str(file.relative_to(REPOSITORY)): ast.parse(file.read_text(encoding="utf-8"))
    for file in [REPOSITORY / "app.py", *sorted((REPOSITORY / "pages").rglob("*.py"))]
    if file != KEYS
}


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_a_page_reaches_the_session_state_by_declared_keys_only(tree: ast.Module) -> None:
    lines = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "st.session_state"
    ]
    assert lines == []


def names(tree: ast.Module) -> list[str]:
    """The names of the keys that a module declares."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [
        each.args[0].value
        for each in calls
        if ast.unparse(each.func).startswith("SessionKey")
        and isinstance(each.args[0], ast.Constant)
    ]


def test_each_key_has_a_name_of_its_own() -> None:
    times = Counter(name for tree in TREES.values() for name in names(tree))
    assert len(times) > 30
    assert [name for name, count in times.items() if count > 1] == []
