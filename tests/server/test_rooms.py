"""A class of thirty phones on one real server, without a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from dpcore.classroom import class_rooms
from tests.browser.driver import serving
from tests.server.visitor import Visit, stream

PHONES = 30


@pytest.fixture
def server() -> Iterator[str]:
    with serving() as started:
        yield started.address


def test_thirty_phones_answer_one_room_and_each_answer_counts_once(server: str) -> None:
    with ExitStack() as connections:

        def visit(query: str) -> Visit:
            return Visit(connections.enter_context(stream(server)), server, "learn", query)

        host = visit("part=room")
        host.ask("room-open")
        code = re.findall(rf"Code ((?:[{class_rooms.LETTERS}] ?){{5}})", host.shown)[-1]
        query = f"part=room&room={code.replace(' ', '')}"

        def phone(number: int) -> Visit:
            joined = visit(query)
            joined.ask("room-say-in" if number % 3 else "room-say-out")
            return joined

        with ThreadPoolExecutor(PHONES) as pool:
            phones = list(pool.map(phone, range(PHONES)))
        assert all("You said: it is" in each.shown for each in phones)
        host.watch(lambda shown: f"{PHONES} of {PHONES} phones have answered" in shown)
        host.ask("room-show")
        there = "It was in the data." in host.shown
        right = PHONES * 2 // 3 if there else PHONES // 3
        host.watch(lambda shown: f"**{right} of {PHONES} right" in shown)
        for each in phones:
            each.watch(lambda shown: "Wait for the next round" in shown)
        assert sum("Right!" in each.shown for each in phones) == right
        for shown in (host.shown, *(each.shown for each in phones)):
            assert "exception {" not in shown
        host.ask("room-next")
        phones[0].watch(lambda shown: "What do you think?" in shown)
        host.ask("room-end")
        phones[1].watch(lambda shown: "anymore. Ask for a new code" in shown)
