"""The tables of a ledger, and how those of an older version become those of this one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from dpcore.errors import BadInput, LedgerError
from dpcore.release import chain

FORMAT = 2
#: By what a key is known to be the one that the ledger was made with.
KEY_CHECK = "key check"

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
#: Which release something came with, which rows an account counts, links and digests.
SINCE_2 = {
    "accounts": (
        "since INTEGER NOT NULL DEFAULT 0",
        "counted TEXT",
        "rows TEXT",
    ),
    "fingerprints": ("since INTEGER NOT NULL DEFAULT 0",),
    "releases": ("link TEXT NOT NULL DEFAULT ''", "asked_by TEXT", "approved_by TEXT"),
    "files": ("digest TEXT NOT NULL DEFAULT ''",),
}
KEYS = {
    "ledger": "name = NEW.name",
    "accounts": "name = NEW.name",
    "fingerprints": "digest = NEW.digest",
    "releases": "number = NEW.number",
    "files": "release = NEW.release AND name = NEW.name",
}
#: Accounts in which no other columns and no other box may be counted; under add/remove they may.
NOBODY_KNOWS = "[]"
#: What a plan says of a source beside the terms that its account keeps to.
HOW_READ = ("engine", "format", "zones")


class DamagedLedger(LedgerError):
    """A ledger whose files are not as SQLite or dpcore left them."""


def format_of(database: sqlite3.Connection) -> int:
    """The format that a database has; 0 where there are no tables yet.

    Both are read in one statement: between two, another process may have made the tables.
    """
    rows = database.execute(
        "SELECT user_version, name FROM pragma_user_version LEFT JOIN sqlite_master ON TRUE"
    ).fetchall()
    version = rows[0][0]
    if version > FORMAT:
        raise BadInput("A newer version of dpcore wrote this ledger.")
    names = {name for _, name in rows if name is not None}
    if (version == 0 and names) or (version and not names >= {*TABLES}):
        raise DamagedLedger("This database is no ledger of dpcore's.")
    return int(version)


def upgrade(database: sqlite3.Connection, key: bytes) -> None:
    """Bring a database to this format, within one transaction of the caller's."""
    version = format_of(database)
    if version < 1:
        for table, columns in TABLES.items():
            database.execute(f"CREATE TABLE {table} ({columns}) STRICT")
    if version < 2:
        _begin_chain(database, key)
    database.execute(f"PRAGMA user_version = {FORMAT}")


def _begin_chain(database: sqlite3.Connection, key: bytes) -> None:
    """Format 2: guards against replaced rows, a check of the key, the chain, counted rows."""
    for table in TABLES:
        for change in ("DELETE", "UPDATE"):
            database.execute(f"DROP TRIGGER IF EXISTS {change}_{table}")
    database.execute("CREATE TABLE ledger (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT")
    for table, columns in SINCE_2.items():
        for column in columns:
            database.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
    database.execute("INSERT INTO ledger VALUES (?, ?)", (KEY_CHECK, chain.mark(key, KEY_CHECK)))
    for table, owner in (("accounts", "name"), ("fingerprints", "account")):
        database.execute(
            f"UPDATE {table} SET since = "
            f"(SELECT min(number) FROM releases WHERE releases.account = {table}.{owner})"
        )
    for name, terms in _counted(database).items():
        database.execute("UPDATE accounts SET counted = ? WHERE name = ?", (terms, name))
    for rowid, content in database.execute("SELECT rowid, content FROM files").fetchall():
        digest_and_row = (chain.digest(content), rowid)
        database.execute("UPDATE files SET digest = ? WHERE rowid = ?", digest_and_row)
    head = chain.start(key)
    for (number,) in database.execute("SELECT number FROM releases ORDER BY number").fetchall():
        head = chain.link(database, key, head, number)
        database.execute("UPDATE releases SET link = ? WHERE number = ?", (head, number))
    for table, same in KEYS.items():
        stays = "BEGIN SELECT RAISE(ABORT, 'What the ledger holds stays.'); END"
        for change in ("DELETE", "UPDATE"):
            database.execute(f"CREATE TRIGGER {change}_{table} BEFORE {change} ON {table} {stays}")
        # INSERT OR REPLACE deletes without telling the trigger for DELETE.
        database.execute(
            f"CREATE TRIGGER INSERT_{table} BEFORE INSERT ON {table} "
            f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same}) {stays}"
        )


def _counted(database: sqlite3.Connection) -> dict[str, str]:
    """The rows that the accounts of format 1 counted, by their plans; where these differ, or do not
    tell, nobody knows, and no later release counts the same."""
    terms: dict[str, set[str]] = {}
    for name, plan in database.execute(
        "SELECT account, plan FROM releases JOIN accounts ON name = account "
        "WHERE neighbors = 'replace-one'"
    ):
        terms.setdefault(name, set()).add(as_text(of_plan(json.loads(plan))))
    return {
        name: values.pop() if len(values) == 1 else NOBODY_KNOWS for name, values in terms.items()
    }


def of_plan(plan: Mapping[str, Any]) -> dict[str, Any] | None:
    """The rows that a plan counts, as it was written into the ledger."""
    if not {"source", "box"} <= plan.keys():
        return None
    source = {name: value for name, value in plan["source"].items() if name not in HOW_READ}
    zones = {"zones": True} if plan["source"].get("zones") else {}
    return {"source": source, "box": plan["box"], **zones}


def as_text(counted: Mapping[str, Any] | None) -> str:
    """One text for equal terms."""
    return NOBODY_KNOWS if counted is None else json.dumps(counted, sort_keys=True)
