"""What other tools spent is charged to the same account, and every history shows it."""

from __future__ import annotations

import pytest

from dpcore.cli import main
from dpcore.datasets.wishes import Wish
from dpcore.errors import BadInput
from dpcore.release import (
    Amount,
    Ledger,
    ReleaseRefused,
    backup,
    publish,
    record_outside_charge,
    reopened,
)
from dpcore.release.wish_counts import WishPlan, publish_wishes
from tests.release.conftest import plan

TOOL = "Tumult Analytics: weekly totals"


@pytest.mark.parametrize("neighbors", ["add-remove", "replace-one"])
def test_a_charge_for_another_tool_lowers_what_releases_may_spend(ledger, neighbors):
    publish(plan(0.25, neighbors=neighbors), ledger)
    entry = record_outside_charge(ledger, "s1", Amount.of(0.5), TOOL)
    account = ledger.account("s1")
    assert (str(account.used), str(account.left)) == ("ε 0.75", "ε 0.25")
    assert (entry.purpose, entry.failure) == ("other tool", None)
    with pytest.raises(ReleaseRefused, match=r"ε 0\.25 is left"):
        publish(plan(0.5, neighbors=neighbors), ledger)
    publish(plan(0.25, neighbors=neighbors), ledger)
    assert all(each.holds for each in backup.check(ledger.folder))


def test_a_charge_can_open_an_account_that_releases_then_share(ledger):
    charged = record_outside_charge(
        ledger, "s1", Amount.of(0.75), TOOL, allowed=Amount.of(1.0), unit="row"
    )
    assert charged.number == 1
    with pytest.raises(ReleaseRefused, match=r"ε 0\.25 is left"):
        publish(plan(0.5), ledger)
    assert publish(plan(0.25), ledger).entry.number == 2


def test_a_charge_over_the_budget_is_refused(ledger):
    publish(plan(0.75), ledger)
    with pytest.raises(ReleaseRefused, match=r"ε 0\.25 is left"):
        record_outside_charge(ledger, "s1", Amount.of(0.5), TOOL)
    assert len(ledger.entries()) == 1


@pytest.mark.parametrize(
    ("name", "price", "tool", "words"),
    [
        ("new", 0.5, TOOL, "no account 'new'"),
        ("s1", 0.0, TOOL, "epsilon above 0"),
        ("s1", 0.1, "  ", "Name the tool"),
    ],
)
def test_a_charge_that_says_too_little_is_refused(ledger, name, price, tool, words):
    publish(plan(0.5), ledger)
    with pytest.raises(BadInput, match=words):
        record_outside_charge(ledger, name, Amount.of(price), tool)


def test_the_command_charges_and_history_tells(tmp_path, capsys):
    books = str(tmp_path / "books")
    words = ["charge", "taxi", "--epsilon", "0.5", "--tool", TOOL, "--ledger", books]
    assert main(["ledger", *words, "--yes"]) == 2
    assert "no account 'taxi'" in capsys.readouterr().err
    assert main(["ledger", *words, "--allowed", "2", "--unit", "trip", "--yes"]) == 0
    assert "ε 1.5 is left for 'taxi'" in capsys.readouterr().out
    assert main(["history", "--ledger", books]) == 0
    assert f"other tool: Used by another tool: {TOOL}." in capsys.readouterr().out
    assert main(["history", "1", "--ledger", books, "--output", str(tmp_path / "out")]) == 2
    assert TOOL in capsys.readouterr().err
    assert reopened(Ledger(books), 1).files == {}


def test_history_shows_a_count_of_wishes(tmp_path, capsys):
    ledger = Ledger(tmp_path / "books")
    publish_wishes(WishPlan("wishes", 0.5), [Wish({"Sunnyside": 0.1})], ledger)
    assert main(["history", "--ledger", str(ledger.folder)]) == 0
    assert "ε 0.5  wishes: Whether one person wished" in capsys.readouterr().out
