"""The six data sets of Su et al. and what stands in for those that cannot be had.

A stand-in has the paper's number of rows, dimensions and clusters, and the shape that the paper
describes. All are public or made up, and scaled to [-1, 1] as in the paper (section 5.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from dpcore.datasets import Dataset, RowsDataset
from dpcore.datasets.base import DataInfo
from dpcore.datasets.paper_sets import EXTRA
from dpcore.geometry.domain import Box, FloatArray, from_ticks
from dpcore.papers.figure_row import Row
from dpcore.papers.inputs import REAL, STAND_IN, Shelf
from dpcore.papers.measurements import available

#: What each numeric attribute of Adult can be, by its documentation: the paper scales each
#: attribute's domain to [-1, 1].
ADULT = Box(
    (17, 12_285, 1, 0, 0, 1),
    (90.001, 1_490_401, 16.001, 100_000, 4_356.1, 99.001),
    EXTRA["adult"].box.names,
)
#: Bounding boxes in degrees (longitude, then latitude) of the states of TIGER's sample.
WASHINGTON = ((-124.7, -117.0), (45.6, 49.0))
NEW_MEXICO = ((-109.0, -103.0), (31.4, 37.0))
#: Regions with many check-ins of Gowalla, with their part of all: North America, Europe, East
#: Asia, South America and Australia.
CHECK_INS = (
    ((-123, -71), (26, 47), 0.55),
    ((-8, 28), (38, 60), 0.33),
    ((98, 140), (1, 38), 0.08),
    ((-75, -38), (-34, 5), 0.02),
    ((115, 153), (-38, -20), 0.02),
)


def _scaled(points: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Points of a box in [-1, 1), those outside moved to its edge."""
    unit = 2 * (points - low) / (high - low) - 1
    return np.asarray(np.clip(unit, -1, np.nextafter(1, 0)))


def towns(
    longitudes: tuple[float, float],
    latitudes: tuple[float, float],
    count: int,
    n: int,
    width: float,
    rng: np.random.Generator,
) -> FloatArray:
    """n places in a region: most in towns, of which few are large, and a fifth in between."""
    low, high = np.array([longitudes, latitudes], dtype=np.float64).T
    middles = rng.uniform(low, high, (count, 2))
    sizes = 1 / np.arange(1, count + 1)
    places = middles[rng.choice(count, n, p=sizes / sizes.sum())]
    places += width * rng.standard_normal((n, 2))
    between = rng.random(n) < 0.2
    places[between] = rng.uniform(low, high, (int(between.sum()), 2))
    return np.asarray(np.clip(places, low, high))


def gowalla_like(n: int = 107_091, seed: int = 0) -> FloatArray:
    """Places of check-ins around the world: five regions, most of them in towns of two."""
    rng = np.random.default_rng(seed)
    of_region = rng.multinomial(n, [share for *_, share in CHECK_INS])
    parts = [
        towns(lon, lat, 40, int(rows), 1.0, rng)
        for (lon, lat, _), rows in zip(CHECK_INS, of_region, strict=True)
    ]
    points = rng.permutation(np.vstack(parts))
    return _scaled(points, np.array([-180.0, -50]), np.array([180.0, 80]))


