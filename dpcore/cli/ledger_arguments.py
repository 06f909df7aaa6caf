"""What the commands about releases share: the ledger, and money as people read it."""

from __future__ import annotations

import argparse
import sqlite3
from pathlib import Path
from typing import Any

from dpcore.errors import BadInput
from dpcore.release.ledger import Account, Entry, Ledger
from dpcore.release.ledger_folder import VARIABLE, usual_folder
from dpcore.release.ledger_store import DATABASE, KEY


def add_ledger(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--ledger",
        type=Path,
        default=usual_folder(),
        metavar="FOLDER",
        help=f"where charges and released files are kept ({VARIABLE}, or %(default)s)",
    )


def ledger(arguments: argparse.Namespace) -> Ledger:
    """The ledger that the arguments name, or what is wrong with it."""
    try:
        return Ledger(arguments.ledger)
    except (OSError, sqlite3.Error) as problem:
        raise BadInput(f"The ledger in {arguments.ledger} cannot be used: {problem}.") from problem


def books_to_read(arguments: argparse.Namespace) -> Ledger | None:
    """The same to look at only, where nothing is made or changed; None where there is none."""
    folder = arguments.ledger.expanduser()
    if not any((folder / name).exists() for name in (DATABASE, KEY)):
        return None
    return Ledger(folder, reading_only=True)


def account_as_dict(account: Account) -> dict[str, Any]:
    amounts = {"allowed": account.allowed, "used": account.used, "left": account.left}
    return {
        "name": account.name,
        "unit": account.unit,
        "ids": account.ids,
        "neighbors": str(account.neighbors),
        **{
            name: {"epsilon": float(amount.epsilon), "delta": float(amount.delta)}
            for name, amount in amounts.items()
        },
    }


def entry_as_dict(entry: Entry) -> dict[str, Any]:
    return {
        "number": entry.number,
        "data set": entry.account,
        "purpose": entry.purpose,
        "epsilon": float(entry.charged.epsilon),
        "delta": float(entry.charged.delta),
        "time": entry.time,
        "plan": dict(entry.plan),
        "failure": entry.failure,
        "asked by": entry.signature.asked_by,
        "approved by": entry.signature.approved_by,
    }
