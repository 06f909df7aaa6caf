"""Your own data, wrapped so that exact answers open only on request."""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.datasets.base import DataInfo, Dataset
from dpcore.geometry.domain import Box
from dpcore.results.non_private import NonPrivate, opened


@dataclass(frozen=True, repr=False)
class OwnData(NonPrivate[Dataset]):
    """A data set that is not public: everything in dpcore takes it, and nothing shows its rows.

    What is public can be read. Exact answers, such as histograms, come from `.value`, the data set
    itself: they are for your eyes only.

    Parameters
    ----------
    value : Dataset
        The data set, with its exact answers.

    Examples
    --------
    >>> import dpcore
    >>> data = dpcore.datasets.from_array([[0.5, 0.5]], (0, 1))
    >>> data.d
    2
    >>> data.n
    NonPrivate(...)
    >>> data.n.value
    1
    """

    @property
    def box(self) -> Box:
        return self.value.box

    @property
    def about(self) -> DataInfo:
        return self.value.about

    @property
    def d(self) -> int:
        return self.value.d

    @property
    def n(self) -> NonPrivate[int]:
        """Rows inside the box."""
        return NonPrivate(self.value.n)

    def __repr__(self) -> str:
        return repr(self.value)


#: What users hand over: built-in sets and twins as they are, or data of their own.
AnyData = Dataset | OwnData


def guarded_data(data: Dataset) -> AnyData:
    """A data set as users get it."""
    return data if data.about.public else OwnData(data)


def opened_data(data: AnyData) -> Dataset:
    """The data set behind what a user hands over; a table or an array is no data set yet."""
    exact = opened(data)
    if not isinstance(exact, Dataset):
        raise TypeError(
            f"This takes a data set, not {type(exact).__name__}. For rows in memory: "
            "dpcore.datasets.from_array(rows, box=(low, high)). For files: "
            "dpcore.datasets.from_file. For built-in sets: dpcore.datasets.load."
        )
    return exact
