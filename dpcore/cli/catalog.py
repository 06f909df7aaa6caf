"""`dpcore list`: the algorithms and the data sets that ship."""

from __future__ import annotations

import argparse
import json
import textwrap
from typing import Any

from dpcore.algorithms import ALGORITHMS, PAPERS, Algorithm, get
from dpcore.algorithms.references import bibtex
from dpcore.datasets.builtin import BUILTIN
from dpcore.study.guarantees import THEOREMS
from dpcore.study.prediction import PREDICTED


def add(command: argparse.ArgumentParser) -> None:
    command.description = "List the algorithms with their verdicts, and the data sets that ship."
    command.add_argument("key", nargs="?", help="one algorithm, with all that is known of it")
    command.add_argument(
        "--format", choices=["text", "json"], default="text", help="how to print it (%(default)s)"
    )
    command.add_argument(
        "--json",
        action="store_const",
        const="json",
        dest="format",
        help="the same as --format json",
    )
    command.set_defaults(do=do)


def describe(algorithm: Algorithm) -> dict[str, Any]:
    """An algorithm's declaration, as data."""
    return {
        "key": algorithm.key,
        "title": algorithm.title,
        "paper": PAPERS[algorithm.paper],
        "verdict": str(algorithm.verdict),
        "neighbors": [str(r) for r in algorithm.relations],
        "idea": algorithm.idea,
        "parameters": [vars(p) for p in algorithm.parameters],
    }


def in_full(algorithm: Algorithm) -> dict[str, Any]:
    """A declaration with its argument, and the theorems on its results."""
    return {
        **describe(algorithm),
        "specification": dict(algorithm.specification),
        "theorems": [
            {"citation": each.citation, "statement": each.statement, "caution": each.caution}
            for each in THEOREMS
            if algorithm.key in each.algorithms
        ],
        "bibtex": bibtex(*algorithm.works),
    }


def tell(algorithm: Algorithm) -> None:
    """One algorithm for people."""
    print(f"{algorithm.title} ({algorithm.key}): {algorithm.verdict}")
    print(f"{PAPERS[algorithm.paper]}\n")
    theorems = [each for each in THEOREMS if algorithm.key in each.algorithms]
    paragraphs = [
        *(f"{label}. {text}" for label, text in algorithm.specification.items()),
        *(f"{each.citation}. {each.statement} {each.caution}".strip() for each in theorems),
    ]
    print("\n\n".join(textwrap.fill(each, 96) for each in paragraphs))
    for p in algorithm.parameters:
        print(f"\n--set {p.name}={p.default}: {p.meaning}", end="")
    print("\n")
    if theorems:
        print(f"In numbers: dpcore guarantee {algorithm.key} -k K -n N -d D --epsilon EPSILON")
    if algorithm.key in PREDICTED:
        print(f"Predicted error: dpcore predict {algorithm.key} -k K -n N -d D")
    print(f"To cite it: dpcore cite {algorithm.key}")


def do(arguments: argparse.Namespace) -> None:
    if arguments.key:
        algorithm = get(arguments.key)
        if arguments.format == "json":
            print(json.dumps(in_full(algorithm), indent=1))
        else:
            tell(algorithm)
        return
    if arguments.format == "json":
        listing = {
            "algorithms": [describe(a) for a in ALGORITHMS.values()],
            "data": [
                {
                    "key": b.about.key,
                    "title": b.about.title,
                    "unit": b.about.unit,
                    "simulated": b.about.simulated,
                }
                for b in BUILTIN.values()
            ],
        }
        print(json.dumps(listing, indent=1))
        return
    print("Algorithms\n")
    for algorithm in ALGORITHMS.values():
        print(f"  {algorithm.key:<22} {algorithm.verdict:<9} {algorithm.title}")
        print(textwrap.indent(textwrap.fill(algorithm.idea, 72), " " * 25))
        for p in algorithm.parameters:
            print(f"{'':25}--set {p.name}={p.default}: {p.meaning}")
    print("\nData\n")
    for each in BUILTIN.values():
        print(f"  {each.about.key:<22} {each.about.title}")
