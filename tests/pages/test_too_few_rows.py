"""PRIVATE-K-MEAN on the 50,000 trips: every page says what is missing, and leads there."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.publishing import PUBLISH, buttons, page, press, words

EXPLORE, CURVES = "app.py", "pages/1_curves.py"
#: Nothing but the refusal: no other run is waited for.
FAITHFUL: dict[str, object] = {"algorithm": "coreset-faithful", "runs": 1, "from": 0.5, "to": 0.5}


def refused(file: str, **query: object) -> AppTest:
    return page(file, **FAITHFUL | query)


def address(app: AppTest) -> dict[str, str]:
    """The address, with the value of a name that stands in it as a list."""
    return {
        name: value[0] if isinstance(value, list) else value
        for name, value in app.query_params.items()
    }


@pytest.mark.parametrize("file", [EXPLORE, CURVES])
def test_the_level_that_works_and_the_month_are_one_click_away(file: str) -> None:
    app = refused(file)
    known = buttons(app)
    assert "“Loosest” (ε 4)" in known["level that works"]
    assert "11,840,734 rows" in known["larger data"]
    app.button(key="level that works").click().run()
    assert address(app)["privacy"] == "Loosest"
    assert "level that works" not in buttons(app)


def test_explore_says_why_and_the_month_is_put_into_the_address() -> None:
    app = refused(EXPLORE)
    assert "needs an epsilon of at least 1.8" in words(app)
    app.button(key="larger data").click().run()
    assert address(app)["data"] == "nyc-month"
    assert "has no answer here" not in words(app)


def test_where_the_month_is_too_small_too_it_is_not_offered() -> None:
    known = buttons(refused(EXPLORE, epsilon=0.001))
    assert "level that works" in known
    assert "larger data" not in known


def test_a_method_that_can_answer_is_offered_nothing() -> None:
    assert "level that works" not in buttons(page(EXPLORE, algorithm="dplloyd"))


def test_publish_says_so_before_anything_is_spent_and_leads_to_the_month() -> None:
    app = press(page(PUBLISH, data="nyc-taxi", algorithm="coreset-faithful"), "open")
    assert "This cannot be published" in words(app)
    assert "needs an epsilon of at least 1.8" in words(app)
    assert "settled" not in buttons(app)
    app.button(key="larger data").click().run()
    assert address(app)["data"] == "nyc-month"
