"""What the page learns of the screen that it is on, and Streamlit does not tell: a theme picked
from the menu, and a window as narrow as a phone's."""

from __future__ import annotations

import streamlit as st

from pages.ui import palette

NARROW = "narrow screen"

#: Streamlit does not run a page again when somebody picks a theme from its menu; this asks it to.
#: Nor does it close its sidebar over the page that a phone's menu was opened for.
FRAME = """
let last;
export default function ({ data, setTriggerValue }) {
  last ??= data.drawn;
  const timer = setInterval(() => {
    const app = document.querySelector('[data-testid="stApp"]');
    const [red, green, blue] = getComputedStyle(app).backgroundColor.match(/\\d+/g).map(Number);
    const seen = red + green + blue < 384 ? "dark" : "light";
    if (seen !== last) {
      last = seen;
      setTriggerValue("changed", seen);
    }
  }, 400);
  const menu = document.querySelector(".st-key-menu");
  const leave = (event) => {
    if (event.target.closest("a") && matchMedia("(max-width: 640px)").matches)
      document.querySelector('[data-testid="stSidebarCollapseButton"] button').click();
  };
  menu.addEventListener("click", leave);
  return () => {
    clearInterval(timer);
    menu.removeEventListener("click", leave);
  };
}
"""
#: As narrow as the frame's style takes for a phone.
WIDTH = """
export default function ({ data, setTriggerValue }) {
  const phone = matchMedia("(max-width: 640px)");
  let told = data.drawn;
  const tell = () => {
    if (phone.matches === told) return;
    told = phone.matches;
    setTriggerValue("narrow", told ? "yes" : "no");
  };
  tell();
  phone.addEventListener("change", tell);
  return () => phone.removeEventListener("change", tell);
}
"""
_frame = st.components.v2.component("frame-watcher", js=FRAME)
_width = st.components.v2.component("width-watcher", js=WIDTH)


def watch_frame() -> None:
    """Have the page drawn again when its theme changes, and a phone's menu closed after use."""
    drawn = "dark" if palette.current() is palette.DARK else "light"
    _frame(key="frame-watcher", data={"drawn": drawn}, on_changed_change=lambda: None)


def watch_width() -> None:
    """Have the page drawn again when its window becomes narrow, or wide. What is drawn on the
    server, charts above all, cannot follow a style sheet."""

    def told() -> None:
        st.session_state[NARROW] = st.session_state["width-watcher"].narrow == "yes"

    _width(key="width-watcher", data={"drawn": is_narrow()}, on_narrow_change=told)


def is_narrow() -> bool:
    """Whether the window was narrow when it was last asked."""
    narrow: bool = st.session_state.get(NARROW, False)
    return narrow
