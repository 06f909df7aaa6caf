"""A chain of digests over everything that a ledger took in, release by release.

Each release has a link: a digest, under the ledger's key, of the link before it and of all that
came with the release (its own row, the account that it opened, the fingerprints that it added, the
digests of its files). So the last link, the head, stands for the whole ledger. Each certificate
names the head that its release followed: a ledger in which something was replaced, or an older copy
to which other releases were added, does not have that link. The key keeps the chain from telling
anybody else what the ledger holds: without it, guesses about it cannot be tried against a head.

Whoever holds the folder also holds the key, and can write another chain that agrees with itself.
What that person cannot change are the certificates that left.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from dpcore.errors import LedgerError

#: What of a row is in its link, in this order.
RELEASE = (
    "number",
    "account",
    "purpose",
    "epsilon",
    "delta",
    "time",
    "plan",
    "failure",
    "asked_by",
    "approved_by",
)
ACCOUNT = ("name", "neighbors", "unit", "ids", "epsilon", "delta", "opened", "counted", "rows")

Row = Sequence[str | int | None]


class BrokenChain(LedgerError):
    """The ledger does not hold what it held when its releases were made."""


def mark(key: bytes, what: str) -> str:
    """A digest of some words under the key."""
    return hmac.new(key, what.encode(), hashlib.sha256).hexdigest()


def start(key: bytes) -> str:
    """The head of a ledger without releases."""
    return mark(key, "start of the chain")


def joined(
    key: bytes,
    before: str,
    release: Row,
    accounts: Sequence[Row],
    fingerprints: Sequence[Row],
    files: Sequence[Row],
) -> str:
    """The link of a release and its files."""
    parts = [before, list(release), *(list(map(list, rows)) for rows in (accounts, fingerprints))]
    return mark(key, json.dumps([*parts, [list(row) for row in files]]))


def link(database: sqlite3.Connection, key: bytes, before: str, number: int) -> str:
    """The link of a release, from what the ledger holds."""

    def rows(columns: Sequence[str], table: str, by: str, order: str) -> list[Row]:
        query = f"SELECT {', '.join(columns)} FROM {table} WHERE {by} = ? ORDER BY {order}"
        return [tuple(row) for row in database.execute(query, (number,))]

    (release,) = rows(RELEASE, "releases", "number", "number")
    accounts = rows(ACCOUNT, "accounts", "since", "name")
    fingerprints = rows(("digest", "account"), "fingerprints", "since", "digest")
    files = rows(("name", "digest"), "files", "release", "rowid")
    return joined(key, before, release, accounts, fingerprints, files)


def heads(database: sqlite3.Connection, key: bytes) -> list[str]:
    """Every head that the ledger has had, the first without releases; or BrokenChain."""
    marks = [start(key)]
    rows = database.execute("SELECT number, link FROM releases ORDER BY number").fetchall()
    for place, (number, written) in enumerate(rows, start=1):
        if number != place:
            raise BrokenChain(f"Release {place} is missing from the ledger.")
        marks.append(link(database, key, marks[-1], number))
        if marks[-1] != written:
            raise BrokenChain(
                f"Release {number}, or what came with it, is not what the ledger recorded: "
                "something else than dpcore changed it."
            )
    for table in ("accounts", "fingerprints"):
        query = f"SELECT count(*) FROM {table} WHERE since NOT BETWEEN 1 AND ?"
        if database.execute(query, (len(rows),)).fetchone()[0]:
            raise BrokenChain(f"The {table} in the ledger hold more than its releases brought.")
    return marks


def changed_files(database: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """Files that differ from the released ones, by release and name."""
    for row in database.execute("SELECT release, name, content, digest FROM files"):
        if digest(row["content"]) != row["digest"]:
            yield row["release"], row["name"]


def digest(content: Any) -> str:
    return hashlib.sha256(content).hexdigest()
