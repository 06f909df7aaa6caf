"""`dpcore rows-of-each`: ask privately how many rows each person has."""

from __future__ import annotations

import argparse
import sys

from dpcore.cli.arguments import add_reading
from dpcore.cli.ledger_arguments import add_use_of_budget, allowed_amount, check_agreed, ledger
from dpcore.geometry.domain import Box
from dpcore.privacy import explain
from dpcore.release.amounts import Amount
from dpcore.release.contribution_bound import ask_rows_of_each, rows_of_each
from dpcore.release.sources import FileData
from dpcore.release.unit import Unit


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Ask for the number of rows that about 95 in 100 ids do not exceed, which "
        "`dpcore release --ids COLUMN --rows M` needs. The answer is private and uses part of the "
        "budget of the data. Rows count wherever they lie."
    )
    command.add_argument("name", help="the name of the data set, as for its releases")
    command.add_argument("--data", required=True, help="a file, a folder or a glob")
    command.add_argument(
        "--ids", required=True, metavar="COLUMN", help="the column that tells people apart"
    )
    command.add_argument("--unit", default="person", help="what one id stands for (%(default)s)")
    command.add_argument("--epsilon", type=float, required=True, help="what the question costs")
    add_reading(command)
    add_use_of_budget(command)
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> None:
    books, unit = ledger(arguments), Unit(arguments.unit, arguments.ids)
    price = Amount.of(arguments.epsilon)
    print(
        f"This uses {price} of the budget of {arguments.name!r}. "
        + explain.attack(arguments.epsilon, unit.name),
        file=sys.stderr,
    )
    total = allowed_amount(arguments)
    check_agreed(arguments)
    data = FileData(
        arguments.data,
        (arguments.ids,),
        Box((0.0,), (1.0,), (arguments.ids,)),
        engine=arguments.engine,
        format=arguments.read_as,
    )
    entry = ask_rows_of_each(books, arguments.name, data, unit, arguments.epsilon, total)
    account = books.account(arguments.name)
    assert account is not None
    print(rows_of_each(entry))
    print(f"{entry.charged} is used; {account.left} is left.", file=sys.stderr)
