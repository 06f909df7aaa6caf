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


@dataclass(frozen=True)
class BuiltinSet:
    """A built-in set. All of it is public but what `make` returns."""

    key: str
    title: str
    description: str
    box: Box
    make: Callable[[], RawSet]
    #: What one row is, and so what is protected.
    unit: str
    #: How many rows `make` returns, or counts.
    rows: int
    simulated: bool = False
    #: Whether the coordinates are longitude and latitude in degrees, pair after pair.
    geographic: bool = False
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
    chosen = np.random.default_rng(0).choice(len(pixels), IMAGE_ROWS, replace=False)
    return pixels[chosen].astype(np.float64)


def gaussian_family(k: int, d: int) -> BuiltinSet:
    """One member of the k × d family of Su et al. (2016)."""
    return BuiltinSet(
        f"gaussians-k{k}-d{d}",
        f"{k} Gaussian clusters in {d} dimensions",
        f"10,000 simulated points in {k} well separated clusters of equal size.",
        Box.cube(d),
        partial(generated.gaussians, k, d),
        "point",
        10_000,
        simulated=True,
    )


_SETS = [
    BuiltinSet(
        "nyc-taxi",
        "New York taxi pickups, January 2015",
        "50,000 real yellow-taxi trips: where they began. The sample holds only trips that began "
        "and ended between latitudes 40.7 and 40.8, most of them in Manhattan.",
        CITY,
        partial(taxi, PICKUP),
        "trip",
        TAXI_ROWS,
        geographic=True,
    ),
    BuiltinSet(
        "nyc-taxi-trips",
        "New York taxi trips, January 2015",
        "The same 50,000 real trips in four dimensions: where they began and where they ended.",
        Box(CITY.low * 2, CITY.high * 2, PICKUP + DROPOFF),
        partial(taxi, PICKUP + DROPOFF),
        "trip",
        TAXI_ROWS,
        geographic=True,
    ),
    BuiltinSet(
        "nyc-month",
        "A month of New York taxi pickups (simulated)",
        "11,840,734 simulated pickups, as many as Feldman et al. (2017) count, drawn from the "
        "smoothed density of 50,000 real ones and one percent anywhere.",
        CITY,
        taxi_month,
        "trip",
        MONTH_ROWS,
        simulated=True,
        geographic=True,
        resolution=MONTH_CELLS,
    ),
    BuiltinSet(
        "iris",
        "Iris",
        "150 irises of three species: lengths and widths of their sepals and petals.",
        uci.IRIS,
        partial(from_sklearn, "iris"),
        "flower",
        150,
    ),
    BuiltinSet(
        "wine",
        "Wine",
        "178 wines from three growers: thirteen chemical measurements.",
        uci.WINE,
        partial(from_sklearn, "wine"),
        "wine",
        178,
    ),
    BuiltinSet(
        "breast-cancer",
        "Breast cancer (Wisconsin)",
        "569 patients: thirty measurements of the cell nuclei in a biopsy.",
        uci.BREAST_CANCER,
        partial(from_sklearn, "breast_cancer"),
        "patient",
        569,
    ),
    BuiltinSet(
        "digits",
        "Handwritten digits",
        "1,797 handwritten digits as pictures of 8 × 8 pixels.",
        uci.DIGITS,
        partial(from_sklearn, "digits"),
        "picture",
        1_797,
    ),
    BuiltinSet(
        "image-rgb",
        "Colors of a photograph",
        "34,112 pixels of one photograph (a temple in China): red, green and blue, from 0 to 255.",
        Box((0, 0, 0), (256, 256, 256), ("red", "green", "blue")),
        image_pixels,
        "pixel",
        IMAGE_ROWS,
    ),
    BuiltinSet(
        "s1-like",
        "Fifteen Gaussians (like S1)",
        "5,000 simulated points in fifteen clusters that touch, like those of the S1 benchmark.",
        Box.cube(2),
        generated.s1_like,
        "point",
        5_000,
        simulated=True,
    ),
    gaussian_family(5, 4),
]

BUILTIN: dict[str, BuiltinSet] = {each.key: each for each in _SETS}


def builtin_set(key: str) -> BuiltinSet:
    """The built-in set of that key; gaussians-kK-dD takes any K and D up to 100."""
    if key in BUILTIN:
        return BUILTIN[key]
    if family := re.fullmatch(r"gaussians-k([1-9]\d?|100)-d([1-9]\d?|100)", key):
        return gaussian_family(int(family[1]), int(family[2]))
    known = ", ".join(BUILTIN)
    raise BadInput(
        f"No built-in set is called {key!r}.{did_you_mean(key, BUILTIN)} There are {known}, "
        "and gaussians-kK-dD for any K and D up to 100."
    )
