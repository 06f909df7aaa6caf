"""Rooms in which a whole class plays: a code, answers from phones, and a tally.

A room lives in the memory of the server only. It knows seats, which are random numbers, and no
names. It ends when its host ends it, or when nobody has used it for a while. The numbers of rooms,
of seats in a room and of rounds are bounded, so no visitor can fill the memory.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from dpcore.errors import BadInput

#: Letters that nobody mistakes for others, and that spell no words.
LETTERS = "BCDFGHJKMNPQRTVWXY"
CODE_LENGTH = 5
HOST_BYTES = 8
MOST_ROOMS, MOST_SEATS, MOST_ROUNDS = 20, 250, 500
#: Seconds after which a room that nobody uses ends.
IDLE = 2 * 3600.0
SAYINGS = ("in", "out")


def room_code(text: str) -> str:
    """Parse the code of a room as people type it."""
    code = text.strip().upper()
    if len(code) != CODE_LENGTH or not set(code) <= set(LETTERS):
        raise BadInput(f"A room's code has {CODE_LENGTH} letters, such as {LETTERS[:CODE_LENGTH]}.")
    return code


def host_key(text: str) -> str:
    """Parse the key that shows who opened a room."""
    if len(text) != 2 * HOST_BYTES or not set(text) <= set("0123456789abcdef"):
        raise BadInput("A host's key is made by the server.")
    return text


def new_seat() -> int:
    """A number for a new phone. It says nothing about whose it is."""
    return secrets.randbelow(2**53 - 1) + 1


def _new_seed() -> int:
    """The seed of the coins of a game. Nobody can tell its answers from those of another."""
    return secrets.randbelow(2**31)


@dataclass(frozen=True)
class SeatScore:
    """The score of one seat, or of the whole room."""

    right: int = 0
    played: int = 0

    def plus(self, is_right: bool) -> SeatScore:
        return SeatScore(self.right + is_right, self.played + 1)


@dataclass
class ClassRoom:
    """One room: the round that is played, the answers to it, and the scores so far."""

    code: str
    host: str
    #: Whom the class plays against, at which level.
    who: str
    epsilon: float
    seed: int
    used: float
    number: int = 1
    #: Whether this round's answer is shown; then nobody can answer it anymore.
    is_shown: bool = False
    answers: dict[int, str] = field(default_factory=dict)
    seats: dict[int, SeatScore] = field(default_factory=dict)
    whole: SeatScore = field(default_factory=SeatScore)

    def tally(self) -> dict[str, int]:
        """The number of people who gave each of the two answers."""
        sayings = list(self.answers.values())
        return {each: sayings.count(each) for each in SAYINGS}


class ClassRooms:
    """All rooms of a server. Any number of visits may use it at once."""

    def __init__(self, now: Callable[[], float] = time.monotonic):
        self._now = now
        self._rooms: dict[str, ClassRoom] = {}
        self._lock = threading.RLock()

    def __len__(self) -> int:
        with self._lock:
            self._forget()
            return len(self._rooms)

    def open(self, who: str, epsilon: float) -> ClassRoom:
        """A new room. Whoever has its host's key can lead it."""
        with self._lock:
            self._forget()
            if len(self._rooms) >= MOST_ROOMS:
                raise BadInput(
                    f"This server has {MOST_ROOMS} rooms, and all are in use. Try later."
                )
            code = self._free_code()
            host = secrets.token_hex(HOST_BYTES)
            room = ClassRoom(code, host, who, epsilon, _new_seed(), self._now())
            self._rooms[code] = room
            return room

    def find(self, code: str | None) -> ClassRoom | None:
        with self._lock:
            self._forget()
            room = self._rooms.get(code or "")
            if room is not None:
                room.used = self._now()
            return room

    def sit(self, code: str, seat: int) -> None:
        """Take a seat. Taking it twice changes nothing."""
        with self._lock:
            room = self._known(code)
            if seat not in room.seats:
                if len(room.seats) >= MOST_SEATS:
                    raise BadInput(f"This room is full: it has {MOST_SEATS} seats.")
                room.seats[seat] = SeatScore()

    def answer(self, code: str, seat: int, number: int, saying: str) -> None:
        """Answer a round, or change the answer while the round is open.

        An answer that comes after the round was shown is dropped.
        """
        if saying not in SAYINGS:
            raise BadInput(f"An answer is one of {', '.join(SAYINGS)}, not {saying!r}.")
        with self._lock:
            room = self._known(code)
            if seat in room.seats and room.number == number and not room.is_shown:
                room.answers[seat] = saying

    def show(self, code: str, host: str, there: bool) -> None:
        """Show the answer of the round, and count who was right."""
        with self._lock:
            room = self._led(code, host)
            if room.is_shown:
                return
            room.is_shown = True
            for seat, saying in room.answers.items():
                is_right = (saying == "in") == there
                room.seats[seat] = room.seats[seat].plus(is_right)
                room.whole = room.whole.plus(is_right)

    def next_round(self, code: str, host: str) -> None:
        with self._lock:
            room = self._led(code, host)
            if room.number >= MOST_ROUNDS:
                raise BadInput(f"A room has at most {MOST_ROUNDS} rounds. Open a new one.")
            room.number, room.is_shown, room.answers = room.number + 1, False, {}

    def play_against(self, code: str, host: str, who: str, epsilon: float) -> None:
        """Change the game. The scores begin anew."""
        with self._lock:
            room = self._led(code, host)
            if (room.who, room.epsilon) != (who, epsilon):
                room.who, room.epsilon, room.seed = who, epsilon, _new_seed()
                room.is_shown, room.answers, room.whole = False, {}, SeatScore()
                room.seats = dict.fromkeys(room.seats, SeatScore())
                room.number = 1

    def end(self, code: str, host: str) -> None:
        """Forget a room and all that was answered in it."""
        with self._lock:
            self._led(code, host)
            del self._rooms[code]

    def _free_code(self) -> str:
        while True:
            code = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
            if code not in self._rooms:
                return code

    def _known(self, code: str) -> ClassRoom:
        room = self.find(code)
        if room is None:
            raise BadInput("There is no such room anymore.")
        return room

    def _led(self, code: str, host: str) -> ClassRoom:
        room = self._known(code)
        if not secrets.compare_digest(room.host, host):
            raise BadInput("Only whoever opened the room can do this.")
        return room

    def _forget(self) -> None:
        limit = self._now() - IDLE
        for code in [code for code, room in self._rooms.items() if room.used < limit]:
            del self._rooms[code]
