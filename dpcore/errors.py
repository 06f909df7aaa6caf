"""The errors that dpcore raises on purpose, each with its exit code on the command line.

    DpcoreError                     anything that dpcore refuses to do, in words for people
    ├── BadInput                    2   an argument or a setting that is not allowed (a ValueError)
    │   ├── DataFileError           2   a file, a table or an engine that cannot be used
    │   │   └── ReadingStopped      2   a reading that somebody stopped
    │   └── LedgerError             2   a ledger that is missing, damaged or was altered
    ├── Infeasible                  3   no answer under these settings (a ValueError)
    ├── BudgetExceeded              3   a question that the budget cannot pay (a ValueError)
    └── Refusal                     3   a result that may not leave, or a charge that is not allowed

The message names the value and says what to do. Errors of other classes are faults of the program
or of the system.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

#: Characters of a name, and of a list of names, that an error shows.
NAME_SHOWN, LIST_SHOWN = 200, 1000


class DpcoreError(Exception):
    """An error that dpcore raises on purpose, in words for people.

    Examples
    --------
    >>> import dpcore
    >>> try:
    ...     dpcore.run("no-such-method", dpcore.datasets.load("iris"), k=3, epsilon=1.0)
    ... except dpcore.DpcoreError as error:
    ...     print(error.exit_code, str(error)[:13])
    2 No algorithm
    """

    #: What the command line ends with.
    exit_code: ClassVar[int] = 2


class BadInput(DpcoreError, ValueError):
    """An argument or a setting that is not allowed: its name, its value, and what is allowed.

    Examples
    --------
    >>> import dpcore
    >>> try:
    ...     dpcore.run("eugkm", dpcore.datasets.load("iris"), k=0, epsilon=1.0)
    ... except dpcore.BadInput as error:
    ...     print(error)
    k must be a whole number from 1 to 1000, not 0.
    """


class DataFileError(BadInput):
    """A file, table or engine that cannot be used: which one, which column, and what to do.

    Parameters
    ----------
    path : str
        The file or table.
    problem : str
        What is wrong with it, and what to do.
    column : str or None, default=None
        The column, if it is about one.

    Examples
    --------
    >>> import dpcore
    >>> print(dpcore.DataFileError("trips.csv", "there is no such file."))
    trips.csv: there is no such file.
    """

    def __init__(self, path: str, problem: str, column: str | None = None):
        where = shortened(path)
        if column is not None:
            where += f", column {shortened(column)!r}"
        super().__init__(f"{where}: {problem}")
        self.path = path
        self.problem = problem
        self.column = column


class ReadingStopped(DataFileError):
    """Somebody stopped the reading of a file."""

    def __init__(self, path: str):
        super().__init__(path, "reading it was stopped.")


class LedgerError(BadInput):
    """A ledger that is missing, damaged or was altered.

    Examples
    --------
    >>> import dpcore
    >>> issubclass(dpcore.LedgerError, dpcore.BadInput)
    True
    """


class Infeasible(DpcoreError, ValueError):
    """No answer under these settings; with the smallest epsilon that has one, if known.

    Parameters
    ----------
    message : str
        Why there is no answer, in a sentence.
    smallest_epsilon : float or None, default=None
        The smallest epsilon at which there is one, if known.

    Examples
    --------
    >>> import dpcore
    >>> try:
    ...     dpcore.run("eugkm", dpcore.datasets.load("digits"), k=3, epsilon=1.0)
    ... except dpcore.Infeasible as refusal:
    ...     print(str(refusal)[:6])
    eugkm:
    """

    exit_code = 3

    def __init__(self, message: str, smallest_epsilon: float | None = None):
        super().__init__(message)
        self.smallest_epsilon = smallest_epsilon


class BudgetExceeded(DpcoreError, ValueError):
    """A question would have spent more than the budget allows; no noise was drawn.

    Examples
    --------
    >>> import dpcore
    >>> issubclass(dpcore.BudgetExceeded, dpcore.DpcoreError)
    True
    """

    exit_code = 3


class Refusal(DpcoreError):
    """Something that may not be done with private data; no budget was used.

    Examples
    --------
    >>> import dpcore
    >>> issubclass(dpcore.Refusal, dpcore.DpcoreError)
    True
    """

    exit_code = 3


class NoRowsWarning(UserWarning):
    """No row of a data set lies in its box. For your eyes only: it reveals something of them.

    Examples
    --------
    >>> import dpcore
    >>> issubclass(dpcore.NoRowsWarning, UserWarning)
    True
    """


def shortened(name: str, most: int = NAME_SHOWN) -> str:
    """A name, or of a long one the beginning and the end."""
    if len(name) <= most:
        return name
    return f"{name[: most // 2]}…{name[len(name) - most // 2 + 1 :]}"


def listed(names: Iterable[str]) -> str:
    """Names in a line, as many as a person would read."""
    text = ""
    for name in names:
        if text and len(text) + len(name) > LIST_SHOWN:
            return f"{text} …"
        text += ", " * bool(text) + shortened(name)
    return text
