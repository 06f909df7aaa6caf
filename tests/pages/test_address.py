"""The address is the state, whichever of the browser's requests is heard first."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import address


def a_page() -> None:
    """A page with one control; what redraws only a part of it does not arrive anew."""
    import streamlit as st

    from pages.ui import address
    from pages.ui.url_parsers import OneOf

    if not st.session_state.get("only a part"):
        address.arrive(st.session_state.get("title", "here"))
    st.text(
        address.control(
            st.selectbox,
            "View",
            address.Key("view", OneOf(["one", "two", "three"]), "one", ("here", "elsewhere")),
        )
    )


@pytest.fixture
def pressed_within_a_part() -> AppTest:
    """A visit where a part of the page took the press along before the page asked for it."""
    app = AppTest.from_function(a_page, default_timeout=600).run()
    app.session_state["only a part"] = True
    app.selectbox[0].set_value("two").run()
    assert app.query_params["view"] == "two"
    app.session_state["only a part"] = False
    del app.query_params["view"]  # as the browser knew it when it asked
    return app


def is_at(app: AppTest, view: str) -> bool:
    app.run()
    assert not app.exception
    told = app.query_params.get("view", "one")
    return [app.text[0].value, app.selectbox[0].value, told] == [view] * 3


def test_a_press_that_a_part_of_the_page_took_along_stays(pressed_within_a_part: AppTest) -> None:
    assert is_at(pressed_within_a_part, "two")
    assert is_at(pressed_within_a_part, "two")


def test_going_back_right_after_a_press_goes_back(
    pressed_within_a_part: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(address, "going_back", lambda: True)
    assert is_at(pressed_within_a_part, "one")


def test_a_link_to_another_page_that_is_older_than_a_press_keeps_the_press(
    pressed_within_a_part: AppTest,
) -> None:
    pressed_within_a_part.session_state["title"] = "elsewhere"
    assert is_at(pressed_within_a_part, "two")


def test_a_link_to_another_page_with_an_address_of_its_own_is_followed_as_it_says(
    pressed_within_a_part: AppTest,
) -> None:
    pressed_within_a_part.session_state["title"] = "elsewhere"
    pressed_within_a_part.query_params["view"] = "three"
    assert is_at(pressed_within_a_part, "three")


def test_an_address_of_before_is_followed_once_the_page_was_drawn_for_the_press() -> None:
    app = AppTest.from_function(a_page, default_timeout=600).run()
    app.selectbox[0].set_value("two")
    assert is_at(app, "two")
    del app.query_params["view"]
    assert is_at(app, "one")
    app.query_params["view"] = "two"
    assert is_at(app, "two")


def test_streamlit_still_says_who_goes_back() -> None:
    from streamlit.runtime.scriptrunner import ScriptRunContext

    assert "is_history_navigation" in ScriptRunContext.__dataclass_fields__
