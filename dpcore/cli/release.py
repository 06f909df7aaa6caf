"""`dpcore release`: spend once, keep it in the ledger, write the files that may leave."""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
from dataclasses import fields, replace
from pathlib import Path

from dpcore.cli.arguments import (
    add_budget,
    add_data,
    add_own_levels,
    check_own_levels,
    ends,
    names_builtin,
    opened_path,
    output_path,
    request,
)
from dpcore.cli.exit_codes import UNTOLD
from dpcore.cli.ledger_arguments import (
    add_use_of_budget,
    allowed_amount,
    check_agreed,
    entry_as_dict,
    ledger,
)
from dpcore.cli.progress_meter import Stages
from dpcore.cli.region_arguments import add_regions, regions
from dpcore.datasets.builtin import builtin_set, is_builtin
from dpcore.datasets.engines.by_name import engine
from dpcore.datasets.engines.position_columns import open_source
from dpcore.datasets.fetched import STDIN
from dpcore.datasets.files import coordinates
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box
from dpcore.geometry.positions import longitude_first
from dpcore.privacy.accounting import Neighbors
from dpcore.release.amounts import Amount
from dpcore.release.ledger import Ledger
from dpcore.release.leveled_source import LeveledFileData
from dpcore.release.note import ReleaseNote
from dpcore.release.output import refuse_target
from dpcore.release.plan import TWIN, ReleasePlan
from dpcore.release.plan_toml import plan_files
from dpcore.release.publication import Publication
from dpcore.release.publish import NO_ROWS, Progress, Release, publish
from dpcore.release.series import Series, releases_left
from dpcore.release.signature import make_key, signer
from dpcore.release.sources import BuiltinData, DataSource, FileData
from dpcore.release.twin import twin_plan
from dpcore.release.unit import Unit

#: What a publisher may say, for the help.
WORDS = {
    "publisher": "who publishes: a name, an office",
    "contact": "where to ask",
    "purpose": "what the release is made for",
    "description": "what the data are: what one row is, from when, about how many",
    "license": "what others may do with the files, such as CC BY 4.0",
    "accuracy": "how accurate the result is, from public sources such as `dpcore recommend`",
}


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Publish the result of one run. The command says what it is about to do, and publishes "
        "nothing before you agree."
    )
    command.add_argument(
        "algorithm",
        help="a key from `dpcore list`, or twin for a private twin of the data; or a TOML file "
        "that holds algorithm and options by their names",
    )
    command.add_argument("-k", type=int, help="number of centers")
    command.add_argument(
        "--epsilon", type=float, required=True, help="the privacy budget of this release"
    )
    command.add_argument("--name", help="name of the data set in the ledger and the certificate")
    add_use_of_budget(command)
    command.add_argument("--unit", help="what one row or one id stands for: trip, passenger")
    command.add_argument(
        "--ids", metavar="COLUMN", help="the column that tells which person a row belongs to"
    )
    command.add_argument(
        "--rows", type=int, default=1, help="rows kept of each id, at most (%(default)s)"
    )
    add_data(command)
    add_budget(command)
    add_regions(command)
    add_own_levels(command)
    group = command.add_argument_group(
        "series",
        "Publish again and again, such as each month. Where each row is in one period only and a "
        "row is what is protected, each period has a budget of its own; else all share one.",
    )
    group.add_argument("--series", metavar="NAME", help="the series that this release belongs to")
    group.add_argument("--period", help="the period of this release, such as 2015-01")
    group.add_argument(
        "--disjoint", action="store_true", help="state that no row is in the data of two periods"
    )
    command.add_argument(
        "--public-rows",
        type=int,
        metavar="N",
        help="about how many rows there are, a public number: a method that could not answer for "
        "so many is refused before any budget is used",
    )
    group = command.add_argument_group("words on the certificate")
    for each in fields(Publication):
        group.add_argument(f"--{each.name}", default="", help=WORDS[each.name])
    group = command.add_argument_group(
        "note", "Kept in the ledger and shown in the history. No published file contains it."
    )
    group.add_argument("--who", default="", help="who makes this release")
    group.add_argument("--why", default="", help="why, or for whom")
    command.add_argument(
        "--output", type=Path, help="new folder for the files (default: release-NUMBER)"
    )
    command.add_argument(
        "--sign",
        action="store_true",
        help="make a signing key if there is none; once there is, every release is signed",
    )
    command.add_argument(
        "--save-plan",
        type=output_path,
        metavar="FILE",
        help="write these options to a TOML file for `dpcore release FILE`, and publish nothing",
    )
    command.add_argument("--json", action="store_true", help="print the ledger's entry as JSON")
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> None:
    books = ledger(arguments)
    plan, note = plan_of(arguments, books), ReleaseNote(arguments.who, arguments.why)
    if arguments.save_plan:
        for name, text in plan_files(plan, arguments.save_plan.name).items():
            arguments.save_plan.with_name(name).write_text(text, encoding="utf-8")
        print(f"dpcore: no budget was used; {arguments.save_plan} has the plan.", file=sys.stderr)
        return
    # Another process may get the next number: the files then wait in the ledger.
    refuse_target(arguments.output or default_folder(len(books.entries()) + 1))
    print(*plan.statement(), sep="\n", file=sys.stderr)
    check_agreed(arguments)
    if arguments.sign and signer(books.folder) is None:
        make_key(books.folder)
    try:
        try:
            release = released(plan, books, note)
        except NoRows:
            print(
                f"dpcore: for your eyes only: no row lies in the box, {plan.data.box.words()}. "
                "This would publish noise. Check the columns, their units and the box.",
                file=sys.stderr,
            )
            check_agreed(arguments)
            release = released(plan, books, note, though_empty=True)
    except sqlite3.Error as problem:
        raise BadInput(
            f"The ledger could not be written: {problem}. dpcore history says whether the release "
            "was kept and charged; if it is not there, no budget was used."
        ) from problem
    folder = arguments.output or default_folder(release.entry.number)
    save(release, folder)
    try:
        tell(release, folder, books, arguments.json)
    except OSError as problem:
        number = release.entry.number
        raise Untold(
            f"Release {number} was made and costs {release.entry.charged}; its files are in "
            f"{folder}. What there is to say of it could not be printed: "
            f"{problem.strerror or problem}. dpcore history {number} says it again."
        ) from problem


