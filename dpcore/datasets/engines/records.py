"""The records of a CSV file: the one place that says where a record ends and what is in it.

**The rule**, a function of the bytes alone, for every reader:

* A line ends with LF or CR LF, and the last one with the file; CR by itself is text like any
  other. A line end with an even number of quotes before it ends a record. So quotes may enclose
  line ends, as RFC 4180 has it; a doubled quote changes nothing. A byte-order mark at the start is
  no text.
* A record without a character, one that is not UTF-8, one longer than MAX_RECORD and one that
  repeats the header give no row. Every other record gives one row: its fields lie between the
  delimiters that have an even number of quotes before them. Where a record has more or fewer
  fields than the header, its row has nothing in any column.
* The first record with a character in it names the columns. A file is refused if that record is not
  UTF-8 or is too long: the next one would be taken for names, which errors show.
* A file in which quotes do not tell where records end is refused: the last quote is never closed,
  or a record spans lines though its quotes do not enclose whole fields. Both come from programs
  that write quotes as they are. On one line such quotes harm nobody else, and are let be.

**One record, one row.** A record is *complete* if it holds an even number of quotes, ends with a
line end, and either lies on one line or encloses whole fields in its quotes. Let F = A + B be a
file cut after the line end of a record, and F' = A + r + B for a complete record r. Before B there
are as many quotes in F' as in F, plus an even number: the line ends in A and in B that end records
are the same, so F' has the records of F and r. The quotes of each record and what stands beside
them are the same, so F' is refused just when F is. Each record by itself decides which row it
gives, if any: the rows of F' are those of F and at most one more, with at most one id. r may
hold anything else: another number of fields, NUL, bytes that are no text.

What is not claimed: whoever can bring a record with an odd number of quotes into a file, past
the program that should double them, can have the whole file refused. No row of it is counted then.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

# Spark's workers, which need not have this package, get a copy of this module: it imports no other.
import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

#: Bytes that a record may have.
MAX_RECORD = 1 << 20
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
QUOTE, LF, CR = b'"\n\r'

#: What stands for a first record that is no text or too long; no record that counts is empty.
UNREADABLE = ""
#: What is said of a file that is refused.
BROKEN = (
    "its quotes do not tell where its records end: one is never closed, or stands inside a field "
    "without being doubled. Write the file with a program that doubles them, or as Parquet."
)


class BrokenQuotesError(ValueError):
    """The quotes of a file do not tell where its records end."""

    def __init__(self) -> None:
        super().__init__(BROKEN)


class Form(NamedTuple):
    """The form of a file's records: what is public of it, and the places of the fields to read."""

    header: str
    delimiter: str
    width: int
    places: tuple[int, ...]


def fields(pieces: Iterable[bytes], form: Form, marked: bool = True) -> Iterator[list[pa.Array]]:
    """The wanted fields of the rows of a file that comes in pieces, some rows at a time.

    They are as in the file, with quotes. A byte-order mark is left out, where there may be one.
    """
    for cut in _cuts(_without_mark(iter(pieces)) if marked else pieces, form.delimiter):
        rows = ~_repeats(cut, form.header.encode())
        yield _columns(cut, cut.starts[rows], cut.ends[rows], form)


def first_record(pieces: Iterable[bytes], marked: bool = True) -> str | None:
    """The first record, which names the columns: UNREADABLE if it gives no text."""
    for cut in _cuts(_without_mark(iter(pieces)) if marked else pieces, None):
        if cut.skips:
            return UNREADABLE
        if len(cut.ends):
            return cut.text[cut.starts[0] : cut.ends[0]].decode()
    return None


def refuse_broken_quotes(pieces: Iterable[bytes], delimiter: str, marked: bool = True) -> None:
    """Raise where quotes do not tell where records end."""
    deque(_cuts(_without_mark(iter(pieces)) if marked else pieces, delimiter), maxlen=0)


class _Cut(NamedTuple):
    """A text, its codes, whether it begins between quotes, where its quotes stand, where records
    begin and end that count, and whether one with text goes before them that does not."""

    text: bytes
    codes: Any
    is_open: bool
    quotes: Any
    starts: Any
    ends: Any
    skips: bool


def _cuts(pieces: Iterable[bytes], delimiter: str | None) -> Iterator[_Cut]:
    """The cuts between records. Without a delimiter nobody can tell whether quotes enclose fields,
    and it is not asked."""
    cutter = _Cutter(delimiter)
    for piece in pieces:
        yield cutter.cut(piece)
    yield cutter.cut(b"\n")
    if cutter.unfinished:
        raise BrokenQuotesError


def _without_mark(pieces: Iterator[bytes]) -> Iterator[bytes]:
    start = b""
    for piece in pieces:
        start += piece
        if len(start) >= len(BYTE_ORDER_MARK):
            break
    yield start.removeprefix(BYTE_ORDER_MARK)
    yield from pieces


