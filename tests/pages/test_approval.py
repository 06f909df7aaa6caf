"""Two publishers: one asks, another approves, and both stand in the ledger."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.release import BuiltinData, Ledger, ReleasePlan
from dpcore.runs.request import Request
from pages.ui import access
from tests.pages.publishing import buttons, confirmed, page, until
from tests.pages.visits import checked, press, words

ROLES = """
four_eyes = true
[roles]
publisher = ["ana@example.org", "bo@example.org"]
curator = ["cy@example.org"]
"""


class Visitors:
    """Who is at the keyboard when a page is drawn."""

    name = "ana@example.org"


@pytest.fixture
def now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Visitors:
    (tmp_path / "roles.toml").write_text(ROLES)
    for name, value in {
        "DPCORE_MODE": "shared",
        "DPCORE_USER_HEADER": "X-Email",
        "DPCORE_ROLES": str(tmp_path / "roles.toml"),
    }.items():
        monkeypatch.setenv(name, value)
    visitors = Visitors()
    monkeypatch.setattr(access, "user", lambda: visitors.name)
    return visitors


def asked(now: Visitors) -> AppTest:
    now.name = "ana@example.org"
    app = press(press(page(data="s1-like"), "open"), "settled")
    (publisher,) = (each for each in app.text_input if each.label == "Who publishes?")
    publisher.set_value("Transit Office")
    return confirmed(app)


def test_nothing_is_spent_until_somebody_else_approves(now: Visitors, ledger_folder: Path) -> None:
    mine = asked(now)
    assert "Waiting for another publisher" in words(mine)
    assert "publish" not in buttons(mine)
    own = page()
    assert not [key for key in buttons(own) if key.startswith("approve")]
    assert Ledger(ledger_folder).entries() == []

    now.name = "bo@example.org"
    theirs = page()
    assert "On the certificate, publisher: Transit Office" in words(theirs)
    assert "ana@example.org asks you to approve" in words(theirs).replace("\\", "").replace(
        "\N{WORD JOINER}", ""
    )
    (approve,) = (key for key in buttons(theirs) if key.startswith("approve"))
    press(theirs, approve)

    now.name = "ana@example.org"
    until(checked(mine), "was made on")
    (entry,) = Ledger(ledger_folder).entries()
    assert entry.actors.asked_by == "ana@example.org"
    assert entry.actors.approved_by == "bo@example.org"


def test_a_declined_request_spends_nothing(now: Visitors, ledger_folder: Path) -> None:
    mine = asked(now)
    now.name = "bo@example.org"
    theirs = page()
    (decline,) = (key for key in buttons(theirs) if key.startswith("decline"))
    press(theirs, decline)
    now.name = "ana@example.org"
    assert "declined this release" in words(checked(mine))
    assert "publish" in buttons(press(mine, "withdraw"))
    assert Ledger(ledger_folder).entries() == []


@pytest.mark.parametrize("name", ["cy@example.org", "ANA@example.org"])
def test_neither_a_curator_nor_the_same_person_approves(now: Visitors, name: str) -> None:
    mine = asked(now)
    now.name = name
    assert not [key for key in buttons(page()) if key.startswith("approve")]
    assert mine


def test_a_request_ends_with_the_visit_that_made_it(now: Visitors) -> None:
    import gc

    mine = asked(now)
    del mine
    gc.collect()
    now.name = "bo@example.org"
    assert not [key for key in buttons(page()) if key.startswith("approve")]


def test_nobody_enters_a_charge_of_another_tool_alone(now: Visitors, ledger_folder: Path) -> None:
    """It would use budget that two publishers are to decide on."""
    plan = ReleasePlan("trips", BuiltinData("s1-like"), Request("dplloyd", 2, 0.5))
    ledger = Ledger(ledger_folder)
    ledger.record(
        plan.claim(), plan.purpose, "2026-01-01T00:00:00", plan.as_dict(), {}, failure="Few."
    )
    app = page(view="history")
    assert "**ε 0.5 left**" in "".join(str(bar.proto.text) for bar in app.get("progress"))
    assert not [e for e in app.text_input if "Which tool" in e.label]
