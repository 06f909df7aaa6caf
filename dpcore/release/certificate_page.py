"""The certificate as a page that prints on one sheet: made from its data, and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from dpcore._html import render
from dpcore.privacy import explain
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.rounding import at_most

#: More charges than this are told together, mechanism by mechanism.
MOST_CHARGES = 8
#: What a sheet has room for of an argument, in letters; all of it is in the data.
SHOWN, MOST_LETTERS = ("Relation", "Private", "Flaw", "Repair"), 1700


def certificate_page(said: Mapping[str, Any]) -> str:
    """The page of a certificate."""
    unit, neighbors = said["unit"], Neighbors(said["neighbors"])
    protection = [
        explain.protected(unit["name"], neighbors, unit["ids"], unit["rows"]),
        explain.rows_of(said["source"]["kind"]),
        explain.attack(said["epsilon"], unit["name"], neighbors),
        explain.slip(said["delta"]) or "",
    ]
    return render(
        "certificate.html",
        said=said,
        protection=" ".join(filter(None, protection)),
        facts=_facts(said),
        charges=_charges(said["transcript"]["charges"]),
        arguments=list(_arguments(said["arguments"])),
        noise=explain.UNVETTED,
    )


def _facts(said: Mapping[str, Any]) -> dict[str, str]:
    """What the certificate says in a word or two, by name."""
    box, row, first = said["box"], said["budget of one row"], said["arguments"][0]
    ends = ", ".join(
        f"{name} {low:g} to {high:g}"
        for name, low, high in zip(box["names"], box["low"], box["high"], strict=True)
    )
    settings = ", ".join(f"{name} = {value}" for name, value in said["parameters"].items())
    facts = {
        "Algorithm": f"{first['title']} ({said['algorithm']}), dpcore {said['dpcore']}",
        "After": first["paper"],
        "Verdict": ", ".join(
            f"{each['algorithm']}: {each['verdict']}" for each in said["arguments"]
        ),
        "Settings": ", ".join(filter(None, [f"k = {said['k']}", settings])),
        "Privacy": f"{_privacy(said)}, under {said['neighbors']}",
        "Noise": _noise(said["noise"]),
        "Box": ends,
        "Asked for": said["time"],
    }
    if said["unit"]["rows"] > 1:
        facts["One row"] = _privacy(row)
    return facts


def _privacy(amount: Mapping[str, Any]) -> str:
    return f"ε = {at_most(amount['epsilon'])}, δ = {at_most(amount['delta'])}"


def _noise(noise: Mapping[str, Any]) -> str:
    seed = "without a seed" if noise["seed"] is None else f"with seed {noise['seed']}"
    return f"{noise['library']} {noise['version']}, {seed}"


def _charges(charges: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Cost, mechanism and purpose of every charge. Many are told together, by mechanism."""
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
