"""`dpcore key`: the key that signs certificates, made once and kept beside the ledger."""

from __future__ import annotations

import argparse
import json

from dpcore.cli.ledger_arguments import add_ledger
from dpcore.release import signature


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Make a key on first use, and print its public half. Give it to everybody "
        "who should be able to check your certificates. From then on every release is signed."
    )
    command.add_argument(
        "--new", action="store_true", help="set the current key aside and make a new one"
    )
    add_ledger(command)
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> None:
    folder = arguments.ledger.expanduser()
    aside = signature.retire_key(folder) if arguments.new else None
    signer = signature.signer(folder) or signature.make_key(folder)
    if arguments.json:
        print(json.dumps({"public key": signer.public_key, "file": str(folder / signature.FILE)}))
        return
    if aside is not None:
        print(f"The key before is in {aside}; what it signed stays signed with it.")
    print(signer.public_key)
