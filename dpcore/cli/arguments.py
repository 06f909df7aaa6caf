"""Arguments that commands share: the data, the budget, the relation, an algorithm's settings."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from dpcore._suggestion import nearest
from dpcore.algorithms import Algorithm, get
from dpcore.datasets import load
from dpcore.datasets.base import Dataset
from dpcore.datasets.builtin import BUILTIN, is_builtin
from dpcore.datasets.engines.base import Engine
from dpcore.datasets.engines.by_name import ENGINES
from dpcore.datasets.engines.source import Format
from dpcore.datasets.fetched import STDIN, fetched, is_address, piped
from dpcore.datasets.files import FileReading
from dpcore.errors import BadInput
from dpcore.privacy.accounting import Neighbors
from dpcore.runs.request import Request

T = TypeVar("T")

#: A box this many times wider than its numbers would be as pairs was probably typed as pairs.
FAR_WIDER = 20


def seed(text: str) -> int:
    """Parse a seed."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a seed is a whole number of at least 0, not {text!r}")
    return int(text)


def output_path(text: str) -> Path:
    """Parse the path of an output file; its folder must exist, which we check before the work."""
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        problem = f"{path} is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise argparse.ArgumentTypeError(problem)
    return path


def read_saved(file: Path, read: Callable[[str], T]) -> T | None:
    """The contents of a file that --save wrote earlier, or None if there is none."""
    if not file.exists():
        return None
    try:
        return read(file.read_text(encoding="utf-8"))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise BadInput(f"{file} is not a file that --save wrote. Name another file.") from error


