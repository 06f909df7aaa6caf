"""`dpcore history`: what was spent, what is left, and everything that was released."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from dpcore.cli.ledger_arguments import account_as_dict, add_ledger, entry_as_dict, ledger
from dpcore.release import Ledger, reopened


def add(commands: Any) -> None:
    command = commands.add_parser(
        "history",
        help="all releases, what they cost, what is left",
        description="Lists the ledger, or writes the files of one release again, for free. Nothing "
        "can be un-spent.",
    )
    command.add_argument("number", type=int, nargs="?", help="a release, to write its files again")
    command.add_argument("--output", type=Path, help="a new folder for them (release-NUMBER)")
    add_ledger(command)
    command.add_argument("--json", action="store_true", help="for programs")
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> None:
    books = ledger(arguments)
    if arguments.number is not None:
        again(books, arguments.number, arguments.output)
    elif arguments.json:
        accounts = [account_as_dict(account) for account in books.accounts()]
        releases = [entry_as_dict(entry) for entry in books.entries()]
        print(json.dumps({"accounts": accounts, "releases": releases}, indent=1))
    else:
        tell(books)


def again(books: Ledger, number: int, folder: Path | None) -> None:
    release = reopened(books, number)
    if not release.files:
        raise ValueError(f"Release {number} has no files: {release.entry.failure}")
    folder = folder or Path(f"release-{number}")
    if folder.exists():
        raise ValueError(f"{folder} is there already: name a new folder.")
    release.save(folder)
    print(f"Release {number}: {len(release.files)} files in {folder}.")


def tell(books: Ledger) -> None:
    """Data set by data set, for a person."""
    accounts = books.accounts()
    if not accounts:
        print(f"Nothing was released from the ledger in {books.folder}.")
    for account in accounts:
        whose = account.unit if account.ids is None else f"{account.unit} (by {account.ids})"
        print(f"{account.name}: protects one {whose} under {account.neighbors}")
        print(f"  {account.used} of {account.allowed} used, {account.left} left")
        for entry in books.entries(account.name):
            what = f"{entry.purpose} by {entry.plan['algorithm']}, k = {entry.plan['k']}"
            failure = f": no answer ({entry.failure})" if entry.failure else ""
            print(f"  {entry.number:>4}  {entry.time}  {entry.charged}  {what}{failure}")
        print()
