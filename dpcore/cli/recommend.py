"""`dpcore recommend`: the strictest level that is accurate enough."""

from __future__ import annotations

import argparse
import json

from dpcore.cli.arguments import add_delta, add_neighbors, ends
from dpcore.datasets import load
from dpcore.datasets.base import Dataset
from dpcore.datasets.builtin import is_builtin
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box
from dpcore.geometry.positions import looks_geographic
from dpcore.study.needs import EXAMPLES
from dpcore.study.recommendation import recommend

#: No level meets the need.
NONE = 1


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Find the strictest of the seven named levels that meets a need, and say where that is "
        "known from: public data, or public data of the same size as yours, or the error analysis. "
        "Private rows are never looked at. Exit code 1 says that no level meets the need."
    )
    examples = "; ".join(f"'{each}'" for each in EXAMPLES).replace("%", "%%")  # for argparse
    command.add_argument("need", help=f"such as {examples}")
    command.add_argument("-k", type=int, default=5, help="how many centers (%(default)s)")
    command.add_argument(
        "--algorithm", help="the method (default: adaptive on two coordinates, else auto)"
    )
    command.add_argument("--data", help="a built-in set, to measure on it")
    command.add_argument(
        "-n", type=int, help="how many rows yours are: a public number, such as a census's"
    )
    command.add_argument(
        "--box",
        nargs="+",
        type=float,
        metavar="X",
        help="the public box of your data: all low ends, then all high ends; with two ends in "
        "degrees, longitude first, it is a map",
    )
    command.add_argument(
        "--rows",
        type=int,
        default=1,
        metavar="M",
        help="rows of each id that count, at most, where the level protects an id (%(default)s)",
    )
    add_delta(command)
    add_neighbors(command)
    command.add_argument("--every-level", action="store_true", help="look at all seven levels")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> int:
    data, box = public_data_or_box(arguments)
    advice = recommend(
        arguments.need,
        data,
        arguments.k,
        arguments.algorithm,
        n=arguments.n,
        box=box,
        delta=arguments.delta,
        neighbors=arguments.neighbors,
        every_level=arguments.every_level,
        rows_of_each=arguments.rows,
    )
    print(json.dumps(advice.as_dict(), indent=1) if arguments.json else advice)
    return NONE if advice.level is None else 0


def public_data_or_box(arguments: argparse.Namespace) -> tuple[Dataset | None, Box | None]:
    """The public data to measure on, or the box of private ones."""
    if arguments.data is None:
        if not arguments.box or arguments.n is None:
            raise BadInput("Name a built-in set with --data, or type -n and --box of your data.")
        low, high = ends(arguments.box)
        box = Box.between(low, high, len(low))
        degrees = Box(box.low, box.high, ("longitude", "latitude")) if box.d == 2 else box
        return None, degrees if looks_geographic(degrees) else box
    if arguments.box or arguments.n is not None:
        raise BadInput("A built-in set has its own box and rows. Leave out --box and -n.")
    if not is_builtin(arguments.data):
        raise BadInput(
            f"{arguments.data} is not built in, and its rows may not choose a level. Type -n (a "
            "public number) and --box in its place."
        )
    data = load(arguments.data)
    assert isinstance(data, Dataset)
    return data, None
