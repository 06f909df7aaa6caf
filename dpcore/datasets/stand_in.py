"""A public data set of a chosen size, to stand in for private rows that nothing may be tried on."""

from __future__ import annotations

from functools import lru_cache

from dpcore.datasets import generated
from dpcore.datasets.base import DataInfo
from dpcore.datasets.builtin import CITY, MONTH_CELLS, PICKUP, taxi
from dpcore.datasets.grid import GridDataset
from dpcore.errors import BadInput, Infeasible
from dpcore.geometry.domain import Box, Grid

#: The part of the rows that lies anywhere, and over how many cells the density is smoothed.
ANYWHERE, SMOOTHING = 0.01, 2
#: More rows than this are in no data set that dpcore reads.
MOST_ROWS = 10**11


@lru_cache(maxsize=4)
def stand_in(n: int, box: Box, geographic: bool, unit: str = "row") -> GridDataset:
    """Simulated rows in a box of two coordinates, spread as New York's taxi trips are
    spread over theirs. Nothing but public numbers goes into it.

    Parameters
    ----------
    n : int
        How many rows: a public number.
    box : Box
        The public box that the rows lie in.
    geographic : bool
        Whether the box is in degrees.
    unit : str, default="row"
        What one row is.

    Returns
    -------
    GridDataset

    Raises
    ------
    ValueError
        If n is out of range or the box has not two coordinates.

    Examples
    --------
    >>> from dpcore import Box
    >>> from dpcore.datasets.stand_in import stand_in
    >>> stand_in(1000, Box((0, 0), (1, 1)), False).n
    1000
    """
    if isinstance(n, bool) or n != int(n) or not 1 <= n <= MOST_ROWS:
        raise BadInput(f"n must be a whole number from 1 to {MOST_ROWS:,}, not {n!r}.")
    if box.d != 2:
        raise Infeasible(f"Public data stand in on 2 coordinates; these data have {box.d}.")
    grid = Grid(CITY, MONTH_CELLS)
    counts = generated.month(taxi(PICKUP), grid, int(n), ANYWHERE, SMOOTHING, seed=2015)
    about = DataInfo(
        "stand-in",
        "Public trips over your area",
        f"{n:,} simulated rows, spread over the box as New York's taxi trips are over theirs.",
        unit,
        simulated=True,
        geographic=geographic,
        public=True,
    )
    return GridDataset(counts, box, about)
