"""Who changes a ledger, puts an older copy in its place, or loses half of it, is noticed."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from dpcore.cli import BAD_INPUT, REFUSED, main
from dpcore.errors import Refusal
from dpcore.release import (
    Amount,
    BuiltinData,
    Ledger,
    ReleasePlan,
    ReleaseRefused,
    ledger_store,
    publish,
)
from dpcore.release.backup import backup, check, restore
from dpcore.release.chain import BrokenChain
from dpcore.release.ledger_schema import DamagedLedger
from dpcore.release.ledger_store import DATABASE, KEY, LOG, NEW_KEY, opened
from dpcore.runs.request import Request
from tests.release import old_format

S1 = ReleasePlan("s1", BuiltinData("s1-like"), Request("dplloyd", 2, 0.1))


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with three releases, and their files in folders beside it."""
    home = tmp_path_factory.mktemp("original")
    for number in (1, 2, 3):
        publish(S1, Ledger(home / "books")).save(home / f"{number}")
    return home


@pytest.fixture
def books(original: Path, tmp_path: Path) -> Ledger:
    """A copy of the ledger with three releases, which a test may change."""
    shutil.copytree(original, tmp_path, dirs_exist_ok=True)
    return Ledger(tmp_path / "books")


def changed(folder: Path, *statements: str, guarded: bool = True) -> None:
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        if not guarded:
            for (name,) in database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'trigger'"
            ).fetchall():
                database.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            database.execute(statement)
        database.commit()


REPLACING = [
    "INSERT OR REPLACE INTO releases SELECT number, account, purpose, '0', '0', time, plan, "
    "failure, link, asked_by, approved_by FROM releases",
    "REPLACE INTO accounts SELECT name, neighbors, unit, ids, '1000', delta, opened, since, "
    "counted, rows FROM accounts",
    "INSERT OR REPLACE INTO fingerprints SELECT digest, account, 2 FROM fingerprints",
    "INSERT OR REPLACE INTO files SELECT release, name, x'00', digest FROM files",
    "INSERT OR REPLACE INTO ledger SELECT name, 'x' FROM ledger",
]


@pytest.mark.parametrize("statement", REPLACING)
def test_nothing_can_be_replaced(statement, books):
    with pytest.raises(sqlite3.IntegrityError, match="stays"):
        changed(books.folder, statement)
    assert Ledger(books.folder).account("s1").used == Amount.of(0.3)


CHANGES = [
    *REPLACING[:3],
    "DELETE FROM fingerprints",
    "DELETE FROM files WHERE release = 2",
    "UPDATE releases SET epsilon = '0' WHERE number = 2",
    "UPDATE releases SET plan = '{}' WHERE number = 3",
    "UPDATE releases SET approved_by = 'bo' WHERE number = 1",
    "UPDATE accounts SET epsilon = '1000'",
    "UPDATE files SET digest = 'x' WHERE name = 'centers.csv'",
    "INSERT INTO fingerprints VALUES ('x', 's1', 9)",
    "INSERT INTO accounts SELECT 'other', neighbors, unit, ids, epsilon, delta, opened, 0, "
    "counted, rows FROM accounts",
    "INSERT INTO releases SELECT 5, account, purpose, '-1', '0', time, plan, failure, link, "
    "asked_by, approved_by "
    "FROM releases WHERE number = 3",
    "UPDATE releases SET link = 'x' WHERE number = 1",
]


@pytest.mark.parametrize("statement", CHANGES)
def test_what_was_changed_without_the_guards_is_noticed(statement, books, capsys):
    changed(books.folder, statement, guarded=False)
    for reading_only in (False, True):
        with pytest.raises(BrokenChain, match="dpcore ledger restore"):
            Ledger(books.folder, reading_only)
    assert [each.holds for each in check(books.folder)] == [False]
    assert main(["history", "--ledger", str(books.folder)]) == BAD_INPUT
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_release_that_was_taken_away_is_missed(books):
    changed(
        books.folder,
        "DELETE FROM files WHERE release = 2",
        "DELETE FROM releases WHERE number = 2",
        guarded=False,
    )
    with pytest.raises(BrokenChain, match="Release 2 is missing"):
        Ledger(books.folder)


