"""The state of the screen that Streamlit does not tell: a theme picked from the menu, and a window
as narrow as a phone's."""

from __future__ import annotations

import streamlit as st

from pages.ui import palette, session_keys
from pages.ui.session_keys import SessionKey

NARROW = SessionKey[bool]("narrow screen")

#: Streamlit does not run a page again when somebody picks a theme from its menu; this asks it to.
#: It also opens the bar's menu where a window is too narrow to show it at once.
FRAME = """
let last;
export default function ({ parentElement, data, setTriggerValue }) {
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
  const button = parentElement.querySelector("button");
  const menu = () => document.querySelector(".st-key-menu");
  const open = (wanted) => {
    button.setAttribute("aria-expanded", wanted);
    menu()?.classList.toggle("is-open", wanted);
  };
  const press = () => open(button.getAttribute("aria-expanded") !== "true");
  const leave = (event) => {
    const inside = event.composedPath();
    if (inside.includes(button)) return;
    if (!inside.includes(menu()) || event.target.closest("a")) open(false);
  };
  const escape = (event) => {
    if (event.key !== "Escape" || button.getAttribute("aria-expanded") !== "true") return;
    open(false);
    button.focus();
  };
  button.addEventListener("click", press);
  document.addEventListener("click", leave);
  document.addEventListener("keydown", escape);
  // A part of the page may have changed the address since the links were drawn.
  const renew = (event) => {
    const link = event.target.closest?.(".st-key-bar a");
    if (link && link.search !== location.search) link.search = location.search;
  };
  document.addEventListener("pointerover", renew);
  document.addEventListener("focusin", renew);
  document.querySelectorAll(".st-key-menu a").forEach((link) => {
    const here = link.closest(".st-key-open-page");
    here ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  });
  return () => {
    clearInterval(timer);
    button.removeEventListener("click", press);
    document.removeEventListener("click", leave);
    document.removeEventListener("keydown", escape);
    document.removeEventListener("pointerover", renew);
    document.removeEventListener("focusin", renew);
  };
}
"""
MENU = """
<button type="button" aria-expanded="false"
  ><svg viewBox="0 0 16 12" aria-hidden="true"><path d="M0 1h16M0 6h16M0 11h16"/></svg
  >Menu</button>
"""
MENU_STYLE = """
button {
  display: flex; align-items: center; gap: .5rem; padding: .35rem .7rem; cursor: pointer;
  font: inherit; color: inherit; background: none; border-radius: .5rem;
  border: 1px solid rgba(128, 144, 160, .6);
}
button:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
svg { width: 1rem; height: .75rem; stroke: currentColor; stroke-width: 1.8; }
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
_frame = st.components.v2.component("frame-watcher", html=MENU, css=MENU_STYLE, js=FRAME)
_width = st.components.v2.component("width-watcher", js=WIDTH)


def watch_frame() -> None:
    """Have the page drawn again when its theme changes, and draw the button of a narrow menu."""
    theme = "dark" if palette.current() is palette.DARK else "light"
    _frame(key="frame-watcher", data={"drawn": theme}, on_changed_change=lambda: None)


def watch_width() -> None:
    """Have the page drawn again when its window becomes narrow, or wide. What is drawn on the
    server, charts above all, cannot follow a style sheet."""

    def remember_width() -> None:
        NARROW.put(session_keys.of_widget("width-watcher").narrow == "yes")

    _width(key="width-watcher", data={"drawn": is_narrow()}, on_narrow_change=remember_width)


def is_narrow() -> bool:
    """Whether the window was narrow when it was last asked."""
    return NARROW.get() or False
