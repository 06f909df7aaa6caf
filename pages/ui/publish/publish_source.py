"""The source of a release: a built-in set, or data that this session holds."""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.datasets import DataInfo
from dpcore.release.sources import BuiltinData, DataSource
from dpcore.release.unit import Unit
from pages.ui import own_data


@dataclass(frozen=True)
class Subject:
    """Data to publish from, and what a release of them protects."""

    about: DataInfo
    source: DataSource
    unit: Unit

    @property
    def key(self) -> str:
        return self.about.key

    @property
    def is_own(self) -> bool:
        return own_data.is_own(self.key)


def subject(key: str) -> Subject:
    """The data of this key; of a twin, the data that it was drawn from."""
    data = own_data.data_set(key)
    if not isinstance(data, own_data.SessionData):
        return Subject(data.about, BuiltinData(key), Unit(data.about.unit))
    if data.twin_of is not None:
        return subject(data.twin_of)
    assert data.source is not None
    return Subject(data.about, data.source, data.protects)
