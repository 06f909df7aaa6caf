"""`dpcore list`: the algorithms and the data that ship."""

from __future__ import annotations

import argparse
import json
import textwrap
from typing import Any

from dpcore.algorithms import ALGORITHMS, PAPERS, Algorithm
from dpcore.datasets import BUILTIN


def add(commands: Any) -> None:
    command = commands.add_parser("list", help="algorithms with their verdicts, and data sets")
    command.add_argument("--json", action="store_true", help="for programs")
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


def do(arguments: argparse.Namespace) -> None:
    if arguments.json:
        found = {
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
        print(json.dumps(found, indent=1))
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
