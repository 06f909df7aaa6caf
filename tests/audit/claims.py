"""The claims that are said to hold, as cases of the audit."""

from __future__ import annotations

from dpcore.algorithms import ALGORITHMS
from dpcore.audit import Case, table

#: A bound may be above the truth by chance; in these many tests, practically never.
CONFIDENCE = 1 - 1e-5


def cases_that_hold() -> list[Case]:
    """The cases of all claims that hold, under either relation."""
    return [case for case in table() if ALGORITHMS[case.algorithm].verdict.holds]
