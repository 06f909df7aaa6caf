"""`dpcore ledger`: keep copies of the ledger, put one back, and check that it is whole."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpcore.cli.ledger_arguments import add_ledger
from dpcore.release import backup

#: Something in the ledger does not hold.
BROKEN = 1


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Back up the ledger, restore it, or check that it is whole. A backup is one file with the "
        "database and its key; keep it as secret as the ledger. Restoring never loses a release: a "
        "ledger that has more releases than the backup is left as it is."
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
