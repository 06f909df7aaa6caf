"""`dpcore history`: all releases, what they cost and what is left."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from dpcore.cli.ledger_arguments import account_as_dict, add_ledger, books_to_read, entry_as_dict
from dpcore.errors import BadInput
from dpcore.release.ledger import Entry, Ledger
from dpcore.release.publish import reopened
from dpcore.release.signature import public_key


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "List all releases and what is left of each budget, or write the files of one release "
        "again. This reads the ledger and uses no budget."
    )
    command.add_argument("number", type=int, nargs="?", help="the release to write again")
    command.add_argument(
        "--output", type=Path, help="new folder for its files (default: release-NUMBER)"
    )
    add_ledger(command)
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> None:
    books = books_to_read(arguments)
    if arguments.number is not None:
        if books is None:
            raise BadInput(f"There is no ledger in {arguments.ledger}.")
        write_again(books, arguments.number, arguments.output)
    elif arguments.json:
        accounts = [account_as_dict(account) for account in books.accounts()] if books else []
        releases = [entry_as_dict(entry) for entry in books.entries()] if books else []
        key = public_key(arguments.ledger.expanduser())
        whole = {"accounts": accounts, "releases": releases, "public key": key}
        print(json.dumps(whole, indent=1))
    elif books is None:
        print(f"Nothing was released: there is no ledger in {arguments.ledger}.")
    else:
        tell(books)


def write_again(books: Ledger, number: int, folder: Path | None) -> None:
    release = reopened(books, number)
    if not release.files:
        entry = release.entry
        raise BadInput(f"Release {number} has no files: {entry.failure or entry.description}")
    folder = folder or Path(f"release-{number}")
    release.save(folder)
    print(f"Release {number}: {len(release.files)} files in {folder}.")


def tell(books: Ledger) -> None:
    """Data set by data set, for a person."""
    accounts = books.accounts()
    if not accounts:
        print(f"Nothing was released from the ledger in {books.folder}.")
    if key := public_key(books.folder):
        print(f"Certificates are signed with {key}\n")
    for account in accounts:
        whose = account.unit if account.ids is None else f"{account.unit} (by {account.ids})"
        print(f"{account.name}: protects one {whose} under {account.neighbors}")
        print(f"  {account.used} of {account.allowed} used, {account.left} left")
        if account.caution:
            print(f"  warning: {account.caution}")
        for entry in books.entries(account.name):
            what = f"{entry.purpose}: {entry.description}"
            failure = f": no answer ({entry.failure})" if entry.failure else ""
            print(f"  {entry.number:>4}  {entry.time}  {cost(entry)}  {what}{failure}")
            if by := entry.actors.words():
                print(f"        {by}")
            if note := entry.note.words():
                print(f"        {note}")
        print()


def cost(entry: Entry) -> str:
    """The charge, and the whole price where a run ended early."""
    return str(entry.charged) + f" of {entry.planned_amount}" * (
        entry.charged != entry.planned_amount
    )