class _Cutter:
    """Cuts text into records; what a piece leaves unfinished goes on in the next."""

    def __init__(self, delimiter: str | None):
        self._checks = delimiter is not None
        self._beside_fields = np.zeros(256, dtype=bool)
        self._beside_fields[[QUOTE, LF, CR, *(delimiter or "").encode()]] = True
        #: The start of a record that goes on; of one too long to count, its last quote at most.
        self._rest = b""
        #: What of a record too long to count went before the rest: its last byte, whether a quote
        #: is open, whether one is out of place, whether it spans lines.
        self._too_long = False
        self._before, self._open, self._odd, self._spans = LF, False, False, False

    @property
    def unfinished(self) -> bool:
        return bool(self._rest) or self._too_long

    def cut(self, piece: bytes) -> _Cut:
        """The records that end in this piece."""
        text = self._rest + piece
        codes = np.frombuffer(text, dtype=np.uint8)
        # What stands after the last byte is not known yet.
        quotes = np.flatnonzero(codes[:-1] == QUOTE)
        breaks = np.flatnonzero(codes == LF)
        inside = (np.searchsorted(quotes, breaks) + self._open) % 2 == 1
        ends, within = breaks[~inside], breaks[inside]
        odd, spans = np.zeros((2, len(ends) + 1), dtype=bool)
        odd[0], spans[0] = self._odd, self._spans
        spans[np.searchsorted(ends, within)] = True
        if spans.any() or len(text) > MAX_RECORD:
            odd[np.searchsorted(ends, self._out_of_place(codes, quotes))] = True
        if self._checks and (odd & spans)[:-1].any():
            raise BrokenQuotesError
        starts = np.concatenate([[0], ends + 1])
        stops = ends - ((ends > starts[:-1]) & (codes[ends - 1] == CR))
        has_text = stops > starts[:-1]
        has_text[:1] |= self._too_long
        counts = has_text & (stops - starts[:-1] <= MAX_RECORD)
        counts[:1] &= not self._too_long
        _leave_out_what_is_no_text(text, starts, stops, counts)
        skips = bool((has_text & ~np.logical_or.accumulate(counts)).any())
        pieces = _Cut(text, codes, self._open, quotes, starts[:-1][counts], stops[counts], skips)
        if len(ends):
            self._too_long = self._open = self._odd = self._spans = False
            self._before = LF
        start = int(starts[-1])
        if len(text) - start <= MAX_RECORD:
            self._rest = text[start:]
        else:
            self._rest = text[-1:] if codes[-1] == QUOTE else b""
            self._before = int(codes[-1 - len(self._rest)])
            self._open ^= bool((quotes >= start).sum() % 2)
            self._odd, self._spans, self._too_long = bool(odd[-1]), bool(spans[-1]), True
        return pieces

    def _out_of_place(self, codes: Any, quotes: Any) -> Any:
        """Quotes that open after, or close before, something else that belongs to their field."""
        opens = (np.arange(len(quotes)) + self._open) % 2 == 0
        before = np.where(quotes > 0, codes[quotes - 1], self._before)
        beside = np.where(opens, before, codes[quotes + 1])
        return quotes[~self._beside_fields[beside]]


def _leave_out_what_is_no_text(text: bytes, starts: Any, stops: Any, counts: Any) -> None:
    whole = text[: starts[-1]]
    if whole.isascii() or _is_text(whole):
        return
    for i in np.flatnonzero(counts):
        counts[i] = _is_text(text[starts[i] : stops[i]])


def _is_text(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _repeats(cut: _Cut, header: bytes) -> Any:
    """The records that repeat the header."""
    repeats = np.zeros(len(cut.ends), dtype=bool)
    likely = np.flatnonzero(cut.ends - cut.starts == len(header))
    for i, code in enumerate(header[:16]):
        likely = likely[cut.codes[cut.starts[likely] + i] == code]
    for place in likely:
        repeats[place] = cut.text[cut.starts[place] : cut.ends[place]] == header
    return repeats


def _columns(cut: _Cut, starts: Any, ends: Any, form: Form) -> list[pa.Array]:
    """The wanted fields of these records: nothing where there are not as many as there should."""
    delimiters = np.flatnonzero(cut.codes == ord(form.delimiter))
    if cut.is_open or len(cut.quotes):
        outside = np.zeros(len(cut.codes) + 1, dtype=bool)
        outside[0], outside[cut.quotes + 1] = cut.is_open, True
        outside = ~np.logical_xor.accumulate(outside)
        delimiters = delimiters[outside[delimiters]]
    first = np.searchsorted(delimiters, starts)
    whole = np.searchsorted(delimiters, ends) - first == form.width - 1
    if not whole.all():
        first = first[whole]
    columns = []
    for place in form.places:
        begins, stops = starts.copy(), starts.copy()
        begins[whole] = delimiters[first + place - 1] + 1 if place else starts[whole]
        last = place == form.width - 1
        stops[whole] = ends[whole] if last else delimiters[first + place]
        columns.append(_texts(cut.text, begins, stops, whole))
    return columns


def _texts(text: bytes, begins: Any, stops: Any, present: Any) -> pa.Array:
    """Parts of a text in their order; nothing where they are not known."""
    import pyarrow as pa

    if not len(begins):
        return pa.array([], pa.string())
    offsets = np.stack([begins, stops], axis=1).astype(np.int32).reshape(-1)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(text)]
    # Every other part is what lies between two.
    parts = pa.Array.from_buffers(pa.string(), len(offsets) - 1, buffers)
    return parts.take(pa.array(np.arange(0, len(offsets), 2), mask=~present))
