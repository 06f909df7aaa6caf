"""Series: the same release again and again, such as one each month, and what all of it costs.

**Parallel composition.** Let every row be in the data of one period only, and let a release of
period i be epsilon_i-private for its rows under add/remove. Adding or removing one row changes the
data of one period, i, and leaves the distributions of all other releases as they are. So the
probability of all outputs together changes by a factor of at most exp(epsilon_i): the series is
private with the largest epsilon_i for one row. Each period then has an account of its own.

This needs three things. *The unit is one row*: a person with rows in two periods changes two
releases, which cost that person the sum. *The relation is add/remove*: a row that is replaced by
one of another period changes two releases. *No row is in two periods*: the program sees one file
at a time and cannot check that, so the publisher states it, and the certificate says so. A ledger
still refuses a file, or rows, that another account has met.

**Otherwise charges are added up** in one account for the whole series, as of any releases of the
same data (see `dpcore.release.ledger`): the series ends when the budget does. The sum is that of
the series only if no period has another account, so a ledger refuses a series that is partly the
one and partly the other.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from dpcore.errors import BadInput
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.rounding import at_most
from dpcore.release.amounts import Amount
from dpcore.release.unit import Unit

#: How the charges of several periods make one.
PARALLEL, ADDED = "parallel", "added up"
LONGEST = 80


@dataclass(frozen=True)
class Series:
    """One period of a series of releases.

    Parameters
    ----------
    name : str
        The name of the series.
    period : str
        The period of this release, such as "2015-01".
    disjoint : bool, default=False
        Whether the publisher states that no row is in the data of two periods.

    Raises
    ------
    ValueError
        If a name is empty or too long.

    Examples
    --------
    >>> from dpcore import Neighbors
    >>> from dpcore.release import Series, Unit
    >>> january = Series("trips", "2015-01", disjoint=True)
    >>> january.composition(Unit("trip"), Neighbors.ADD_REMOVE)
    'parallel'
    >>> january.composition(Unit("passenger", ids="card", rows=4), Neighbors.ADD_REMOVE)
    'added up'
    """

    name: str
    period: str
    disjoint: bool = False

    def __post_init__(self) -> None:
        for what, text in (("series", self.name), ("period", self.period)):
            fits = isinstance(text, str) and text.strip() == text and 1 <= len(text) <= LONGEST
            if not (fits and text.isprintable()):
                raise BadInput(f"The {what} has a name of 1 to {LONGEST} letters, not {text!r}.")
        if not isinstance(self.disjoint, bool):
            raise BadInput(f"disjoint is true or false, not {self.disjoint!r}.")

    def composition(self, unit: Unit, neighbors: Neighbors) -> str:
        """The rule by which the charges of all periods make one: in parallel where that is proved,
        else added up."""
        proved = self.disjoint and unit.ids is None and neighbors is Neighbors.ADD_REMOVE
        return PARALLEL if proved else ADDED

    def account(self, unit: Unit, neighbors: Neighbors) -> str:
        """The account that pays: of the period where periods compose in parallel, else of the
        series."""
        if self.composition(unit, neighbors) == PARALLEL:
            return f"{self.name}, {self.period}"
        return self.name

    def words(self, unit: Unit, neighbors: Neighbors, allowed: Amount) -> str:
        """The cost of all periods together, in sentences."""
        named = f"This is the period {self.period} of the series “{self.name}”."
        limit = at_most(allowed.epsilon)
        if self.composition(unit, neighbors) == PARALLEL:
            return (
                f"{named} The publisher states that each {unit.name} is in one period only. So all "
                f"periods together cost one {unit.name} no more than the most expensive "
                f"one (parallel composition); the limit of this period is ε {limit}."
            )
        why = (
            "the publisher does not state that each row is in one period only"
            if not self.disjoint
            else f"one {unit.name} may have rows in several periods"
            if unit.ids is not None
            else "a row that is replaced may come from another period"
        )
        return (
            f"{named} The charges of all periods are added up, because {why}; together they may "
            f"use ε {limit}."
        )

    def as_dict(self) -> dict[str, Any]:
        """The period as plain data."""
        return asdict(self)


def releases_left(remainder: Amount, price: Amount) -> int:
    """The number of releases at this price that an account can still pay."""
    counts = [remainder.epsilon // price.epsilon]
    if price.delta:
        counts.append(remainder.delta // price.delta)
    return max(0, int(min(counts)))
