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

from dpcore._suggestion import did_you_mean
from dpcore.algorithms import PAPERS
from dpcore.algorithms.references import paper_key
from dpcore.cli.arguments import output_path, read_saved, seed
from dpcore.errors import BadInput
from dpcore.papers.check import Conclusion
from dpcore.papers.figure_row import Row, setting_words
from dpcore.papers.inputs import Effort, Shelf
from dpcore.papers.kept_results import from_json, to_json
from dpcore.papers.reproduction import (
    REPRODUCTIONS,
    Reproduction,
    ReproductionRun,
    current_name,
    in_order,
    reproduce,
)

WIDTH = 88


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Measure a finding of a paper again, and say whether it holds. Without a name, list the "
        "findings."
    )
    command.add_argument(
        "name",
        nargs="?",
        help="a finding (su2016-fig1), or a paper for all of its findings (su2016)",
    )
    command.add_argument("--quick", action="store_true", help="use few runs and settings")
    command.add_argument(
        "--data", type=Path, metavar="FOLDER", help="folder of the data sets that do not ship"
    )
    command.add_argument("--seed", type=seed, default=0, help="seed of the runs (%(default)s)")
    command.add_argument(
        "--save",
        type=output_path,
        metavar="FILE",
        help="save the outcomes in this file, replacing older ones (without a name: all findings)",
    )
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> None:
    if arguments.data is not None and not arguments.data.is_dir():
        raise BadInput(f"--data must be a folder, and {arguments.data} is not one.")
    if arguments.save and arguments.quick:
        raise BadInput("--save needs full measurements. Leave out --quick.")
    if arguments.name is None and not arguments.save:
        listed = in_order(REPRODUCTIONS)
        if arguments.json:
            print(json.dumps([described(each) for each in listed], indent=1))
        else:
            catalog(listed)
        return
    if arguments.save:
        read_saved(arguments.save, from_json)  # report a bad file before the long work
    shelf, effort = Shelf(arguments.data), Effort(arguments.quick, arguments.seed)
    outcomes = []
    for name in names_of(arguments.name):
        outcomes.append(measure(name, shelf, effort))
        if arguments.save:
            save(outcomes[-1], arguments.save)
        if not arguments.json:
            tell(outcomes[-1])
    if arguments.json:
        print(json.dumps([as_dict(outcome) for outcome in outcomes], indent=1))


def save(outcome: ReproductionRun, file: Path) -> None:
    """Put an outcome into the file, in the place of the last one, unless it could not be run."""
    saved = read_saved(file, from_json) or {}
    if outcome.check.finding is not Conclusion.CANNOT_RUN:
        saved[outcome.reproduction.name] = outcome
    text = to_json(saved[each.name] for each in in_order(saved))
    file.write_text(text, encoding="utf-8")


def names_of(name: str | None) -> list[str]:
    """The finding of that name, or all findings of that paper; all findings without a name."""
    if name is None:
        return [each.name for each in in_order(REPRODUCTIONS)]
    current = current_name(name)
    if current is not None:
        return [current]
    of_paper = [each.name for each in in_order(REPRODUCTIONS) if each.paper == paper_key(name)]
    if not of_paper:
        raise BadInput(
            f"No finding or paper {name!r}.{did_you_mean(name, REPRODUCTIONS)} "
            f"There are: {', '.join(REPRODUCTIONS)}."
        )
    return of_paper


def measure(name: str, shelf: Shelf, effort: Effort) -> ReproductionRun:
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
        print(f"{PAPERS[paper]}\n")
        for each in listed:
            if each.paper == paper:
                print(f"  {each.name:<22} {each.figure}: {each.title}")
                print(textwrap.indent(textwrap.fill(each.claim, WIDTH - 25), " " * 25))
        print()


def described(each: Reproduction) -> dict[str, Any]:
    """A finding as data."""
    return {
        "name": each.name,
        "paper": each.paper,
        "source": each.source,
        "figure": each.figure,
        "title": each.title,
        "claim": each.claim,
        "setting": each.setting,
        "algorithms": list(each.algorithms),
        "data": list(each.data),
        "differs": each.differs,
    }


def as_dict(outcome: ReproductionRun) -> dict[str, Any]:
    """A finding that was run, as data."""
    return described(outcome.reproduction) | {
        "finding": str(outcome.check.finding),
        "words": outcome.check.words,
        "sides": [
            {"finding": str(side.finding), "words": side.words} for side in outcome.check.sides
        ],
        "notes": list(outcome.check.notes),
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


def tell(outcome: ReproductionRun) -> None:
    """The claim, the figures beside the paper's, and the verdict."""
    each = outcome.reproduction
    print(f"{each.name}: {each.source}. {each.title}")
    about = {"Claim": each.claim, "In the paper": each.setting, "What differs here": each.differs}
    for head, text in about.items():
        if text:
            print(textwrap.fill(f"{head}: {text}", WIDTH, subsequent_indent="  "))
    figures = [row for row in outcome.rows if "absent" not in row.setting]
    missing = [row for row in each.compared(outcome.rows) if math.isnan(row.figure)]
    if figures:
        print()
        print("\n".join(table(figures)))
    for row in missing:
        setting = setting_words(row.setting)
        print(f"The paper prints {row.paper:.4g} for {setting}, which was not measured.")
    print(f"\n{str(outcome.check.finding).upper()}")
    for line in outcome.check.lines:
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
    beside = (("±", 3, [row.error for row in rows]), ("paper", 4, [row.paper for row in rows]))
    for head, digits, values in beside:
        if any(value is not None for value in values):
            heads.append(head)
            for line, value in zip(cells, values, strict=True):
                line.append("" if value is None else f"{value:.{digits}g}")
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
