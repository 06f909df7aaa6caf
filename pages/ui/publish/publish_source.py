"""What is published from: a built-in set, or data that this session holds."""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.release import BuiltinData, DataSource, Unit
from pages.ui import own_data
from pages.ui.own_data import facts


@dataclass(frozen=True)
class Subject:
    key: str
    title: str
    source: DataSource
    unit: Unit

    @property
    def is_own(self) -> bool:
        return own_data.is_own(self.key)


def subject(key: str) -> Subject:
    """Of a twin: the data that it was drawn from."""
    about = facts(key)
    if isinstance(about, own_data.OwnData):
        if about.twin_of is not None:
            return subject(about.twin_of)
        assert about.source is not None
        return Subject(key, about.title, about.source, about.protects)
    return Subject(key, about.title, BuiltinData(key), Unit(about.unit))
