"""The schema of certificates: every field, and the kind of its value. Nothing else is allowed.

A new field of the certificate is a new line in `CERTIFICATE`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any

from dpcore.algorithms.base import MAX_CLUSTERS
from dpcore.privacy.accounting import (
    MAX_DELTA,
    MAX_EPSILON,
    MIN_EPSILON,
    Accounting,
    Neighbors,
    Verdict,
)
from dpcore.release import publication
from dpcore.release.certificate import FORMAT, KIND, LIBRARY
from dpcore.release.plan import LONGEST_NAME, RELEASE, TWIN
from dpcore.release.unit import MOST_ROWS

#: What is wrong with a value at a place, in a sentence, or None.
Shape = Callable[[Any, str], str | None]

#: More letters than this are no name, reason or argument.
LONGEST_TEXT = 20_000
#: Whole numbers beyond this are not exact in every JSON reader.
LARGEST = 2**63
FIRST_YEAR = 2026
#: How far a publisher's clock may be ahead.
AHEAD = timedelta(days=1)


def text(longest: int = LONGEST_TEXT, pattern: str = "(?s).*", what: str = "text") -> Shape:
    def check(value: Any, where: str) -> str | None:
        fits = isinstance(value, str) and len(value) <= longest
        return None if fits and re.fullmatch(pattern, value) else _not(where, what, value)

    return check


def whole(low: int = -LARGEST, high: int = LARGEST) -> Shape:
    def check(value: Any, where: str) -> str | None:
        fits = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        return None if fits else _not(where, "a whole number in its range", value)

    return check


def number(low: float = -math.inf, high: float = math.inf) -> Shape:
    def check(value: Any, where: str) -> str | None:
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        fits = fits and abs(value) < math.inf and low <= value <= high
        return None if fits else _not(where, "a number in its range", value)

    return check


def truth(value: Any, where: str) -> str | None:
    return None if isinstance(value, bool) else _not(where, "true or false", value)


def one_of(*values: Any) -> Shape:
    def check(value: Any, where: str) -> str | None:
        if any(type(value) is type(each) and value == each for each in values):
            return None
        return _not(where, " or ".join(map(repr, map(_plain, values))), value)

    return check


def fact(value: Any, where: str) -> str | None:
    """A text, a number, or true or false."""
    if isinstance(value, bool):
        return None
    return text()(value, where) if isinstance(value, str) else number()(value, where)


def fact_or_levels(value: Any, where: str) -> str | None:
    """A fact, or a number for each region."""
    return LEVELS(value, where) if isinstance(value, Mapping) else fact(value, where)


def optional(shape: Shape) -> Shape:
    return lambda value, where: None if value is None else shape(value, where)


def many(shape: Shape, least: int = 0) -> Shape:
    def check(value: Any, where: str) -> str | None:
        if not isinstance(value, list) or len(value) < least:
            return _not(where, f"a list of at least {least}", value)
        return _first(shape(each, f"{where}, item {i}") for i, each in enumerate(value, start=1))

    return check


def named(name: Shape, shape: Shape) -> Shape:
    """Values under names of their own."""

    def check(value: Any, where: str) -> str | None:
        if not isinstance(value, Mapping):
            return _not(where, "a list of names and values", value)
        return _first(
            name(key, f"a name in {where}") or shape(each, f"{where}, {key}")
            for key, each in value.items()
        )

    return check


@dataclass(frozen=True)
class Missable:
    """The shape of a field that a record may do without."""

    shape: Shape

    def __call__(self, value: Any, where: str) -> str | None:
        return self.shape(value, where)


def record(**fields: Shape) -> Shape:
    """Exactly these fields, an underscore in whose name stands for a space."""
    shapes = {name.replace("_", " "): shape for name, shape in fields.items()}

    def check(value: Any, where: str) -> str | None:
        if not isinstance(value, Mapping):
            return _not(where, "a list of names and values", value)
        inside = f" in {where}" if where else ""
        for name in value:
            if name not in shapes:
                return f"no certificate has a field {_shown(name)}{inside}"
        for name, shape in shapes.items():
            if name not in value:
                if isinstance(shape, Missable):
                    continue
                return f"the field {name!r}{inside} is missing"
            if problem := shape(value[name], f"{where}, {name}" if where else name):
                return problem
        return None

    return check


def either(by: str, records: Mapping[str, Shape]) -> Shape:
    """One of several records, told apart by the value of a field."""

    def check(value: Any, where: str) -> str | None:
        kind = value.get(by) if isinstance(value, Mapping) else None
        if not isinstance(kind, str) or kind not in records:
            return _not(f"{where}, {by}", " or ".join(map(repr, records)), kind)
        return records[kind](value, where)

    return check


def moment(value: Any, where: str) -> str | None:
    """A second in UTC that has been."""
    pattern = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00"
    if not (isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII)):
        return _not(where, "a time in UTC such as 2026-11-19T08:00:00+00:00", value)
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        return _not(where, "a date of the calendar", value)
    if time.year < FIRST_YEAR or time > datetime.now(UTC) + AHEAD:
        return f"{where} is {value}, when nobody can have made this certificate"
    return None


def charge(value: Any, where: str) -> str | None:
    return CHARGE(value, where)


def _first(problems: Any) -> str | None:
    return next((problem for problem in problems if problem), None)


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, str) else value


def _shown(value: Any) -> str:
    words = repr(value)
    return words if len(words) <= 60 else f"{words[:60]}…"


def _not(where: str, what: str, value: Any) -> str:
    return f"{where} must be {what}, not {_shown(value)}"


NAME = text(LONGEST_NAME, r"(?s).*\S.*", "a name")
VERSION = text(40, r"\d+(\.\d+)+([-+.]?[0-9A-Za-z]+)*", "a version such as 1.2.0")
SHA256 = text(64, "[0-9a-f]{64}", "a SHA-256 digest")
AMOUNT, SHARE = number(0, MAX_EPSILON), number(0, 1)
BUDGET = record(epsilon=number(MIN_EPSILON, MAX_EPSILON), delta=number(0, MAX_DELTA))

ACCOUNT = record(
    epsilon=number(MIN_EPSILON, MAX_EPSILON),
    delta=number(0, MAX_DELTA),
    accounting=one_of(*map(str, Accounting)),
    charges=many(charge, least=1),
)
CHARGE = record(
    mechanism=text(100),
    why=text(1000),
    epsilon=AMOUNT,
    delta=SHARE,
    rho=optional(number(0)),
    sensitivity=number(0),
    scale=optional(number(0)),
    answers=whole(1),
    inner=many(ACCOUNT),
)
THRESHOLDS = many(number(MIN_EPSILON, MAX_EPSILON), least=1)
SOURCE = either(
    "kind",
    {
        "built-in": record(kind=text(), key=text(200), columns=many(text(), least=1)),
        **{
            kind: record(
                kind=text(),
                columns=many(text(), least=1),
                outside_the_box=one_of("drop", "clip"),
                engine=text(100),
                format=optional(text(100)),
                zones=truth,
                own_level=Missable(text(200)),
                thresholds=Missable(THRESHOLDS),
            )
            for kind in ("files", "table", "array")
        },
    },
)
ARGUMENT = record(
    algorithm=text(100),
    title=text(),
    paper=text(),
    verdict=one_of(*map(str, Verdict)),
    argument=named(text(100), text()),
)
LEVELS = named(NAME, number(MIN_EPSILON / MOST_ROWS, MAX_EPSILON))
LEVEL = record(epsilon=number(MIN_EPSILON, MAX_EPSILON))
#: A corner, a ring of corners, and a polygon: an outer ring and its holes.
CORNER = many(number(), least=2)
POLYGON = many(many(CORNER, least=3), least=1)
AREA = record(
    type=one_of("Feature"),
    properties=record(name=NAME, epsilon=number(MIN_EPSILON, MAX_EPSILON)),
    geometry=record(type=one_of("MultiPolygon"), coordinates=many(POLYGON, least=1)),
)
AREAS = record(
    map=record(
        type=one_of("FeatureCollection"), elsewhere=Missable(LEVEL), features=many(AREA, least=1)
    ),
    statement=many(text(), least=1),
)
PUBLICATION = record(
    **{each.name: Missable(text(publication.LONGEST)) for each in fields(publication.Publication)}
)
CERTIFICATE = record(
    kind=one_of(KIND),
    format=one_of(FORMAT),
    dpcore=VERSION,
    build=Missable(SHA256),
    time=moment,
    data_set=NAME,
    source=SOURCE,
    box=record(
        names=many(text(), least=1),
        low=many(number(), least=1),
        high=many(number(), least=1),
    ),
    geographic=truth,
    unit=record(name=NAME, ids=optional(text()), rows=whole(1, MOST_ROWS)),
    neighbors=one_of(*map(str, Neighbors)),
    algorithm=text(100),
    k=whole(1, MAX_CLUSTERS),
    parameters=named(text(100), fact),
    epsilon=number(MIN_EPSILON, MAX_EPSILON),
    delta=number(0, MAX_DELTA),
    purpose=one_of(RELEASE, TWIN),
    allowed=record(epsilon=number(0), delta=number(0)),
    budget_of_one_row=BUDGET,
    arguments=many(ARGUMENT, least=1),
    noise=record(library=one_of(LIBRARY), version=VERSION, seed=one_of(None)),
    facts=named(text(100), fact_or_levels),
    answers=many(record(region=Missable(NAME), why=text(1000), values=many(whole(), least=1))),
    areas=Missable(AREAS),
    own_levels=Missable(record(thresholds=THRESHOLDS, statement=many(text(), least=1))),
    publication=Missable(PUBLICATION),
    series=Missable(record(name=NAME, period=NAME, disjoint=truth)),
    transcript=ACCOUNT,
    ledger_before=SHA256,
    spent=Missable(record(epsilon=number(0), delta=number(0), charges=whole(1))),
    files=named(text(200), record(sha256=SHA256, bytes=whole(0))),
    public_key=optional(text(100)),
    page=Missable(SHA256),
    digest=SHA256,
    signature=optional(text(200)),
)
