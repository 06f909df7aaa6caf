"""Copies of a ledger: made whole, put back only where nothing is lost by it, and checked.

A backup is one archive with the database, as it is after the last release, and its key.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from dpcore.errors import BadInput, Refusal
from dpcore.release import chain, ledger_store
from dpcore.release.ledger import Ledger
from dpcore.release.ledger_schema import DamagedLedger
from dpcore.release.ledger_store import DATABASE, KEY, LOG, SHARED


@dataclass(frozen=True)
class Checked:
    """One thing that was looked at in a ledger: whether it is as it should be."""

    what: str
    holds: bool
    why: str = ""


def backup(folder: Path, file: Path) -> int:
    """Write a ledger into a new archive, and say how many releases are in it."""
    if os.path.lexists(file):
        raise FileExistsError(f"{file} is there already: name a new file.")
    books = Ledger(folder, reading_only=True)
    part = file.with_name(f".{file.name}.{secrets.token_hex(8)}.part")
    with tempfile.TemporaryDirectory(prefix="dpcore-", dir=file.absolute().parent) as beside:
        copy = Path(beside) / DATABASE
        with books.opened() as database, closing(sqlite3.connect(copy)) as other:
            database.backup(other)
            # One file, which needs no log beside it.
            other.execute("PRAGMA journal_mode = DELETE")
            count: int = other.execute("SELECT count(*) FROM releases").fetchone()[0]
        try:
            with open(part, "xb", opener=lambda p, flags: os.open(p, flags, 0o600)) as written:
                with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as packing:
                    packing.write(copy, DATABASE)
                    packing.writestr(KEY, books.key)
                written.flush()
                os.fsync(written.fileno())
            ledger_store.put_in_place(part, file)
        finally:
            part.unlink(missing_ok=True)
    ledger_store.synced(file.absolute().parent)
    return count


def restore(folder: Path, file: Path) -> list[str]:
    """Put a backup in the place of a ledger that has no release which the backup lacks.

    Says what was done. What cannot be read is kept beside it under another name.
    """
    with _unpacked(file) as source:
        backup = Ledger(source, reading_only=True)
        heads = backup.heads()
        summary = f"{file} holds {len(heads) - 1} releases."
        ledger_store.make_folder(folder, 0o700)
        try:
            there = Ledger(folder, reading_only=True)
        except (DamagedLedger, chain.BrokenChain) as problem:
            _refuse_more(folder, len(heads) - 1)
            return [summary, f"{problem}", *_aside(folder), *_place(folder, source)]
        except ledger_store.NoLedger:
            return [summary, *_place(folder, source)]
        own = there.heads()
        if own == heads:
            return [summary, f"The ledger in {folder} is the same already: nothing was changed."]
        if own[-1] not in heads:
            raise Refusal(
                f"The ledger in {folder} has {len(own) - 1} releases, and not only those of the "
                f"backup ({len(heads) - 1}). Restoring would forget what was used: nothing was "
                "changed."
            )
        with backup.opened() as database, ledger_store.opened(folder) as target:
            database.backup(target)
        return [summary, f"The ledger in {folder} had {len(own) - 1}, and now has all of them."]


def check(folder: Path) -> Iterator[Checked]:
    """Everything that can be checked of a ledger; nothing in its folder changes."""
    try:
        books = Ledger(folder, reading_only=True)
    except (DamagedLedger, chain.BrokenChain) as problem:
        yield Checked("the database, its key and its chain are whole", False, str(problem))
        return
    heads = books.heads()
    yield Checked("the database, its key and its chain are whole", True)
    with books.opened() as database, ledger_store.reading(database):
        changed = [f"{name} of release {number}" for number, name in chain.changed_files(database)]
        whole = database.execute("PRAGMA integrity_check(1)").fetchone()[0]
    yield Checked(
        "every released file is the one that was released", not changed, ", ".join(changed)
    )
    yield Checked(
        "every page of the database is in order", whole == "ok", "" if whole == "ok" else whole
    )
    for account in books.accounts():
        what = f"{account.name!r} has used {account.used} of {account.allowed}"
        yield Checked(what, account.used.within(account.allowed))
    yield Checked(f"{len(heads) - 1} releases in all; the head is {heads[-1]}", True)


@contextmanager
def _unpacked(file: Path) -> Iterator[Path]:
    """A folder with the ledger of an archive."""
    with tempfile.TemporaryDirectory(prefix="dpcore-") as folder:
        try:
            with zipfile.ZipFile(file) as archive:
                for name in (DATABASE, KEY):
                    with archive.open(name) as packed, open(Path(folder) / name, "xb") as written:
                        while piece := packed.read(1 << 20):
                            written.write(piece)
        except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError) as problem:
            raise BadInput(f"{file} is no backup of a ledger: {problem}.") from problem
        yield Path(folder)


def _refuse_more(folder: Path, count: int) -> None:
    """Even a ledger that is damaged may tell that it has more releases than a backup."""
    with (
        suppress(DamagedLedger, sqlite3.Error, ValueError),
        ledger_store.opened(folder, True) as database,
    ):
        (own,) = database.execute("SELECT count(*) FROM releases").fetchone()
        if own > count:
            raise Refusal(
                f"The ledger in {folder} is damaged, but has {own} releases, more than the backup "
                f"({count}): restoring would forget what was used. Nothing was changed. To give "
                "them up, move that ledger away first."
            )


def _aside(folder: Path) -> list[str]:
    """Give what is there names that nobody looks for."""
    when = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    moved = []
    for name in (DATABASE, LOG, SHARED, KEY, ledger_store.NEW_KEY):
        if (folder / name).exists():
            (folder / name).rename(folder / f"{name}.damaged-{when}")
            moved.append(f"{name}.damaged-{when}")
    return [f"What was there is kept as {', '.join(moved)}."]


def _place(folder: Path, source: Path) -> list[str]:
    """Put database and key where there are none."""
    for name in (DATABASE, KEY):
        part = folder / f"{name}.{secrets.token_hex(8)}.part"
        content = (source / name).read_bytes()
        with open(part, "xb", opener=lambda p, flags: os.open(p, flags, 0o600)) as written:
            written.write(content)
            written.flush()
            os.fsync(written.fileno())
        part.rename(folder / name)
        ledger_store.synced(folder)
    return [f"The ledger in {folder} is the one of the backup."]