def test_released_bytes_that_were_changed_are_found_by_a_check(books, capsys):
    change = "UPDATE files SET content = x'00' WHERE name = 'centers.csv' AND release = 2"
    changed(books.folder, change, guarded=False)
    assert main(["ledger", "check", "--ledger", str(books.folder)]) == 1
    assert "FAILS    every released file" in capsys.readouterr().out


def verified(books: Ledger, number: int, tmp_path: Path, capsys) -> tuple[int, str]:
    certificate = str(tmp_path / f"{number}" / "certificate.json")
    code = main(["verify", certificate, "--ledger", str(books.folder)])
    return code, capsys.readouterr().out


def test_every_certificate_names_the_head_that_it_followed(books, tmp_path, capsys):
    heads = books.heads()
    assert len(set(heads)) == 4
    for number in (1, 2, 3):
        said = json.loads((tmp_path / f"{number}" / "certificate.json").read_bytes())
        assert said["ledger before"] == heads[number - 1]
        assert heads[number - 1] in (tmp_path / f"{number}" / "certificate.html").read_text()
        code, told = verified(books, number, tmp_path, capsys)
        assert code == 0
        assert "its chain of 3 releases holds" in told
        assert "was once as the certificate says" in told


def test_a_ledger_that_was_rolled_back_is_noticed(tmp_path, capsys):
    """The copy goes on by itself, with another second and third release."""
    ledger = Ledger(tmp_path / "books")
    publish(S1, ledger).save(tmp_path / "1")
    shutil.copytree(ledger.folder, tmp_path / "older")
    for number in (2, 3):
        publish(S1, ledger).save(tmp_path / f"{number}")
    older = Ledger(tmp_path / "older")
    code, told = verified(older, 2, tmp_path, capsys)
    assert code == 1
    assert "FAILS" in told
    assert "an older copy" in told
    for _ in range(2):
        publish(S1, older)
    code, told = verified(older, 3, tmp_path, capsys)
    assert code == 1
    assert f"FAILS    the ledger in {older.folder} was once as the certificate says" in told
    assert verified(older, 1, tmp_path, capsys)[0] == 0


def test_the_head_says_nothing_without_the_key(books):
    other = [Ledger(books.folder.parent / name) for name in ("a", "b")]
    for ledger in other:
        claim = S1.claim()
        ledger.record(claim, "release", "now", {}, {}, failure="nothing came of it")
    assert other[0].heads()[0] != other[1].heads()[0]
    assert other[0].heads()[1] != other[1].heads()[1]


@pytest.mark.parametrize("how", ["removed", "empty", "without its log"])
def test_a_key_without_its_database_is_no_new_ledger(how, books, tmp_path, capsys):
    place = tmp_path / "half"
    place.mkdir()
    shutil.copy(books.folder / KEY, place)
    if how == "empty":
        (place / DATABASE).touch()
    if how == "without its log":
        with closing(sqlite3.connect(place / DATABASE)) as database:
            database.execute("PRAGMA journal_mode = WAL")
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    with pytest.raises(ValueError, match="shows that there was a ledger"):
        Ledger(place)
    words = ["release", "dplloyd", "--data", "s1-like", "-k", "2", "--epsilon", "0.1", "--yes"]
    assert main([*words, "--allowed", "1", "--ledger", str(place)]) == BAD_INPUT
    assert main(["history", "--ledger", str(place)]) == BAD_INPUT
    assert len(capsys.readouterr().err.splitlines()) == 2
    if how != "without its log":
        assert before == {path.name: path.read_bytes() for path in place.iterdir()}


@pytest.mark.parametrize("key", [b"", b"k" * 31, b"k" * 32, b"k" * 33])
def test_another_key_is_refused(key, books):
    (books.folder / KEY).write_bytes(key)
    for reading_only in (False, True):
        with pytest.raises(DamagedLedger, match="not the key that this ledger was made with"):
            Ledger(books.folder, reading_only)


