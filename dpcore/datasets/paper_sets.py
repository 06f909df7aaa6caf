"""The papers' data sets that do not ship: how each is read from a folder that the user names.

Their boxes are public constants in round numbers: what a coordinate can be, not what it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np

from dpcore.datasets.base import DataInfo
from dpcore.datasets.image_sets import IMAGE_SETS, ImageSet
from dpcore.datasets.rows import RowsDataset
from dpcore.geometry.domain import Box


@dataclass(frozen=True)
class ExtraSet:
    """A set that the user has as a file."""

    key: str
    title: str
    file: str
    box: Box
    unit: str
    #: A column and the value it must have, where only a part of the file is the set.
    only: tuple[str, str] | None = None

    def read(self, folder: Path) -> RowsDataset:
        """The rows in the box; a missing file is said by name."""
        path = folder / self.file
        if not path.is_file():
            raise FileNotFoundError(f"{self.title} is not there: {self.file} in {folder}")
        import pandas as pd

        frame = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
        if self.only:
            column, value = self.only
            frame = frame[frame[column] == value]
        columns = [pd.to_numeric(frame[name], errors="coerce") for name in self.box.names]
        about = DataInfo(self.key, self.title, unit=self.unit, public=True)
        return RowsDataset.from_values(np.column_stack(columns), self.box, about, outside="clip")


def _box(**ends: tuple[float, float]) -> Box:
    names = tuple(name.replace("__", "-") for name in ends)
    low, high = zip(*ends.values(), strict=True)
    return Box(low, high, names)


_REVIEWS = (
    "art_gallery dance_clubs juice_bars restaurants museums resorts parks_picnic_spots beaches "
    "theaters religious_institutions"
)
_GOOGLE = (
    "church resort beach park theatre museum mall zoo restaurant pub_bar local_service "
    "burger_pizza hotels_other_lodging juice_bar art_gallery dance_club swimming_pool gym bakery "
    "beauty_spa cafe view_point monument garden"
)
_CREDIT = {
    "LIMIT_BAL": (0, 1_000_000),
    "SEX": (1, 2),
    "EDUCATION": (0, 6),
    "MARRIAGE": (0, 3),
    "AGE": (18, 100),
    **{f"PAY_{i}": (-2, 9) for i in (0, 2, 3, 4, 5, 6)},
    **{f"BILL_AMT{i}": (-200_000, 1_000_000) for i in range(1, 7)},
    **{f"PAY_AMT{i}": (0, 1_000_000) for i in range(1, 7)},
    "default.payment.next.month": (0, 1),
}
_ADULT = _box(
    age=(0, 100),
    fnlwgt=(0, 1_500_000),
    education__num=(0, 17),
    capital__gain=(0, 100_000),
    capital__loss=(0, 5_000),
    hours__per__week=(0, 100),
)

_SETS = (
    ExtraSet("s1", "S1", "s1.csv.gz", _box(x=(0, 1_000_000), y=(0, 1_000_000)), "point"),
    ExtraSet("adult", "Adult", "adult.parquet", _ADULT, "person"),
    ExtraSet(
        "adult-training",
        "Adult (its training part)",
        "adult.parquet",
        _ADULT,
        "person",
        only=("split", "train"),
    ),
    ExtraSet(
        "blood",
        "Blood Transfusion",
        "blood_transfusion.csv.gz",
        _box(
            Recency=(0, 100), Frequency=(0, 60), Monetary=(0, 15_000), Time=(0, 120), Donated=(0, 1)
        ),
        "donor",
    ),
    ExtraSet(
        "travel",
        "Travel Reviews",
        "travel_reviews.csv.gz",
        _box(**dict.fromkeys(_REVIEWS.split(), (0, 4))),
        "traveller",
    ),
    ExtraSet(
        "google-reviews",
        "Travel Review Ratings",
        "google_review_ratings.csv.gz",
        _box(**dict.fromkeys(_GOOGLE.split(), (0, 5.01))),
        "person",
    ),
    ExtraSet(
        "electrical",
        "Electrical Grid Stability",
        "electrical_grid_stability.parquet",
        _box(
            **dict.fromkeys(("tau1", "tau2", "tau3", "tau4"), (0, 10)),
            p1=(0, 6),
            **dict.fromkeys(("p2", "p3", "p4"), (-2, 0)),
            **dict.fromkeys(("g1", "g2", "g3", "g4"), (0, 1)),
            stab=(-0.2, 0.2),
        ),
        "simulation",
    ),
    ExtraSet(
        "credit",
        "Default of Credit Cards",
        "default_credit_card.parquet",
        _box(**_CREDIT),
        "client",
    ),
)

#: Every set that does not ship, by its key.
EXTRA: Mapping[str, ExtraSet | ImageSet] = MappingProxyType(
    {each.key: each for each in (*_SETS, *IMAGE_SETS)}
)
