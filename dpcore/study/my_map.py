"""The visits that a published plan would take from one person's own track, area by area."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcore.datasets.region_map import Regions
from dpcore.datasets.tracks import Track
from dpcore.geometry.domain import to_ticks
from dpcore.privacy.explain import attacker_certainty, certainty
from dpcore.privacy.rounding import at_most
from dpcore.study.run_view import Marks

#: Positions of a track in a picture.
MOST_DRAWN = 2_000


@dataclass(frozen=True)
class AreaVisit:
    """The part of a track that the counts of one area would hold, and what they could tell of
    it."""

    area: str
    #: Positions of the track there, and how many of them are counted at most.
    positions: int
    counted: int
    #: The level of the area.
    level: float
    #: What all counted positions there cost together.
    epsilon: float

    @property
    def certainty(self) -> float:
        """The greatest certainty that an attacker who was 50 % sure can reach that the person was
        there."""
        return attacker_certainty(self.epsilon)

    def sentence(self) -> str:
        return (
            f"{self.area}: at most {self.counted} of your {self.positions} positions counted, at "
            f"level {at_most(self.level)}. Someone who is 50 % sure that you were there can become "
            f"at most {certainty(self.epsilon)} sure."
        )


@dataclass(frozen=True)
class Leaving:
    """The data that would leave a phone: the visits, area by area, and the number of positions that
    never would."""

    visits: tuple[AreaVisit, ...]
    outside: int

    def sentences(self) -> list[str]:
        lines = [visit.sentence() for visit in self.visits]
        if self.outside:
            lines.append(f"Positions outside the map, which are not counted: {self.outside}.")
        return lines


def marks_of(track: Track, most: int = MOST_DRAWN) -> Marks:
    """Positions of a track, evenly many steps apart, for its owner's own screen."""
    positions = track.positions[:: -(-len(track.positions) // most)]
    return Marks(np.column_stack([positions, np.ones(len(positions))]), len(track.positions))


def leaving(track: Track, regions: Regions, most: float, rows: int | None = None) -> Leaving:
    """The data that a plan would take from a track.

    With `rows`, the plan keeps at most that number of rows of each person, each at its share of the
    level: r positions in an area cost r/rows of its level (`dpcore.datasets.area_levels`). Without,
    what is protected is one row, and r positions of one person cost r times the level. Nobody
    else's data are looked at, and the track is not kept.
    """
    box = regions.box
    inside = box.contains(track.positions)
    ticks = to_ticks(box.to_unit(track.positions[inside]))
    counts = np.bincount(regions.labels(ticks), minlength=regions.n_cells)
    visits = [
        _visit(name, int(number), level, rows)
        for name, number, level in zip(regions.names, counts, regions.epsilons(most), strict=True)
        if number
    ]
    return Leaving(_strictest_first(visits), int(np.count_nonzero(~inside)))


def _visit(area: str, positions: int, level: float, rows: int | None) -> AreaVisit:
    counted = positions if rows is None else min(positions, rows)
    epsilon = counted * level if rows is None else counted * level / rows
    return AreaVisit(area, positions, counted, level, epsilon)


def _strictest_first(visits: Sequence[AreaVisit]) -> tuple[AreaVisit, ...]:
    return tuple(sorted(visits, key=lambda visit: (visit.level, visit.area)))
