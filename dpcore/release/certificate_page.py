"""The certificate as a page that prints on one sheet and an annex: made from its data, and from the
published numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpcore._html import render
from dpcore.privacy import explain
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.rounding import at_most
from dpcore.release.amounts import Amount
from dpcore.release.certificate_terms import hazards, terms
from dpcore.release.series import Series
from dpcore.release.unit import Unit

if TYPE_CHECKING:
    from dpcore.release.certificate_map import CertificateMap

#: More charges than this are told together, mechanism by mechanism.
MOST_CHARGES = 8
#: What a sheet has room for of an argument, in letters; all of it is in the data.
SHOWN, MOST_LETTERS = ("Relation", "Private", "Flaw", "Repair"), 1700
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
NOT_SAID = "not stated"


def certificate_page(certificate: Mapping[str, Any], picture: CertificateMap | None) -> str:
    """The page of a certificate, with a map of the published points, if there is one."""
    unit, neighbors = certificate["unit"], Neighbors(certificate["neighbors"])
    return render(
        "certificate.html",
        certificate=certificate,
        date=date_in_words(certificate["time"]),
        hour=f"{certificate['time'][11:16]} Coordinated Universal Time",
        number=f"{certificate['time'][:10]}-{certificate['digest'][:8]}",
        facts=_facts(certificate),
        promise=explain.attack(certificate["epsilon"], unit["name"], neighbors),
        slip=explain.slip(certificate["delta"]),
        caution=explain.caution(certificate["epsilon"]),
        together=_together(certificate),
        protected=explain.protected(unit["name"], neighbors, unit["ids"], unit["rows"]),
        not_promised=_not_promised(certificate),
        accuracy=_accuracy(certificate, picture),
        map=picture,
        terms=terms(certificate),
        hazards=hazards(certificate),
        charges=_charges(certificate["transcript"]["charges"]),
        spent=at_most(certificate["transcript"]["epsilon"]),
        arguments=list(_arguments(certificate["arguments"])),
        noise=explain.UNVETTED,
    )


def date_in_words(time: str) -> str:
    """A moment in UTC as "Thursday, 19 November 2026"."""
    moment = datetime.fromisoformat(time)
    return f"{DAYS[moment.weekday()]}, {moment.day} {MONTHS[moment.month - 1]} {moment.year}"


def _facts(certificate: Mapping[str, Any]) -> dict[str, str]:
    """The facts that a reader asks for first, by name."""
    words = certificate.get("publication", {})
    publisher = ", ".join(filter(None, (words.get("publisher"), words.get("contact"))))
    box = certificate["box"]
    ends = ", ".join(
        f"{name} {low:g} to {high:g}"
        for name, low, high in zip(box["names"], box["low"], box["high"], strict=True)
    )
    points = certificate["facts"].get("points")
    published = [f"{certificate['k']} centers"]
    if "points.parquet" in certificate["files"]:
        published.append("weighted points" if points is None else f"{points:,} weighted points")
    if "map.html" in certificate["files"]:
        published.append("a map")
    return {
        "Publisher": publisher or NOT_SAID,
        "Purpose": words.get("purpose", NOT_SAID),
        "Data": words.get("description", _described(certificate)),
        "Area": f"{ends}, chosen from public knowledge",
        "Published": ", ".join(published),
        "License": words.get("license", NOT_SAID),
    }


def _described(certificate: Mapping[str, Any]) -> str:
    """The data in words, where the publisher gives none."""
    unit = certificate["unit"]
    if unit["ids"] is None:
        return f"{certificate['data set']}; one row is one {unit['name']}"
    rows = "1 row" if unit["rows"] == 1 else f"{unit['rows']:,} rows"
    return f"{certificate['data set']}; up to {rows} of each {unit['name']} are counted"


def _together(certificate: Mapping[str, Any]) -> str:
    """The most that an attacker can learn from all releases of these data, so far and ever."""
    unit = certificate["unit"]["name"]
    allowed = certificate["allowed"]["epsilon"]
    limit = (
        f"All releases of these data together, ever, may use ε {at_most(allowed)}: nobody can "
        f"become more than {explain.certainty(allowed)} sure."
    )
    spent = certificate.get("spent")
    if spent is None:
        return limit
    charges = "this is the first use" if spent["charges"] == 1 else f"used {spent['charges']} times"
    if "series" in certificate:
        period = Series(**certificate["series"])
        owner = Unit(**certificate["unit"])
        words = period.words(owner, Neighbors(certificate["neighbors"]), Amount.of(allowed))
        limit = f"{words} {limit}"
    return (
        f"All that was made of these data so far ({charges}) comes to ε "
        f"{at_most(spent['epsilon'])}: at most {explain.certainty(spent['epsilon'])} sure about "
        f"one {unit}. {limit}"
    )


def _accuracy(certificate: Mapping[str, Any], picture: CertificateMap | None) -> list[str]:
    """The accuracy of the result, by the publisher's words and by the noise that is known."""
    stated = certificate.get("publication", {}).get("accuracy", "")
    counts = "" if picture is None else picture.counts
    return [text for text in (stated, counts) if text] or [
        "The publisher states nothing about it. Noise moves every published number."
    ]


def _not_promised(certificate: Mapping[str, Any]) -> list[str]:
    unit = certificate["unit"]
    sentences = ["Facts about many, such as which areas are busy, are published on purpose."]
    if unit["ids"] is None:
        sentences.append(
            f"Somebody with many {explain.plural(unit['name'])} is protected for each one, not for "
            "all of them together."
        )
    else:
        sentences.append(
            f"Groups of {explain.plural(unit['name'])} are protected less than one {unit['name']} "
            "is."
        )
    sentences.append(
        "The data themselves, and people with access to them, are outside this promise."
    )
    return sentences


def _charges(charges: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Cost, mechanism and purpose of every charge. Many are summed up by mechanism."""
    rows = [
        (Fraction(repr(charge["epsilon"])), charge["mechanism"], charge["why"])
        for charge in charges
    ]
    if len(rows) > MOST_CHARGES:
        kinds = dict.fromkeys(mechanism for _, mechanism, _ in rows)
        together = [[row for row in rows if row[1] == kind] for kind in kinds]
        rows = [
            (
                sum((row[0] for row in some), Fraction(0)),
                some[0][1],
                f"{len(some)} times; first: {some[0][2]}",
            )
            for some in together
        ]
    return [(at_most(cost), mechanism, why) for cost, mechanism, why in rows]


def _arguments(arguments: list[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """Title, verdict and argument of each algorithm, as long as the sheet has room."""
    for each in arguments:
        argument = each["argument"]
        text = " ".join(f"{label}: {argument[label]}" for label in SHOWN if label in argument)
        room = MOST_LETTERS // len(arguments)
        if len(text) > room:
            text = text[:room].rsplit(" ", 1)[0] + " …"
        yield each["title"], each["verdict"], text
