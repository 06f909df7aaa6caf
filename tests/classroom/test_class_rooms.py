"""Rooms: answers are counted once, nobody is named, and nothing grows without bound."""

from __future__ import annotations

import threading

import pytest

from dpcore.classroom import class_rooms
from dpcore.classroom.class_rooms import ClassRooms, SeatScore
from dpcore.errors import BadInput


@pytest.fixture
def rooms():
    return ClassRooms()


def test_a_round_is_answered_shown_and_scored(rooms):
    room = rooms.open("sound", 0.2)
    for seat, said in ((1, "in"), (2, "out"), (3, "in")):
        rooms.sit(room.code, seat)
        rooms.answer(room.code, seat, 1, said)
    rooms.answer(room.code, 2, 1, "in")
    assert room.tally() == {"in": 3, "out": 0}
    rooms.show(room.code, room.host, there=True)
    rooms.answer(room.code, 1, 1, "out")
    rooms.show(room.code, room.host, there=True)
    assert room.whole == SeatScore(3, 3)
    assert room.seats[2] == SeatScore(1, 1)
    rooms.next_round(room.code, room.host)
    assert (room.number, room.answers, room.is_shown) == (2, {}, False)


def test_an_answer_to_another_round_or_from_no_seat_is_dropped(rooms):
    room = rooms.open("sound", 0.2)
    rooms.sit(room.code, 1)
    rooms.answer(room.code, 1, 2, "in")
    rooms.answer(room.code, 9, 1, "in")
    assert room.answers == {}
    with pytest.raises(BadInput, match="in, out"):
        rooms.answer(room.code, 1, 1, "x" * 10_000)


def test_only_whoever_opened_a_room_leads_it(rooms):
    room = rooms.open("sound", 0.2)
    for act in (
        lambda: rooms.show(room.code, "0" * 16, True),
        lambda: rooms.next_round(room.code, "0" * 16),
        lambda: rooms.play_against(room.code, "0" * 16, "thin", 1.0),
        lambda: rooms.end(room.code, "0" * 16),
    ):
        with pytest.raises(BadInput, match="opened the room"):
            act()


def test_a_game_that_comes_back_has_other_answers(rooms, monkeypatch):
    """Else round 1 would be the one whose answer everybody saw."""
    seeds = iter(range(10))
    monkeypatch.setattr(class_rooms, "_new_seed", lambda: next(seeds))
    room = rooms.open("sound", 0.2)
    first = room.seed
    for contestant in ("thin", "sound"):
        rooms.play_against(room.code, room.host, contestant, 0.2)
    assert (room.number, room.seed) == (1, first + 2)


def test_nothing_is_left_when_a_room_ends(rooms):
    room = rooms.open("sound", 0.2)
    rooms.sit(room.code, 1)
    rooms.end(room.code, room.host)
    assert len(rooms) == 0
    assert rooms.find(room.code) is None
    with pytest.raises(BadInput, match="no such room"):
        rooms.sit(room.code, 1)


def test_another_game_begins_with_new_scores(rooms):
    room = rooms.open("sound", 0.2)
    rooms.sit(room.code, 1)
    rooms.answer(room.code, 1, 1, "in")
    rooms.show(room.code, room.host, True)
    rooms.play_against(room.code, room.host, "thin", 0.5)
    assert (room.who, room.epsilon, room.number) == ("thin", 0.5, 1)
    assert room.whole == room.seats[1] == SeatScore()


def test_a_room_that_nobody_uses_ends():
    clock = [0.0]
    rooms = ClassRooms(now=lambda: clock[0])
    kept, idle = rooms.open("sound", 0.2), rooms.open("sound", 0.2)
    clock[0] = class_rooms.IDLE - 1
    assert rooms.find(kept.code) is kept
    clock[0] = class_rooms.IDLE + 1
    assert rooms.find(idle.code) is None
    assert rooms.find(kept.code) is kept


def test_rooms_seats_and_rounds_are_bounded(rooms):
    opened = [rooms.open("sound", 0.2) for _ in range(class_rooms.MOST_ROOMS)]
    assert len({room.code for room in opened}) == class_rooms.MOST_ROOMS
    with pytest.raises(BadInput, match="all are in use"):
        rooms.open("sound", 0.2)
    room = opened[0]
    for seat in range(class_rooms.MOST_SEATS):
        rooms.sit(room.code, seat)
    rooms.sit(room.code, 0)
    with pytest.raises(BadInput, match="full"):
        rooms.sit(room.code, class_rooms.MOST_SEATS)
    for _ in range(class_rooms.MOST_ROUNDS - 1):
        rooms.next_round(room.code, room.host)
    with pytest.raises(BadInput, match="at most"):
        rooms.next_round(room.code, room.host)


def test_thirty_phones_at_once_are_all_counted(rooms):
    room = rooms.open("sound", 0.2)

    def phone(seat):
        rooms.sit(room.code, seat)
        for said in ("out", "in"):
            rooms.answer(room.code, seat, 1, said)

    phones = [threading.Thread(target=phone, args=(seat,)) for seat in range(1, 31)]
    for each in phones:
        each.start()
    for each in phones:
        each.join()
    rooms.show(room.code, room.host, True)
    assert room.whole == SeatScore(30, 30)


@pytest.mark.parametrize("typed", ["bcdfg", " BcdFg "])
def test_a_code_is_read_however_it_is_typed(typed):
    assert class_rooms.room_code(typed) == "BCDFG"


@pytest.mark.parametrize("typed", ["", "BCDF", "BCDFGH", "AEIOU", "BCD G", "<scri"])
def test_what_is_no_code_is_refused_in_words(typed):
    with pytest.raises(BadInput, match="5 letters"):
        class_rooms.room_code(typed)


def test_codes_and_host_keys_can_be_parsed_again(rooms):
    room = rooms.open("sound", 0.2)
    assert class_rooms.room_code(room.code) == room.code
    assert class_rooms.host_key(room.host) == room.host
    with pytest.raises(BadInput):
        class_rooms.host_key("x")
    assert class_rooms.new_seat() != class_rooms.new_seat()
