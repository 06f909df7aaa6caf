"""The releases of a series together: their published points as one, and what they cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from dpcore.errors import BadInput, Infeasible
from dpcore.privacy import explain
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.rounding import up
from dpcore.release.amounts import Amount
from dpcore.release.published_files import PublishedFiles
from dpcore.release.series import PARALLEL, Series
from dpcore.release.unit import Unit
from dpcore.results.centers import ReleasedCenters
from dpcore.results.synopsis import Coreset


def union_of(releases: Iterable[PublishedFiles]) -> Coreset[ReleasedCenters]:
    """The published points of all periods of a series together, for more questions at no cost.

    Parameters
    ----------
    releases : iterable of PublishedFiles
        The releases of one series, each of another period.

    Returns
    -------
    Coreset

    Raises
    ------
    ValueError
        If they are not the periods of one series in one box, or one published no coreset.

    Examples
    --------
    >>> from dpcore import Request
    >>> from dpcore.release import BuiltinData, Ledger, ReleasePlan, Series, publish
    >>> from dpcore.release.series_union import union_of
    >>> run, period = Request("adaptive", 2, 0.5), Series("all", "2015")
    >>> plan = ReleasePlan("all", BuiltinData("s1-like"), run, series=period)
    >>> release = publish(plan, Ledger("books"))
    >>> len(union_of([release])) == len(release.synopsis)
    True
    """
    members = list(releases)
    series = [release.certificate.get("series") for release in members]
    if not members or any(each is None for each in series):
        raise BadInput("Give the releases of a series, each with its certificate.")
    names = {each["name"] for each in series if each}
    periods = [each["period"] for each in series if each]
    if len(names) > 1:
        raise BadInput(f"These are releases of several series: {', '.join(sorted(names))}.")
    if len(set(periods)) < len(periods):
        twice = next(period for period in periods if periods.count(period) > 1)
        raise BadInput(f"The period {twice} is there twice: rows would count twice.")
    parts = []
    for release, period in zip(members, periods, strict=True):
        if not isinstance(release.synopsis, Coreset):
            raise Infeasible(f"The release of {period} published no coreset to unite.")
        parts.append(release.synopsis)
    return reduce(lambda one, other: one.union(other), parts)


def cost_of_union(releases: Iterable[PublishedFiles]) -> str:
    """The cost of the releases of a series to one unit together, in a sentence."""
    certificates = [release.certificate for release in releases]
    terms = [(certificate["unit"], certificate["neighbors"]) for certificate in certificates]
    if not certificates or any(each != terms[0] for each in terms):
        raise BadInput(
            "Only releases that protect the same unit under the same relation have a cost together."
        )
    unit, neighbors = Unit(**certificates[0]["unit"]), Neighbors(certificates[0]["neighbors"])
    prices = [
        Amount.of(certificate["epsilon"], certificate["delta"]) for certificate in certificates
    ]
    if _are_parallel([certificate.get("series") for certificate in certificates], unit, neighbors):
        total = Amount(max(p.epsilon for p in prices), max(p.delta for p in prices))
        how = "the largest of them"
    else:
        total, how = sum(prices, Amount()), "added up"
    certainty = explain.certainty(up(total.epsilon))
    if len(certificates) == 1:
        cost = f"One release so far costs one {unit.name} {total}"
    else:
        cost = f"{len(certificates)} releases cost one {unit.name} {total} together, {how}"
    sentence = f"{cost}: someone who is 50 % sure can become at most {certainty} sure."
    slip = explain.slip(up(total.delta))
    return f"{sentence} {slip}" if slip else sentence


def _are_parallel(
    series: Sequence[Mapping[str, Any] | None], unit: Unit, neighbors: Neighbors
) -> bool:
    """Whether these are periods of one series, each another one, and compose in parallel."""
    periods = [Series(**each) for each in series if each is not None]
    return (
        len({each.name for each in periods}) == 1
        and len({each.period for each in periods}) == len(series)
        and all(each.composition(unit, neighbors) == PARALLEL for each in periods)
    )


def union_files(releases: Iterable[PublishedFiles]) -> dict[str, bytes]:
    """The points of all periods as files by name, with a README that says what they cost together.

    Parameters
    ----------
    releases : iterable of PublishedFiles
        What `union_of` takes.

    Returns
    -------
    dict of str to bytes

    Examples
    --------
    >>> from dpcore import Request
    >>> from dpcore.release import BuiltinData, Ledger, ReleasePlan, Series, publish
    >>> from dpcore.release.series_union import union_files
    >>> run, month = Request("adaptive", 2, 0.5), Series("taxis", "2015-01")
    >>> plan = ReleasePlan("taxis", BuiltinData("s1-like"), run, series=month)
    >>> january = publish(plan, Ledger("books"))
    >>> sorted(union_files([january]))
    ['README.txt', 'points.csv', 'points.parquet']
    """
    members = list(releases)
    places = union_of(members).places()
    series = [release.certificate["series"] for release in members]
    listed = "\n".join(
        f"{period['period']}: certificate {release.certificate['digest']}"
        for period, release in zip(series, members, strict=True)
    )
    text = (
        f"The published points of the series {series[0]['name']!r}, all periods together.\n\n"
        f"{cost_of_union(members)}\n\nPeriods\n{listed}\n"
    )
    files = {
        "README.txt": text.encode(),
        "points.csv": places.as_csv().encode(),
        "points.parquet": places.as_parquet(),
    }
    if members[0].certificate["geographic"]:
        files["points.geojson"] = places.as_geojson().encode()
    return files
