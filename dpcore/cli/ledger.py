"""`dpcore ledger`: keep copies of the ledger, put one back, and check that it is whole."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dpcore.cli.ledger_arguments import add_ledger
from dpcore.release import backup

#: Something in the ledger does not hold.
BROKEN = 1


def add(commands: Any) -> None:
    command = commands.add_parser(
        "ledger",
        help="back up the ledger, restore it, check that it is whole",
        description="A backup is one file with the database and its key. Keep it as secret as the "
        "ledger itself. Restoring never forgets a release: a ledger that has more is left alone.",
    )
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, words in (
        ("backup", "write the ledger into a new file; others may go on using it"),
        ("restore", "put a backup in place of a ledger that is lost, damaged or older"),
    ):
        part = actions.add_parser(action, help=words)
        part.add_argument("file", type=Path)
        add_ledger(part)
    add_ledger(actions.add_parser("check", help="look at every page, link and released file"))
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> int:
    folder = arguments.ledger.expanduser()
    if arguments.action == "check":
        return tell(list(backup.check(folder)))
    if arguments.action == "backup":
        count = backup.backup(folder, arguments.file)
        print(f"{arguments.file} holds the {count} releases of the ledger in {folder}.")
    else:
        print(*backup.restore(folder, arguments.file), sep="\n")
    return 0


def tell(found: list[backup.Checked]) -> int:
    for each in found:
        mark = "holds" if each.holds else "FAILS"
        print(f"{mark:<8} {each.what}" + (f": {each.why}" if each.why else ""))
    return 0 if all(each.holds for each in found) else BROKEN
