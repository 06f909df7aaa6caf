"""The certificate of a release: enough to check it without the data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore._version import __version__
from dpcore.algorithms import PAPERS, get
from dpcore.privacy.transcript import Transcript
from dpcore.release.accounts import Before
from dpcore.release.build import build
from dpcore.release.short_answers import short_answers
from dpcore.release.signature import Signer
from dpcore.results.run_result import ReleasedResult

if TYPE_CHECKING:
    from dpcore.release.plan import ReleasePlan

#: Format 1 said less: neither the answers nor what all releases may cost. It had no signature.
KIND, FORMAT = "dpcore release certificate", 2
#: The first version of dpcore that wrote this format.
FIRST_VERSION = "0.1.0"
#: Whose noise a release has.
LIBRARY = "OpenDP"
#: What the fingerprint does not cover: itself, and the signature of it.
UNCOVERED = ("digest", "signature")
NAME, PAGE = "certificate.json", "certificate.html"
#: Under this name a certificate tells the head of the ledger's chain before its release.
HEAD = "ledger before"
#: The paragraphs of an algorithm's specification that say why its claim stands.
ARGUMENT = ("Relation", "Private", "Flaw", "Repair", "Reconstructed")


def facts(plan: ReleasePlan, result: ReleasedResult, time: str) -> dict[str, Any]:
    """The content of a certificate before there are files, as plain data. All of it follows from
    public facts and from what the run released."""
    if not isinstance(result, ReleasedResult):
        raise TypeError(f"{type(result).__name__} is not for release and gets no certificate.")
    content = {
        "kind": KIND,
        "format": FORMAT,
        "dpcore": __version__,
        "build": build(),
        "time": time,
        **plan.as_dict(),
        "budget of one row": {"epsilon": plan.per_row.epsilon, "delta": plan.per_row.delta},
        "arguments": arguments(plan.request.algorithm, result.facts),
        "noise": {"library": LIBRARY, "version": version("opendp"), "seed": None},
        "facts": result.facts,
        "answers": short_answers(result.steps),
        "transcript": account(result.transcript),
    }
    return plain(content)


def sealed(
    certificate: Mapping[str, Any],
    files: Mapping[str, bytes],
    before: Before,
    signer: Signer | None,
    page_of: Callable[[Mapping[str, Any]], bytes] | None = None,
) -> dict[str, Any]:
    """The certificate: the digests of the files, the head of the ledger's chain before the release,
    which says nothing without the ledger's key, what the account has spent with this release, its
    own fingerprint, and its public key.

    `drawn` makes its page, of which the digest is taken before there is a fingerprint to print.
    """
    whole = {
        **certificate,
        HEAD: before.head,
        "spent": {
            "epsilon": float(before.spent.epsilon),
            "delta": float(before.spent.delta),
            "charges": before.charges,
        },
        "files": {name: described(content) for name, content in files.items()},
        "public key": None if signer is None else signer.public_key,
    }
    if page_of is not None:
        blank = {"digest": "", "signature": None if signer is None else ""}
        whole["page"] = hashlib.sha256(page_of({**whole, **blank})).hexdigest()
    fingerprint = digest(whole)
    signature = None if signer is None else signer.sign(fingerprint)
    return {**whole, "digest": fingerprint, "signature": signature}


def plain(value: Any) -> Any:
    """A value as it comes back from JSON: text, numbers, lists and dicts."""
    return json.loads(json.dumps(value, default=_plain))


def arguments(algorithm: str, facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The reasons why the claim stands: the algorithm's argument, and that of another which did the
    work."""
    keys = dict.fromkeys([algorithm, str(facts.get("chosen", algorithm))])
    return [
        {
            "algorithm": key,
            "title": system.title,
            "paper": PAPERS[system.paper],
            "verdict": str(system.verdict),
            "argument": {
                label: system.specification[label]
                for label in ARGUMENT
                if label in system.specification
            },
        }
        for key, system in ((key, get(key)) for key in keys)
    ]


def account(transcript: Transcript) -> dict[str, Any]:
    """A transcript with its budget, and those inside its charges with theirs."""
    budget = transcript.budget
    return {
        "epsilon": budget.epsilon,
        "delta": budget.delta,
        "accounting": str(budget.accounting),
        "charges": [
            {**charge.as_dict(), "inner": [account(inner) for inner in charge.inner]}
            for charge in transcript
        ],
    }


def described(content: bytes) -> dict[str, Any]:
    """The marks by which a file is recognized."""
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def page_digest(certificate: Mapping[str, Any], page: bytes) -> str:
    """The digest of a page without the fingerprint and the signature that are printed on it."""
    number = f"{certificate['time'][:10]}-"
    page = page.replace(f"{number}{certificate['digest'][:8]}".encode(), number.encode())
    for printed in (certificate["digest"], certificate["signature"]):
        page = page.replace(printed.encode(), b"") if printed else page
    return hashlib.sha256(page).hexdigest()


def digest(certificate: Mapping[str, Any]) -> str:
    """A fingerprint of all that a certificate says, but of the fingerprint and its signature."""
    rest = {name: value for name, value in certificate.items() if name not in UNCOVERED}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def as_json(certificate: Mapping[str, Any]) -> bytes:
    return json.dumps(certificate, indent=1, ensure_ascii=False, allow_nan=False).encode()


def _plain(value: Any) -> Any:
    """numpy's numbers and arrays as JSON has them."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return str(value)