def test_an_old_key_of_a_wrong_length_is_refused(books, tmp_path):
    old = old_format.write(tmp_path / "old", books)
    (old / KEY).write_bytes(b"")
    with pytest.raises(DamagedLedger, match="0 bytes in place of 32"):
        Ledger(old)


def test_an_old_ledger_gets_its_chain_once(books, tmp_path):
    old = old_format.write(tmp_path / "old", books)
    first = Ledger(old)
    assert [e.charged for e in first.entries()] == [e.charged for e in books.entries()]
    assert first.files(2) == books.files(2)
    assert Ledger(old).heads() == first.heads()
    assert all(each.holds for each in check(old))
    with pytest.raises(ReleaseRefused, match="under the name 's1'"):
        publish(
            ReleasePlan("other", BuiltinData("s1-like"), Request("dplloyd", 2, 0.1)), Ledger(old)
        )


def test_a_key_that_waits_for_its_name_gets_it(books):
    """As after a kill between the database and the key."""
    (books.folder / KEY).rename(books.folder / f"{KEY}.new")
    assert Ledger(books.folder, reading_only=True).key == books.key
    assert Ledger(books.folder).key == books.key
    assert sorted(p.name for p in books.folder.iterdir() if p.name.startswith(KEY)) == [KEY]


def damaged(folder: Path, kind: str) -> None:
    path = folder / DATABASE
    content = bytearray(path.read_bytes())
    if kind == "a page":
        coins = random.Random(0)
        for page in range(2, len(content) // 4096 - 1):
            content[page * 4096 : page * 4096 + 512] = coins.randbytes(512)
    elif kind == "the start":
        content[:100] = b"x" * 100
    elif kind == "cut":
        del content[len(content) // 2 :]
    elif kind == "text":
        content[:] = b"hello\n" * 1000
    path.write_bytes(content)


OTHERS = {
    "another program's": ["CREATE TABLE stamps (a)"],
    "another schema": ["CREATE TABLE accounts (a)", "PRAGMA user_version = 2"],
    "another schema, whole": [
        *(f"CREATE TABLE {t} (a)" for t in ("accounts", "releases", "files", "fingerprints")),
        "CREATE TABLE ledger (a)",
        "PRAGMA user_version = 2",
    ],
    "another schema, old": [
        *(f"CREATE TABLE {t} (a)" for t in ("accounts", "releases", "files", "fingerprints")),
        "PRAGMA user_version = 1",
    ],
}


@pytest.mark.parametrize("kind", ["a page", "the start", "cut", "text", *OTHERS])
def test_a_damaged_ledger_is_told_in_one_sentence(kind, books, tmp_path, capsys):
    if kind in OTHERS:
        for path in books.folder.iterdir():
            if path.name != KEY:
                path.unlink()
        changed(books.folder, *OTHERS[kind])
    else:
        damaged(books.folder, kind)
    place = ["--ledger", str(books.folder)]
    words = ["release", "dplloyd", "--data", "s1-like", "-k", "2", "--epsilon", "0.1", "--yes"]
    commands = [
        ["history", *place],
        ["history", "1", *place],
        ["verify", str(tmp_path / "1" / "certificate.json"), *place],
        ["ledger", "backup", str(tmp_path / "b.zip"), *place],
        [*words, "--output", str(tmp_path / "o"), *place],
    ]
    for command in commands:
        assert main(command) == BAD_INPUT, command
        error = capsys.readouterr().err.splitlines()
        assert len(error) == 1
        assert error[0].startswith("dpcore: ")
    assert main(["ledger", "check", *place]) == 1
    assert "FAILS" in capsys.readouterr().out


@pytest.mark.parametrize("number", ["9223372036854775808", "9" * 400, "0", "-9223372036854775809"])
def test_a_huge_number_is_no_release(number, books, capsys):
    assert main(["history", "--ledger", str(books.folder), "--", number]) == BAD_INPUT
    assert "has no release" in capsys.readouterr().err


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.iterdir()}


@pytest.mark.parametrize("live", [False, True])
def test_to_read_a_ledger_changes_nothing(live, books, tmp_path, capsys):
    if live:  # somebody has it open, and the last release is in the log only
        other = sqlite3.connect(books.folder / DATABASE)
        other.execute("SELECT count(*) FROM releases").fetchone()
        publish(S1, books)
        assert (books.folder / LOG).stat().st_size
    before = state(books.folder)
    before.pop(f"{DATABASE}-shm", None)
    for command in (["history"], ["history", "2", "--output", str(tmp_path / "again")]):
        assert main([*command, "--ledger", str(books.folder)]) == 0
    assert (
        main(["verify", str(tmp_path / "1" / "certificate.json"), "--ledger", str(books.folder)])
        == 0
    )
    assert main(["ledger", "check", "--ledger", str(books.folder)]) == 0
    after = state(books.folder)
    after.pop(f"{DATABASE}-shm", None)
    assert before == after
    assert len(Ledger(books.folder, reading_only=True).entries()) == 3 + live
    if live:
        other.close()


@pytest.mark.parametrize("logged", [False, True])
@pytest.mark.parametrize("old", [False, True])
def test_a_folder_that_nobody_can_write_is_read(logged, old, books, tmp_path, monkeypatch):
    place = old_format.write(tmp_path / "old", books) if old else books.folder
    copy = tmp_path / "medium"
    if logged:
        other = sqlite3.connect(place / DATABASE)
        other.execute("SELECT count(*) FROM releases").fetchone()
        publish(S1, Ledger(place))
        copy.mkdir()
        for name in (DATABASE, LOG, KEY):
            shutil.copy(place / name, copy)
        other.close()
    else:
        shutil.copytree(place, copy)
    copy.chmod(0o500)
    # The superuser may write anywhere; a medium may not be written by anybody.
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    before = state(copy)
    try:
        ledger = Ledger(copy, reading_only=True)
        assert len(ledger.entries()) == 3 + logged
        assert len(ledger.heads()) == 4 + logged
        assert state(copy) == before
    finally:
        copy.chmod(0o700)


def test_nothing_is_made_where_there_is_no_ledger(tmp_path, capsys):
    where = ["--ledger", str(tmp_path / "none")]
    assert main(["history", *where]) == 0
    assert "there is no ledger" in capsys.readouterr().out
    assert main(["history", "1", *where]) == BAD_INPUT
    assert main(["ledger", "check", *where]) == BAD_INPUT
    assert main(["ledger", "backup", str(tmp_path / "b"), *where]) == BAD_INPUT
    assert list(tmp_path.iterdir()) == []


def test_a_backup_brings_everything_back(books, tmp_path, capsys):
    file, place = tmp_path / "b.zip", tmp_path / "new"
    assert main(["ledger", "backup", str(file), "--ledger", str(books.folder)]) == 0
    assert f"{file} holds the 3 releases" in capsys.readouterr().out
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert main(["ledger", "restore", str(file), "--ledger", str(place)]) == 0
    again = Ledger(place)
    assert again.key == books.key
    assert again.heads() == books.heads()
    assert again.files(3) == books.files(3)
    assert all(each.holds for each in check(place))
    assert {stat.S_IMODE(p.stat().st_mode) for p in place.iterdir()} == {0o600}
    publish(S1, again)


def test_a_backup_holds_what_is_only_in_the_log(books, tmp_path):
    other = sqlite3.connect(books.folder / DATABASE)
    other.execute("SELECT count(*) FROM releases").fetchone()
    publish(S1, books)
    assert backup(books.folder, tmp_path / "b.zip") == 4
    other.close()


def test_a_backup_never_goes_over_another_file(books, tmp_path, capsys):
    (tmp_path / "b").write_text("mine")
    assert (
        main(["ledger", "backup", str(tmp_path / "b"), "--ledger", str(books.folder)]) == BAD_INPUT
    )
    assert (tmp_path / "b").read_text() == "mine"


def test_a_backup_can_be_written_to_a_disk_without_hard_links(books, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "link", without_links)
    assert backup(books.folder, tmp_path / "b.zip") == 3
    assert restore(tmp_path / "new", tmp_path / "b.zip")
    assert Ledger(tmp_path / "new").heads() == books.heads()
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(FileExistsError):
        ledger_store.put_in_place(tmp_path / "b.zip", tmp_path / "mine")
    assert (tmp_path / "mine").read_text() == "mine"


def without_links(*_):
    """What a USB stick answers."""
    raise PermissionError(errno.EPERM, "Operation not permitted")


def test_a_new_ledger_can_be_used_while_another_process_reads_its_key(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(errno.EACCES, "The process cannot access the file")

    with monkeypatch.context() as windows:
        windows.setattr(os, "replace", refuse)
        publish(S1, Ledger(tmp_path))
        assert (tmp_path / NEW_KEY).exists()
    assert len(Ledger(tmp_path).entries()) == 1
    assert not (tmp_path / NEW_KEY).exists()


def test_restoring_never_forgets_a_release(books, tmp_path, capsys):
    file = tmp_path / "b.zip"
    backup(books.folder, file)
    publish(S1, books)
    before = state(books.folder)
    assert main(["ledger", "restore", str(file), "--ledger", str(books.folder)]) == REFUSED
    assert "has 4 releases" in capsys.readouterr().err
    assert state(books.folder) == before
    other = Ledger(tmp_path / "another")
    publish(S1, other)
    with pytest.raises(Refusal, match="not only those of the backup"):
        restore(other.folder, file)
    assert len(other.entries()) == 1


def test_an_older_ledger_is_brought_up_to_date(books, tmp_path):
    shutil.copytree(books.folder, tmp_path / "older")
    publish(S1, books)
    backup(books.folder, tmp_path / "b.zip")
    said = restore(tmp_path / "older", tmp_path / "b.zip")
    assert "had 3, and now has all" in said[-1]
    assert Ledger(tmp_path / "older").heads() == books.heads()
    assert "the same already" in restore(tmp_path / "older", tmp_path / "b.zip")[-1]


@pytest.mark.parametrize("kind", ["a page", "the start", "text", "removed", "key"])
def test_what_is_damaged_is_kept_beside_what_is_restored(kind, books, tmp_path):
    backup(books.folder, tmp_path / "b.zip")
    heads = books.heads()
    if kind == "key":
        (books.folder / KEY).unlink()
    elif kind == "removed":
        (books.folder / DATABASE).unlink()
    else:
        damaged(books.folder, kind)
    with pytest.raises(DamagedLedger):
        Ledger(books.folder)
    said = restore(books.folder, tmp_path / "b.zip")
    assert "is the one of the backup" in said[-1]
    assert Ledger(books.folder).heads() == heads
    assert any(".damaged-" in path.name for path in books.folder.iterdir())


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 no archive"])
def test_a_file_that_is_no_backup_is_refused(content, books, tmp_path, capsys):
    (tmp_path / "b").write_bytes(content)
    before = state(books.folder)
    assert (
        main(["ledger", "restore", str(tmp_path / "b"), "--ledger", str(books.folder)]) == BAD_INPUT
    )
    assert "is no backup" in capsys.readouterr().err
    assert state(books.folder) == before


def test_no_number_is_too_large_to_be_looked_up(tmp_path):
    ledger = Ledger(tmp_path)
    for number in (0, -1, 2**63, 10**30):
        with pytest.raises(ValueError, match="has no release"):
            ledger.entry(number)
        assert ledger.files(number) == {}


def test_reading_while_others_write_never_sees_half_of_it(books):
    with opened(books.folder, reading_only=True) as database:
        assert database.execute("SELECT count(*) FROM releases").fetchone()[0] == 3
    with (
        pytest.raises(ValueError, match="ask again"),
        opened(books.folder, reading_only=True) as database,
    ):
        publish(S1, books)
