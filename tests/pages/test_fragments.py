"""Parts of a page that redraw themselves keep their place."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def a_page() -> None:
    """A part between two sentences, that says two things."""
    import streamlit as st

    from pages.ui import fragments

    def part(word: str) -> None:
        st.text(word)
        st.text(word)

    st.text("before")
    fragments.redrawn(part, None, "within")
    st.text("after")


def test_a_part_has_one_place_that_is_drawn_with_the_page() -> None:
    main = AppTest.from_function(a_page, default_timeout=600).run().main
    assert [child.type for child in main.children.values()] == ["text", "flex_container", "text"]
    assert [text.value for text in main.children[1].text] == ["within", "within"]
