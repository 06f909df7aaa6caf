"""Full screen, and the keys of the page: two buttons that work in the browser alone."""

from __future__ import annotations

import streamlit as st

KEYS = (
    ("F", "full screen, and back"),
    ("P", "presenter’s view, and back"),
    ("?", "this list"),
    ("PageDown, PageUp", "next and previous step of a lesson (the keys of a clicker)"),
    ("← →", "next and previous step of a run"),
    ("S", "play a run, and pause"),
    ("L", "draw new noise; in “Guess”, look"),
    ("I, O", "guess: it is in, it is not"),
    ("N", "next round"),
    ("A", "in a room: show the answer"),
    ("← ↑ ↓ →", "in “Guess”: move a number"),
)
HTML = f"""
<div class="screen-tools">
  <button type="button" data-does="full" aria-label="Full screen">Full screen <kbd>F</kbd></button>
  <button type="button" data-does="keys" aria-label="Keys of this page"
    aria-haspopup="dialog" title="Keys of this page"><kbd>?</kbd></button>
  <dialog aria-label="Keys of this page"><h2>Keys</h2><dl>
  {"".join(f"<dt><kbd>{key}</kbd></dt><dd>{words}</dd>" for key, words in KEYS)}
  </dl><form method="dialog"><button>Close</button></form></dialog>
</div>
"""
CSS = """
.screen-tools { display: flex; gap: .5rem; }
.screen-tools button {
  font: inherit; font-size: .875rem; color: inherit; background: transparent; cursor: pointer;
  border: 1px solid rgba(128,144,160,.6); border-radius: .5rem; padding: .3rem .7rem;
}
.screen-tools button:focus-visible { outline: 2px solid var(--st-primary-color); }
.screen-tools kbd { font: inherit; opacity: .75; padding-left: .25rem; }
.screen-tools dialog {
  color: var(--st-text-color); background: var(--st-background-color); max-width: 34rem;
  border: 1px solid rgba(128,144,160,.6); border-radius: .6rem; padding: 1rem 1.4rem;
}
.screen-tools dialog::backdrop { background: rgba(0,0,0,.4); }
.screen-tools h2 { font-size: 1.2rem; margin: 0 0 .6rem; }
.screen-tools dl {
  display: grid; grid-template-columns: auto 1fr; gap: .3rem 1rem; margin: 0 0 1rem;
}
.screen-tools dt, .screen-tools dd { margin: 0; }
"""
SCRIPT = """
export default function ({ parentElement }) {
  const root = parentElement.querySelector(".screen-tools"), dialog = root.querySelector("dialog");
  const full = () => document.fullscreenElement
    ? document.exitFullscreen() : document.documentElement.requestFullscreen();
  const keys = () => dialog.open ? dialog.close() : dialog.showModal();
  const press = (event) => {
    const into = event.composedPath()[0];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (into.closest?.("input, textarea, select, [contenteditable=true]")) return;
    if (event.key === "?") { event.preventDefault(); keys(); }
    else if (event.key === "f" || event.key === "F") { event.preventDefault(); full(); }
  };
  const click = (event) => {
    const does = event.target.closest("[data-does]")?.dataset.does;
    if (does === "full") full();
    if (does === "keys") keys();
  };
  document.addEventListener("keydown", press);
  root.addEventListener("click", click);
  return () => {
    document.removeEventListener("keydown", press);
    root.removeEventListener("click", click);
  };
}
"""
_tools = st.components.v2.component("screen-tools", html=HTML, css=CSS, js=SCRIPT)


def draw() -> None:
    _tools(key="screen-tools")
