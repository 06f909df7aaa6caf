"""`dpcore reproduce`: the papers' findings, measured again."""

from __future__ import annotations

import argparse
import json
import math
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

from dpcore.algorithms import PAPERS
from dpcore.cli.arguments import kept, seed, to_be_written
from dpcore.errors import BadInput
from dpcore.papers import (
    REPRODUCTIONS,
    Effort,
    Finding,
    Outcome,
    Reproduction,
    Row,
    Shelf,
    in_order,
    reproduce,
)
from dpcore.papers.kept_results import from_json, to_json

WIDTH = 88


def add(commands: Any) -> None:
    command = commands.add_parser(
        "reproduce",
        help="measure the papers' findings again",
        description="Measures a finding of a paper again and says whether it came out. Without a "
        "name, lists the findings.",
    )
    command.add_argument("name", nargs="?", help="a finding; all of a paper by its number (000)")
    command.add_argument("--quick", action="store_true", help="few runs and settings: the shape")
    command.add_argument(
        "--data", type=Path, metavar="FOLDER", help="where the sets are that do not ship"
    )
    command.add_argument("--seed", type=seed, default=0)
    command.add_argument(
        "--save",
        type=to_be_written,
        metavar="FILE",
        help="keep what came of each finding in this file, in place of what it says of them; "
        "without a name, of all",
    )
    command.add_argument("--json", action="store_true", help="for programs")
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> None:
    if arguments.data is not None and not arguments.data.is_dir():
        raise BadInput(f"--data must name a folder, and {arguments.data} is none.")
    if arguments.save and arguments.quick:
        raise BadInput("--save keeps full measurements: leave out --quick.")
    if arguments.name is None and not arguments.save:
        listed = in_order(REPRODUCTIONS)
        if arguments.json:
            print(json.dumps([described(each) for each in listed], indent=1))
        else:
            catalog(listed)
        return
    if arguments.save:
        kept(arguments.save, from_json)  # what is wrong with it is better known before
    shelf, effort = Shelf(arguments.data), Effort(arguments.quick, arguments.seed)
    outcomes = []
    for name in chosen(arguments.name):
        outcomes.append(measured(name, shelf, effort))
        if arguments.save:
            save(outcomes[-1], arguments.save)
        if not arguments.json:
            tell(outcomes[-1])
    if arguments.json:
        print(json.dumps([as_dict(outcome) for outcome in outcomes], indent=1))


def save(outcome: Outcome, file: Path) -> None:
    """Put an outcome into the file; one that was skipped does not displace one that was not."""
    saved = kept(file, from_json) or {}
    name = outcome.reproduction.name
    if outcome.check.finding is not Finding.SKIPPED or name not in saved:
        saved[name] = outcome
    file.write_text(to_json(saved[each.name] for each in in_order(saved)))


def chosen(name: str | None) -> list[str]:
    """The finding of that name, or all findings of the paper of that number; all without one."""
    if name is None:
        return [each.name for each in in_order(REPRODUCTIONS)]
    if name in REPRODUCTIONS:
        return [name]
    of_paper = [each.name for each in in_order(REPRODUCTIONS) if each.paper == name]
    if not of_paper:
        raise BadInput(f"No finding or paper {name!r}. There are: {', '.join(REPRODUCTIONS)}.")
    return of_paper


def measured(name: str, shelf: Shelf, effort: Effort) -> Outcome:
    """One finding, run to its end; where a person watches, rows are counted as they come."""
    start, watched = time.monotonic(), sys.stderr.isatty()
    for outcome in reproduce(name, shelf, effort):
        if watched:
            seconds = time.monotonic() - start
            sys.stderr.write(f"\r{name}: {len(outcome.rows)} figures, {seconds:.0f} s ")
            sys.stderr.flush()
    if watched:
        sys.stderr.write("\n")
    return outcome


def catalog(listed: list[Reproduction]) -> None:
    for paper in dict.fromkeys(each.paper for each in listed):
        print(f"Paper {paper}. {PAPERS[paper]}\n")
        for each in listed:
            if each.paper == paper:
                print(f"  {each.name:<22} {each.figure}: {each.title}")
                print(textwrap.indent(textwrap.fill(each.claim, WIDTH - 25), " " * 25))
        print()


def described(each: Reproduction) -> dict[str, Any]:
    """What a finding says of itself, as data."""
    return {
        "name": each.name,
        "paper": each.paper,
        "figure": each.figure,
        "title": each.title,
        "claim": each.claim,
        "algorithms": list(each.algorithms),
        "data": list(each.data),
        "differs": each.differs,
    }


def as_dict(outcome: Outcome) -> dict[str, Any]:
    """A finding that was run, as data."""
    return described(outcome.reproduction) | {
        "finding": str(outcome.check.finding),
        "words": outcome.check.words,
        "rows": [
            {
                **row.setting,
                "figure": None if math.isnan(row.figure) else row.figure,
                "error": row.error,
                "paper": row.paper,
            }
            for row in outcome.rows
        ],
    }


def tell(outcome: Outcome) -> None:
    """The claim, the figures beside the paper's, and the verdict."""
    each = outcome.reproduction
    print(f"{each.name}: paper {each.paper}, {each.figure}. {each.title}")
    print(textwrap.fill(f"Claim: {each.claim}", WIDTH, subsequent_indent="  "))
    if each.differs:
        print(textwrap.fill(f"Differs: {each.differs}", WIDTH, subsequent_indent="  "))
    figures = [row for row in outcome.rows if "absent" not in row.setting]
    if figures:
        print()
        print("\n".join(table(figures)))
    print(f"\n{str(outcome.check.finding).upper()}")
    for line in outcome.check.words.splitlines():
        print(textwrap.fill(line, WIDTH, initial_indent="  ", subsequent_indent="    "))
    print(flush=True)


def table(rows: list[Row]) -> list[str]:
    """Lines of a table: what varies in the setting, what was measured with its standard error,
    and the paper's figure."""
    names = list(dict.fromkeys(name for row in rows for name in row.setting))
    heads = [*(name.replace("_", " ") for name in names), "measured"]
    cells = [
        [*(_plain(row.setting.get(name, "")) for name in names), f"{row.figure:.4g}"]
        for row in rows
    ]
    beside = {"±": [row.error for row in rows], "paper": [row.paper for row in rows]}
    for head, values in beside.items():
        if any(value is not None for value in values):
            heads.append(head)
            for line, value in zip(cells, values, strict=True):
                line.append("" if value is None else f"{value:.3g}")
    wide = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    left = [any(isinstance(row.setting.get(name), str) for row in rows) for name in names]
    left += [False] * (len(heads) - len(names))
    return [
        "  ".join(
            cell.ljust(w) if side else cell.rjust(w)
            for cell, w, side in zip(line, wide, left, strict=True)
        ).rstrip()
        for line in [heads, *cells]
    ]


def _plain(value: str | int | float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