class NoRows(Exception):
    """No row counts, and nothing is spent yet."""


def released(
    plan: ReleasePlan, books: Ledger, note: ReleaseNote, though_empty: bool = False
) -> Release:
    """The release, with a line of progress; NoRows if it would be of nothing."""
    with Stages() as stages:

        def tell(progress: Progress) -> None:
            if progress.doing == NO_ROWS and not though_empty:
                raise NoRows
            stages(progress.doing, progress.part)

        return publish(plan, books, tell, note=note)


class Untold(BadInput):
    """A release that was made and charged, but whose files or message could not be written."""

    exit_code = UNTOLD


def tell(release: Release, folder: Path, books: Ledger, as_json: bool) -> None:
    """Print the result of the release and its price."""
    if as_json:
        print(json.dumps({**entry_as_dict(release.entry), "folder": str(folder)}, indent=1))
    else:
        account = books.account(release.entry.account)
        assert account is not None
        print(f"Release {release.entry.number}: {len(release.files)} files in {folder}.")
        print(f"It cost {release.entry.charged}; {account.left} is left for {account.name!r}.")
        if "series" in release.certificate:
            more = releases_left(account.left, release.entry.charged)
            print(f"That is enough for {more} more releases like this one.")
    sys.stdout.flush()


def default_folder(number: int) -> Path:
    return Path(f"release-{number}")


