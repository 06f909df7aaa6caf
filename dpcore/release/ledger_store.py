"""The files under a ledger: a SQLite database that is whole whenever a process dies, and a key."""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

DATABASE, KEY = "ledger.sqlite3", "fingerprints.key"
FORMAT = 1
#: Seconds to wait for another process that is writing.
PATIENCE = 60.0

TABLES = {
    "accounts": "name TEXT PRIMARY KEY, neighbors TEXT NOT NULL, unit TEXT NOT NULL, ids TEXT, "
    "epsilon TEXT NOT NULL, delta TEXT NOT NULL, opened TEXT NOT NULL",
    "fingerprints": "digest TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts",
    "releases": "number INTEGER PRIMARY KEY AUTOINCREMENT, "
    "account TEXT NOT NULL REFERENCES accounts, purpose TEXT NOT NULL, epsilon TEXT NOT NULL, "
    "delta TEXT NOT NULL, time TEXT NOT NULL, plan TEXT NOT NULL, failure TEXT",
    "files": "release INTEGER NOT NULL REFERENCES releases, name TEXT NOT NULL, "
    "content BLOB NOT NULL, PRIMARY KEY (release, name)",
}


@contextmanager
def opened(folder: Path) -> Iterator[sqlite3.Connection]:
    """A connection for one question, so that any thread may ask."""
    database = sqlite3.connect(folder / DATABASE, timeout=PATIENCE, isolation_level=None)
    try:
        database.row_factory = sqlite3.Row
        # Each commit is on the disk before it returns.
        database.execute("PRAGMA synchronous = FULL")
        database.execute("PRAGMA foreign_keys = ON")
        yield database
    finally:
        database.close()


def prepare(database: sqlite3.Connection) -> None:
    """Make what is not there yet; refuse a ledger that a later version wrote."""
    (found,) = database.execute("PRAGMA user_version").fetchone()
    if found > FORMAT:
        raise ValueError("A newer version of dpcore wrote this ledger.")
    if _begin_log(database) != "wal":
        raise ValueError("The ledger needs a disk of this machine, where SQLite can keep a WAL.")
    if found < FORMAT:
        with writing(database):
            for table, columns in TABLES.items():
                database.execute(f"CREATE TABLE IF NOT EXISTS {table} ({columns}) STRICT")
                for change in ("DELETE", "UPDATE"):
                    database.execute(
                        f"CREATE TRIGGER IF NOT EXISTS {change}_{table} BEFORE {change} ON {table} "
                        "BEGIN SELECT RAISE(ABORT, 'What the ledger holds stays.'); END"
                    )
            database.execute(f"PRAGMA user_version = {FORMAT}")


def _begin_log(database: sqlite3.Connection) -> str:
    """Ask for a write-ahead log. Where another process is at the same, SQLite fails at once for
    one of them, whatever its timeout: that one asks again."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            (mode,) = database.execute("PRAGMA journal_mode = WAL").fetchone()
            return str(mode)
        except sqlite3.OperationalError as problem:
            busy = problem.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


@contextmanager
def writing(database: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing, and nobody else writes in between."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


@contextmanager
def reading(database: sqlite3.Connection) -> Iterator[None]:
    """Several questions about one moment."""
    database.execute("BEGIN")
    try:
        yield
    finally:
        database.execute("ROLLBACK")


def key(folder: Path) -> bytes:
    """The key of this folder's fingerprints: whole or not there, whoever else makes it now."""
    path = folder / KEY
    # The key comes before the database, and is looked for after it: others may be making both.
    old = (folder / DATABASE).exists()
    if not path.exists():
        if old:
            raise ValueError(
                f"{path} is missing, without which nobody can tell whether data were published "
                "before under another name. Put it back from where the ledger is backed up."
            )
        draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
        with open(draft, "xb", opener=lambda p, flags: os.open(p, flags, 0o600)) as file:
            file.write(secrets.token_bytes(32))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    return path.read_bytes()
