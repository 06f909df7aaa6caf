"""The ledger: the budget of each data set, every charge, and the files of every release.

**One transaction.** A release is computed first and then written, with its charge, in a single
IMMEDIATE transaction, which also checks once more that the account can pay. Only then is it shown,
and what is shown is read back. SQLite keeps a write-ahead log with synchronous = FULL, so at the
end of the transaction all of it is on disk, and before it nothing is: whenever the process dies,
there is no release and no charge, or a charge with its release. Of two processes that would
together overspend, the second finds the account empty and its result is dropped, seen by nobody.

**Why nothing need be charged before.** Noise that was drawn and lost told nobody anything. What is
shown after a second attempt comes from fresh noise, so it has the distribution of one run, as long
as whether the first one died did not depend on what it drew; a power cut or a kill does not.
A run that *ends by itself*, or that somebody ends who watches it, does: `dpcore.release.charging`
says what it is charged.

**Adding up.** Charges of one account are answers about the same data under the same relation and
unit. Epsilons add up and deltas add up, also when later ones are chosen by looking at earlier
releases, as long as the sum stays within bounds fixed at the start (Rogers, Roth, Ullman and
Vadhan 2016: privacy filters). They are fixed when the account is opened. Sums are exact fractions.

Neighbors must be the same two tables for all releases that are added up.

*Under add/remove* they are, whichever columns and box a release counts. A release first maps the
table to the rows that it counts, each row by itself: a row that is added or removed adds or removes
one counted row or none. So a release that costs epsilon is epsilon-private for the *whole* table,
whose rows are what the account protects, and no release publishes how many rows it counted. Files
may change between releases as well: the table is all that was ever read, and a row that some
releases do not read costs nothing there.

*Under replace-one* how many rows are counted is published exactly. Replacing a row of the table by
one outside the box changes that number, so such tables are no neighbors: what is protected is
*which of two places in the box* a counted row has. With another box, other columns, or rows outside
the box moved instead of left out, other rows are counted. Two such releases publish two exact
numbers, and their difference is the exact number of people in the strip between the boxes, whatever
epsilon was. So the account fixes the box, the columns and the fate of rows outside at its first
release. It also fixes the counted rows themselves, by their fingerprint (see
`dpcore.release.sources`): a changed or another file could hold the rows of a strip as well. Then
every release of the account is a function of one list X of counted rows. X~X' if they have equally
many rows and differ in one; each release is epsilon_i-private under that relation; and the same
theorem adds them up. Rows in another order, or in another format, are the same X. A private twin is
a release like any other.

*With a level for each region of a map* a release is charged the largest level. Under add/remove a
row lies in one region, so it costs that region's level, and a person with at most m rows costs the
mean of the levels of the regions where they lie at most. Under replace-one a row that is replaced
costs its region's level, or the mean of two. None of these is more than the largest, which is what
the release costs whatever row or person is compared (`dpcore.datasets.area_levels` proves it, also
with a delta). The sums of an account hold for the same comparison in all releases, so they are
bounds for every row. Under add/remove a row that *moves* is a second comparison: it is removed and
added, which an account that adds up to epsilon bounds by 2 epsilon; the statement of each release
says what its own regions make of it, the sum of two levels.

Accounts of ledgers before format 2 did not keep these terms. They are read from the plans of their
releases; where these differ, there can be no other release. Their counted rows are known only by
the bytes of their files, so they take another release from the very same files only.

**Fingerprints.** An account knows the data it was opened with, and all it met later, by digests
under a key that lies beside the ledger: of the bytes of each file, and of the rows that are
counted. The same data under another name are refused, so that one data set cannot have two budgets
by mistake. That answers "was this file, or were these rows, published from before?" to whoever can
use the ledger and has the file, which is to say the holder of the data; it is in no file that
leaves. It guards against mistakes, not against somebody who means to spend twice: a file with one
row more is another file.

**Nothing can be un-spent.** Triggers refuse to delete, change or replace what is there. Who opens
the database with another program can remove them, so a chain of digests runs through all releases,
and each certificate names the head that it followed (see `dpcore.release.chain`).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpcore.errors import BadInput
from dpcore.release import chain, ledger_store
from dpcore.release.accounts import (
    Account,
    Before,
    Claim,
    ReleaseRefused,
    account_of,
    amount,
    as_opened,
    as_row,
    before,
    check,
    exists,
)
from dpcore.release.amounts import Amount
from dpcore.release.ledger_schema import DamagedLedger
from dpcore.release.ledger_store import reading, writing
from dpcore.release.note import ReleaseNote

__all__ = ["Account", "Claim", "Entry", "Ledger", "ReleaseRefused"]

#: The largest number that SQLite can give a release.
MOST = 2**63 - 1
#: The files of a release, or what makes them once it is known what they follow.
Files = Mapping[str, bytes] | Callable[[Before], Mapping[str, bytes]]


@dataclass(frozen=True)
class Actors:
    """The people who asked for a release and who approved it, where people sign in.

    Parameters
    ----------
    asked_by : str or None, default=None
        Who asked for the release.
    approved_by : str or None, default=None
        Who else approved it.

    Examples
    --------
    >>> from dpcore.release import Actors
    >>> Actors("ann", "bob").words()
    'asked for by ann, approved by bob'
    """

    asked_by: str | None = None
    approved_by: str | None = None

    def words(self) -> str:
        approved = f", approved by {self.approved_by}" if self.approved_by else ""
        return f"asked for by {self.asked_by}{approved}" if self.asked_by else ""


@dataclass(frozen=True)
class Entry:
    """A line of the ledger: a charge, and whether files came of it.

    Parameters
    ----------
    number : int
        The number of the release, from 1.
    account : str
        The name of the data set.
    purpose : str
        "release", "twin", "wishes", "rows of each", or "other tool".
    charged : Amount
        What it cost.
    time : str
        When it was asked for, in UTC.
    plan : mapping
        The plan, as data.
    failure : str or None, default=None
        Why there are no files; None if there are.
    actors : Actors, default=Actors()
        Who asked for it and who approved it.

    Examples
    --------
    >>> from dpcore import Request
    >>> from dpcore.release import BuiltinData, Ledger, ReleasePlan, publish
    >>> plan = ReleasePlan("flowers", BuiltinData("s1-like"), Request("dplloyd", k=2, epsilon=0.5))
    >>> entry = publish(plan, Ledger("books")).entry
    >>> print(entry.account, entry.charged)
    flowers ε 0.5
    """

    number: int
    account: str
    #: "release"; "twin" for one made to be explored; or what else used budget.
    purpose: str
    charged: Amount
    #: When it was asked for, in UTC. How long it took is not recorded: it could depend on the rows.
    time: str
    plan: Mapping[str, Any]
    #: Why there is nothing to show for the charge; None when there is.
    failure: str | None = None
    actors: Actors = Actors()

    @property
    def note(self) -> ReleaseNote:
        """The publisher and the purpose, where somebody wrote them down."""
        return ReleaseNote.of(self.plan)

    @property
    def planned_amount(self) -> Amount:
        """The price of the plan. A run that ended early may have been charged less."""
        return Amount.of(self.plan["epsilon"], self.plan.get("delta", 0.0))

    @property
    def description(self) -> str:
        """The thing that was bought, in words."""
        for words in ("note", "statement"):
            if words in self.plan:
                return str(self.plan[words])
        return f"{self.plan['k']} centers by {self.plan['algorithm']}, {self.plan['neighbors']}"


class Ledger:
    """The ledger in a folder, made when it is not there. Any number of processes may share it.

    The folder must be on a disk of this machine: write-ahead logs do not work over a network.
    With `reading_only` nothing is made or changed, and the folder may be one that nobody can write.

    Parameters
    ----------
    folder : str or Path
        The folder of the ledger.
    reading_only : bool, default=False
        Open it to look at only.

    Examples
    --------
    >>> from dpcore.release import Ledger
    >>> Ledger("books").entries()
    []
    """

    def __init__(self, folder: str | Path, reading_only: bool = False):
        self.folder = Path(folder).expanduser()
        self.reading_only = reading_only
        if reading_only:
            self._place, self.key = ledger_store.readable(self.folder, self)
        else:
            self._place, self.key = self.folder, ledger_store.made(self.folder)

    def opened(self) -> AbstractContextManager[sqlite3.Connection]:
        """A connection to the database, for one question."""
        return ledger_store.opened(self._place, self.reading_only)

    def accounts(self) -> list[Account]:
        """All data sets, by name."""
        with self.opened() as database, reading(database):
            names = [row["name"] for row in database.execute("SELECT name FROM accounts")]
            return [account_of(database, name) for name in sorted(names)]

    def account(self, name: str) -> Account | None:
        """The account of that name, if it was ever charged."""
        with self.opened() as database, reading(database):
            return account_of(database, name) if exists(database, name) else None

    def lifetime_budget(self, name: str, allowed: Amount | None) -> Amount:
        """The budget that an account has, or that it gets with its first charge; or BadInput."""
        account = self.account(name)
        total = account.allowed if account else allowed
        if total is None:
            raise BadInput(
                f"The ledger has no account {name!r}. To open it, name the lifetime budget of the "
                "data as well: allowed, or --allowed on the command line."
            )
        return total

    def entries(self, account: str | None = None) -> list[Entry]:
        """Everything that was charged, in order; to one account or to all."""
        with self.opened() as database:
            rows = database.execute(
                "SELECT * FROM releases WHERE ?1 IS NULL OR account = ?1 ORDER BY number",
                (account,),
            )
            return [_entry(row) for row in rows]

    def entry(self, number: int) -> Entry:
        """One line by its number."""
        row = None
        if 0 < number <= MOST:
            query = "SELECT * FROM releases WHERE number = ?"
            with self.opened() as database:
                row = database.execute(query, (number,)).fetchone()
        if row is None:
            raise BadInput(f"The ledger in {self.folder} has no release {number}.")
        return _entry(row)

    def files(self, number: int) -> dict[str, bytes]:
        """The files that a release published, by name; none where nothing came of it."""
        if not 0 < number <= MOST:
            return {}
        with self.opened() as database:
            rows = database.execute(
                "SELECT name, content FROM files WHERE release = ? ORDER BY rowid", (number,)
            )
            return {row["name"]: row["content"] for row in rows}

    def check(self, claim: Claim) -> None:
        """Raise ReleaseRefused if the claim could not be paid now. Before any noise is drawn."""
        with self.opened() as database, reading(database):
            check(database, claim)

    def heads(self) -> list[str]:
        """The head of the chain after each release, the first before any; or BrokenChain."""
        with self.opened() as database, reading(database):
            return chain.heads(database, self.key)

    def record(
        self,
        claim: Claim,
        purpose: str,
        time: str,
        plan: Mapping[str, Any],
        files: Files,
        *,
        failure: str | None = None,
        actors: Actors | None = None,
    ) -> Entry:
        """Charge the account and keep the release, both or neither; or raise ReleaseRefused."""
        with self.opened() as database, writing(database):
            check(database, claim)
            last = database.execute("SELECT number, link FROM releases ORDER BY number DESC")
            number, head = last.fetchone() or (0, chain.start(self.key))
            kept_files = files(before(database, claim, head)) if callable(files) else files
            number += 1
            by = actors or Actors()
            entry = (purpose, time, plan, failure, by)
            _write(database, self.key, head, number, claim, entry, kept_files)
        return self.entry(number)


def _write(
    database: sqlite3.Connection,
    key: bytes,
    head: str,
    number: int,
    claim: Claim,
    entry: tuple[str, str, Mapping[str, Any], str | None, Actors],
    files: Mapping[str, bytes],
) -> None:
    """The rows of a release, of an account that it opens, and of data that are new to it."""
    (purpose, time, plan, failure, by), price, name = entry, claim.price, claim.account
    account = as_opened(claim)
    accounts = [] if exists(database, name) else [as_row(account, time)]
    old_marks = {row[0] for row in database.execute("SELECT digest FROM fingerprints")}
    marks = sorted({*claim.fingerprints, *([claim.rows] if claim.rows else [])} - old_marks)
    released = (
        *(number, name, purpose, str(price.epsilon), str(price.delta), time),
        *(json.dumps(plan), failure, by.asked_by, by.approved_by),
    )
    digests = [(file, chain.digest(content)) for file, content in files.items()]
    fingerprints = [(mark, name) for mark in marks]
    link = chain.joined(key, head, released, accounts, fingerprints, digests)
    _insert(database, "accounts", (*chain.ACCOUNT, "since"), [(*row, number) for row in accounts])
    columns = ("digest", "account", "since")
    _insert(database, "fingerprints", columns, [(*row, number) for row in fingerprints])
    _insert(database, "releases", (*chain.RELEASE, "link"), [(*released, link)])
    file_rows = [(number, *row, files[row[0]]) for row in digests]
    _insert(database, "files", ("release", "name", "digest", "content"), file_rows)


def _insert(
    database: sqlite3.Connection, table: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]]
) -> None:
    places = ", ".join("?" * len(columns))
    database.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})", rows)


def _entry(row: sqlite3.Row) -> Entry:
    try:
        plan = json.loads(row["plan"])
    except ValueError:
        raise DamagedLedger(f"The plan of release {row['number']} cannot be read.") from None
    return Entry(
        row["number"],
        row["account"],
        row["purpose"],
        amount(row),
        row["time"],
        plan,
        failure=row["failure"],
        actors=Actors(row["asked_by"], row["approved_by"]),
    )
