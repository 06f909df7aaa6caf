"""A room: the whole class plays on phones, and the projector shows the tally."""

from __future__ import annotations

import html
from urllib.parse import urlencode

import streamlit as st

from dpcore.classroom import class_rooms, guessing_game
from dpcore.classroom.class_rooms import ClassRoom, ClassRooms
from dpcore.classroom.guessing_game import CONTESTANTS, Round
from dpcore.errors import DpcoreError
from dpcore.privacy import explain
from pages.server import settings
from pages.server.settings import Mode
from pages.ui import address, controls, fragments, palette, url_keys
from pages.ui.learn import game, presenter, room_key
from pages.ui.learn import run_choice as choices
from pages.ui.session_keys import SessionKey

#: Seconds between two looks at a room.
PACE = 1.5
PROBLEM = SessionKey[str]("room-problem")
SAID = {"in": "It is in", "out": "It is not"}
STYLE = """
<style>
.room-code {
  font-size: 3.2rem; font-weight: 700; letter-spacing: .2em; line-height: 1.1; margin: 0;
}
.room-way { margin: 0; overflow-wrap: anywhere; }
.room-tally {
  display: grid; grid-template-columns: auto 1fr auto; gap: .4rem .8rem; align-items: center;
}
.room-tally div { height: 1.6rem; border-radius: .3rem; background: rgba(128,144,160,.2); }
.room-tally i { display: block; height: 100%; border-radius: .3rem; }
.room-tally b { font-size: 1.3rem; }
.room .small-map {
  display: block; max-width: 100%; max-height: 30rem; border-radius: .4rem;
  border: 1px solid rgba(128,144,160,.45);
}
.room-pupil .small-map { max-height: 15rem; margin: auto; }
.room-big { font-size: 1.4rem; font-weight: 600; margin: 0; }
.st-key-room-answers button { min-height: 4.5rem; }
.st-key-room-answers button p { font-size: 1.3rem; }
</style>
"""
PRESENTED = "<style>.room .small-map { max-height: calc(100vh - 6rem); }</style>"


@st.cache_resource(show_spinner=False)
def rooms() -> ClassRooms:
    """The rooms of this server."""
    return ClassRooms()


def part() -> None:
    st.html(STYLE + PRESENTED * presenter.presenting())
    code = url_keys.ROOM.get()
    room = rooms().find(code)
    if room is None:
        door(code)
    elif not url_keys.LEADS.get():
        play(room)
    elif (key := room_key.of(room.code)) == room.host:
        lead(room)
    elif key is not None:
        led_elsewhere(room.code)


def is_pupil() -> bool:
    """Whether this visit answers in a room: a phone needs no menu of parts."""
    room = rooms().find(url_keys.ROOM.get())
    in_room = url_keys.PART.get() == "room" and room is not None
    return in_room and room is not None and not url_keys.LEADS.get()


def door(code: str | None) -> None:
    """Draw the way in for a pupil, and the button that opens a room."""
    if code is not None:
        st.warning(f"There is no room {code} anymore. Ask for a new code.")
    enter, lead_one = st.columns(2, gap="large")
    with enter, st.container(border=True):
        st.subheader("Join a room", anchor=False)
        st.markdown("Type the code that the projector shows.")
        with st.form("join", border=False, enter_to_submit=True):
            typed = st.text_input("Code", key="room-code", max_chars=class_rooms.CODE_LENGTH)
            joined = st.form_submit_button("Join", type="primary", width="stretch")
        if joined:
            join(typed)
    with lead_one, st.container(border=True):
        st.subheader("Open a room", anchor=False)
        st.markdown(
            "The class plays “Is this trip in the data?” on phones, and this screen shows how "
            "many said what. No names, no accounts: answers are kept in memory and are gone when "
            "you end the room."
        )
        st.button("Open a room", key="room-open", icon=":material/groups:", on_click=open_room)
        if problem := PROBLEM.pop():
            st.warning(problem)


def led_elsewhere(code: str) -> None:
    st.info(
        f"Another screen leads room {code}. Only the tab that opened a room can lead it.",
        icon=":material/co_present:",
    )
    st.button("Join the room", key="room-join", type="primary", on_click=url_keys.LEADS.clear)


def join(typed: str) -> None:
    try:
        code = class_rooms.room_code(typed)
    except DpcoreError as problem:
        st.warning(str(problem))
        return
    if rooms().find(code) is None:
        st.warning(f"There is no room {code}. Compare it with the code on the projector.")
        return
    url_keys.ROOM.put(code)
    st.rerun()


def open_room() -> None:
    """Open a room. A visit leads one room at a time, so the one that it led before ends."""
    end_led_room()
    try:
        room = rooms().open(game.ANSWERS.get(), controls.epsilon_in_address())
    except DpcoreError as problem:
        PROBLEM.put(str(problem))
        return
    room_key.hold(room.code, room.host)
    url_keys.ROOM.put(room.code)
    url_keys.LEADS.put(True)


def end_led_room() -> None:
    code, key = room_key.room_and_key()
    room = rooms().find(code)
    if room is not None and room.host == key:
        rooms().end(code, key)
    room_key.drop()


def played(room: ClassRoom) -> Round:
    return guessing_game.play(CONTESTANTS[room.who], room.epsilon, room.number, room.seed)


# The projector.


