"""A real server in shared mode, behind a proxy that says who signed in."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection

from dpcore.release import Amount, BuiltinData, Ledger, ReleasePlan, publish
from dpcore.runs.request import Request
from tests.browser.driver import serving
from tests.server.visitor import LONG, TOKEN, draw, drawn, fetch, stream

KNOWN = {"X-Dpcore-Token": TOKEN}
HEADER = "X-Forwarded-Email"
ROLES = """
[roles]
viewer = ["vic@example.org"]
curator = ["cleo@example.org"]
publisher = ["Pia@example.org"]
auditor = ["ada@example.org"]
"""
#: What a page of each step shows when it is open, by its address.
STEPS = {
    "view=history": "How much of each budget is used",
    "step=data": "Where is your data?",
    "step=level&data=nyc-taxi": "Name of these data",
    "step=confirm&data=nyc-taxi": "We will publish",
    "step=released&release=1": "Download everything",
}
OPEN = {
    "vic": set(),
    "cleo": {"step=data", "step=level&data=nyc-taxi", "step=confirm&data=nyc-taxi"},
    "pia": set(STEPS),
    "ada": {"view=history"},
    "nobody": set(),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shared")
    (folder / "data").mkdir()
    (folder / "roles.toml").write_text(ROLES)
    plan = ReleasePlan(
        "s1", BuiltinData("s1-like"), Request("dplloyd", 2, 0.5), allowed=Amount.of(1.0)
    )
    publish(plan, Ledger(folder / "ledger"))
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    with serving(
        str(folder / "ledger"),
        DPCORE_MODE="shared",
        DPCORE_TOKEN=TOKEN,
        DPCORE_USER_HEADER=HEADER,
        DPCORE_ROLES=str(folder / "roles.toml"),
        DPCORE_DATA=str(folder / "data"),
        DPCORE_VISITS="3",
        DPCORE_MOVES="10",
    ) as started:
        yield started.address


def seen(server: str, page: str, who: str, query: str = "") -> str:
    return drawn(server, page, query, **{HEADER: f"{who}@example.org"})


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("who", OPEN)
def test_each_role_opens_its_own_pages_and_no_others(server: str, who: str, step: str) -> None:
    shown = seen(server, "publish", who, step)
    assert (STEPS[step] in shown) == (step in OPEN[who])


def test_only_a_publisher_gets_the_button(server: str) -> None:
    step = "step=confirm&data=nyc-taxi"
    assert "a publisher makes it" in seen(server, "publish", "cleo", step)
    shown = seen(server, "publish", "pia", step)
    assert "To confirm, type the name" in shown
    assert "Where the ledger is kept" not in seen(server, "publish", "pia", "view=history")


def test_who_has_no_role_sees_nothing(server: str) -> None:
    for page in ("", "publish"):
        shown = seen(server, page, "nobody")
        assert "You have no role here" in shown
        assert "city-map" not in shown


def test_who_has_not_signed_in_sees_nothing(server: str) -> None:
    shown = drawn(server, "")
    assert "Please sign in" in shown
    assert "city-map" not in shown


def test_the_token_in_an_address_does_not_let_anybody_name_themselves(server: str) -> None:
    answer = fetch(f"{server}/?token={TOKEN}")
    assert "Set-Cookie" not in answer.headers
    with pytest.raises(InvalidStatus):
        stream(server, {HEADER: "pia@example.org"})


def test_a_visit_that_moves_too_fast_waits_and_is_told(server: str) -> None:
    with stream(server, {**KNOWN, HEADER: "vic@example.org"}) as visit:
        before = draw(visit, "verdicts")
        for _ in range(50):
            visit.send(BackMsg(app_heartbeat=True).SerializeToString())
        after = draw(visit, "verdicts")
    assert "faster than the server allows" not in before
    assert "faster than the server allows" in after


def entered(server: str) -> ClientConnection:
    """A visit, once those that ended before have left their places."""
    deadline = time.monotonic() + LONG
    while True:
        try:
            return stream(server, KNOWN)
        except InvalidStatus:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_a_full_server_says_so(server: str) -> None:
    with ExitStack() as visits:
        for _ in range(3):
            visits.enter_context(entered(server))
        answer = fetch(server, {**KNOWN, "Accept": "text/html"})
        assert answer.status == 503
        assert "It serves 3 visits at a time" in answer.text
        with pytest.raises(InvalidStatus):
            stream(server, KNOWN)
    deadline = time.monotonic() + LONG
    while fetch(server, {**KNOWN, "Accept": "text/html"}).status != 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)
