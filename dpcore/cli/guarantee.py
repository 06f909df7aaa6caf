"""`dpcore guarantee`: what theorems promise of a method's results, for public numbers."""

from __future__ import annotations

import argparse
import json
import textwrap
from typing import Any

from dpcore.algorithms import get
from dpcore.cli.arguments import add_delta, add_settings, settings
from dpcore.cli.predict import add_public_numbers, public_numbers
from dpcore.study.guarantees import Guarantee, guarantee

WIDTH = 96


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "State the utility theorems of a method, and evaluate their bounds for "
        "public numbers. Constants in O(...) are taken for 1."
    )
    command.add_argument("algorithm", help="a key from `dpcore list`")
    add_public_numbers(command)
    command.add_argument("--epsilon", type=float, required=True, help="the privacy budget")
    add_delta(command)
    command.add_argument(
        "--beta",
        type=float,
        default=0.1,
        help="probability with which the bound may fail (%(default)s)",
    )
    add_settings(command)
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> None:
    n, d = public_numbers(arguments)
    system = get(arguments.algorithm)
    parameters = settings(system, arguments.set)
    guarantees = guarantee(
        system.key,
        n,
        arguments.k,
        d,
        arguments.epsilon,
        arguments.delta,
        arguments.beta,
        **parameters,
    )
    if arguments.json:
        print(json.dumps([as_data(each) for each in guarantees], indent=1))
        return
    print(
        f"{system.title}: n = {n:,}, k = {arguments.k}, d = {d}, epsilon = {arguments.epsilon:g}, "
        f"delta = {arguments.delta:g}, beta = {arguments.beta:g}\n"
    )
    print(
        "\n\n".join(in_words(each) for each in guarantees)
        or "No theorem says how good its results are."
    )


def in_words(each: Guarantee) -> str:
    lines = (each.theorem.statement, each.bound.words, each.theorem.caution)
    wrapped = (textwrap.indent(textwrap.fill(line, WIDTH), "  ") for line in lines if line)
    return "\n".join([each.theorem.citation, *wrapped])


def as_data(each: Guarantee) -> dict[str, Any]:
    theorem, bound = each.theorem, each.bound
    return {
        "citation": theorem.citation,
        "statement": theorem.statement,
        "says something": bound.says_something,
        "words": bound.words,
        "times the optimum": bound.times,
        "added": bound.added,
        "caution": theorem.caution,
    }
