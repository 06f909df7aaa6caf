"""Every key of the address is declared once, and means one thing."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

from dpcore.classroom import lesson_plans
from pages.ui import frame, url_keys
from pages.ui.address import HERE, Key
from pages.ui.url_keys import Page
from tests.pages.visits import address, checked, visited

ROOT = Path(__file__).parents[2]
SOURCES = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]
DECLARATIONS, STATE = ROOT / "pages/ui/url_keys.py", ROOT / "pages/ui/address.py"
#: They read an address before there is a page, for the token in it.
GATE = ROOT / "pages/server/gate.py"
DECLARED = list(url_keys.declared())


def meant_twice(keys: Iterable[Key[Any]]) -> set[str]:
    """Names that are declared twice, or that two keys of a page go by, now or formerly."""
    keys = list(keys)
    names = Counter(key.name for key in keys)
    on_pages = Counter(
        (page, name)
        for key in keys
        for page in key.pages
        for name in filter(None, (key.name, key.former))
    )
    twice = {name for name, times in names.items() if times > 1}
    return twice | {name for (_, name), times in on_pages.items() if times > 1}


def undeclared(source: str) -> list[str]:
    """Places that go around the declared keys."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr == "query_params":
            found.append(f"{node.lineno}: reads the address itself")
        if (
            isinstance(node, ast.Call)
            and ast.unparse(node.func).split("[")[0].split(".")[-1] == "Key"
        ):
            found.append(f"{node.lineno}: declares a key")
        if isinstance(node, ast.keyword) and node.arg == "query_params":
            made = node.value.func if isinstance(node.value, ast.Call) else node.value
            if ast.unparse(made) not in ("address.link", "query"):
                found.append(f"{node.lineno}: writes a link itself")
    return found


def test_no_key_has_two_meanings() -> None:
    assert meant_twice(DECLARED) == set()


@pytest.mark.parametrize(
    "other",
    [
        Key("from", int, 0, ("Publish",)),
        Key("start", int, 0, ("Curves",), former="from"),
        Key("origin", int, 0, ("Publish",), former="from"),
    ],
)
def test_a_second_meaning_would_be_found(other: Key[int]) -> None:
    assert meant_twice([*DECLARED, other]) == {"from"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_page_uses_a_key_that_is_not_declared(path: Path) -> None:
    if path not in (DECLARATIONS, STATE, GATE):
        assert undeclared(path.read_text()) == []


@pytest.mark.parametrize(
    "line",
    [
        "st.query_params.get('from')",
        "address.Key('from', int, 0, ('Publish',))",
        "Key[int | None]('from', int, 0, ('Publish',))",
        "st.page_link('app.py', query_params=address.link() | {'from': '1'})",
    ],
)
def test_a_key_that_is_not_declared_would_be_found(line: str) -> None:
    assert len(undeclared(line)) == 1


def test_a_default_is_a_value_that_the_address_can_hold() -> None:
    for key in DECLARED:
        if key.default:
            assert key.parse(key.render(key.default)) == key.default, key.name


def test_the_pages_of_keys_are_those_of_the_menu() -> None:
    assert {*Page} <= {title for _, title, _ in frame.PAGES}
    assert all(key.pages and {*key.pages} <= {*Page} for key in DECLARED)


def test_lessons_open_declared_keys_of_the_classroom() -> None:
    known = {key.name: key for key in DECLARED if Page.LEARN in key.pages}
    for lesson in lesson_plans.shipped().values():
        for number in range(1, len(lesson.steps) + 1):
            for name, text in lesson.address(number).items():
                assert known[name].reads(text), (lesson.key, number, name)


def test_a_key_of_another_page_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(st.session_state, HERE.name, "Curves")
    assert url_keys.RUNS.get() == 20
    with pytest.raises(AssertionError, match="Curves reads 'frame'"):
        url_keys.FRAME.get()


# One visit over several pages.


def test_the_range_of_curves_survives_a_visit_to_publish() -> None:
    app = visited("pages/1_curves.py", **{"from": 0.2, "to": 1.0, "runs": 1})
    checked(app.switch_page("pages/4_publish.py"))
    assert address(app)["from"] == "0.2"
    checked(app.switch_page("pages/1_curves.py"))
    assert app.selectbox(key="at-from").value == 0.2


def test_the_source_on_publish_survives_a_visit_to_curves() -> None:
    app = visited("pages/4_publish.py")
    app.radio(key="at-source").set_value("path")
    assert address(checked(app)) == {"source": "path"}
    checked(app.switch_page("pages/1_curves.py"))
    checked(app.switch_page("pages/4_publish.py"))
    assert app.radio(key="at-source").value == "path"


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("pages/5_learn.py", {"k": 50}),
        ("pages/5_learn.py", {"algorithm": "sparse-mean"}),
        ("pages/4_publish.py", {"algorithm": "eugkm-published"}),
    ],
)
def test_what_one_page_cannot_show_is_kept_for_the_others(
    page: str, query: dict[str, object]
) -> None:
    app = checked(visited(**query).switch_page(page))
    assert address(app) == {name: str(value) for name, value in query.items()}


@pytest.mark.parametrize("source", ["path", "public", "upload"])
def test_an_old_address_of_publish_opens_what_it_opened(source: str) -> None:
    app = visited("pages/4_publish.py", **{"from": source})
    assert app.radio(key="at-source").value == source
    assert address(app) == {"source": source}
