"""`dpcore ledger`: back up, restore and check the ledger, and add what other tools spent."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dpcore.cli.ledger_arguments import (
    add_ledger,
    add_use_of_budget,
    allowed_amount,
    check_agreed,
    ledger,
)
from dpcore.release import backup
from dpcore.release.amounts import Amount
from dpcore.release.outside_charge import record_outside_charge

#: Something in the ledger does not hold.
BROKEN = 1


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Back up the ledger, restore it, or check that it is whole. A backup is one file with the "
        "database and its key; keep it as secret as the ledger. Restoring never loses a release: a "
        "ledger that has more releases than the backup is left as it is. If another tool has "
        "published from the same data, charge what it used."
    )
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, words in (
        ("backup", "write the ledger into a new file, even while it is in use"),
        ("restore", "replace a lost, damaged or older ledger by a backup"),
    ):
        part = actions.add_parser(action, help=words)
        part.add_argument("file", type=Path, help="the backup")
        add_ledger(part)
    add_ledger(actions.add_parser("check", help="check every page, link and released file"))
    add_charge(actions.add_parser("charge", help="charge what another tool has used"))
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> int:
    folder = arguments.ledger.expanduser()
    if arguments.action == "charge":
        return charge(arguments)
    if arguments.action == "check":
        return tell(list(backup.check(folder)))
    if arguments.action == "backup":
        count = backup.backup(folder, arguments.file)
        releases = "the one release" if count == 1 else f"the {count} releases"
        print(f"{arguments.file} holds {releases} of the ledger in {folder}.")
    else:
        print(*backup.restore(folder, arguments.file), sep="\n")
    return 0


def add_charge(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Charge an account for what another tool has published from the same data, so that both "
        "stay within one budget. The other tool must protect the same unit under the same relation "
        "of neighbors. A charge cannot be undone."
    )
    command.add_argument("name", help="the name of the data set")
    command.add_argument("--epsilon", type=float, required=True, help="what the tool used")
    command.add_argument(
        "--delta", type=float, default=0.0, help="what the tool used (%(default)s)"
    )
    command.add_argument("--tool", required=True, help="the tool, and what it published, in words")
    command.add_argument("--unit", default="row", help="what one row stands for (%(default)s)")
    add_use_of_budget(command)


def charge(arguments: argparse.Namespace) -> int:
    price = Amount.of(arguments.epsilon, arguments.delta)
    books = ledger(arguments)
    account = books.account(arguments.name)
    unit, neighbors = (
        (account.unit, account.neighbors) if account else (arguments.unit, "add-remove")
    )
    print(
        f"This charges {price} to {arguments.name!r}, which protects one {unit} under {neighbors}.",
        file=sys.stderr,
    )
    total = allowed_amount(arguments)
    check_agreed(arguments)
    entry = record_outside_charge(
        books, arguments.name, price, arguments.tool, total, arguments.unit
    )
    account = books.account(arguments.name)
    assert account is not None
    print(f"Entry {entry.number}: {entry.charged}; {account.left} is left for {account.name!r}.")
    return 0


def tell(checks: list[backup.Checked]) -> int:
    for each in checks:
        mark = "holds" if each.holds else "FAILS"
        print(f"{mark:<8} {each.what}" + (f": {each.why}" if each.why else ""))
    return 0 if all(each.holds for each in checks) else BROKEN
