"""Runs side by side on rows that each have an epsilon of their own: personalized privacy.

**Setting.** A record is a row with the epsilon e that its person chose. Everybody knows the
thresholds t_1 < ... < t_s. A record is in group j where t_j is the largest threshold that is no
more than e; with e below t_1 it is in none, and nothing is asked of it. Each group has a run M_j of
its own, with noise of its own, t_j-private for its records under add-remove.

**What is protected.** A record that is added changes the rows of one group at most, and the law of
its run alone: it costs t_j <= e, never more than its person chose (parallel composition; Jorgensen,
Yu and Cormode 2015 call it personalized differential privacy). The group follows from the record
itself, so this holds however e was chosen, and whatever e has to do with the row: with the record
and without it are the two cases that are compared. The largest threshold covers every record, and
is what an account pays. With a delta each M_j is (t_j, delta)-private, and so is the whole.

**What is not.** The chosen epsilon is a part of the record, and protected no better than it. A
record that changes from group i to group j is taken from one and added to the other: that costs
t_i + t_j, and t_j alone where it was in no group. This matters where e depends on the row. Let
people choose 0.1 in a clinic and 2 in a cafe. Whether a record from the clinic is in the data is
hidden at 0.1. Whether that person was in the clinic *or in the cafe* is not: these are two records
in two groups, and telling them apart costs 2.1. Hiding where somebody was at 0.1 takes a person who
chooses 0.1 wherever they are. For the same reason people should not choose by what they have to
hide, and no page should suggest a level by where somebody is.

Several runs add up, as runs always do: a record in two of them costs both of its thresholds, which
may be more than the epsilon that was chosen for one. The account adds up the largest ones, and who
asks people for an epsilon says how many releases it is for.

Under replace-one these are the moves themselves, with a number of rows in each group that is not
public; that relation is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dpcore.algorithms.base import Algorithm, SynopsisAlgorithm
from dpcore.datasets.base import Dataset
from dpcore.datasets.leveled_rows import LeveledRows
from dpcore.errors import BadInput, listed
from dpcore.privacy.accounting import MIN_EPSILON, Budget, Neighbors
from dpcore.privacy.rounding import at_most
from dpcore.results.run_result import Outcome
from dpcore.results.steps import RegionNote
from dpcore.results.synopsis import Coreset, NoisyGrid
from dpcore.runs.joined_points import AreaPoints, centers_of, united
from dpcore.runs.region_checks import check_joinable

if TYPE_CHECKING:
    from dpcore.queries.curator import Curator

#: Thresholds, at most: each group has noise of its own.
MOST_THRESHOLDS = 16
#: The finest grid on which joined noisy counts are searched.
FINEST = 1024


def check_thresholds(
    system: Algorithm,
    data: Dataset,
    thresholds: Sequence[float],
    epsilon: float,
    neighbors: Neighbors,
) -> None:
    """Raise ValueError where no run by thresholds can be made. Looks at public facts only."""
    if not isinstance(data, LeveledRows):
        raise BadInput("These rows have no epsilon of their own: make them with LeveledRows.")
    check_levels(system, thresholds, epsilon, neighbors)


def check_levels(
    system: Algorithm, thresholds: Sequence[float], epsilon: float, neighbors: Neighbors
) -> None:
    """Raise ValueError where no rows could be released at these thresholds."""
    check_joinable(system, "groups", "levels of rows")
    if neighbors is not Neighbors.ADD_REMOVE:
        raise BadInput("Levels of rows protect under add-remove only.")
    check_rising(thresholds, epsilon, ", the epsilon of the run")


def check_rising(thresholds: Sequence[float], most: float, why_most: str = "") -> None:
    """Raise ValueError where these are not levels in rising order, none above the most."""
    numbers = all(
        isinstance(each, int | float) and not isinstance(each, bool) for each in thresholds
    )
    if not (
        numbers
        and 1 <= len(thresholds) <= MOST_THRESHOLDS
        and list(thresholds) == sorted(set(thresholds))
        and thresholds[0] >= MIN_EPSILON
        and thresholds[-1] <= most
    ):
        raise BadInput(
            f"thresholds must be 1 to {MOST_THRESHOLDS} rising numbers from {MIN_EPSILON:g} to "
            f"{most:g}{why_most}, not {listed(map(repr, thresholds))}."
        )


def run_by_own_level(
    system: SynopsisAlgorithm,
    curator: Curator,
    k: int,
    thresholds: Sequence[float],
    settings: Mapping[str, Any],
) -> Outcome:
    """One synopsis a group of rows, each at its threshold, and k-means of their union.

    How many rows a group has is for its own run to ask, noisily; nothing else looks at it.
    """
    delta = curator.budget.delta if system.uses_delta else 0.0
    levels = [Budget(float(each), delta) for each in thresholds]
    pieces = []
    for level, part in zip(levels, curator.by_own_level(levels), strict=True):
        synopsis = system.summary(part, k, **settings)
        side = synopsis.grid.cells_per_side if isinstance(synopsis, NoisyGrid) else 0
        pieces.append(
            AreaPoints(
                synopsis.unit_points,
                synopsis.weights,
                synopsis.variances,
                isinstance(synopsis, Coreset),
                side,
            )
        )
        curator.enter(RegionNote(named(level.epsilon)), part.steps)
    union = united(curator.box, pieces)
    centers = centers_of(union, pieces, FINEST, curator, k)
    facts = {
        "thresholds": ", ".join(at_most(each) for each in thresholds),
        "protection": " ".join(sentences(thresholds)),
        "points": len(union),
        "resolution": curator.resolution,
    }
    return Outcome(centers, union, facts)


def named(threshold: float) -> str:
    """The name of the group of rows at a threshold."""
    return f"level {at_most(threshold)}"


def sentences(thresholds: Sequence[float], unit: str = "row") -> list[str]:
    """Sentences on what levels of rows protect."""
    amounts = ", ".join(at_most(each) for each in thresholds)
    largest = at_most(thresholds[-1])
    lines = [
        f"A {unit} costs the largest of the thresholds {amounts} that is no more than its own "
        f"epsilon; a {unit} with less is left out. Every further release costs it again.",
        f"The account pays the largest threshold, {largest}: no {unit} costs more.",
    ]
    if len(thresholds) > 1:
        lines.append(
            f"The epsilon that a {unit} has is protected no better than the {unit}: one that would "
            "have had another costs the sum of both thresholds. So where people choose it by what "
            "they have to hide, the choice tells of that."
        )
    return lines
