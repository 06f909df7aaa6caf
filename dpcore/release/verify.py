"""Checks of a release that anybody can make without the data, and the limits of such checks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from dpcore._version import __version__
from dpcore.algorithms import ALGORITHMS
from dpcore.privacy.accounting import Verdict
from dpcore.privacy.rounding import at_most
from dpcore.release import certificate as written
from dpcore.release import signature
from dpcore.release.certificate_map import drawn_from, map_of
from dpcore.release.certificate_page import certificate_page
from dpcore.release.certificate_schema import CERTIFICATE
from dpcore.release.described import described_plan
from dpcore.release.finding import Finding
from dpcore.release.numbers import check_numbers
from dpcore.release.opening import MOST_CERTIFICATE
from dpcore.release.other_build import as_made
from dpcore.release.recomputed_spending import overspent, within
from dpcore.release.regional_rehearsal import rehearse_own_levels, rehearse_regions
from dpcore.release.rehearsal import SAME_FORMULA, Rehearsed, rehearse

#: More bytes than this are no certificate, and are not looked at.
MOST_BYTES = MOST_CERTIFICATE

Certificate = Mapping[str, Any]
Check = Callable[[Certificate, Mapping[str, bytes]], Iterator[Finding]]

#: Of a page of an early version, whose certificate has no digest of it.
NO_HASH = "another version of dpcore made it, so that only its numbers were compared"
UNKNOWN = (
    ("that the noise was drawn as the transcript says", "noise that can be checked can be removed"),
    ("that the data were those that the certificate names", "they are not here, nor is their hash"),
    ("that nothing else was published of the same data", "ask whoever keeps the ledger"),
)


def verify(certificate: bytes, files: Mapping[str, bytes], key: str | None = None) -> list[Finding]:
    """Everything that a certificate and the released files can show.

    With a public key, the certificate must be signed with it. No finding is False if and only if
    what can be checked holds.

    Parameters
    ----------
    certificate : bytes
        The content of certificate.json.
    files : mapping of str to bytes
        The content of the released files, by name.
    key : str or None, default=None
        The public key that must have signed the certificate.

    Returns
    -------
    list of Finding
        Every check, whether it holds, and what nobody can check from files.

    Examples
    --------
    >>> from dpcore import Request
    >>> from dpcore.release import BuiltinData, Ledger, ReleasePlan, publish, verify
    >>> plan = ReleasePlan("flowers", BuiltinData("s1-like"), Request("dplloyd", k=2, epsilon=0.5))
    >>> files = publish(plan, Ledger("books")).files
    >>> findings = verify(files["certificate.json"], files)
    >>> any(finding.holds is False for finding in findings)
    False
    """
    try:
        contents = _read(certificate)
    except (ValueError, RecursionError, MemoryError) as error:
        return [Finding("the certificate can be read", False, _reason(error))]
    findings = []
    if files.get(written.NAME, certificate) != certificate:
        findings.append(Finding(f"{written.NAME} among the files is this certificate", False))
    problem = CERTIFICATE(contents, "")
    what = "the certificate has the fields of a certificate, and no others"
    findings.append(Finding(what, problem is None, problem or ""))
    checks = (_itself, _files) if problem else CHECKS
    for check in checks:
        findings += _checked(check, contents, files)
    findings += _checked(
        lambda contents, _: signed(contents, key), contents, files, "the signature fits"
    )
    return findings + [Finding(what, None, why) for what, why in UNKNOWN]


def _read(certificate: bytes) -> Certificate:
    if len(certificate) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES:,} bytes")
    try:
        contents = json.loads(certificate, object_pairs_hook=_once, parse_constant=_refused)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"it is not JSON ({error})") from error
    kind = contents.get("kind") if isinstance(contents, dict) else None
    if kind != written.KIND:
        raise ValueError("it is not the certificate of a dpcore release")
    if contents.get("format") != written.FORMAT or isinstance(contents["format"], bool):
        raise ValueError(
            f"its format is {contents.get('format')!r:.40}, and dpcore {__version__} reads "
            f"format {written.FORMAT}; check it with the version of dpcore that made it"
        )
    return contents


def _reason(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return str(error) or "it takes too much memory"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that says nothing twice: of two values, readers might see different ones."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise ValueError("it says something twice")
    return entries


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is no number")


def _checked(
    check: Check, certificate: Certificate, files: Mapping[str, bytes], what: str = ""
) -> list[Finding]:
    """The findings of a check. Whoever wrote the certificate may have written anything."""
    findings: list[Finding] = []
    try:
        findings.extend(check(certificate, files))
    except Exception as error:
        what = what or (check.__doc__ or "").splitlines()[0].rstrip(".")
        findings.append(Finding(what, False, f"it cannot be checked ({_reason(error)})"))
    return findings


def _itself(certificate: Certificate, files: Mapping[str, bytes]) -> Iterator[Finding]:
    """The certificate has its own fingerprint."""
    same = written.digest(certificate) == certificate.get("digest")
    yield Finding("the certificate has its own fingerprint", same)


def _version(certificate: Certificate, files: Mapping[str, bytes]) -> Iterator[Finding]:
    """A version of dpcore made it that writes such certificates."""
    made, own = certificate["dpcore"], __version__
    if made == own:
        return
    what = f"dpcore {made} writes such certificates"
    if _release(made) < _release(written.FIRST_VERSION):
        yield Finding(what, False, f"the first version that does is {written.FIRST_VERSION}")
    elif _release(made) > _release(own):
        yield Finding(what, False, f"this is dpcore {own}; check it with the newer version")
    else:
        yield Finding(what, None, f"this is dpcore {own}, in which something may have changed")


def _release(version: str) -> tuple[int, ...]:
    """The numbers that a version begins with."""
    numbers = []
    for part in version.split("."):
        if not part.isdecimal():
            break
        numbers.append(int(part))
    return tuple(numbers)


def _page(certificate: Certificate, files: Mapping[str, bytes]) -> Iterator[Finding]:
    """The page says what the certificate says."""
    if written.PAGE in files:
        if not drawn_from(certificate) <= files.keys():
            what = f"{written.PAGE} says what the certificate says"
            yield Finding(what, None, "the centers or points that it draws are not here")
            return
        content, again = (
            files[written.PAGE],
            certificate_page(certificate, map_of(certificate, files)).encode(),
        )
        if "page" in certificate:
            same = written.page_digest(certificate, content) == certificate["page"]
            yield Finding(f"{written.PAGE} is the page that was released", same)
        finding = as_made(certificate, written.PAGE, content, again)
        why = finding.why if "page" in certificate or not finding.by_hash else NO_HASH
        yield replace(finding, what=f"{written.PAGE} says what the certificate says", why=why)


def _files(certificate: Certificate, files: Mapping[str, bytes]) -> Iterator[Finding]:
    """The files are those that were released."""
    for name, content in files.items():
        if name in (written.NAME, written.PAGE):
            continue
        if name not in certificate["files"]:
            yield Finding(f"{name} was released", False, "the certificate does not name it")
        else:
            same = written.described(content) == certificate["files"][name]
            yield Finding(f"{name} is the file that was released", same)
    for name in certificate["files"]:
        if name not in files:
            yield Finding(f"{name} is the file that was released", None, "it is not here")


def _plan(certificate: Certificate, files: Mapping[str, bytes]) -> Iterator[Finding]:
    """The certificate describes a release that dpcore makes."""
    what = "the certificate describes a release that dpcore makes"
    try:
        plan = described_plan(certificate)
    except (ValueError, PermissionError) as refusal:
        yield _of_this_version(certificate, what, False, str(refusal))
        return
    own = written.plain(plan.as_dict())
    wrong = [name for name, value in own.items() if value != certificate[name]]
    why = f"{wrong[0]} is {certificate[wrong[0]]!r:.60}, not {own[wrong[0]]!r:.60}" if wrong else ""
    yield _of_this_version(certificate, what, not wrong, why)
    row, unit = certificate["budget of one row"], plan.unit
    allowed = {"epsilon": plan.per_row.epsilon, "delta": plan.per_row.delta}
    yield Finding(
        f"ε {at_most(row['epsilon'])}, δ {at_most(row['delta'])} for a row protects one "
        f"{unit.name} at ε {at_most(certificate['epsilon'])}, δ {at_most(certificate['delta'])}",
        all(
            within(row[name], most) and row[name] >= most * (1 - SAME_FORMULA)
            for name, most in allowed.items()
        ),
        "" if unit.rows == 1 else f"at most {unit.rows} rows are one {unit.name}'s",
    )


def _spending(certificate: Certificate, files: Mapping[str, bytes]) -> Iterator[Finding]:
    """The charges add up to no more than what one row may cost."""
    row, account = certificate["budget of one row"], certificate["transcript"]
    same = account["epsilon"] <= row["epsilon"] and account["delta"] <= row["delta"]
    yield Finding("the transcript has the budget of one row", same)
    if "spent" in certificate:
        yield _spent(certificate)
    problem = overspent(account)
    yield Finding(
        "the charges, and those inside them, add up to no more than their budgets, and every scale "
        "of noise is what its charge pays for",
        problem is None,
        problem or "",
    )


def _spent(certificate: Certificate) -> Finding:
    """The finding that the account's spending holds this release, and nothing else if it is the
    only charge."""
    spent, names = certificate["spent"], ("epsilon", "delta")
    fits = all(
        certificate[name] * (1 - SAME_FORMULA) <= spent[name]
        and spent[name] * (1 - SAME_FORMULA) <= certificate["allowed"][name]
        for name in names
    )
    alone = all(spent[name] <= certificate[name] * (1 + SAME_FORMULA) for name in names)
    return Finding(
        "what the account has spent holds this release, and is within what is allowed",
        fits and alone == (spent["charges"] == 1),
    )


def _argument(certificate: Certificate, files: Mapping[str, bytes]) -> Iterator[Finding]:
    """The verdict and its argument are those of this version."""
    method = str(certificate["facts"].get("chosen", certificate["algorithm"]))
    named = list(dict.fromkeys([certificate["algorithm"], method]))
    claims = certificate["arguments"]
    proved = [each["algorithm"] for each in claims] == named and all(
        Verdict(each["verdict"]).holds for each in claims
    )
    # Whatever its version said: a flaw may have been found since.
    proved &= all(ALGORITHMS[key].verdict.holds for key in named if key in ALGORITHMS)
    yield Finding("the algorithm's privacy claim is proved or repaired", proved)
    has_methods = all(key in ALGORITHMS for key in named)
    same = has_methods and claims == written.arguments(
        certificate["algorithm"], certificate["facts"]
    )
    yield _of_this_version(certificate, "the verdict and its argument are those of dpcore", same)


def _asked(certificate: Certificate, files: Mapping[str, bytes]) -> Iterator[Finding]:
    """The charges are those that the algorithm makes, and the facts and points are its own."""
    if "own levels" in certificate:
        repeat = rehearse_own_levels
    else:
        repeat = rehearse_regions if "areas" in certificate else rehearse
    done = repeat(certificate, lambda transcript: written.plain(written.account(transcript)))
    what = "the charges, sensitivities and mechanisms are those of the algorithm"
    if not done.is_certain:
        yield Finding(what, None, done.difference or "")
        return
    yield _of_this_version(certificate, what, done.difference is None, done.difference or "")
    if done.difference is None:
        yield from _facts(certificate, done)
        yield from check_numbers(certificate, files, done, _of_this_version)


def _facts(certificate: Certificate, done: Rehearsed) -> Iterator[Finding]:
    facts = done.facts or {}
    wrong = sorted(done.names ^ set(certificate["facts"]))
    wrong += [name for name, value in facts.items() if certificate["facts"].get(name) != value]
    what = "the facts are those of the algorithm"
    yield _of_this_version(certificate, what, not wrong, f"{wrong[0]} is not" if wrong else "")


def _of_this_version(certificate: Certificate, what: str, holds: bool, why: str = "") -> Finding:
    """A finding that fails only where this very version made the certificate: others may differ."""
    if holds or certificate["dpcore"] == __version__:
        return Finding(what, holds, "" if holds else why)
    return Finding(what, None, f"it was made with {certificate['dpcore']}, this is {__version__}")


def signed(certificate: Certificate, trusted: str | None) -> Iterator[Finding]:
    """The signature fits, and is of the key that is trusted."""
    key, own = certificate.get("public key"), certificate.get("signature")
    if key is None and own is None:
        what = "that this is the certificate that was issued"
        if trusted is not None:
            yield Finding(f"it is signed with {trusted}", False, "it is not signed")
        else:
            why = "it is not signed: compare its fingerprint with the publisher's"
            yield Finding(what, None, why)
        return
    if not (isinstance(key, str) and isinstance(own, str)):
        yield Finding("the signature fits", False, "there is a key or a signature, but not both")
        return
    try:
        fits = signature.fits(key, written.digest(certificate), own)
    except signature.Unavailable as missing:
        yield Finding("the signature fits", None if trusted is None else False, str(missing))
        return
    yield Finding(f"the signature fits the key {key}", fits)
    if trusted is None:
        why = "compare the key with the publisher's, or say --key"
        yield Finding("that the key is the publisher's", None, why)
    else:
        why = "" if key == trusted else f"it is signed with {key}, and you trust {trusted}"
        yield Finding("the certificate is signed with the key that you trust", key == trusted, why)


CHECKS: tuple[Check, ...] = (
    _itself, _version, _page, _files, _plan, _spending, _argument, _asked,
)  # fmt: skip
