"""`dpcore verify`: what a certificate and the released files can show without the data."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dpcore.cli.ledger_arguments import ledger
from dpcore.release import Finding, verify
from dpcore.release.certificate import NAME, PAGE
from dpcore.release.ledger_store import DATABASE

#: Something that can be checked does not hold.
BROKEN = 1


def add(commands: Any) -> None:
    command = commands.add_parser(
        "verify",
        help="check a certificate and the files it came with",
        description="Checks what can be checked without the data, and says what cannot. Without "
        "files, looks at those beside the certificate that it names.",
    )
    command.add_argument("certificate", type=Path, help="a certificate.json")
    command.add_argument("files", type=Path, nargs="*", help="released files")
    command.add_argument("--ledger", type=Path, metavar="FOLDER", help="who issued it can ask this")
    command.add_argument("--json", action="store_true", help="for programs")
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> int:
    certificate = read(arguments.certificate)
    files = arguments.files or beside(arguments.certificate, certificate)
    names = [path.name for path in files]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"Two files are called {min(twice)}: check them one after the other.")
    findings = verify(certificate, {path.name: read(path) for path in files})
    if arguments.ledger is not None:
        findings.append(issued(certificate, arguments))
    if arguments.json:
        print(json.dumps([asdict(finding) for finding in findings], indent=1))
    else:
        tell(findings)
    return BROKEN if any(finding.holds is False for finding in findings) else 0


def beside(path: Path, certificate: bytes) -> list[Path]:
    """The files in the certificate's folder that it speaks of."""
    try:
        names = [PAGE, *json.loads(certificate)["files"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    return [file for file in sorted(path.parent.iterdir()) if file.name in names]


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise ValueError(f"{path} cannot be read: {problem.strerror}.") from problem


def issued(certificate: bytes, arguments: argparse.Namespace) -> Finding:
    """Whether a ledger holds this very certificate."""
    what = f"the ledger in {arguments.ledger} issued this certificate"
    if not (arguments.ledger / DATABASE).is_file():
        return Finding(what, False, "there is none")
    books = ledger(arguments)
    same = any(books.files(entry.number).get(NAME) == certificate for entry in books.entries())
    return Finding(what, same)


def tell(findings: list[Finding]) -> None:
    for finding in findings:
        print(finding)
    failed = sum(finding.holds is False for finding in findings)
    print(f"\n{failed} of {sum(f.holds is not None for f in findings)} checks fail.")
