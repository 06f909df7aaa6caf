"""One name for people who will not choose among twenty algorithms."""

from __future__ import annotations

from dataclasses import replace

from dpcore.algorithms.base import Algorithm, get, register
from dpcore.curator import Curator
from dpcore.privacy import Verdict
from dpcore.results import Outcome

MAP_DIMENSIONS = 2
#: The most coordinates in which a grid has fewer cells than cities have trips.
GRID_DIMENSIONS = 3


def choice(d: int) -> tuple[str, str]:
    """The algorithm for so many coordinates, and why."""
    if d == MAP_DIMENSIONS:
        return "adaptive", "a map is counted finely where trips are and coarsely where none are"
    if d <= GRID_DIMENSIONS:
        return "eugkm", f"in {d} dimensions one noisy grid of counts answers everything"
    return "dplloyd", f"in {d} dimensions a grid would have more cells than rows"


@register
class Auto(Algorithm):
    """The best algorithm for the data, chosen from public facts.

    Idea: On a map, counts on a tree of cells that grows where the rows are; with few coordinates,
    one noisy grid. Both answer every later question, so that restarts are free. With many, a grid
    would be nearly empty, and noisy rounds of Lloyd do better.

    Unit: one row.

    Relation: add/remove; replace-one.

    Private: The choice looks at the number of coordinates, which is public. What runs then is the
    chosen algorithm under the whole budget, with its own proof and transcript.
    """

    key = "auto"
    title = "Best for this data"
    paper = "ours"
    verdict = Verdict.PROVED

    def run(self, curator: Curator, k: int) -> Outcome:
        key, why = choice(curator.d)
        chosen = get(key)
        outcome = chosen.run(curator, k, **chosen.settings({}))
        return replace(outcome, facts={**outcome.facts, "chosen": key, "because": why})
