"""The technical annex of a certificate, in the terms of NIST SP 800-226 and of the public registry
of deployments of differential privacy (https://doi.org/10.48550/arXiv.2509.13509)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcore.algorithms import PAPERS
from dpcore.privacy import explain
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.rounding import at_most
from dpcore.release.series import PARALLEL, Series
from dpcore.release.unit import Unit

ADDED = "unbounded: two data sets that differ by one row added or removed"
REPLACED = "bounded: two data sets of one size that differ in one row"
SEVERAL = "two data sets that differ by all rows of one {unit}, of which at most {rows} are kept"
COMPOSITION = {
    "pure": "sequential; questions about disjoint cells in parallel; epsilons add up exactly",
    "zcdp": "zero-concentrated (zCDP), converted to (ε, δ)",
    "gaussian": "Gaussian, exact",
}


def terms(certificate: Mapping[str, Any]) -> dict[str, str]:
    """Each term with its value."""
    unit, noise = certificate["unit"], certificate["noise"]
    charges = certificate["transcript"]["charges"]
    mechanisms = ", ".join(dict.fromkeys(charge["mechanism"] for charge in charges))
    settings = ", ".join(f"{name} = {value}" for name, value in certificate["parameters"].items())
    first = certificate["arguments"][0]
    row = certificate["budget of one row"]
    bounding = (
        f"at most {unit['rows']} rows of each {unit['name']}, chosen at random"
        if unit["ids"] is not None
        else "none needed: the unit is one row"
    )
    epsilon, delta = at_most(certificate["epsilon"]), at_most(certificate["delta"])
    allowed = at_most(certificate["allowed"]["epsilon"])
    spent = at_most(certificate.get("spent", {}).get("epsilon", certificate["epsilon"]))
    return {
        "Privacy flavor": "approximate differential privacy (ε, δ)"
        if certificate["delta"]
        else "pure differential privacy (ε)",
        "Privacy parameters": f"ε = {epsilon}, δ = {delta}",
        "Unit of privacy": f"one {unit['name']}"
        + (f", known by the column {unit['ids']!r}" if unit["ids"] is not None else " (one row)"),
        "Neighboring data sets": SEVERAL.format(unit=unit["name"], rows=unit["rows"])
        if unit["ids"] is not None
        else ADDED
        if Neighbors(certificate["neighbors"]) is Neighbors.ADD_REMOVE
        else REPLACED,
        "Contribution bounds": bounding,
        "Budget of one row": f"ε = {at_most(row['epsilon'])}, δ = {at_most(row['delta'])}",
        "Trust model": "central: one curator holds the data",
        "Release": "static: published once; the answers are not interactive",
        "Mechanisms": mechanisms,
        "Composition within": COMPOSITION.get(
            certificate["transcript"]["accounting"], certificate["transcript"]["accounting"]
        ),
        **(_series(certificate) if "series" in certificate else {}),
        "Composition over releases": f"added up; ε {spent} so far, ε {allowed} at most, "
        "fixed with the first release",
        "Post-processing": "centers, points and map are computed from noisy answers only",
        "Implementation": f"dpcore {certificate['dpcore']}; noise by {noise['library']} "
        f"{noise['version']}, " + ("without a seed" if noise["seed"] is None else "with a seed"),
        "Algorithm": f"{first['title']} ({certificate['algorithm']}), "
        + ("made for dpcore" if first["paper"] == PAPERS["ours"] else f"after {first['paper']}"),
        "Settings": ", ".join(filter(None, [f"k = {certificate['k']}", settings])),
        "Verdict on the proof": ", ".join(
            f"{each['algorithm']}: {each['verdict']}" for each in certificate["arguments"]
        ),
        "Rows outside the area": {"clip": "moved to its edge"}.get(
            certificate["source"].get("outside the box", "drop"), "left out"
        ),
        "Made at": certificate["time"],
        **({"One row": words} if (words := explain.rows_of(certificate["source"]["kind"])) else {}),
    }


def _series(certificate: Mapping[str, Any]) -> dict[str, str]:
    """The composition of the periods of a series."""
    period = Series(**certificate["series"])
    how = period.composition(Unit(**certificate["unit"]), Neighbors(certificate["neighbors"]))
    stated = "; each row is in one period, as the publisher states" * (how == PARALLEL)
    return {"Composition over periods": f"{how}{stated}"}


def hazards(certificate: Mapping[str, Any]) -> dict[str, str]:
    """Hazards to privacy that were considered, and what is done about each."""
    by_id = certificate["unit"]["ids"] is not None
    return {
        "Floating-point noise": "Counts and noise are whole numbers, drawn by exact samplers.",
        "Unbounded sensitivity": "The area is fixed and public; positions are bounded by it.",
        "Several rows of one person": "Bounded before anything is counted."
        if by_id
        else "Not covered: the unit is one row.",
        "Parameters chosen from the data": "Level, area and settings are fixed before rows are "
        "read. A private twin that was used to choose them is charged.",
        "Adaptive questions": "Each question is charged before its noise is drawn, and refused "
        "when the budget cannot pay.",
        "Repeated attempts": "A ledger charges runs that fail after noise was drawn.",
        "Time and failures": "How long a run takes is not published; it is not hidden from the "
        "holder of the data.",
        "Correlated data": "The promise is about one unit; what other rows reveal about it is not "
        "covered.",
    }
