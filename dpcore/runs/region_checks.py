"""Whether a run can be made region by region: refused before any data are read."""

from __future__ import annotations

from dpcore.algorithms.base import ALGORITHMS, Algorithm, SynopsisAlgorithm
from dpcore.datasets.base import Dataset
from dpcore.datasets.region_map import Regions
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box


def check_regions(system: Algorithm, regions: Regions, epsilon: float) -> None:
    """Raise ValueError where the algorithm cannot run on each region, whatever the data."""
    check_joinable(system, "regions", "regions")
    regions.epsilons(epsilon)


def check_joinable(system: Algorithm, parts: str, option: str) -> None:
    """Raise ValueError where nothing of runs on parts of the rows could be joined."""
    if not isinstance(system, SynopsisAlgorithm):
        able = (key for key, other in ALGORITHMS.items() if isinstance(other, SynopsisAlgorithm))
        raise BadInput(
            f"{system.key} publishes nothing that can be joined across {parts}. "
            f"With {option} use {', '.join(able)}."
        )


def check_box(regions: Regions, box: Box) -> None:
    """Raise ValueError where the regions were drawn for other data."""
    if regions.box != box:
        raise BadInput("The regions were drawn for another box than that of the data.")


def check_map(regions: Regions, data: Dataset) -> None:
    """Raise ValueError where the regions do not fit the data. Looks at public facts only."""
    check_box(regions, data.box)
    lost = regions.levels.keys() - set(regions.at_resolution(data.resolution).names)
    if lost:
        raise BadInput(
            f"The level of {', '.join(sorted(lost))} cannot be kept: these data are known on a "
            f"grid of {data.resolution} cells a side, and none has its center there."
        )
