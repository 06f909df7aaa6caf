"""Cluster centers in data units. Whether they are private, and may leave, is their type.

`PrivateCenters` come out of an algorithm whose proof holds, or of what it published, and out of
nothing else. They are one of three: `SimulatedCenters` are to look at, because their noise can be
drawn again; `UnchargedCenters` have exact noise, but no ledger was charged for them;
`ReleasedCenters` are charged to a ledger, and may leave. `NonPrivateCenters` come from looking at
the data. Arithmetic on any of them gives plain arrays, which no export takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, FloatArray
from dpcore.results.formats import Places, centers_as_places
from dpcore.results.notebook import Shown

if TYPE_CHECKING:
    # Only the type checker needs to know that a type without a parameter may hold any centers.
    from typing_extensions import TypeVar

    C = TypeVar("C", bound="Centers", covariant=True, default="Centers")
else:
    from typing import TypeVar

    C = TypeVar("C", bound="Centers", covariant=True)

__all__ = [
    "C",
    "Centers",
    "NonPrivateCenters",
    "PrivateCenters",
    "ReleasedCenters",
    "SimulatedCenters",
    "UnchargedCenters",
]


class Centers(Shown, np.lib.mixins.NDArrayOperatorsMixin):
    """Cluster centers in data units, one a row, that behave like an array."""

    private: ClassVar[bool]
    #: What every file of these says inside; empty where there is nothing to say.
    status: ClassVar[str]

    def __init__(self, values: npt.ArrayLike, box: Box):
        if not hasattr(type(self), "status"):
            kinds = ", ".join(kind.__name__ for kind in type(self).__subclasses__())
            raise TypeError(f"{type(self).__name__} come as one of {kinds}.")
        self._values = np.array(values, dtype=np.float64, ndmin=2)
        self._values.flags.writeable = False
        self.box = box

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False and dtype not in (None, np.float64):
            raise BadInput("a conversion to another type needs a copy")
        return np.array(self._values, dtype=dtype) if copy or dtype else self._values

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [i._values if isinstance(i, Centers) else i for i in inputs]
        return getattr(ufunc, method)(*plain, **options)

    @property
    def value(self) -> FloatArray:
        """The plain array."""
        return self._values

    @property
    def shape(self) -> tuple[int, ...]:
        return self._values.shape

    @property
    def ndim(self) -> int:
        return self._values.ndim

    def places(self) -> Places:
        """The centers with their numbers, for files; refused where they are not private."""
        status = status_of(type(self), type(self).__name__)
        return centers_as_places(self.box, self._values, status)

    def tolist(self) -> list[list[float]]:
        return self._values.tolist()

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[FloatArray]:
        return iter(self._values)

    def __getitem__(self, index: Any) -> Any:
        return self._values[index]

    def __repr__(self) -> str:
        caution = f"  # {self.status}" if self.status else ""
        return f"{type(self).__name__}({self._values!r}){caution}"


class PrivateCenters(Centers):
    """Centers that an algorithm with a standing proof gave under a budget."""

    private = True


class SimulatedCenters(PrivateCenters):
    """Centers drawn with simulated noise: to look at, not to publish."""

    status = "simulated, not for publication"


class UnchargedCenters(PrivateCenters):
    """Centers drawn with noise for release, but charged to no ledger: not to publish."""

    status = "charged to no ledger, not for publication"


class ReleasedCenters(PrivateCenters):
    """Centers of a release that is charged to a ledger. Only `dpcore.release.publish` makes them,
    and a coreset that it released."""

    status = ""


def status_of(kind: type[Centers], what: str) -> str:
    """The status that files of such centers, or of their synopsis, must state."""
    if not (isinstance(kind, type) and issubclass(kind, PrivateCenters)):
        raise TypeError(
            f"{what} cannot be exported: they are not private. Only what an algorithm whose proof "
            "stands gave leaves this program."
        )
    return kind.status


class NonPrivateCenters(Centers):
    """Centers that anybody could trace to single rows: for your eyes only. `.value` opens them."""

    private = False
    status = "not private, for your eyes only"

    def __repr__(self) -> str:
        return f"NonPrivateCenters({len(self)} centers, {self.status}: .value opens them)"
