"""Results of a method that is not here, as a table that somebody brings: centers, or figures.

Centers are measured on the data like those of any run. Figures are taken as they are.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.errors import BadInput
from dpcore.results.run_result import BaselineResult
from dpcore.study.metrics import METRICS, Solution

#: Rows of a table at most, and the name of a method without one.
MOST_ROWS, NAME = 100_000, "Your method"
EPSILON, METHOD = "epsilon", "algorithm"


@dataclass(frozen=True)
class BroughtResult:
    """The figures of one run of a method that is not here."""

    #: The name that the table gives it.
    algorithm: str
    epsilon: float
    #: By the key of the metric.
    figures: Mapping[str, float]


def results_of(
    text: str, data: Dataset, reference: BaselineResult, epsilon: float
) -> list[BroughtResult]:
    """The results in a table.

    A table of figures has a column ``epsilon`` and a column for one metric or more, as ``dpcore
    sweep --csv`` writes them, and may have a column ``algorithm``. Any other table holds centers:
    a row for each, with the coordinates of the data as columns. They are taken for those of one run
    at the given epsilon.

    Parameters
    ----------
    text : str
        The table, as comma-separated values under a head.
    data : Dataset
        The data that centers are measured on.
    reference : BaselineResult
        The centers without privacy to compare with.
    epsilon : float
        The level of centers, which say none.

    Returns
    -------
    list of BroughtResult

    Raises
    ------
    ValueError
        If the table is empty, too long, or has neither kind of columns or something that is no
        number in them.

    Examples
    --------
    >>> import dpcore
    >>> from dpcore.study.brought_results import results_of
    >>> data = dpcore.datasets.load("iris")
    >>> table = "epsilon,relative_error\\n1,0.5\\n"
    >>> results_of(table, data, dpcore.baseline(data, 3), 1.0)[0].figures
    {'relative-error': 0.5}
    """
    rows = _rows(text)
    columns = {metric.column: key for key, metric in METRICS.items() if metric.column in rows[0]}
    if EPSILON in rows[0] and columns:
        return _figures(rows, columns)
    return [_centers(rows, data, reference, epsilon)]


def _rows(text: str) -> list[Mapping[str, str]]:
    lines = text.lstrip("\N{BYTE ORDER MARK}").splitlines()
    rows: list[Mapping[str, str]] = []
    for row in csv.DictReader(io.StringIO("\n".join(lines))):
        rows.append(
            {
                (name or "").strip(): (value or "").strip()
                for name, value in row.items()
                if isinstance(value, str | None)
            }
        )
        if len(rows) > MOST_ROWS:
            raise BadInput(f"The table has more than {MOST_ROWS:,} rows: bring fewer.")
    if not rows:
        raise BadInput("The table is empty: it needs a header and at least one row.")
    return rows


def _figures(rows: Sequence[Mapping[str, str]], columns: Mapping[str, str]) -> list[BroughtResult]:
    results = []
    for number, row in enumerate(rows):
        line = number + 2
        epsilon = _number(row[EPSILON], EPSILON, line)
        if epsilon <= 0:
            raise BadInput(f"Line {line}: epsilon must be above 0, not {row[EPSILON]!r}.")
        figures = {
            key: _number(row[column], column, line)
            for column, key in columns.items()
            if row[column]
        }
        name = row.get(METHOD) or NAME
        results.append(BroughtResult(name, epsilon, figures))
    return results


def _centers(
    rows: Sequence[Mapping[str, str]], data: Dataset, reference: BaselineResult, epsilon: float
) -> BroughtResult:
    names = data.box.names
    if missing := [name for name in names if name not in rows[0]]:
        figure_columns = ", ".join(metric.column for metric in METRICS.values())
        raise BadInput(
            f"The table has no column {missing[0]!r}. Centers need the columns {', '.join(names)}; "
            f"results need the column epsilon and one of {figure_columns}."
        )
    values = [
        [_number(row[name], name, line) for name in names] for line, row in enumerate(rows, start=2)
    ]
    solution = Solution(data, np.asarray(values))
    best = Solution(data, np.asarray(reference.centers))
    figures = {
        key: metric.of(solution, best)
        for key, metric in METRICS.items()
        if key != "shift" or len(values) == len(reference.centers)
    }
    return BroughtResult(NAME, epsilon, figures)


def _number(text: str, column: str, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadInput(f"Line {line}: {column} must be a number, not {text[:40]!r}.")
    return value
