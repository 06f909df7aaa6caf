"""Simulated runs on single areas, kept so that only an area that changed is run again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from dpcore.datasets.base import Dataset
from dpcore.datasets.divided import divided
from dpcore.datasets.region_map import Regions
from dpcore.privacy.transcript import Transcript
from dpcore.results.steps import RunStep

if TYPE_CHECKING:
    from dpcore.runs.joined_points import AreaPoints

#: Runs that are kept, of all maps and levels together; of each some kilobytes.
MOST_KEPT = 4_000


@dataclass(frozen=True, eq=False)
class AreaRun:
    """The run on one area: what it publishes, what it cost, and its steps."""

    points: AreaPoints
    transcript: Transcript
    steps: tuple[RunStep, ...]


class AreaRuns:
    """Simulated runs on areas, for a page on which one level is moved at a time.

    With a seed, what the run on an area draws depends on the seed and the area's name alone. So
    after a move of one area's level all other runs would come out the same, and are taken from
    here. Any number of threads may share it. Only simulated runs with a seed are kept: noise for a
    release is never used twice.

    It keeps the rows of the last data set by area, so it lives as long as these may.
    """

    def __init__(self, most: int = MOST_KEPT):
        self._most = most
        self._runs: OrderedDict[Hashable, tuple[Dataset, AreaRun]] = OrderedDict()
        self._parts: tuple[Dataset, str, list[Dataset]] | None = None
        self._lock = Lock()

    def of(self, data: Dataset, regions: Regions, seed: int) -> KeptRuns:
        """The runs on these data and this map that have this seed."""
        return KeptRuns(self, data, (id(data), regions.map_key, seed))

    def parts(self, data: Dataset, regions: Regions) -> list[Dataset]:
        """The rows of each region, divided once for each map."""
        with self._lock:
            last = self._parts
        if last is None or last[0] is not data or last[1] != regions.map_key:
            last = data, regions.map_key, divided(data, regions)
            with self._lock:
                if self._parts is not None and self._parts[0] is not data:
                    self._runs.clear()
                self._parts = last
        return last[2]

    def find(self, key: Hashable) -> AreaRun | None:
        """A run that was kept."""
        with self._lock:
            if key not in self._runs:
                return None
            self._runs.move_to_end(key)
            return self._runs[key][1]

    def keep(self, key: Hashable, data: Dataset, run: AreaRun) -> None:
        """Keep a run, with its data, so that no other data can go by the same key."""
        with self._lock:
            self._runs[key] = data, run
            while len(self._runs) > self._most:
                self._runs.popitem(last=False)


@dataclass(frozen=True)
class KeptRuns:
    """The kept runs of one data set, map and seed."""

    runs: AreaRuns
    data: Dataset
    before: tuple[Hashable, ...]

    def divided(self, data: Dataset, regions: Regions) -> list[Dataset]:
        """The rows of each region."""
        return self.runs.parts(data, regions)

    def find(self, key: Hashable) -> AreaRun | None:
        """The run on an area that this settles, if it was kept."""
        return self.runs.find((self.before, key))

    def keep(self, key: Hashable, run: AreaRun) -> None:
        """Keep the run that this settles."""
        self.runs.keep((self.before, key), self.data, run)
