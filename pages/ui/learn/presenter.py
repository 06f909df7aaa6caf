"""The presenter's view for a projector: large type, no sidebar, one idea on the screen."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import url_keys

#: How much larger everything is.
SCALE = 1.5
STYLE = f"""
<style>
html {{ font-size: {16 * SCALE:.0f}px !important; }}
[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"],
[data-testid="stHeader"], .st-key-bar {{ display: none; }}
[data-testid="stMain"] [data-testid="stMainBlockContainer"] {{
  padding: .6rem 1rem .4rem; max-width: none;
}}
[data-testid="stMain"] h3, [data-testid="stMain"] .st-key-told h3 {{
  font-size: 1.6rem; padding: 0 6rem .3rem 0;
}}
[data-testid="stMain"] [data-testid="stVerticalBlock"] {{ gap: .45rem; }}
.learn-say {{ font-size: 1.3rem; line-height: 1.35; }}
/* Out of the way: what is taught begins at the top. */
.st-key-switch {{ position: absolute; top: .3rem; right: .6rem; width: auto; z-index: 9; }}
.st-key-switch button {{ opacity: .6; min-height: 0; padding: .1rem .4rem; font-size: .75rem; }}
.lesson-ask {{ margin: 0; padding-right: 24rem; font-size: 1.1rem; line-height: 1.2; }}
</style>
"""


def presenting() -> bool:
    return url_keys.PRESENTER.get()


def style() -> None:
    if presenting():
        st.html(STYLE)


def bar() -> DeltaGenerator:
    """The place for the switch and, while presenting, for the buttons of a lesson."""
    return st.container(
        key="switch", horizontal=True, horizontal_alignment="right", width="content"
    )


def switch() -> None:
    """Draw the button that turns presenting on and off; the P key presses it."""
    on = presenting()
    st.button(
        "Leave" if on else "Presenter",
        icon=":material/close_fullscreen:" if on else ":material/present_to_all:",
        key="presenter",
        help=None if on else "Large type, no sidebar, one idea on the screen.",
        shortcut="P",
        on_click=url_keys.PRESENTER.put,
        args=(not on,),
    )
