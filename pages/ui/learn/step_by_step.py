"""Step by step: one run, frame after frame, with the account beside it."""

from __future__ import annotations

import html
import time

import streamlit as st

import dpcore
from dpcore.classroom import steps
from dpcore.classroom.steps import AccountLine, Frame
from dpcore.errors import DpcoreError
from dpcore.privacy.explain import percent
from dpcore.privacy.rounding import at_most
from pages.ui import address, cached_work, fragments, palette, url_keys
from pages.ui.choice import Choice
from pages.ui.learn import frame_map, presenter
from pages.ui.learn import run_choice as choices
from pages.ui.session_keys import SessionKey

#: Session key: whether the steps play by themselves.
PLAYING, SHOWN_SINCE = SessionKey[bool]("playing"), SessionKey[float]("shown since")
#: Seconds that a frame stays while the run plays.
PACE = 3.0
STYLE = """
<style>
.budget { height: 1rem; border-radius: .3rem; background: rgba(128,144,160,.25); }
.budget > div { height: 100%; border-radius: .3rem; transition: width .35s; }
.budget-words { display: flex; justify-content: space-between; flex-wrap: wrap; gap: 0 1rem; }
.account {
  max-height: 12.5rem; overflow-y: auto; display: flex; flex-direction: column-reverse;
  border: 1px solid rgba(128,144,160,.45); border-radius: .4rem; padding: .3rem .6rem;
}
.account table { width: 100%; border-collapse: collapse; font-size: .875rem; }
.account td { padding: .15rem 0; vertical-align: top; }
.account td + td { text-align: right; white-space: nowrap; padding-left: .8rem; }
.learn-say { margin: 0; }
/* Buttons stay under the hand, however much there is to say. */
.st-key-told { min-height: 10.5rem; }
[data-testid="stMain"] .st-key-told h3 { font-size: 1.5rem; padding-bottom: .3rem; }
.account .now { font-weight: 600; }
</style>
"""


@st.cache_resource(show_spinner="Running …", max_entries=64)
def story_of(choice: Choice) -> tuple[tuple[Frame, ...], list[AccountLine], bool, float]:
    """The frames of a run, its account, whether its claim holds, and what it may spend."""
    data = cached_work.data(choice.data)
    result = dpcore.run(choice.request, data, keep_journal=True)
    frames = steps.frames(result, data, cached_work.reference(choice.data, choice.request.k))
    return frames, steps.lines(result), result.verdict.holds, choice.request.epsilon


def part() -> None:
    st.html(STYLE)
    presented = presenter.presenting()
    choices.sidebar()
    choice = choices.in_address()
    try:
        frames, account, holds, epsilon = story_of(choice)
    except DpcoreError as problem:
        st.warning(f"{choice.request.system.title} has no answer here. {problem}")
        return
    last = len(frames) - 1
    at = min(frame_number(), last)
    frame = frames[at]
    picture, words = st.columns([1, 1] if presented else [3, 2], gap="medium")
    with picture:
        whole = frame_map.needs_whole_box(frames)
        frame_map.show(frame, holds, whole)
        if not presented:
            frame_map.legend(frame, choice.about.unit, holds)
    with words:
        with st.container(key="told", gap="xsmall"):
            st.subheader(frame.title, anchor=False)
            st.html(f'<p class="learn-say" aria-live="polite">{html.escape(frame.sentence)}</p>')
        budget(frame, epsilon, holds)
        pager(at, last)
        if presented:
            frame_map.legend(frame, choice.about.unit, holds)
        if not presented:
            choices.draw_again()
            transcript(frame, account)


def frame_number() -> int:
    return url_keys.FRAME.get()


def step_by(steps: int, last: int) -> None:
    """Move from the frame in the address: keys may be pressed faster than pages are drawn."""
    address.restore()
    step_to(min(max(0, min(frame_number(), last) + steps), last))


def step_to(at: int) -> None:
    url_keys.FRAME.put(at)


def pager(at: int, last: int) -> None:
    """Draw buttons for back, play and next, which arrow keys press too."""
    playing = (PLAYING.get() or False) and at < last
    row = st.container(horizontal=True, gap="small")
    row.button(
        "Back",
        icon=":material/arrow_back:",
        key="back",
        shortcut="Left",
        disabled=at == 0,
        width="stretch",
        on_click=step_by,
        args=(-1, last),
    )
    row.button(
        "Pause" if playing else "Play",
        icon=":material/pause:" if playing else ":material/play_arrow:",
        key="play",
        shortcut="S",
        width="stretch",
        on_click=toggle_play,
        args=(not playing, 0 if at == last else at),
    )
    row.button(
        "Next",
        icon=":material/arrow_forward:",
        key="next",
        shortcut="Right",
        type="primary",
        disabled=at == last,
        width="stretch",
        on_click=step_by,
        args=(1, last),
    )
    st.caption(f"Step {at + 1} of {last + 1}")
    if playing:
        SHOWN_SINCE.put(time.monotonic())
        fragments.redrawn(turn_page, PACE, at)


def toggle_play(playing: bool, at: int) -> None:
    PLAYING.put(playing)
    step_to(at)


def turn_page(at: int) -> None:
    """Open the next frame after the current one was shown long enough."""
    if time.monotonic() - (SHOWN_SINCE.get() or 0.0) > PACE / 2:
        step_to(at + 1)
        st.rerun()


def budget(frame: Frame, epsilon: float, holds: bool) -> None:
    """Draw what is left of the budget as a bar that empties."""
    colors = palette.current()
    part = min(max(0.0, 1 - frame.epsilon / epsilon), 1.0)
    words = f"Privacy budget left: {percent(part)}"
    # A sum of floats is one bit above 0.04; what is told is an amount, not a bound.
    details = f"used: ε {frame.epsilon:g} of {epsilon:g}"
    if not holds:
        details += ", by the method’s own account, which does not hold"
    color = colors.private if holds else colors.unproven
    st.html(
        f'<div class="budget" role="img" aria-label="{words}; {details}">'
        f'<div style="width: {part:.2%}; background: {color}"></div></div>'
        f'<div class="budget-words"><b>{words}</b><small>{details}</small></div>'
    )


def transcript(frame: Frame, account: list[AccountLine]) -> None:
    """Draw the charges up to this frame, the newest in view at the end."""
    rows = "".join(
        f'<tr class="{"now" if i == frame.booked else ""}"><td>{html.escape(line.why)}'
        f"<br><small>{html.escape(line.mechanism)}</small></td>"
        f"<td>ε {at_most(line.epsilon, 3)}</td></tr>"
        for i, line in enumerate(account[: frame.booked], start=1)
    )
    if not rows:
        rows = '<tr><td colspan="2">Empty: no question was asked yet.</td></tr>'
    st.caption("Budget log: what each question cost")
    st.html(
        '<div class="account" tabindex="0" role="region" aria-label="Budget log">'
        f"<table>{rows}</table></div>"
    )