def tiger_like(n: int = 16_281, seed: int = 0) -> FloatArray:
    """Road crossings in two states far apart."""
    rng = np.random.default_rng(seed)
    halves = [
        towns(lon, lat, 40, rows, 0.3, rng)
        for (lon, lat), rows in ((WASHINGTON, n - n // 2), (NEW_MEXICO, n // 2))
    ]
    points = rng.permutation(np.vstack(halves))
    return _scaled(points, np.array([-124.7, 31.4]), np.array([-103.0, 49]))


def lifesci_like(n: int = 26_733, seed: int = 0) -> FloatArray:
    """Ten principal components: three clusters that overlap, with rows far out, scaled to their
    range, so that most rows crowd together in the middle."""
    rng = np.random.default_rng(seed)
    d = 10
    deviations = 0.8 ** np.arange(d)
    middles = 1.2 * deviations * rng.standard_normal((3, d))
    rows = middles[rng.choice(3, n, p=(0.5, 0.3, 0.2))]
    rows = rows + deviations * rng.standard_t(5, (n, d))
    return _scaled(rows, rows.min(axis=0), rows.max(axis=0))


@dataclass(frozen=True)
class PaperSet:
    """A data set of the paper, with the number of clusters that it looks for."""

    key: str
    title: str
    n: int
    d: int
    k: int
    read: Callable[[Shelf], Dataset]
    #: In place of a set that is not in the folder.
    stand_in: Callable[[Shelf], Dataset] | None = None
    #: Whether `read` makes a stand-in.
    made_up: bool = False

    def data(self, shelf: Shelf) -> tuple[Dataset | None, str, list[Row]]:
        """The data or None, whether they are real, and rows that say what is left out."""
        try:
            return self.read(shelf), STAND_IN if self.made_up else REAL, []
        except FileNotFoundError:
            if self.stand_in is not None:
                return self.stand_in(shelf), STAND_IN, []
        data, absent = available(shelf, self.key)
        return data, REAL, absent


@cache
def made(key: str, title: str, points: Callable[[], FloatArray]) -> Dataset:
    values = points()
    about = DataInfo(key, title, simulated=True, public=True)
    return RowsDataset.from_values(values, Box.cube(values.shape[1]), about)


def renamed(data: Dataset, key: str) -> Dataset:
    """The same rows under the paper's name of the set."""
    about = DataInfo(key, data.about.title, simulated=data.about.simulated, public=True)
    unit = from_ticks(data.positions()[0])
    return RowsDataset.from_values(unit, Box.cube(data.d), about)


def adult(shelf: Shelf) -> Dataset:
    """Adult in the domain that its documentation gives."""
    data = shelf.data("adult")
    rows = data.box.from_unit(from_ticks(data.positions()[0]))
    return RowsDataset.from_values(np.rint(rows), ADULT, data.about, outside="clip")


SIX = (
    PaperSet(
        "s1",
        "S1",
        5_000,
        2,
        15,
        lambda shelf: shelf.data("s1"),
        lambda shelf: renamed(shelf.data("s1-like"), "s1"),
    ),
    PaperSet(
        "gowalla",
        "Gowalla",
        107_091,
        2,
        5,
        lambda _: made("gowalla", "Places of check-ins (made up)", gowalla_like),
        made_up=True,
    ),
    PaperSet(
        "tiger",
        "TIGER",
        16_281,
        2,
        2,
        lambda _: made("tiger", "Road crossings in two states (made up)", tiger_like),
        made_up=True,
    ),
    PaperSet(
        "image",
        "Image",
        34_112,
        3,
        3,
        lambda shelf: renamed(shelf.data("image-rgb"), "image"),
        made_up=True,
    ),
    PaperSet("adult", "Adult-num", 48_841, 6, 5, adult),
    PaperSet(
        "lifesci",
        "Lifesci",
        26_733,
        10,
        3,
        lambda _: made("lifesci", "Ten principal components (made up)", lifesci_like),
        made_up=True,
    ),
)
#: The built-in and extra sets that the six are read from.
KEYS = ("s1", "s1-like", "image-rgb", "adult")

SIX_DIFFER = (
    "S1 and Adult-num are read from your folder; without it, simulated points like S1 stand in "
    "and Adult-num is left out. Gowalla, TIGER, Image and Lifesci cannot be had: made-up check-ins "
    "in five regions of the world, made-up road crossings in two states, the colors of another "
    "photograph, and made-up principal components of three clusters stand in, each with the "
    "paper's number of rows, dimensions and clusters. "
)


def six_sets(shelf: Shelf) -> Iterator[tuple[PaperSet, Dataset | None, str, list[Row]]]:
    """Each of the six, its data if there are any, and whether they are real."""
    for each in SIX:
        yield each, *each.data(shelf)
