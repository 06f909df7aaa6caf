"""The figures of a finding as a table, its files, and the program that measures them again."""

from __future__ import annotations

import json
import math
from typing import Any

from dpcore.papers.inputs import REAL
from dpcore.papers.reproduction import ReproductionRun
from dpcore.study.sweep_plan import table_csv

#: The name of a column, and the part of a row that it holds.
FIGURES = {"measured": "figure", "its error": "error", "the paper's": "paper"}


def figure_table(outcome: ReproductionRun) -> list[dict[str, Any]]:
    """Rows of the table with their settings. A row has no entry for a figure that is missing."""
    return [
        {
            **row.setting,
            **{
                name: value
                for name, part in FIGURES.items()
                if (value := getattr(row, part)) is not None and not math.isnan(value)
            },
        }
        for row in outcome.rows
    ]


def columns_of(table: list[dict[str, Any]]) -> list[str]:
    """The columns of the table, in the order in which rows name them."""
    return list(dict.fromkeys(name for row in table for name in row))


def figures_csv(outcome: ReproductionRun) -> str:
    """The table as CSV."""
    table = figure_table(outcome)
    return table_csv(columns_of(table), table)


def figures_json(outcome: ReproductionRun) -> str:
    """The table as JSON."""
    return json.dumps(figure_table(outcome), indent=1)


def command(outcome: ReproductionRun, is_quick: bool) -> str:
    """The command that measures the finding again."""
    folder = " --data FOLDER" if _needs_folder(outcome) else ""
    return f"dpcore reproduce {outcome.reproduction.name}{' --quick' * is_quick}{folder}"


def program(outcome: ReproductionRun, is_quick: bool) -> str:
    """The program that measures the finding again and prints its table."""
    name = outcome.reproduction.name
    if not _needs_folder(outcome):
        imports, shelf = "from dpcore.papers import Effort, reproduce", ""
    else:
        imports = "from pathlib import Path\n\nfrom dpcore.papers import Effort, Shelf, reproduce"
        shelf = '\nshelf = Shelf(Path("FOLDER"))  # your folder of the data that do not ship'
    return f"""\
{imports}
from dpcore.papers.figure_table import figures_csv
{shelf}
*_, outcome = reproduce({name!r}, {"shelf=shelf, " * bool(shelf)}effort=Effort(quick={is_quick}))
print(figures_csv(outcome))
"""


def _needs_folder(outcome: ReproductionRun) -> bool:
    """Whether some of its figures are of data that do not ship."""
    return any(row.setting.get("source") == REAL for row in outcome.rows)
