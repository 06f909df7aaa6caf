"""A visit to a page through Streamlit's own test runner: open it, press buttons, read it."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest

APP = str(Path(__file__).parents[2] / "app.py")
#: What a page may write as text.
TEXTS = ("markdown", "caption", "warning", "info", "error", "success", "title", "subheader")


def visited(file: str = "app.py", **query: object) -> AppTest:
    """A page, opened with this query in its address."""
    app = AppTest.from_file(APP, default_timeout=600)
    if file != "app.py":
        app.switch_page(file)
    for name, value in query.items():
        app.query_params[name] = str(value)
    return checked(app)


def checked(app: AppTest) -> AppTest:
    """The page, run once more without an exception."""
    app.run()
    assert not app.exception, app.exception
    return app


def press(app: AppTest, key: str) -> AppTest:
    """The page after a click on the button with this key."""
    app.button(key=key).click()
    return checked(app)


def address(app: AppTest) -> dict[str, Any]:
    """The query in the page's address."""
    return {
        name: value if isinstance(value, str) else value[0]
        for name, value in app.query_params.items()
    }


def html(app: AppTest) -> str:
    """The HTML that the page writes."""
    return "\n".join(str(element.proto.body) for element in app.get("html"))


def figure(app: AppTest, label: str) -> str:
    """The value of a figure beside a map."""
    name = re.escape(f"<dt>{label}</dt>")
    found = re.search(f'{name}<dd class="value">(.*?)</dd>', html(app))
    assert found is not None, f"no figure {label!r}"
    return unescape(found[1])


def centers(app: AppTest) -> pd.DataFrame:
    """The table of centers below a map."""
    (table,) = re.findall('<table class="centers">(.*?)</table>', html(app))
    heads, *rows = (
        [unescape(re.sub("<[^>]*>", "", cell)).strip() for cell in re.findall(cells, row)]
        for row in re.findall("<tr>(.*?)</tr>", table)
        for cells in ("<t[hd][^>]*>(.*?)</t[hd]>",)
    )
    return pd.DataFrame(rows, columns=heads)


def words(app: AppTest) -> str:
    """All text of the page but its HTML."""
    elements = [element for kind in TEXTS for element in getattr(app, kind)]
    return "\n".join(str(element.value) for element in elements)


def all_words(app: AppTest) -> str:
    """All text of the page, with that in its HTML."""
    written = re.sub("(?s)<style>.*?</style>|</?b>", "", html(app))
    return f"{words(app)}\n{unescape(re.sub('<[^>]*>', chr(10), written))}"


def maps(app: AppTest) -> list[dict[str, Any]]:
    """What is drawn on each map of the page."""
    drawn = [each.proto for each in app.get("bidi_component")]
    return [json.loads(each.json) for each in drawn if each.component_name == "city-map"]
