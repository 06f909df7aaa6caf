"""The panel beside Explore's map: what to run, the level, its meaning, and what to do next."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpcore.privacy import explain
from dpcore.privacy.rounding import at_most
from pages.ui import access, address, controls, legend, url_keys, visibility
from pages.ui.access import Action
from pages.ui.choice import Choice
from pages.ui.publish.publish_step import PublishStep

UNPROVED = "no protection is proved"
STYLE = """
<style>
.st-key-stage .city-map:not(:fullscreen) {
  height: calc(100vh - var(--bar) - 2.25rem - var(--above, 0rem)) !important; min-height: 26rem;
}
/* What is said above the map of data that somebody brought. */
[data-testid="stColumn"]:has(.st-key-declared-public) { --above: 3.5rem; }
[data-testid="stColumn"]:has(.st-key-raw-data) { --above: 11rem; }
[data-testid="stColumn"]:has(.st-key-stage) {
  position: sticky; top: calc(var(--bar) + 1rem); align-self: flex-start;
}
/* Three maps end where the window ends, below their controls. */
[class*="st-key-picture-"] .city-map:not(:fullscreen) {
  height: max(20rem, 100vh - var(--bar) - 23rem) !important;
}
.st-key-panel { gap: .7rem; }
.st-key-panel [data-testid="stVerticalBlock"] { gap: .5rem; }
[data-testid="stMain"] .st-key-panel h1 { font-size: 1.25rem; padding: 0 0 .4rem; }
.st-key-panel [data-testid="stCaptionContainer"] p { line-height: 1.35; }
.st-key-pickers { margin-bottom: -.5rem; }
.st-key-pickers [data-testid="stHorizontalBlock"] { gap: .5rem; }
.st-key-pickers [data-testid="stColumn"] { min-width: 0; }
.st-key-pickers [data-testid="stVerticalBlock"] { gap: .15rem; }
[class*="st-key-all-methods"] button, [class*="st-key-how-many"] button {
  min-height: 1.5rem; padding: 0; white-space: nowrap;
}

