"""The ledger: what may be spent on each data set, what was, and what came of it.

**One transaction.** A release is computed first and then written, with its charge, in a single
IMMEDIATE transaction, which also checks once more that the account can pay. Only then is it shown,
and what is shown is read back. SQLite keeps a write-ahead log with synchronous = FULL, so at the
end of the transaction all of it is on disk, and before it nothing is: whenever the process dies,
there is no release and no charge, or a charge with its release. Of two processes that would
together overspend, the second finds the account empty and its result is dropped, seen by nobody.

**Why nothing need be charged before.** Noise that was drawn and lost told nobody anything. What is
shown after a second attempt comes from fresh noise, so it has the distribution of one run, as long
as whether the first one died did not depend on what it drew; a power cut or a kill does not. A run
that *ends by itself* without an answer does: publishing the first attempt that succeeds would draw
from the runs that do, whose probability is another on neighboring data, and could cost twice
epsilon. So a run that fails after its first question is written down as well, charged in full,
with nothing to show for it.

**Adding up.** Charges of one account are answers about the same data under the same relation and
unit. Epsilons add up and deltas add up, also when later ones are chosen by looking at earlier
releases, as long as the sum stays within bounds fixed at the start (Rogers, Roth, Ullman and
Vadhan 2016: privacy filters). They are fixed when the account is opened. Sums are exact fractions.

**Fingerprints.** An account knows the files it was opened with, and all it met later, by digests
under a key that lies beside the ledger. The same bytes under another name are refused, so that one
data set cannot have two budgets by mistake. That answers "was this file published from before?"
to whoever can use the ledger and has the file, which is to say the holder of the data; it is in no
file that leaves. It sees equal bytes only: a file with one row more is another file. It guards
against mistakes, not against somebody who means to spend twice.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpcore.privacy.accounting import Neighbors
from dpcore.release.amounts import Amount
from dpcore.release.ledger_store import DATABASE, key, opened, prepare, reading, writing
from dpcore.release.unit import Unit


class ReleaseRefused(PermissionError):
    """A release that may not be made; nothing was spent on it."""


@dataclass(frozen=True)
class Account:
    """What may be spent on one data set in all, and what was."""

    name: str
    neighbors: Neighbors
    #: What one unit is, and the column of ids that tells units apart, if it is not a row.
    unit: str
    ids: str | None
    allowed: Amount
    used: Amount = field(default_factory=Amount)

    @property
    def left(self) -> Amount:
        return self.allowed - self.used


@dataclass(frozen=True)
class Entry:
    """A line of the ledger: a charge, and what came of it."""

    number: int
    account: str
    #: "release", or "twin" for one made to be explored.
    purpose: str
    charged: Amount
    #: When it was asked for, in UTC. How long it took is nobody's business.
    time: str
    plan: Mapping[str, Any]
    #: Why there is nothing to show for the charge; None when there is.
    failure: str | None = None


@dataclass(frozen=True)
class Claim:
    """What a release asks of an account: the terms that the account must have, and the price."""

    account: str
    neighbors: Neighbors
    unit: Unit
    allowed: Amount
    price: Amount
    fingerprints: tuple[str, ...]


class Ledger:
    """The ledger in a folder, made when it is not there. Any number of processes may share it.

    The folder must be on a disk of this machine: write-ahead logs do not work over a network.
    """

    def __init__(self, folder: str | Path):
        self.folder = Path(folder).expanduser()
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.key = key(self.folder)
        # SQLite gives its log the rights that the database has.
        (self.folder / DATABASE).touch(mode=0o600)
        with opened(self.folder) as database:
            prepare(database)

    def accounts(self) -> list[Account]:
        """All data sets, by name."""
        with opened(self.folder) as database, reading(database):
            names = [row["name"] for row in database.execute("SELECT name FROM accounts")]
            return [_account(database, name) for name in sorted(names)]

    def account(self, name: str) -> Account | None:
        """The account of that name, if it was ever charged."""
        with opened(self.folder) as database, reading(database):
            return _account(database, name) if _exists(database, name) else None

    def entries(self, account: str | None = None) -> list[Entry]:
        """Everything that was charged, in order; to one account or to all."""
        with opened(self.folder) as database:
            rows = database.execute(
                "SELECT * FROM releases WHERE ?1 IS NULL OR account = ?1 ORDER BY number",
                (account,),
            )
            return [_entry(row) for row in rows]

    def entry(self, number: int) -> Entry:
        """One line by its number."""
        with opened(self.folder) as database:
            row = database.execute("SELECT * FROM releases WHERE number = ?", (number,)).fetchone()
        if row is None:
            raise ValueError(f"The ledger in {self.folder} has no release {number}.")
        return _entry(row)

    def files(self, number: int) -> dict[str, bytes]:
        """What a release published, by name; nothing where nothing came of it."""
        with opened(self.folder) as database:
            rows = database.execute(
                "SELECT name, content FROM files WHERE release = ? ORDER BY rowid", (number,)
            )
            return {row["name"]: row["content"] for row in rows}

    def check(self, claim: Claim) -> None:
        """Raise ReleaseRefused if the claim could not be paid now. Before any noise is drawn."""
        with opened(self.folder) as database, reading(database):
            _check(database, claim)

    def record(
        self,
        claim: Claim,
        purpose: str,
        time: str,
        plan: Mapping[str, Any],
        files: Mapping[str, bytes],
        failure: str | None = None,
    ) -> Entry:
        """Charge the account and keep what was bought, both or neither; or ReleaseRefused."""
        with opened(self.folder) as database, writing(database):
            _check(database, claim)
            _enter(database, claim, time)
            price = claim.price
            number = database.execute(
                "INSERT INTO releases (account, purpose, epsilon, delta, time, plan, failure) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    *(claim.account, purpose, str(price.epsilon), str(price.delta), time),
                    *(json.dumps(plan), failure),
                ),
            ).lastrowid
            database.executemany(
                "INSERT INTO files VALUES (?, ?, ?)",
                [(number, name, content) for name, content in files.items()],
            )
        return self.entry(int(number or 0))


def _exists(database: sqlite3.Connection, name: str) -> bool:
    return bool(database.execute("SELECT 1 FROM accounts WHERE name = ?", (name,)).fetchone())


def _account(database: sqlite3.Connection, name: str) -> Account:
    row = database.execute("SELECT * FROM accounts WHERE name = ?", (name,)).fetchone()
    charges = database.execute("SELECT epsilon, delta FROM releases WHERE account = ?", (name,))
    return Account(
        name,
        Neighbors(row["neighbors"]),
        row["unit"],
        row["ids"],
        _amount(row),
        sum(map(_amount, charges), Amount()),
    )


def _check(database: sqlite3.Connection, claim: Claim) -> None:
    for digest in claim.fingerprints:
        row = database.execute(
            "SELECT account FROM fingerprints WHERE digest = ? AND account <> ?",
            (digest, claim.account),
        ).fetchone()
        if row:
            raise ReleaseRefused(
                f"These data, or some of their files, were published before under the name "
                f"{row['account']!r}. Use that name, so that all charges meet in one account."
            )
    if not _exists(database, claim.account):
        account = _as_opened(claim)
    else:
        account = _account(database, claim.account)
        _refuse_other_terms(account, claim)
    if not claim.price.within(account.left):
        raise ReleaseRefused(
            f"{claim.account!r} may spend {account.allowed} in all, and {account.left} is left. "
            f"This release would cost {claim.price}. What is spent stays spent."
        )


def _refuse_other_terms(account: Account, claim: Claim) -> None:
    """Charges add up only where all of them protect the same thing in the same way."""
    name = claim.account
    if account.neighbors is not claim.neighbors:
        raise ReleaseRefused(
            f"{name!r} is protected under {account.neighbors}; a release under {claim.neighbors} "
            "cannot be added to what was spent."
        )
    if (account.unit, account.ids) != (claim.unit.name, claim.unit.ids):
        ids = "" if account.ids is None else f", told apart by {account.ids!r}"
        raise ReleaseRefused(
            f"What {name!r} protects is one {account.unit}{ids}; a release that protects anything "
            "else cannot be added to what was spent."
        )
    if account.allowed != claim.allowed:
        raise ReleaseRefused(
            f"{name!r} may spend {account.allowed} in all. That was fixed with its first release."
        )


def _enter(database: sqlite3.Connection, claim: Claim, time: str) -> None:
    """Open the account at its first charge, and remember all files that it meets."""
    account = _as_opened(claim)
    database.execute(
        "INSERT OR IGNORE INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            *(account.name, str(account.neighbors), account.unit, account.ids),
            *(str(account.allowed.epsilon), str(account.allowed.delta), time),
        ),
    )
    database.executemany(
        "INSERT OR IGNORE INTO fingerprints VALUES (?, ?)",
        [(digest, claim.account) for digest in claim.fingerprints],
    )


def _as_opened(claim: Claim) -> Account:
    return Account(claim.account, claim.neighbors, claim.unit.name, claim.unit.ids, claim.allowed)


def _amount(row: sqlite3.Row) -> Amount:
    return Amount(Fraction(row["epsilon"]), Fraction(row["delta"]))


def _entry(row: sqlite3.Row) -> Entry:
    return Entry(
        row["number"],
        row["account"],
        row["purpose"],
        _amount(row),
        row["time"],
        json.loads(row["plan"]),
        row["failure"],
    )