def lead(room: ClassRoom) -> None:
    """Draw the round, how to join, the tally, and the buttons of the person who opened the room."""
    if not presenter.presenting():
        with st.sidebar:
            settings_of(room)
    try:
        this_round = played(room)
    except DpcoreError as problem:
        st.warning(str(problem))
        return
    here, words = st.columns([1, 1], gap="medium")
    with here:
        st.html(f'<div class="room">{game.answer_map(this_round).image()}</div>')
    with words:
        st.html(
            f'<p class="room-way">Join with a phone: <b>{html.escape(place())}</b></p>'
            f'<p class="room-code" aria-label="Code {" ".join(room.code)}">{room.code}</p>'
        )
        st.subheader(f"Round {room.number}: is the trip from the Bronx in the data?", anchor=False)
        fragments.redrawn(tally, PACE, room.code)
        row = st.container(horizontal=True, gap="small")
        row.button(
            "Show the answer",
            key="room-show",
            type="secondary" if room.is_shown else "primary",
            disabled=room.is_shown,
            shortcut="A",
            on_click=rooms().show,
            args=(room.code, room.host, this_round.there),
        )
        row.button(
            "Next round",
            key="room-next",
            icon=":material/arrow_forward:",
            type="primary" if room.is_shown else "secondary",
            shortcut="N",
            disabled=not room.is_shown,
            on_click=rooms().next_round,
            args=(room.code, room.host),
        )
        row.button("End the room", key="room-end", on_click=end)
        if not presenter.presenting():
            with st.expander("The whole address, to send to the class"):
                st.code(link(room.code), language=None, wrap_lines=True)


def settings_of(room: ClassRoom) -> None:
    who = game.who_control()
    controls.labelled_slider(choices.in_address())
    epsilon = controls.epsilon_in_address()
    if (who, epsilon) != (room.who, room.epsilon):
        st.button(
            "Play this against the room",
            key="room-change",
            on_click=rooms().play_against,
            args=(room.code, room.host, who, epsilon),
            help="The scores begin anew.",
        )


def place() -> str:
    """The address at which a phone finds the page, without what only a link can carry."""
    return f"{origin()}/learn?part=room"


def origin() -> str:
    """The address of this server as the visitor typed it."""
    parts = str(st.context.url or "").split("/")
    return "/".join(parts[:-1]) or "this address"


def link(code: str) -> str:
    """The address of the room. In a class it carries the token that everybody there may have."""
    query = {"part": "room", "room": code}
    token = settings.token() if settings.mode() is Mode.CLASSROOM else None
    return f"{origin()}/learn?{urlencode(query | ({'token': token} if token else {}))}"


def tally(code: str) -> None:
    """Draw how many have answered and, once it is shown, who was right."""
    room = rooms().find(code)
    if room is None:
        return
    answered, seats = len(room.answers), len(room.seats)
    if not room.is_shown:
        st.html(
            f'<p class="room-big" role="status">{answered} of {seats} phones have answered.</p>'
        )
        return
    there, colors = played(room).there, palette.current()
    counts, most = room.tally(), max(1, answered)
    bars = "".join(
        f"<span>{SAID[saying]}</span><div><i style='width: {count / most:.1%}; background: "
        f"{colors.private if (saying == 'in') == there else colors.quiet}'></i></div><b>{count}</b>"
        for saying, count in counts.items()
    )
    truth = "It was in the data." if there else "It was not in the data."
    st.html(f'<p class="room-big" role="status">{truth}</p><div class="room-tally">{bars}</div>')
    whole = room.whole
    bound = explain.certainty(room.epsilon)
    share = explain.percent(whole.right / whole.played) if whole.played else "no answer yet"
    st.markdown(
        f"The class so far: **{whole.right} of {whole.played} right ({share})**. At ε = "
        f"{room.epsilon:g} nobody should be right more than **{bound}** of the time."
    )


def end() -> None:
    end_led_room()
    url_keys.ROOM.clear()
    url_keys.LEADS.clear()


# A phone.


def play(room: ClassRoom) -> None:
    """Draw the round for a phone: the map, two answers, and how it went."""
    seat = url_keys.SEAT.get() or class_rooms.new_seat()
    try:
        rooms().sit(room.code, seat)
    except DpcoreError as problem:
        st.warning(str(problem))
        return
    if url_keys.SEAT.get() is None:
        url_keys.SEAT.put(seat)
    st.subheader("Is the trip from the Bronx (?) in the data?", anchor=False)
    st.html(f'<div class="room room-pupil">{game.answer_map(played(room)).image()}</div>')
    fragments.redrawn(answers, PACE, room.code, seat, room.number, room.who)


def answers(code: str, seat: int, number: int, who: str) -> None:
    """Draw two buttons, or the result; a new round draws the whole page again."""
    room = rooms().find(code)
    if room is None or (room.number, room.who) != (number, who):
        st.rerun()
    if room.is_shown:
        result(room, seat)
        return
    saying = room.answers.get(seat, "")
    with st.container(key="room-answers", horizontal=True, gap="small"):
        for key, label in SAID.items():
            st.button(
                label,
                key=f"room-say-{key}",
                width="stretch",
                type="primary" if saying == key else "secondary",
                on_click=say,
                args=(code, seat, number, key),
            )
    words = (
        f"You said: {SAID[saying].lower()}. You may change it." if saying else "What do you think?"
    )
    st.html(f'<p class="room-big" role="status">{words}</p>')


def say(code: str, seat: int, number: int, saying: str) -> None:
    address.restore()
    if rooms().find(code) is not None:
        rooms().answer(code, seat, number, saying)


def result(room: ClassRoom, seat: int) -> None:
    there = played(room).there
    saying, own = room.answers.get(seat), room.seats.get(seat, class_rooms.SeatScore())
    truth = "It was in the data." if there else "It was not in the data."
    verdict = "You did not answer." if saying is None else "Wrong."
    if saying == ("in" if there else "out"):
        verdict = "Right!"
    st.html(f'<p class="room-big" role="status">{verdict} {truth}</p>')
    st.markdown(f"You: **{own.right} of {own.played} right**. Wait for the next round.")
