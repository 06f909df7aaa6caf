"""The public facts about the data: the box it lies in and the lattice it is read on.

Every question about private data is answered on one fine lattice of 2**21 cells a side. A row is
known only by the cell it falls in, and a cell by its center, which is an odd whole number of
*ticks* (1 tick = 2**-21 of half a box side). So coordinates, sums and squared distances are
integers, and every engine, order of rows and number of threads gives the same answer to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from dpcore.errors import BadInput

LATTICE_BITS = 21
LATTICE_CELLS = 1 << LATTICE_BITS
#: Ticks from the middle of the box to its edge: a position of TICKS is +1 in unit coordinates.
TICKS = LATTICE_CELLS

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Box:
    """The public box of the data: one low and one high end a coordinate.

    It is given, never taken from the data: the smallest and largest values belong to single rows.
    Both ends belong to it. Cells that share a border split it: each row lies in exactly one.

    Parameters
    ----------
    low, high : tuple of float
        The two ends of each coordinate, in data units.
    names : tuple of str, default=()
        The name of each coordinate; "x0", "x1" and so on if empty.

    Raises
    ------
    ValueError
        If an end is not finite, an interval has no width, or two names are the same.

    Examples
    --------
    >>> from dpcore import Box
    >>> city = Box((-74.1, 40.7), (-73.9, 40.9), ("longitude", "latitude"))
    >>> city.d
    2
    >>> city.contains([[-74.0, 40.8], [0.0, 0.0]]).tolist()
    [True, False]
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", tuple(float(v) for v in np.atleast_1d(self.low)))
        object.__setattr__(self, "high", tuple(float(v) for v in np.atleast_1d(self.high)))
        if len(self.low) != len(self.high) or not self.low:
            raise BadInput(
                f"A box needs one low and one high end for each coordinate, "
                f"not {len(self.low)} and {len(self.high)}."
            )
        names = tuple(self.names) or tuple(f"x{i}" for i in range(len(self.low)))
        if len(names) != len(self.low):
            raise BadInput(f"{len(names)} names for {len(self.low)} coordinates.")
        if len(set(names)) < len(names):
            raise BadInput(f"Two coordinates have the same name: {', '.join(names)}.")
        object.__setattr__(self, "names", names)
        for name, low, high in zip(names, self.low, self.high, strict=True):
            if not (np.isfinite(low) and np.isfinite(high)):
                raise BadInput(f"The box of {name!r} must be finite, not {low} to {high}.")
            if not low < high:
                raise BadInput(
                    f"The box of {name!r} has no width: it goes from {low} to {high}. "
                    "Leave out a constant column, or give the range it could have had."
                )
            scale = LATTICE_CELLS / (high - low)
            if not (np.isfinite(high - low) and np.isfinite(scale)):
                raise BadInput(f"The box of {name!r}, {low} to {high}, is too wide or too thin.")

    @classmethod
    def cube(cls, d: int, low: float = -1.0, high: float = 1.0) -> Box:
        """The same ends for each of d coordinates."""
        return cls((low,) * d, (high,) * d)

    @classmethod
    def of(cls, box: Any, d: int, names: Sequence[str] = ()) -> Box:
        """A box as it is, or one of a pair of ends, as `between` takes them."""
        if isinstance(box, Box):
            return box
        try:
            low, high = box
        except (TypeError, ValueError):
            raise BadInput("A box is a dpcore.Box or a pair of its ends: (low, high).") from None
        return cls.between(low, high, d, names)

    @classmethod
    def between(
        cls, low: npt.ArrayLike, high: npt.ArrayLike, d: int, names: Sequence[str] = ()
    ) -> Box:
        """Ends given as numbers, or one for each of d coordinates."""
        try:
            ends = [np.broadcast_to(np.asarray(end, dtype=np.float64), d) for end in (low, high)]
        except (TypeError, ValueError):
            raise BadInput(f"A box for {d} coordinates has one end each, or {d}.") from None
        return cls(tuple(ends[0]), tuple(ends[1]), tuple(names))

    @property
    def d(self) -> int:
        return len(self.low)

    def beside(self, name: str) -> str:
        """A name for a column beside the coordinates, with an underscore if one of them has it."""
        while name in self.names:
            name += "_"
        return name

    @property
    def _half(self) -> FloatArray:
        return (np.asarray(self.high) - np.asarray(self.low)) / 2

    @property
    def center(self) -> FloatArray:
        """The middle of the box, in data units: the answer that looks at no data."""
        return np.asarray(self.high) / 2 + np.asarray(self.low) / 2

    def to_unit(self, points: npt.ArrayLike) -> FloatArray:
        """Data units to unit coordinates, in which the box is [-1, 1]^d."""
        return (np.asarray(points, dtype=np.float64) - self.center) / self._half

    def from_unit(self, points: npt.ArrayLike) -> FloatArray:
        """Unit coordinates to data units."""
        return np.asarray(points, dtype=np.float64) * self._half + self.center

    def contains(self, points: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """The rows that lie in the box, its ends included; NaN and infinities do not."""
        x = np.asarray(points, dtype=np.float64)
        return np.all((x >= np.asarray(self.low)) & (x <= np.asarray(self.high)), axis=-1)

    def cells(self, points: npt.ArrayLike, cells_per_side: int = LATTICE_CELLS) -> IntArray:
        """The cell of each row inside the box: floor((x - low) * scale), at most the last cell.

        The engines write the same expression in SQL; it is the only rounding rows ever meet.
        """
        x = np.asarray(points, dtype=np.float64)
        scale = cells_per_side / (np.asarray(self.high) - np.asarray(self.low))
        cells = np.floor((x - np.asarray(self.low)) * scale).astype(np.int64)
        return np.minimum(cells, cells_per_side - 1)

    def take(self, axes: Sequence[int]) -> Box:
        """The box of some of the coordinates."""
        return Box(
            tuple(self.low[a] for a in axes),
            tuple(self.high[a] for a in axes),
            tuple(self.names[a] for a in axes),
        )

    def words(self) -> str:
        """The ends of each coordinate, for people."""
        ends = zip(self.names, self.low, self.high, strict=True)
        return ", ".join(f"{name} from {low:g} to {high:g}" for name, low, high in ends)

    def as_dict(self) -> dict[str, Any]:
        return {"low": list(self.low), "high": list(self.high), "names": list(self.names)}


class Partition(Protocol):
    """Disjoint public cells: a row lies in one of them, or in none.

    That is all a noisy histogram needs: one row changes one count by one.
    """

    @property
    def n_cells(self) -> int: ...

    def labels(self, ticks: IntArray) -> IntArray:
        """The cell of each position (m, d), or -1 for positions in none."""
        ...


@dataclass(frozen=True)
class Grid:
    """The box cut into cells_per_side equal cells along each coordinate.

    Parameters
    ----------
    box : Box
        The box to cut.
    cells_per_side : int
        Number of cells along each coordinate.

    Raises
    ------
    ValueError
        If `cells_per_side` is less than 1.

    Examples
    --------
    >>> from dpcore import Box, Grid
    >>> grid = Grid(Box.cube(2), 4)
    >>> grid.n_cells
    16
    >>> grid.axis_centers().tolist()
    [-0.75, -0.25, 0.25, 0.75]
    """

    box: Box
    cells_per_side: int

    def __post_init__(self) -> None:
        if self.cells_per_side < 1:
            raise BadInput(f"A grid needs at least one cell a side, not {self.cells_per_side}.")

    @property
    def d(self) -> int:
        return self.box.d

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.cells_per_side,) * self.d

    @property
    def n_cells(self) -> int:
        return self.cells_per_side**self.d

    def labels(self, ticks: IntArray) -> IntArray:
        """The flat cell, in C order, that each position falls in."""
        g = self.cells_per_side
        cells = np.minimum(((np.asarray(ticks) + TICKS) * g) // (2 * TICKS), g - 1)
        label = cells[..., 0]
        for axis in range(1, self.d):
            label = label * g + cells[..., axis]
        return label

    def axis_centers(self) -> FloatArray:
        """Centers of the cells along one coordinate, in unit coordinates."""
        g = self.cells_per_side
        return (2 * np.arange(g) + 1 - g) / g

    def centers(self) -> FloatArray:
        """Centers of all cells in unit coordinates, (n_cells, d), in the order of `ravel`."""
        axes = np.meshgrid(*[self.axis_centers()] * self.d, indexing="ij")
        return np.stack(axes, axis=-1).reshape(-1, self.d)


@dataclass(frozen=True)
class Slabs:
    """The box cut across one coordinate only, into equally wide slabs."""

    axis: int
    slabs: int

    @property
    def n_cells(self) -> int:
        return self.slabs

    def labels(self, ticks: IntArray) -> IntArray:
        """The slab that each position falls in."""
        slab = ((np.asarray(ticks)[..., self.axis] + TICKS) * self.slabs) // (2 * TICKS)
        return np.minimum(slab, self.slabs - 1)


def cell_ticks(cells: npt.ArrayLike, cells_per_side: int = LATTICE_CELLS) -> IntArray:
    """Position of the centers of cells, in ticks. cells_per_side must be a power of two."""
    width, remainder = divmod(LATTICE_CELLS, cells_per_side)
    if remainder or not width:
        raise BadInput(f"{cells_per_side} cells a side do not nest in the lattice.")
    return (2 * np.asarray(cells, dtype=np.int64) + 1) * width - TICKS


def coarsen(cells: npt.ArrayLike, of: int, to: int) -> IntArray:
    """Cells of a grid of `of` a side as cells of one of `to` a side: where their center falls."""
    return ((2 * np.asarray(cells, dtype=np.int64) + 1) * to) // (2 * of)


def to_ticks(points: npt.ArrayLike) -> IntArray:
    """Unit coordinates rounded to ticks and folded back into the box."""
    ticks = np.rint(np.asarray(points, dtype=np.float64) * TICKS)
    return np.clip(ticks, -TICKS, TICKS).astype(np.int64)


def from_ticks(ticks: npt.ArrayLike) -> FloatArray:
    """Ticks to unit coordinates."""
    return np.asarray(ticks, dtype=np.float64) / TICKS