def plan_of(arguments: argparse.Namespace, books: Ledger) -> ReleasePlan:
    """The plan that the arguments describe."""
    data = source(arguments)
    unit = Unit(arguments.unit or unit_of(arguments), arguments.ids, arguments.rows)
    series = period(arguments)
    name = arguments.name or arguments.data
    if series is not None:
        name = series.account(unit, Neighbors(arguments.neighbors))
    elif not (arguments.name or is_builtin(arguments.data)):
        raise BadInput(
            "Name the data set with --name: its name stands on the certificate, where a path might "
            "tell who is in it."
        )
    allowed = total(arguments, books, name)
    if arguments.algorithm == TWIN:
        if arguments.k is not None or arguments.delta or arguments.set or arguments.regions:
            raise BadInput(
                "A twin has settings of its own: leave out -k, --delta, --set and --regions."
            )
        neighbors = arguments.neighbors
        return twin_plan(
            name, data, arguments.epsilon, neighbors=neighbors, unit=unit, allowed=allowed
        )
    if arguments.k is None:
        raise BadInput("Say how many centers to publish: -k.")
    own_request = request(arguments, arguments.algorithm, arguments.epsilon)
    plan = ReleasePlan(
        name,
        data,
        replace(own_request, regions=regions(arguments, data.box)),
        unit=unit,
        allowed=allowed,
        publication=Publication(
            **{each.name: getattr(arguments, each.name) for each in fields(Publication)}
        ),
        series=series,
    )
    if arguments.public_rows is not None:
        plan.refuse_too_few(arguments.public_rows)
    return plan


def period(arguments: argparse.Namespace) -> Series | None:
    """The period of a series that the arguments name."""
    if arguments.series is None:
        if arguments.period or arguments.disjoint:
            raise BadInput("--period and --disjoint belong to a series: name it with --series.")
        return None
    if arguments.period is None:
        raise BadInput("Say which period of the series this is: --period.")
    if arguments.name:
        raise BadInput("A series names its account itself: leave out --name.")
    if arguments.algorithm == TWIN:
        raise BadInput("A twin belongs to no series. Name its account with --name.")
    return Series(arguments.series, arguments.period, arguments.disjoint)


def source(arguments: argparse.Namespace) -> DataSource:
    """The data that the arguments name; of files the columns are looked at, but no row."""
    check_own_levels(arguments)
    if names_builtin(arguments):
        return BuiltinData(arguments.data)
    if arguments.data in (STDIN, "/dev/stdin") and not arguments.yes:
        raise BadInput("Data from standard input leave no way to agree: add --yes.")
    return file_source(arguments)


def file_source(arguments: argparse.Namespace) -> FileData:
    """The files that the arguments name, with the public box of their rows."""
    path, engine_or_name = opened_path(arguments)
    reader = engine(engine_or_name) if isinstance(engine_or_name, str) else engine_or_name
    opened = open_source(reader, path, arguments.columns, arguments.zones, arguments.read_as)
    names = coordinates(opened)
    if len(arguments.box or []) != 2 * len(names):
        raise BadInput(
            f"Give the public box of {', '.join(names)}, known without looking at the data: "
            f"--box with {len(names)} low ends, then as many high ends."
        )
    low, high = ends(arguments.box)
    box = Box.between(low, high, len(names), names)
    columns = opened.columns
    if opened.zones is None:
        order = longitude_first(box)
        columns, box = tuple(columns[axis] for axis in order), box.take(order)
    read = (
        path,
        columns,
        box,
        arguments.zones,
        arguments.outside,
        engine_or_name,
        arguments.read_as,
    )
    if arguments.own_level is not None:
        return LeveledFileData(*read, own=arguments.own_level, thresholds=arguments.thresholds)
    return FileData(*read)


def unit_of(arguments: argparse.Namespace) -> str:
    if arguments.ids:
        return "id"
    return builtin_set(arguments.data).about.unit if is_builtin(arguments.data) else "row"


def total(arguments: argparse.Namespace, books: Ledger, name: str) -> Amount:
    """The budget of the data: given now, or fixed when the account began."""
    if named := allowed_amount(arguments):
        return named
    if account := books.account(name):
        return account.allowed
    raise BadInput(
        f"This would be the first release of {name!r}: give its lifetime budget with --allowed."
    )


def save(release: Release, folder: Path) -> None:
    """Write the files into a new folder. Whatever becomes of that, the ledger has them."""
    try:
        release.save(folder)
    except OSError as problem:
        number = release.entry.number
        raise Untold(
            f"Release {number} was made and costs {release.entry.charged}, but its files could not "
            f"be written to {folder}: {problem.strerror or problem}. "
            f"dpcore history {number} --output FOLDER writes them, for free."
        ) from problem
