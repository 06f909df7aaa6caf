"""A choice: one run on one data set."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpcore.datasets import DataInfo
from dpcore.geometry.domain import Box
from dpcore.runs.request import Request
from pages.ui.own_data import data_set, facts


@dataclass(frozen=True)
class Choice:
    """One run on one data set: equal choices have equal results."""

    #: The key of the data.
    data: str
    request: Request

    def at(self, epsilon: float) -> Choice:
        """This choice at another epsilon."""
        return replace(self, request=self.request.at(epsilon))

    def with_seed(self, seed: int) -> Choice:
        """This choice with other noise."""
        return replace(self, request=self.request.with_seed(seed))

    @property
    def about(self) -> DataInfo:
        """The description of the data."""
        return facts(self.data)

    @property
    def box(self) -> Box:
        """The public box of the data."""
        return data_set(self.data).box
