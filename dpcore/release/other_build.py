"""Files that follow from a release, where another build of dpcore may have made them.

The build that made a file makes it again to the byte. Another build may use other words, another
layout or another drawing. Then this is left to check: the hash that the certificate names, that
every number and digest that a reader sees follows from the certificate and the published numbers,
that every price stands for what it stood for, and that a page runs no program. A build is what a
certificate claims, so claiming another one must hide no changed number. What it can hide are
changed words, lines of a drawing, and programs; so such a file never counts as a check that holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any

from dpcore._version import __version__
from dpcore.release.build import build
from dpcore.release.finding import Finding

Certificate = Mapping[str, Any]

#: A digest, or a number.
NUMBER = re.compile(r"\b[0-9a-f]{16,}\b|\d+(?:[.,]\d+)*")
#: Numbers that say what is promised, with the sign or the name that says so.
PROMISES = re.compile(
    r"[εδ]\s*=?\s*\d[\d.e-]*|\d[\d.]*\s*%|\b(?:epsilon|delta|k|rows|points)\s*=\s*\d[\d.e-]*"
)
#: A length beside a scale bar, which is part of the drawing.
LENGTH = re.compile(r"\s*\d+(?:\.\d+)? k?m\s*")
#: Programs that say the numbers of a release, and those that are the same in every release.
SAYING, STATIC = (".py", ".ipynb"), ("check_with_opendp.py", "verify.html")
#: What no page of a release has ever held: programs, and addresses of what to fetch.
ACTIVE = re.compile(
    rb"<(?:script|link|img|iframe|object|embed|form|base)\b|@import|url\(|\b(?:href|src)\s*="
    rb"|\son\w+\s*=",
    re.IGNORECASE,
)
BY_HASH = "another version of dpcore made it, so that it was checked by its hash only"
READ_FIRST = "; read it before you run it"


def made_here(certificate: Certificate) -> bool:
    """Whether a certificate says that this very build made it."""
    return bool(certificate["dpcore"] == __version__ and certificate.get("build") == build())


def as_made(certificate: Certificate, name: str, content: bytes, again: bytes) -> Finding:
    """Whether a file is what dpcore makes of a certificate and the published numbers."""
    what = f"{name} follows from the certificate and the published numbers"
    if content == again or made_here(certificate):
        return Finding(what, content == again)
    if name not in STATIC and (strange := strangest(certificate, name, content, again)):
        return Finding(what, False, f"it says {strange!r:.60}, which does not follow from them")
    if name.endswith(".html") and name not in STATIC and ACTIVE.search(content):
        return Finding(what, False, "it runs a program or fetches something")
    is_program = name.endswith(SAYING) or name in STATIC
    return Finding(what, None, BY_HASH + READ_FIRST * is_program, by_hash=True)


def strangest(certificate: Certificate, name: str, content: bytes, again: bytes) -> str | None:
    """A number in a file that neither the certificate nor the published numbers say."""
    try:
        texts = [each.decode() for each in (content, again)]
    except UnicodeDecodeError:
        return "what is not text"
    if name.endswith(SAYING):
        own, original = (set(_promises(text)) for text in texts)
        return min(own - original, default=None)
    own_words, known_words = (" ".join(_Words.of(text)) for text in texts)
    own, original = set(_promises(own_words)), set(_promises(known_words))
    if own - original:
        return min(own - original)
    numbers = {*_numbers(known_words), *_numbers(certificate["time"])}
    return min(set(_numbers(own_words)) - numbers, default=None)


def _promises(text: str) -> Iterator[str]:
    return (re.sub(r"\s", "", promise).rstrip(".") for promise in PROMISES.findall(text))


def _numbers(text: str) -> Iterator[str]:
    return (number.replace(",", "") for number in NUMBER.findall(text))


class _Words(HTMLParser):
    """The words of a page that a reader sees: no style, and of a drawing no tips and no lengths."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._in: list[str] = []

    @classmethod
    def of(cls, page: str) -> list[str]:
        reader = cls()
        reader.feed(page)
        reader.close()
        return reader.texts

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("style", "svg", "title"):
            self._in.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._in and self._in[-1] == tag:
            self._in.pop()

    def handle_data(self, data: str) -> None:
        tip = self._in[-2:] == ["svg", "title"]
        if "style" not in self._in and not tip and not LENGTH.fullmatch(data):
            self.texts.append(data)
