"""Charges for what other tools have published from the same data.

A ledger bounds what all publications of some data reveal together. That holds only if it knows all
of them. So what another tool spent is charged to the account of the data as well: its epsilon and
delta join the same sums, and the triggers and the chain keep them as they keep a release.

The sums are bounds only if the other tool protects the same unit under the same relation of
neighbors. Nothing here can check that, so the account's own terms are shown with the charge.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

from dpcore.errors import BadInput
from dpcore.privacy.accounting import Neighbors
from dpcore.release.accounts import Account, Claim
from dpcore.release.amounts import Amount
from dpcore.release.ledger import Actors, Entry, Ledger
from dpcore.release.unit import Unit

#: What the ledger calls such a charge.
PURPOSE = "other tool"
LONGEST_TOOL = 200


def record_outside_charge(
    ledger: Ledger,
    name: str,
    price: Amount,
    tool: str,
    allowed: Amount | None = None,
    unit: str = "row",
    actors: Actors | None = None,
) -> Entry:
    """Charge an account for what another tool has published from its data.

    Parameters
    ----------
    ledger : Ledger
        The ledger with the account.
    name : str
        The name of the data set.
    price : Amount
        The epsilon and delta that the other tool spent.
    tool : str
        The tool, and what it published, in words.
    allowed : Amount or None, default=None
        What everything together may cost; needed if the account is new. A new account protects
        its unit under add-remove.
    unit : str, default="row"
        What one row stands for, if the account is new.
    actors : Actors or None, default=None
        Who recorded it.

    Returns
    -------
    Entry
        The new line of the ledger.

    Raises
    ------
    BadInput
        If the account is new and `allowed` is missing, or the tool has no name.
    ReleaseRefused
        If the account has less left.

    Examples
    --------
    >>> from dpcore.release import Amount, Ledger, record_outside_charge
    >>> ledger = Ledger("books")
    >>> entry = record_outside_charge(
    ...     ledger, "taxi", Amount.of(0.5), "OpenDP: mean fare", allowed=Amount.of(2.0)
    ... )
    >>> print(ledger.account("taxi").left)
    ε 1.5
    """
    tool = " ".join(tool.split())
    if not 0 < len(tool) <= LONGEST_TOOL:
        raise BadInput(f"Name the tool in 1 to {LONGEST_TOOL} letters, not {len(tool)}.")
    if not price.epsilon > 0:
        raise BadInput(f"A charge needs an epsilon above 0, not {price.epsilon}.")
    account = ledger.account(name)
    if account is not None:
        claim = _claim(account, price)
    else:
        total = ledger.lifetime_budget(name, allowed)
        claim = Claim(name, Neighbors.ADD_REMOVE, Unit(unit), total, price, ())
    time = datetime.now(UTC).isoformat(timespec="seconds")
    described = {
        "epsilon": float(price.epsilon),
        "delta": float(price.delta),
        "statement": f"Used by another tool: {tool}.",
    }
    return ledger.record(claim, PURPOSE, time, described, {}, actors=actors)


def _claim(account: Account, price: Amount) -> Claim:
    """A claim on the account's own terms."""
    return Claim(
        account.name,
        account.neighbors,
        Unit(account.unit, account.ids),
        account.allowed,
        price,
        (),
        counted=json.loads(account.counted) if account.counted else None,
        rows=account.rows,
    )
