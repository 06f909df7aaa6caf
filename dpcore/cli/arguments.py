"""Arguments that commands share: the data, the budget, the relation, an algorithm's settings."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from dpcore.algorithms import Algorithm, get
from dpcore.datasets import BUILTIN, Dataset, load, why_empty
from dpcore.datasets.engines import ENGINES
from dpcore.datasets.files import from_file
from dpcore.privacy.accounting import Neighbors
from dpcore.runs.request import Request

T = TypeVar("T")


def seed(text: str) -> int:
    """What repeats public coins and simulated noise."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"a seed is a whole number of at least 0, not {text}")
    return number


def to_be_written(text: str) -> Path:
    """A file in a folder that is there: found out before the work is done, not after."""
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        problem = f"{path} is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise argparse.ArgumentTypeError(problem)
    return path


def kept(file: Path, read: Callable[[str], T]) -> T | None:
    """What was kept in a file before, if it is there."""
    if not file.exists():
        return None
    try:
        return read(file.read_text())
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{file} does not hold what --save keeps; name another file.") from error


def add_data(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("data")
    group.add_argument(
        "--data", required=True, help="a built-in set (see `dpcore list`), or a file or glob"
    )
    group.add_argument("--columns", nargs="+", metavar="NAME", help="the file's coordinates")
    group.add_argument(
        "--box",
        nargs="+",
        type=float,
        metavar="X",
        help="the public box: all low ends, then all high ends; never taken from the data",
    )
    group.add_argument(
        "--outside", choices=["drop", "clip"], default="drop", help="what becomes of rows outside"
    )
    group.add_argument("--engine", choices=list(ENGINES), default="duckdb", help="who reads it")
    group.add_argument("--zones", help="CSV of zone positions, for files with PULocationID")


def add_budget(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("privacy")
    group.add_argument("--delta", type=float, default=0.0, help="for algorithms that use it")
    group.add_argument(
        "--neighbors", choices=[str(n) for n in Neighbors], default=str(Neighbors.ADD_REMOVE)
    )
    group.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the algorithm; may be given again",
    )


def dataset(arguments: argparse.Namespace) -> Dataset:
    """The data set that the arguments name."""
    if arguments.data in BUILTIN or arguments.data.startswith("gaussians-k"):
        if arguments.box or arguments.columns:
            raise ValueError(f"{arguments.data} has its own box and columns.")
        return load(arguments.data)
    box = None
    if arguments.box:
        half, odd = divmod(len(arguments.box), 2)
        if odd:
            raise ValueError("--box needs all low ends, then as many high ends.")
        box = (arguments.box[:half], arguments.box[half:])
    options = {
        "columns": arguments.columns,
        "box": box,
        "zones": arguments.zones,
        "outside": arguments.outside,
        "engine": arguments.engine,
    }
    data = from_file(arguments.data, **options)
    if data.n == 0 and (words := why_empty(arguments.data, **options)):
        print(f"dpcore: for your eyes only: {words.value}", file=sys.stderr)
    return data


def request(arguments: argparse.Namespace) -> Request:
    """The run that the arguments describe, but for regions."""
    return Request(
        arguments.algorithm,
        arguments.k,
        arguments.epsilon,
        arguments.delta,
        arguments.neighbors,
        arguments.seed,
        settings(get(arguments.algorithm), arguments.set),
    )


def settings(algorithm: Algorithm, pairs: list[str]) -> dict[str, Any]:
    """NAME=VALUE pairs in the types that the algorithm declares; a request checks them."""
    kinds = {p.name: type(p.default) for p in algorithm.parameters}
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"--set takes NAME=VALUE, not {pair!r}.")
        kind = kinds.get(name, str)
        if kind is bool:
            found[name] = {"true": True, "false": False}.get(value.lower(), value)
        elif kind is str:
            found[name] = value
        else:
            try:
                found[name] = kind(value)
            except ValueError:
                found[name] = value
    return found
