"""What a ledger holds stays; what it refuses, it refuses with the reason."""

from __future__ import annotations

import sqlite3
import stat
from threading import Timer

import pytest

from dpcore.privacy.accounting import Neighbors
from dpcore.release import Amount, Ledger, ReleaseRefused, Unit
from dpcore.release.ledger import Actors, Claim
from dpcore.release.ledger_store import DATABASE, KEY, opened
from tests.release import old_format

ONE = Amount.of(1.0)


def claim(
    account="trips",
    price=0.25,
    neighbors=Neighbors.ADD_REMOVE,
    unit=None,
    allowed=ONE,
    fingerprints=("f1",),
) -> Claim:
    unit = unit or Unit("trip")
    return Claim(account, neighbors, unit, allowed, Amount.of(price), fingerprints)


def recorded(ledger: Ledger, asked: Claim, **more):
    return ledger.record(asked, "release", "2026-01-01T00:00:00", {"k": 5}, {"a": b"A"}, **more)


def test_a_release_is_there_for_whoever_opens_the_ledger_next(tmp_path):
    entry = recorded(Ledger(tmp_path), claim())
    again = Ledger(tmp_path)
    assert again.entries() == [entry]
    assert again.entry(entry.number).charged == Amount.of(0.25)
    assert again.files(entry.number) == {"a": b"A"}
    assert again.account("trips").left == Amount.of(0.75)
    assert again.account("others") is None


def test_the_ledger_knows_who_asked_and_who_approved(tmp_path):
    ledger = Ledger(tmp_path)
    recorded(ledger, claim(), actors=Actors("ana@example.org", "bo@example.org"))
    recorded(ledger, claim())
    signed, unsigned = (entry.actors for entry in ledger.entries())
    assert signed.words() == "asked for by ana@example.org, approved by bo@example.org"
    assert unsigned == Actors()


def test_a_ledger_of_the_first_format_takes_names_from_now_on(tmp_path):
    recorded(Ledger(tmp_path / "new"), claim())
    old = old_format.write(tmp_path / "old", Ledger(tmp_path / "new"))
    recorded(Ledger(old), claim(), actors=Actors("ana@example.org"))
    assert [e.actors.asked_by for e in Ledger(old).entries()] == [None, "ana@example.org"]


def test_the_log_is_written_ahead_and_synced_in_full(tmp_path):
    Ledger(tmp_path)
    with opened(tmp_path) as database:
        assert database.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert database.execute("PRAGMA synchronous").fetchone()[0] == 2


def test_a_log_that_somebody_else_is_about_to_begin_is_waited_for(tmp_path):
    """SQLite itself does not wait for that."""
    (tmp_path / DATABASE).touch()
    other = sqlite3.connect(tmp_path / DATABASE, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    end = Timer(0.3, lambda: other.execute("COMMIT"))
    end.start()
    assert Ledger(tmp_path).entries() == []
    end.join()
    other.close()


def test_nobody_else_on_the_machine_can_read_it(tmp_path):
    Ledger(tmp_path / "mine")
    assert stat.S_IMODE((tmp_path / "mine").stat().st_mode) == 0o700
    files = list((tmp_path / "mine").iterdir())
    assert {KEY, DATABASE} <= {file.name for file in files}
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


@pytest.mark.parametrize("table", ["accounts", "fingerprints", "releases", "files"])
@pytest.mark.parametrize("change", ["DELETE FROM {}", "UPDATE {} SET rowid = rowid + 1"])
def test_nothing_can_be_taken_back(table, change, tmp_path):
    recorded(Ledger(tmp_path), claim())
    with (
        sqlite3.connect(tmp_path / DATABASE) as database,
        pytest.raises(sqlite3.IntegrityError, match="stays"),
    ):
        database.execute(change.format(table))
    database.close()


def test_what_does_not_fit_is_refused_with_the_figures(tmp_path):
    ledger = Ledger(tmp_path)
    recorded(ledger, claim(price=0.9))
    for refused in (ledger.check, lambda asked: recorded(ledger, asked)):
        with pytest.raises(ReleaseRefused, match=r"ε 0\.1 is left.*would use ε 0\.25"):
            refused(claim())
    assert len(ledger.entries()) == 1


def test_a_run_without_an_answer_is_charged_like_any_other(tmp_path):
    ledger = Ledger(tmp_path)
    recorded(ledger, claim(price=0.9), failure="too few rows")
    assert ledger.account("trips").used == Amount.of(0.9)
    assert ledger.entries()[0].failure == "too few rows"


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"neighbors": Neighbors.REPLACE_ONE}, "under add-remove"),
        ({"unit": Unit("passenger", "who", 3)}, "one trip"),
        ({"allowed": Amount.of(2.0)}, "fixed with its first release"),
    ],
)
def test_terms_stay_as_they_were_at_the_first_release(other, words, tmp_path):
    ledger = Ledger(tmp_path)
    recorded(ledger, claim())
    with pytest.raises(ReleaseRefused, match=words):
        recorded(ledger, claim(**other))


def test_more_or_fewer_rows_of_the_same_ids_add_up(tmp_path):
    """The claim is about the id, however many of its rows a release looks at."""
    ledger = Ledger(tmp_path)
    recorded(ledger, claim(unit=Unit("passenger", "who", 3)))
    recorded(ledger, claim(unit=Unit("passenger", "who", 5)))
    assert ledger.account("trips").used == Amount.of(0.5)


def test_the_same_files_under_another_name_are_noticed(tmp_path):
    ledger = Ledger(tmp_path)
    recorded(ledger, claim(fingerprints=("january", "february")))
    with pytest.raises(ReleaseRefused, match="under the name 'trips'"):
        ledger.check(claim("rides", fingerprints=("february", "march")))
    assert ledger.account("rides") is None


def test_a_name_may_meet_new_files_and_keeps_them_in_mind(tmp_path):
    ledger = Ledger(tmp_path)
    recorded(ledger, claim(fingerprints=("january",)))
    recorded(ledger, claim(fingerprints=("january", "february")))
    with pytest.raises(ReleaseRefused, match="under the name 'trips'"):
        recorded(ledger, claim("rides", fingerprints=("february",)))


def test_each_folder_has_a_key_of_its_own_that_stays(tmp_path):
    assert Ledger(tmp_path / "a").key == Ledger(tmp_path / "a").key
    assert Ledger(tmp_path / "a").key != Ledger(tmp_path / "b").key
    assert [p.name for p in (tmp_path / "a").iterdir() if p.name.startswith(KEY)] == [KEY]


def test_a_ledger_that_lost_its_key_says_so_and_makes_no_other(tmp_path):
    Ledger(tmp_path)
    (tmp_path / KEY).rename(tmp_path / "backup")
    with pytest.raises(ValueError, match="is missing"):
        Ledger(tmp_path)
    assert not (tmp_path / KEY).exists()
    (tmp_path / "backup").rename(tmp_path / KEY)
    assert Ledger(tmp_path).entries() == []


def test_a_ledger_of_a_later_version_is_left_alone(tmp_path):
    Ledger(tmp_path)
    with sqlite3.connect(tmp_path / DATABASE) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(ValueError, match="newer version"):
        Ledger(tmp_path)


def test_what_is_not_in_the_ledger_is_said_so(tmp_path):
    with pytest.raises(ValueError, match="no release 7"):
        Ledger(tmp_path).entry(7)
