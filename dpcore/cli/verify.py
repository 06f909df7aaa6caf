"""`dpcore verify`: what a certificate and the released files can show without the data."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from dpcore.cli.ledger_arguments import books_to_read
from dpcore.errors import BadInput
from dpcore.release.certificate import HEAD, NAME, PAGE
from dpcore.release.finding import Finding
from dpcore.release.signature import trusted
from dpcore.release.verify import MOST_BYTES, verify

#: Something that can be checked does not hold.
BROKEN = 1
#: No file of a release has more bytes; and of strange files so many are named.
MOST_FILE, MOST_SHOWN = 1 << 31, 10


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Check what can be checked without the data, and say what cannot. Without files, check "
        "those in the certificate's folder that it names."
    )
    command.add_argument(
        "certificate", type=Path, help="a certificate.json, or the folder of a release"
    )
    command.add_argument("files", type=Path, nargs="*", help="released files to check")
    command.add_argument(
        "--ledger",
        type=Path,
        metavar="FOLDER",
        help="also check that this ledger issued the certificate",
    )
    command.add_argument(
        "--key",
        metavar="FILE|TEXT",
        help="the publisher's public key, as `dpcore key` prints it: the certificate must be "
        "signed with it",
    )
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> int:
    key = None if arguments.key is None else trusted(arguments.key)
    if arguments.certificate.is_dir():
        arguments.certificate /= NAME
    certificate = read(arguments.certificate, MOST_BYTES)
    files = arguments.files or listed_files(arguments.certificate, certificate)
    names = [path.name for path in files]
    if twice := {name for name in names if names.count(name) > 1}:
        raise BadInput(f"Two files are called {min(twice)}: check them one after the other.")
    findings = verify(certificate, {path.name: read(path) for path in files}, key)
    if arguments.ledger is not None:
        findings += ledger_findings(certificate, arguments)
    if arguments.json:
        print(json.dumps([asdict(finding) for finding in findings], indent=1))
    else:
        tell(findings)
        if not arguments.files and (others := unlisted_files(arguments.certificate, files)):
            words = ", ".join(others[:MOST_SHOWN]) + " …" * (len(others) > MOST_SHOWN)
            print(f"Not part of this release: {words}.")
    return BROKEN if any(finding.holds is False for finding in findings) else 0


def listed_files(path: Path, certificate: bytes) -> list[Path]:
    """The files in the certificate's folder that it names."""
    try:
        names = [PAGE, *json.loads(certificate)["files"]]
    except (ValueError, KeyError, TypeError, RecursionError, MemoryError):
        return []
    return [file for file in sorted(path.parent.iterdir()) if file.name in names]


def unlisted_files(path: Path, files: list[Path]) -> list[str]:
    """Other files in the certificate's folder, which nobody can say anything about."""
    checked = {file.resolve() for file in [path, *files]}
    others = (file for file in sorted(path.parent.iterdir()) if file.resolve() not in checked)
    return [file.name for file in others if file.is_file()]


def read(path: Path, most: int = MOST_FILE) -> bytes:
    """The content of a file; of one that is too large for what it should be, only a little more."""
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
        if len(content) > most and most == MOST_FILE:
            raise BadInput(f"{path} has more than {most:,} bytes: no release has such a file.")
        return content
    except OSError as problem:
        raise BadInput(f"{path} cannot be read: {problem.strerror}.") from problem


def ledger_findings(certificate: bytes, arguments: argparse.Namespace) -> list[Finding]:
    """Findings on a ledger: whether it is whole, holds this very certificate, and was once as the
    certificate says."""
    where = f"the ledger in {arguments.ledger}"
    what = f"{where} issued this certificate"
    books = books_to_read(arguments)
    if books is None:
        return [Finding(what, False, "there is none")]
    heads = books.heads()
    same = any(books.files(entry.number).get(NAME) == certificate for entry in books.entries())
    older = "" if same else "it is another one, an older copy, or was changed since"
    return [
        Finding(f"{where} is whole: its chain of {len(heads) - 1} releases holds", True),
        Finding(what, same, older),
        *chain_findings(certificate, heads, where),
    ]


def chain_findings(certificate: bytes, heads: list[str], where: str) -> list[Finding]:
    """The finding on the chain of a ledger: whether it has the head that a certificate names."""
    try:
        head = json.loads(certificate).get(HEAD)
    except (ValueError, AttributeError, RecursionError):
        head = None
    what = f"{where} was once as the certificate says"
    if head is None:
        return [Finding(what, None, "the certificate names no head of a ledger")]
    return [Finding(what, head in heads)]


def tell(findings: list[Finding]) -> None:
    for finding in findings:
        print(finding)
    failed = sum(finding.holds is False for finding in findings)
    print(f"\n{failed} of {sum(f.holds is not None for f in findings)} checks fail.")
    if by_hash := sum(finding.by_hash for finding in findings):
        print(
            f"{by_hash} marked “by hash”: another version of dpcore made them. Their words and "
            "drawings were not compared; install that version to compare them."
        )
