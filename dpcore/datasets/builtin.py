"""The built-in sets, as data: what each is, its public box, and how to make it.

Nothing is read or drawn until `make` is called.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from dpcore._suggestion import did_you_mean
from dpcore.datasets import generated, uci
from dpcore.datasets.base import DataInfo
from dpcore.datasets.data_folder import data_file
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, FloatArray, Grid, IntArray
from dpcore.results import parquet

#: Rows (n, d) as float64 in data units, or int64 counts on a grid, axis i = coordinate i.
RawSet = npt.NDArray[Any]

#: The box of Feldman et al. (2017).
CITY = Box((-74.1, 40.7), (-73.9, 40.9), ("longitude", "latitude"))
#: Trips of the sample that ships.
TAXI_ROWS = 50_000
#: Pickups of the month in which the sample was taken, as Feldman et al. (2017) count them.
MONTH_ROWS = 11_840_734
MONTH_CELLS = 1024
#: Rows of the Image set of Su et al. (2016).
IMAGE_ROWS = 34_112

PICKUP = ("pickup_longitude", "pickup_latitude")
DROPOFF = ("dropoff_longitude", "dropoff_latitude")


#: The description of a set that ships, and so is public.
_info = partial(DataInfo, public=True)


@dataclass(frozen=True)
class BuiltinSet:
    """A built-in set. Nothing is read or drawn until `make` is called."""

    about: DataInfo
    box: Box
    make: Callable[[], RawSet]
    #: How many rows `make` returns, or counts.
    rows: int
    #: Cells a side when `make` returns counts on a grid; None when it returns rows.
    resolution: int | None = None


def taxi(columns: tuple[str, ...]) -> FloatArray:
    """Coordinates of the trips that ship, in degrees."""
    return parquet.read(data_file("nyc_taxi.parquet").read_bytes(), columns)


def taxi_month() -> IntArray:
    """A month of pickups that never happened, spread as the real ones are."""
    grid = Grid(CITY, MONTH_CELLS)
    return generated.month(taxi(PICKUP), grid, MONTH_ROWS, uniform=0.01, smoothing=2, seed=2015)


def from_sklearn(name: str) -> FloatArray:
    """The features of one of scikit-learn's small sets."""
    from sklearn import datasets

    return getattr(datasets, f"load_{name}")().data.astype(np.float64)


def image_pixels() -> FloatArray:
    """Colors of pixels drawn without replacement from a sample picture of scikit-learn."""
    from sklearn.datasets import load_sample_image

    pixels = load_sample_image("china.jpg").reshape(-1, 3)
    sample = np.random.default_rng(0).choice(len(pixels), IMAGE_ROWS, replace=False)
    return pixels[sample].astype(np.float64)


def gaussian_family(k: int, d: int) -> BuiltinSet:
    """One member of the k × d family of Su et al. (2016)."""
    about = _info(
        f"gaussians-k{k}-d{d}",
        f"{k} Gaussian clusters in {d} dimensions",
        f"10,000 simulated points in {k} well separated clusters of equal size.",
        "point",
        simulated=True,
    )
    return BuiltinSet(about, Box.cube(d), partial(generated.gaussians, k, d), 10_000)


_SETS = [
    BuiltinSet(
        _info(
            "nyc-taxi",
            "New York taxi pickups, January 2015",
            "50,000 real yellow-taxi trips: where they began. The sample holds only trips that "
            "began and ended between latitudes 40.7 and 40.8, most of them in Manhattan.",
            "trip",
            geographic=True,
        ),
        CITY,
        partial(taxi, PICKUP),
        TAXI_ROWS,
    ),
    BuiltinSet(
        _info(
            "nyc-taxi-trips",
            "New York taxi trips, January 2015",
            "The same 50,000 real trips in four dimensions: where they began and where they ended.",
            "trip",
            geographic=True,
        ),
        Box(CITY.low * 2, CITY.high * 2, PICKUP + DROPOFF),
        partial(taxi, PICKUP + DROPOFF),
        TAXI_ROWS,
    ),
    BuiltinSet(
        _info(
            "nyc-month",
            "A month of New York taxi pickups (simulated)",
            "11,840,734 simulated pickups, as many as Feldman et al. (2017) count in a month, "
            "drawn from the smoothed density of 50,000 real ones and one percent anywhere.",
            "trip",
            simulated=True,
            geographic=True,
        ),
        CITY,
        taxi_month,
        MONTH_ROWS,
        resolution=MONTH_CELLS,
    ),
    BuiltinSet(
        _info(
            "iris",
            "Iris",
            "150 irises of three species: lengths and widths of their sepals and petals.",
            "flower",
        ),
        uci.IRIS,
        partial(from_sklearn, "iris"),
        150,
    ),
    BuiltinSet(
        _info(
            "wine",
            "Wine",
            "178 wines from three growers: thirteen chemical measurements.",
            "wine",
        ),
        uci.WINE,
        partial(from_sklearn, "wine"),
        178,
    ),
    BuiltinSet(
        _info(
            "breast-cancer",
            "Breast cancer (Wisconsin)",
            "569 patients: thirty measurements of the cell nuclei in a biopsy.",
            "patient",
        ),
        uci.BREAST_CANCER,
        partial(from_sklearn, "breast_cancer"),
        569,
    ),
    BuiltinSet(
        _info(
            "digits",
            "Handwritten digits",
            "1,797 handwritten digits as pictures of 8 × 8 pixels.",
            "picture",
        ),
        uci.DIGITS,
        partial(from_sklearn, "digits"),
        1_797,
    ),
    BuiltinSet(
        _info(
            "image-rgb",
            "Colors of a photograph",
            "34,112 pixels of one photograph (a temple in China): red, green and blue, from 0 to "
            "255.",
            "pixel",
        ),
        Box((0, 0, 0), (256, 256, 256), ("red", "green", "blue")),
        image_pixels,
        IMAGE_ROWS,
    ),
    BuiltinSet(
        _info(
            "s1-like",
            "Fifteen Gaussians (like S1)",
            "5,000 simulated points in fifteen clusters that touch, like those of the S1 "
            "benchmark.",
            "point",
            simulated=True,
        ),
        Box.cube(2),
        generated.s1_like,
        5_000,
    ),
    gaussian_family(5, 4),
]

BUILTIN: dict[str, BuiltinSet] = {each.about.key: each for each in _SETS}


def is_builtin(key: str) -> bool:
    """Whether a key is meant for a built-in set."""
    return key in BUILTIN or key.startswith("gaussians-k")


def builtin_set(key: str) -> BuiltinSet:
    """The built-in set of that key; gaussians-kK-dD takes any K and D up to 100."""
    if key in BUILTIN:
        return BUILTIN[key]
    if family := re.fullmatch(r"gaussians-k([1-9]\d?|100)-d([1-9]\d?|100)", key):
        return gaussian_family(int(family[1]), int(family[2]))
    keys = ", ".join(BUILTIN)
    raise BadInput(
        f"No built-in set is called {key!r}.{did_you_mean(key, BUILTIN)} There are {keys}, "
        "and gaussians-kK-dD for any K and D up to 100."
    )
