"""Accounts: what may be spent on which data, on which terms, and what a release asks of them.

Why these terms are the ones under which charges add up stands in `dpcore.release.ledger`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpcore.errors import Refusal
from dpcore.privacy.accounting import Neighbors
from dpcore.release import ledger_schema
from dpcore.release.amounts import Amount
from dpcore.release.ledger_schema import DamagedLedger
from dpcore.release.unit import Unit

#: What marks a fingerprint of counted rows, where others are of files.
ROWS = "rows:"
#: Why releases that publish the number of rows must count the same ones.
EXACT = (
    "Under replace-one the exact number of counted rows is published with each release, and the "
    "difference between two such numbers is protected by nothing."
)


class ReleaseRefused(Refusal):
    """A release that may not be made; no budget was used.

    Parameters
    ----------
    *args : str
        The message.

    Examples
    --------
    >>> from dpcore import Request
    >>> from dpcore.release import ReleasePlan, ReleaseRefused, BuiltinData
    >>> try:
    ...     ReleasePlan("taxi", BuiltinData("nyc-taxi"), Request("adaptive", k=5, epsilon=2.0))
    ... except ReleaseRefused as refusal:
    ...     print(refusal)
    This release would cost ε 2, and ε 1 is allowed in all.
    """


@dataclass(frozen=True)
class Before:
    """The state of a ledger before a release."""

    #: The head of the chain.
    head: str
    #: What the account has spent, this release included, and in how many charges.
    spent: Amount
    charges: int


@dataclass(frozen=True)
class Account:
    """The budget of one data set, and how much of it is used.

    Parameters
    ----------
    name : str
        The name of the data set.
    neighbors : Neighbors
        Which two data sets an attacker must not be able to tell apart.
    unit : str
        What is protected: a trip, a passenger.
    ids : str or None
        The column of ids, if the unit is not a row.
    allowed : Amount
        What all releases together may cost.
    used : Amount, default=Amount()
        What they cost so far.
    counted : str or None, default=None
        Which rows all releases count, if their number is published.
    rows : str or None, default=None
        The fingerprint of these rows.

    Examples
    --------
    >>> from dpcore import Neighbors
    >>> from dpcore.release import Account, Amount
    >>> allowed, used = Amount.of(1.0), Amount.of(0.3)
    >>> account = Account("taxi", Neighbors.ADD_REMOVE, "trip", None, allowed, used)
    >>> print(account.left)
    ε 0.7
    """

    name: str
    neighbors: Neighbors
    #: What one unit is, and the column of ids that tells units apart, if it is not a row.
    unit: str
    ids: str | None
    allowed: Amount
    used: Amount = field(default_factory=Amount)
    #: Which rows of the data all releases count, where their number is published; as text.
    counted: str | None = None
    #: The fingerprint of these rows; None where it was not kept.
    rows: str | None = None

    @property
    def left(self) -> Amount:
        return self.allowed - self.used

    @property
    def caution(self) -> str | None:
        """A warning about the earlier releases of the account, for its readers."""
        if self.counted == ledger_schema.NOBODY_KNOWS:
            return (
                "Its releases counted different rows, or nobody knows which. The exact numbers "
                "they published can tell how many rows lie between two boxes. No other release can "
                "be added."
            )
        if self.counted is not None and self.rows is None:
            return (
                "It was opened by an older version, which kept no fingerprint of the counted rows: "
                "it takes releases from the very same files only."
            )
        return None


@dataclass(frozen=True)
class Claim:
    """The terms that a release needs its account to have, and its price."""

    account: str
    neighbors: Neighbors
    unit: Unit
    allowed: Amount
    price: Amount
    fingerprints: tuple[str, ...]
    #: Which rows are counted: source, columns, box, and what becomes of rows outside.
    counted: Mapping[str, Any] | None = None
    #: The fingerprint of the rows that are counted, once they are read.
    rows: str | None = None
    #: The name of the series that the release is a period of.
    series: str | None = None


def exists(database: sqlite3.Connection, name: str) -> bool:
    return bool(database.execute("SELECT 1 FROM accounts WHERE name = ?", (name,)).fetchone())


def account_of(database: sqlite3.Connection, name: str) -> Account:
    row = database.execute("SELECT * FROM accounts WHERE name = ?", (name,)).fetchone()
    charges = database.execute("SELECT epsilon, delta FROM releases WHERE account = ?", (name,))
    return Account(
        name,
        Neighbors(row["neighbors"]),
        row["unit"],
        row["ids"],
        amount(row),
        used=sum(map(amount, charges), Amount()),
        counted=row["counted"],
        rows=row["rows"],
    )


def check(database: sqlite3.Connection, claim: Claim) -> None:
    for digest in (*claim.fingerprints, claim.rows):
        row = database.execute(
            "SELECT account FROM fingerprints WHERE digest = ? AND account <> ?",
            (digest, claim.account),
        ).fetchone()
        if row:
            raise ReleaseRefused(
                f"These data, or some of them, were published before under the name "
                f"{row['account']!r}. Use that name, so that all charges meet in one account."
            )
    _refuse_other_composition(database, claim)
    if not exists(database, claim.account):
        account = as_opened(claim)
    else:
        account = account_of(database, claim.account)
        _refuse_other_terms(account, claim)
        if not claim.neighbors.size_is_private:
            _refuse_other_rows(database, account, claim)
    if not claim.price.within(account.left):
        raise ReleaseRefused(
            f"{claim.account!r} has a budget of {account.allowed}, and {account.left} is left. "
            f"This would use {claim.price}. What is used stays used."
        )


def _refuse_other_composition(database: sqlite3.Connection, claim: Claim) -> None:
    """All periods of a series are added up in one account, or each has its own: of some in one and
    some in the other, no account would tell what they cost together."""
    if claim.series is None:
        return
    for account, plan in database.execute("SELECT account, plan FROM releases"):
        if json.loads(plan).get("series", {}).get("name") != claim.series:
            continue
        together, now_together = account == claim.series, claim.account == claim.series
        if together != now_together:
            how = "added up in one account" if together else "paid by an account for each period"
            raise ReleaseRefused(
                f"Earlier periods of the series {claim.series!r} were {how}, and this one would "
                "not be, so no account would tell what all of them cost. Say the same of all "
                "periods, or begin a series with another name."
            )


def _refuse_other_terms(account: Account, claim: Claim) -> None:
    """Charges add up only where all of them protect the same thing in the same way."""
    name = claim.account
    if account.neighbors is not claim.neighbors:
        raise ReleaseRefused(
            f"{name!r} is protected under {account.neighbors}; a release under {claim.neighbors} "
            "cannot be added to what is used already."
        )
    if (account.unit, account.ids) != (claim.unit.name, claim.unit.ids):
        ids = "" if account.ids is None else f", told apart by {account.ids!r}"
        raise ReleaseRefused(
            f"What {name!r} protects is one {account.unit}{ids}; a release that protects anything "
            "else cannot be added to what is used already."
        )
    if account.allowed != claim.allowed:
        raise ReleaseRefused(
            f"{name!r} has a budget of {account.allowed}. That was fixed with its first release."
        )


def _refuse_other_rows(database: sqlite3.Connection, account: Account, claim: Claim) -> None:
    """Refuse other rows than before: where their number is published, all releases count the same
    ones."""
    name = claim.account
    if account.counted == ledger_schema.NOBODY_KNOWS:
        raise ReleaseRefused(
            f"What earlier releases of {name!r} counted differs, or is not known, so no other can "
            f"be added to them. {EXACT} Open an account under add-remove for these data."
        )
    if account.counted != ledger_schema.as_text(claim.counted):
        raise ReleaseRefused(
            f"All releases of {name!r} count the rows in one box, at the same columns: "
            f"{_terms(account)}. {EXACT}"
        )
    if account.rows is not None:
        same = claim.rows in (None, account.rows)
    else:
        query = "SELECT digest FROM fingerprints WHERE account = ? AND digest NOT LIKE ?"
        fingerprints = {row[0] for row in database.execute(query, (name, f"{ROWS}%"))}
        same = not claim.fingerprints or set(claim.fingerprints) == fingerprints
    if not same:
        raise ReleaseRefused(
            f"These are not the rows that earlier releases of {name!r} counted: the data changed. "
            f"{EXACT} Open an account under add-remove for these data."
        )


def _terms(account: Account) -> str:
    """The rows that an account counts, in words."""
    terms = json.loads(account.counted or "{}")
    box = terms["box"]
    ends = zip(box["names"], box["low"], box["high"], strict=True)
    fate = "moved" if terms["source"].get("outside the box") == "clip" else "left out"
    places = ", ".join(f"{name} from {low:g} to {high:g}" for name, low, high in ends)
    return f"{places}, with rows outside {fate}"


def as_opened(claim: Claim) -> Account:
    public_size = not claim.neighbors.size_is_private
    return Account(
        claim.account,
        claim.neighbors,
        claim.unit.name,
        claim.unit.ids,
        claim.allowed,
        counted=ledger_schema.as_text(claim.counted) if public_size else None,
        rows=claim.rows if public_size else None,
    )


def as_row(account: Account, time: str) -> tuple[str | None, ...]:
    """An account as its row, in the order of chain.ACCOUNT."""
    return (
        *(account.name, str(account.neighbors), account.unit, account.ids),
        *(str(account.allowed.epsilon), str(account.allowed.delta), time),
        *(account.counted, account.rows),
    )


def amount(row: sqlite3.Row) -> Amount:
    try:
        return Amount(Fraction(row["epsilon"]), Fraction(row["delta"]))
    except (ValueError, ZeroDivisionError):
        raise DamagedLedger("An amount in the ledger is no number.") from None


def before(database: sqlite3.Connection, claim: Claim, head: str) -> Before:
    """The releases before one, and the budget that its account has spent with it."""
    count = "SELECT count(*) FROM releases WHERE account = ?"
    (charges,) = database.execute(count, (claim.account,)).fetchone()
    used = account_of(database, claim.account).used if exists(database, claim.account) else Amount()
    return Before(head, used + claim.price, charges + 1)
