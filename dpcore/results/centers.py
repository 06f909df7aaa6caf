"""Cluster centers in data units. Whether they are private is their type.

`PrivateCenters` come out of an algorithm whose proof holds, or of what it released, and out of
nothing else; `NonPrivateCenters` come from looking at the data. Arithmetic on either gives plain
arrays, which no export takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from dpcore.geometry.domain import Box, FloatArray


class Centers(np.lib.mixins.NDArrayOperatorsMixin):
    """Cluster centers in data units, one a row, that behave like an array."""

    private: bool

    def __init__(self, values: npt.ArrayLike, box: Box):
        self._values = np.array(values, dtype=np.float64, ndmin=2)
        self._values.flags.writeable = False
        self.box = box

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False and dtype not in (None, np.float64):
            raise ValueError("a conversion to another type needs a copy")
        return np.array(self._values, dtype=dtype) if copy or dtype else self._values

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [i._values if isinstance(i, Centers) else i for i in inputs]
        return getattr(ufunc, method)(*plain, **options)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._values.shape

    @property
    def ndim(self) -> int:
        return self._values.ndim

    def tolist(self) -> list[list[float]]:
        return self._values.tolist()

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[FloatArray]:
        return iter(self._values)

    def __getitem__(self, index: Any) -> Any:
        return self._values[index]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._values!r})"


class PrivateCenters(Centers):
    """Centers that an algorithm with a standing proof gave under a budget."""

    private = True


class NonPrivateCenters(Centers):
    """Centers that anybody could trace to single rows: for your eyes only."""

    private = False
