"""The inputs of a measurement: its data, and the number of repetitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dpcore.datasets import load
from dpcore.datasets.base import Dataset
from dpcore.datasets.paper_sets import EXTRA

#: Where rows come from: the data of the paper, or others of their shape.
REAL, STAND_IN = "real", "stand-in"


@dataclass(frozen=True)
class Shelf:
    """The sources of a reproduction's data: built-in sets, and a folder for others."""

    folder: Path | None = None

    def data(self, key: str) -> Dataset:
        """A data set, or FileNotFoundError when it does not ship and is not in the folder."""
        if key not in EXTRA:
            return load(key)
        if self.folder is None:
            raise FileNotFoundError(f"{key} does not ship: name the folder that holds it")
        return EXTRA[key].read(self.folder)


@dataclass(frozen=True)
class Effort:
    """The extent of the runs: few repetitions to see the shape, or many to be sure."""

    quick: bool = False
    seed: int = 0

    def runs(self, full: int) -> int:
        return max(3, full // 10) if self.quick else full

    def some(self, values: Sequence[float], quick: Sequence[float]) -> Sequence[float]:
        """All values, or the few that a quick look takes."""
        return quick if self.quick else values
