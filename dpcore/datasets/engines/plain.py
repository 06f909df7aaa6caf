"""The test for CSV files that DuckDB's parser reads exactly as `records` does, only faster.

One look at the bytes finds it out. In a plain file nothing has to be decided: it is UTF-8 without
quotes, NUL or a second header, every line is a record, and all lines end alike. DuckDB's parser
is then told everything and left nothing to guess from the data. Whether a file is plain changes
how long it takes to read and nothing else.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dpcore.datasets.engines.records import BYTE_ORDER_MARK, CR, LF, MAX_RECORD
from dpcore.datasets.engines.source import Layout

#: Bytes to read at a time: what a processor keeps at hand while it is searched again and again.
PIECE = 1 << 18
#: What DuckDB takes for a part of a number, and `NUMBER` does not; beside these it reads "+-".
ODD_IN_NUMBERS = (b"_", b"\v", b"\f")


@dataclass(frozen=True)
class Plain:
    """The form of a plain file."""

    line_end: str
    #: Whether all that DuckDB reads as a finite number is one for everybody.
    plain_numbers: bool


def find_plain(pieces: Iterable[bytes], layout: Layout) -> Plain | None:
    """The form of a file that is plain, or None where it is not."""
    header = layout.header.encode()
    if b"\n" in header or b"\r" in header:
        return None
    findings = _Findings(header, layout.delimiter)
    for i, piece in enumerate(pieces):
        text = piece
        if not i:
            text = text.removeprefix(BYTE_ORDER_MARK)
            if not text.startswith((header + b"\n", header + b"\r\n")):
                return None
            text = text[len(header) :]
        if not findings.add(text):
            return None
    return findings.plain


class _Findings:
    """The findings in one piece of a file after the other."""

    def __init__(self, header: bytes, delimiter: str):
        self._header = b"\n" + header
        #: Letters first, which a file of numbers does not have.
        self._codes = [bytes([code]) for code in sorted(set(header), reverse=True)]
        self._odd = ODD_IN_NUMBERS if delimiter == "\t" else (*ODD_IN_NUMBERS, b"\t")
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._line_ends: set[str] = set()
        self._plain_numbers = True
        #: How long the line is that goes on, and the last of the text before.
        self._line, self._last = 0, b""

    @property
    def plain(self) -> Plain | None:
        if len(self._line_ends) != 1 or self._last.endswith(b"\r") or self._decoder.getstate()[0]:
            return None
        return Plain(next(iter(self._line_ends)), self._plain_numbers)

    def add(self, text: bytes) -> bool:
        """Go on with a piece; false where it is not plain."""
        # What the border between two pieces cuts.
        seam = self._last + text[: len(self._header)]
        if b'"' in text or b"\0" in text or self._header_in(text) or self._header in seam:
            return False
        if self._plain_numbers:
            two_signs = b"+-" in seam or (b"+" in text and b"+-" in text)
            self._plain_numbers = not (two_signs or any(odd in text for odd in self._odd))
        plain = self._is_text(text) and self._has_short_lines(text) and self._add_line_ends(text)
        keep = len(self._header)
        self._last = text[-keep:] if len(text) >= keep else (self._last + text)[-keep:]
        return plain

    def _header_in(self, text: bytes) -> bool:
        return all(code in text for code in self._codes) and self._header in text

    def _is_text(self, text: bytes) -> bool:
        if text.isascii() and not self._decoder.getstate()[0]:
            return True
        try:
            self._decoder.decode(text)
        except UnicodeDecodeError:
            return False
        return True

    def _has_short_lines(self, text: bytes) -> bool:
        start = text.find(b"\n")
        longest = self._line + (len(text) if start < 0 else start)
        self._line = longest if start < 0 else len(text) - 1 - text.rfind(b"\n")
        return longest <= MAX_RECORD - PIECE

    def _add_line_ends(self, text: bytes) -> bool:
        """Note how lines end; false where a CR stands by itself."""
        before = self._last[-1:]
        if b"\r" not in text and before != b"\r":
            if b"\n" in text:
                self._line_ends.add("\\n")
            return True
        codes = np.frombuffer(before + text, dtype=np.uint8)
        after_cr, feeds = codes[:-1] == CR, codes[1:] == LF
        if (after_cr & ~feeds).any():
            return False
        self._line_ends |= {"\\r\\n"} if after_cr.any() else set()
        # A first byte has none before it.
        if (feeds & ~after_cr).any() or (not before and text[:1] == b"\n"):
            self._line_ends.add("\\n")
        return True