def add_data(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("data")
    group.add_argument(
        "--data",
        required=True,
        help="a data set from `dpcore list`, a file, a glob, or - for standard input",
    )
    group.add_argument(
        "--columns", nargs="+", metavar="NAME", help="the columns of the coordinates"
    )
    group.add_argument(
        "--box",
        nargs="+",
        type=float,
        metavar="X",
        help="the public box: all low ends, then all high ends; chosen without looking at the data",
    )
    group.add_argument(
        "--outside",
        choices=["drop", "clip"],
        default="drop",
        help="drop rows outside the box, or move them to its edge (%(default)s)",
    )
    add_reading(group)
    group.add_argument(
        "--zones",
        metavar="FILE",
        help="CSV file with the position of each taxi zone, for files with PULocationID",
    )


def add_reading(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--engine",
        choices=list(ENGINES),
        default="duckdb",
        help="what reads the files (%(default)s)",
    )
    parser.add_argument(
        "--read-as",
        choices=[str(format) for format in Format],
        help="the format of the data (default: by the ending of the name); csv-comma is CSV with "
        "decimal commas",
    )


def add_neighbors(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--neighbors",
        choices=[str(n) for n in Neighbors],
        default=str(Neighbors.ADD_REMOVE),
        help="what one row may change: it is added or removed, or replaced (%(default)s)",
    )


def add_budget(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("privacy")
    add_delta(group)
    add_neighbors(group)
    add_settings(group)


def add_delta(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--delta", type=float, default=0.0, help="for algorithms that can use it (%(default)s)"
    )


def add_settings(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the algorithm; may be repeated",
    )


def add_own_levels(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group(
        "levels of rows",
        "Each row has an epsilon of its own. It costs the largest of the thresholds that is no "
        "more than that, and rows below the first are left out.",
    )
    group.add_argument(
        "--own-level", metavar="COLUMN", help="the column with the epsilon of each row"
    )
    group.add_argument(
        "--thresholds",
        type=float,
        nargs="+",
        metavar="EPSILON",
        help="public thresholds, in rising order, the last of them at most --epsilon",
    )


def check_own_levels(arguments: argparse.Namespace) -> None:
    """Refuse a column of levels without thresholds, the reverse, and either for a built-in set."""
    if (arguments.own_level is None) != (arguments.thresholds is None):
        raise BadInput("--own-level and --thresholds go together: name both.")
    if arguments.own_level is not None and is_builtin(arguments.data):
        raise BadInput(f"{arguments.data} has no levels of rows. Leave out --own-level.")


def dataset(arguments: argparse.Namespace) -> Dataset:
    """The data set that the arguments name."""
    if names_builtin(arguments):
        return load(arguments.data)
    path, engine = opened_path(arguments)
    reading = FileReading(
        path,
        arguments.columns,
        ends(arguments.box) if arguments.box else None,
        arguments.zones,
        arguments.outside,
        engine,
        arguments.read_as,
    )
    data = reading.dataset()
    if data.n == 0 and (words := reading.why_empty()):
        remedy = words.value.replace("give format='csv-comma'", "add --read-as csv-comma")
        print(f"dpcore: for your eyes only: {remedy}", file=sys.stderr)
    return data


def names_builtin(arguments: argparse.Namespace) -> bool:
    """Whether the data are a built-in set; refuses one with a box, and nearly the name of one."""
    if not is_builtin(arguments.data):
        check_name(arguments)
        return False
    if arguments.box or arguments.columns:
        raise BadInput(
            f"{arguments.data} has its own box and columns. Leave out --box and --columns."
        )
    return True


def ends(box: list[float]) -> tuple[list[float], list[float]]:
    """The low ends and the high ends of a box that was typed as one list.

    A box typed as pairs, each low end beside its high end, is refused where it would be enormous:
    the noise would be right, the picture useless, and the budget gone.
    """
    half, odd = divmod(len(box), 2)
    if odd:
        raise BadInput("--box needs all low ends, then as many high ends.")
    widths = [high - low for low, high in zip(box[:half], box[half:], strict=True)]
    as_pairs = [high - low for low, high in zip(box[::2], box[1::2], strict=True)]
    if half > 1 and all(
        0 < pair < width / FAR_WIDER for pair, width in zip(as_pairs, widths, strict=True)
    ):
        typed = " ".join(f"{x:.15g}" for x in (*box[::2], *box[1::2]))
        raise BadInput(
            "--box takes all low ends first, then all high ends, and these look like pairs. "
            f"Write --box {typed}. If the box is as large as you wrote it, name the columns in "
            "another order."
        )
    return box[:half], box[half:]


def opened_path(arguments: argparse.Namespace) -> tuple[str, str | Engine]:
    """The path of the data and the engine that reads it; what is piped in or fetched is held."""
    engine: str | Engine = arguments.engine
    path = arguments.data
    if path in (STDIN, "/dev/stdin"):
        engine, path = piped()
    elif engine == "duckdb" and is_address(path):
        engine, path = fetched(path)
    return path, engine


def check_name(arguments: argparse.Namespace) -> None:
    """Refuse a name that is no file but nearly that of a built-in set."""
    name = arguments.data
    if (
        arguments.engine == "duckdb"
        and (match := nearest(name, BUILTIN))
        and not Path(name).exists()
    ):
        raise BadInput(f"No data set or file is called {name!r}. Did you mean {match!r}?")


def request(arguments: argparse.Namespace, algorithm: str, epsilon: float) -> Request:
    """The run that the arguments describe, without regions. That of a release has no seed."""
    return Request(
        algorithm,
        arguments.k,
        epsilon,
        arguments.delta,
        arguments.neighbors,
        vars(arguments).get("seed"),
        settings(get(algorithm), arguments.set),
    )


def settings(algorithm: Algorithm, pairs: list[str]) -> dict[str, Any]:
    """NAME=VALUE pairs in the types that the algorithm declares; a request checks them."""
    kinds = {p.name: type(p.default) for p in algorithm.parameters}
    values: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise BadInput(f"--set takes NAME=VALUE, not {pair!r}.")
        kind = kinds.get(name, str)
        if kind is bool:
            values[name] = {"true": True, "false": False}.get(value.lower(), value)
        elif kind is str:
            values[name] = value
        else:
            try:
                values[name] = kind(value)
            except ValueError:
                values[name] = value
    return values