.st-key-level [data-testid="stSlider"] { padding-bottom: 0; }
.stops {
  position: relative; height: 1.1rem; margin: -.95rem 6px 0; font-size: .75rem;
  color: light-dark(#4F5A63, #A9B6C0);
}
.stops span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
.stops span:first-child { transform: translateX(-6px); }
.stops span:last-child { transform: translateX(calc(6px - 100%)); }
.stops b { color: light-dark(#005ADC, #569CFF); }
.st-key-level .ends { margin-top: 0; opacity: 1; color: light-dark(#4F5A63, #A9B6C0); }
.st-key-panel .story { font-size: 1.05rem; line-height: 1.4; margin: 0 0 .7rem; }
.st-key-panel .figures {
  grid-template-columns: 1fr 1fr; gap: 0; border-radius: .6rem; overflow: hidden;
  border: 1px solid light-dark(#C8D0D7, #425060);
}
.st-key-panel .figures > div { padding: .5rem .75rem; }
.st-key-panel .figures > div:nth-child(odd) {
  border-right: 1px solid light-dark(#C8D0D7, #425060);
}
.st-key-panel .figures > div:nth-child(n + 3) {
  border-top: 1px solid light-dark(#C8D0D7, #425060);
}
.st-key-panel .figures > div:first-child { background: light-dark(#F1F5FD, #16283F); }
.st-key-panel .figures .value { font-size: 1.6rem; line-height: 1.25; }
.st-key-actions { gap: .8rem .5rem; }
.st-key-actions [data-testid="stPageLink"] a {
  padding: .45rem .9rem; border-radius: .5rem; background: light-dark(#005ADC, #569CFF);
}
.st-key-actions [data-testid="stPageLink"] a :is(p, span) {
  color: light-dark(#FFFFFF, #0F151C); font-weight: 600;
}
@media (max-width: 1380px) {
  [data-testid="stColumn"]:has(.st-key-declared-public) { --above: 6rem; }
}
@media (min-width: 641px) and (max-height: 780px) {
  .st-key-panel { gap: .4rem; }
  .st-key-panel .story { font-size: .95rem; line-height: 1.3; margin-bottom: .4rem; }
  .st-key-panel .figures .value { font-size: 1.3rem; line-height: 1.2; }
  .st-key-panel .figures > div { padding: .25rem .6rem; }
  .st-key-panel .figures dd { font-size: .8rem; line-height: 1.25; }
}
@media (max-width: 640px) {
  .st-key-stage .city-map:not(:fullscreen) { height: 21rem !important; min-height: 0; }
  [data-testid="stColumn"]:has(.st-key-stage) { position: static; }
  :is(.st-key-pickers, .st-key-axes) [data-testid="stHorizontalBlock"] { flex-wrap: nowrap; }
  .st-key-axes [data-testid="stColumn"] { min-width: 0; }
  /* The slider comes right after the map, and what is chosen more rarely after the answer. */
  [data-testid="stLayoutWrapper"]:has(> :is(.st-key-intro, .st-key-pickers)) { order: 5; }
  [data-testid="stLayoutWrapper"]:has(> .st-key-table) { order: 6; }
  .st-key-panel .story { font-size: 1rem; line-height: 1.3; }
  .stops { font-size: .6875rem; }
}
</style>
"""


class RunPanel(NamedTuple):
    """The parts of the panel, from top to bottom."""

    intro: DeltaGenerator
    pickers: DeltaGenerator
    level: DeltaGenerator
    answer: DeltaGenerator
    badges: DeltaGenerator
    actions: DeltaGenerator
    table: DeltaGenerator


def panel() -> RunPanel:
    st.html(STYLE)
    with st.container(key="panel"):
        return RunPanel(
            st.container(key="intro", gap=None),
            st.container(key="pickers"),
            st.container(key="level", gap=None),
            st.container(key="answer"),
            st.container(key="badges"),
            st.container(key="actions", horizontal=True, vertical_alignment="center"),
            st.container(key="table"),
        )


def draw_controls(places: RunPanel, choice: Choice) -> DeltaGenerator:
    """Draw the controls, which read and write the address, all but that of the level. Returns the
    place below the number of centers."""
    with places.pickers:
        left, middle, right = st.columns([5, 5, 3], gap="small")
        with left:
            controls.data_control(described=False)
        with middle:
            controls.algorithm_control(choice.data, url_keys.ALGORITHM.default)
        with right:
            controls.centers_control()
            below = st.container(key="below-centers")
    with places.actions:
        st.button("New noise", icon=":material/casino:", key="noise", on_click=controls.new_noise)
        with st.popover("Settings", icon=":material/tune:"):
            address.control(st.toggle, "Three levels side by side", url_keys.THREE)
            legend.layer_switches(choice.data)
            controls.exact_values(choice.data)
            controls.settings_controls(choice.request.algorithm)
    return below


def publish_link() -> None:
    if access.may(Action.PLAN):
        st.page_link(
            visibility.PUBLISH,
            label="Publish at this level",
            query_params=address.link(url_keys.STEP.at(PublishStep.DATA)),
        )


def introduce(choice: Choice) -> None:
    """A sentence on what the map shows."""
    unit, k = choice.about.unit, choice.request.k
    st.title("What privacy costs")
    noisy = (
        f"**Blue:** the same with noise, so that no single {unit} can be detected."
        if choice.request.system.verdict.holds
        else f"**Orange:** from a method that claims to hide each {unit}, without a valid proof."
    )
    st.caption(f"**Red:** {k} centers computed from every {unit}. {noisy}")


def level_slider(choice: Choice) -> None:
    level_name = controls.level_slider(f"How strictly is each {choice.about.unit} protected?")
    most = len(url_keys.LEVEL_NAMES) - 1
    names = "".join(
        f'<span style="left:{100 * i / most:.3g}%">'
        f"{f'<b>{name}</b>' if name == level_name else name}</span>"
        for i, name in enumerate(url_keys.LEVEL_NAMES)
    )
    st.html(f'<div class="stops" aria-hidden="true">{names}</div>{controls.ENDS}')
    if controls.is_exact(choice):
        st.caption(
            f"You typed ε = {at_most(choice.request.epsilon)}; the slider shows the nearest level."
        )


def protection(choice: Choice) -> None:
    """The meaning of the level in words."""
    unit, request = choice.about.unit, choice.request
    if not request.system.verdict.holds:
        st.warning(
            f"**{UNPROVED.capitalize()}.** {explain.attack(float('inf'), unit)} "
            "This method's privacy claim does not hold."
        )
        return
    if slip := explain.slip(request.delta):
        st.caption(slip)
    if caution := explain.caution(request.epsilon):
        st.caption(f":orange[:material/warning: **{caution}**]")
