"""The bar at the top of every page: the product's name, the menu, and what concerns the visit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import nullcontext

import streamlit as st

from pages.ui import access, address, browser_state, forgetting, limits

NAME = "Private maps"
#: The page to which the name leads, so that the menu need not.
HOME = "Start"
#: What a page that has parts is called among them.
FIRST_PART = {"Compare": "Measurements"}
#: A private center in its non-private ring, as everywhere in this product.
STYLE = """
<style>
:root { --bar: 3.5rem; }
.st-key-bar {
  position: fixed; inset: 0 0 auto 0; height: var(--bar); z-index: 999991;
  padding: 0 4rem 0 1.5rem; background: light-dark(#FFFFFF, #0F151C);
  border-bottom: 1px solid light-dark(#C8D0D7, #425060);
}
/* The place of the bar in the page takes no room. */
[data-testid="stLayoutWrapper"]:has(> .st-key-bar) { position: absolute; }
/* Streamlit's own buttons stand on the bar, and what lies between them can be pressed. */
[data-testid="stHeader"] {
  background: transparent; height: var(--bar); min-height: var(--bar); z-index: 999992;
}
[data-testid="stHeader"], [data-testid="stHeader"] * { pointer-events: none; }
[data-testid="stHeader"] :is(button, button *, [data-testid="stStatusWidget"] *) {
  pointer-events: auto;
}
[data-testid="stExpandSidebarButton"] {
  position: fixed; top: calc(var(--bar) + .4rem); left: .4rem;
}
.stApp:has([data-testid="stExpandSidebarButton"]) [data-testid="stMainBlockContainer"] {
  padding-top: calc(var(--bar) + 2.75rem);
}
[data-testid="stSidebar"] { top: var(--bar); height: calc(100vh - var(--bar)) !important; }
.st-key-bar [data-testid="stPageLink"] a {
  padding: .35rem .75rem; border-radius: .5rem; white-space: nowrap;
}
.st-key-bar [data-testid="stPageLink"] a p { color: light-dark(#3A424C, #BEC8D0); }
.st-key-bar :is(.st-key-open-page a, a:hover) { background: light-dark(#EAF1F6, #223040); }
.st-key-bar .st-key-open-page a p { color: inherit; font-weight: 600; }
.st-key-brand a { gap: .6rem; padding-left: 0 !important; background: none !important; }
.st-key-brand a p { font-weight: 700; font-size: 1.1rem; color: inherit !important; }
.st-key-brand a::before {
  content: ""; box-sizing: border-box; flex: none; width: 1.5rem; height: 1.5rem;
  border-radius: 50%;
  border: 3px solid light-dark(#D02424, #FF6B5E);
  background: radial-gradient(light-dark(#005ADC, #569CFF) 0 45%, transparent 52%);
}
.st-key-visit button { min-height: 0; padding: .2rem .6rem; }
.st-key-menu a > span:has([data-testid="stIconMaterial"]) { display: none; }
[data-testid="stSidebarHeader"] { height: 2.5rem; min-height: 0; margin: 0; }
.st-key-section { border-bottom: 1px solid rgba(128, 144, 160, .35); padding-bottom: .4rem; }
.st-key-section a[aria-current] p, .st-key-section .st-key-open-part a p { font-weight: 600; }
.st-key-frame-watcher { display: none; }
@media (max-width: 1100px) {
  .st-key-bar { padding: 0 3.5rem 0 1rem; }
  .st-key-frame-watcher { display: block; width: auto; flex: none; margin-left: auto; }
  .st-key-menu {
    display: none; position: fixed; top: var(--bar); right: 0; width: min(18rem, 100vw);
    max-height: calc(100vh - var(--bar)); overflow: auto; flex-direction: column; padding: .75rem;
    background: light-dark(#FFFFFF, #0F151C); border: 1px solid light-dark(#C8D0D7, #425060);
    border-radius: 0 0 0 .75rem; box-shadow: 0 .5rem 1.5rem rgba(0, 0, 0, .18);
  }
  .st-key-menu.is-open { display: flex; }
  .st-key-menu > div, .st-key-menu .st-key-open-page { width: 100%; }
  .st-key-menu [data-testid="stPageLink"] a { padding: .6rem .75rem; }
  .st-key-menu a > span:has([data-testid="stIconMaterial"]) { display: inline-flex; }
}
/* The icon alone, where there is no room for its words. */
@media (max-width: 480px) {
  .st-key-forget { min-width: 2.75rem; }
  .st-key-forget [data-testid="stMarkdownContainer"] { position: absolute; clip-path: inset(50%); }
}
@media print { .st-key-bar { display: none; } }
</style>
"""

Entry = tuple[str, str, str]


def draw(title: str, pages: Iterable[Entry], within: Mapping[str, str], start: str) -> None:
    """Draw the bar. `within` tells which pages are a part of which other."""
    entries = [entry for entry in pages if entry[1] != HOME]
    section = within.get(title, title)
    with st.container(key="bar", horizontal=True, wrap=False, vertical_alignment="center"):
        with st.container(key="brand", width="content"):
            st.page_link(start, label=NAME, width="content", query_params=address.link())
        with st.container(key="menu", horizontal=True, width="content", wrap=False, gap="xxsmall"):
            for file, label, icon in entries:
                if label not in within:
                    here = label == section
                    with st.container(key="open-page", width="content") if here else nullcontext():
                        link(file, label, icon)
        with st.container(
            key="visit", horizontal=True, horizontal_alignment="right", vertical_alignment="center"
        ):
            access.sign_out()
            forgetting.button()
        browser_state.watch_frame()
    limits.busy()
    parts = [each for each in entries if within.get(each[1], each[1]) == section]
    if len(parts) > 1:
        with st.container(key="section", horizontal=True, gap="small"):
            for file, label, icon in parts:
                with (
                    st.container(key="open-part", width="content")
                    if label == title
                    else nullcontext()
                ):
                    link(file, FIRST_PART.get(label, label), icon)


def link(file: str, label: str, icon: str) -> None:
    st.page_link(file, label=label, icon=icon, width="content", query_params=address.link())
