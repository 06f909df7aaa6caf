"""Arguments and output that the commands about releases share."""

from __future__ import annotations

import argparse
import sqlite3
import sys
from pathlib import Path
from typing import Any

from dpcore.errors import BadInput
from dpcore.release.amounts import Amount
from dpcore.release.ledger import Account, Entry, Ledger, ReleaseRefused
from dpcore.release.ledger_folder import VARIABLE, usual_folder
from dpcore.release.ledger_store import DATABASE, KEY
from dpcore.release.note import without_note


def add_ledger(command: argparse.ArgumentParser) -> None:
    folder = usual_folder()
    command.add_argument(
        "--ledger",
        type=Path,
        default=folder,
        metavar="FOLDER",
        help=f"folder with the charges and released files (default: the variable {VARIABLE}, or "
        f"{folder})",
    )


def add_use_of_budget(command: argparse.ArgumentParser) -> None:
    """Add the options of a command that uses budget."""
    command.add_argument(
        "--allowed",
        type=float,
        nargs="+",
        metavar="X",
        help="epsilon, and delta if needed, that all releases of these data may cost together; "
        "needed for the first one only",
    )
    command.add_argument("--yes", action="store_true", help="do not ask; use the budget at once")
    add_ledger(command)


def allowed_amount(arguments: argparse.Namespace) -> Amount | None:
    """The budget of the data, if the arguments name it."""
    if not arguments.allowed:
        return None
    if len(arguments.allowed) > 2:
        raise BadInput("--allowed takes an epsilon and, if need be, a delta.")
    return Amount.of(*arguments.allowed)


def check_agreed(arguments: argparse.Namespace) -> None:
    """Ask the person at the terminal before budget is used, unless the arguments say yes."""
    if arguments.yes:
        return
    if arguments.quiet:
        raise BadInput("With --quiet nothing is asked: add --yes.")
    print("Use this budget? (yes/no) ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() != "yes":
        raise ReleaseRefused("not agreed to: no budget was used")


def ledger(arguments: argparse.Namespace) -> Ledger:
    """Open the ledger that the arguments name."""
    try:
        return Ledger(arguments.ledger)
    except (OSError, sqlite3.Error) as problem:
        raise BadInput(f"The ledger in {arguments.ledger} cannot be used: {problem}.") from problem


def books_to_read(arguments: argparse.Namespace) -> Ledger | None:
    """Open the ledger for reading only, creating nothing; None if there is none."""
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
        "plan": without_note(entry.plan),
        "failure": entry.failure,
        "asked by": entry.actors.asked_by,
        "approved by": entry.actors.approved_by,
        "who": entry.note.who,
        "why": entry.note.why,
    }
