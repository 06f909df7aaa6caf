"""The cells in which accuracy is measured: data, how many centers, and what is spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks import held_out
from benchmarks.families import FAMILIES, generated
from dpcore.geometry.domain import FloatArray

DELTA = 1e-6
#: Rows of the data of which the cells of the part `growing` see the first ones.
ALL_ROWS = 32_000


@dataclass(frozen=True)
class Cell:
    """Data, how many centers, and what is spent."""

    family: str
    n: int
    d: int
    k: int
    epsilon: float
    delta: float = 0.0
    #: Rows of the whole of which the data are the first; 0 where they are all of them.
    whole: int = 0

    @property
    def name(self) -> str:
        delta = ", δ" if self.delta else ""
        whole = f" of {self.whole:,}" if self.whole else ""
        shape = f"{self.n:,}{whole} × {self.d}"
        return f"{self.family} {shape}, k={self.k}, ε={self.epsilon:g}{delta}"

    @property
    def rows_of(self) -> Cell:
        """One cell for all that have the same rows and as many centers."""
        return replace(self, epsilon=0.0, delta=0.0)

    def rows(self) -> FloatArray:
        every = {**FAMILIES, **held_out.FAMILIES}
        return generated(self.family, self.whole or self.n, self.d, self.k, families=every)[
            : self.n
        ]


def crossed(
    shapes: Sequence[tuple[int, int, int]],
    epsilons: Sequence[float],
    families: Sequence[str] = tuple(FAMILIES),
    deltas: Sequence[float] = (0.0,),
    whole: int = 0,
) -> list[Cell]:
    return [
        Cell(family, *shape, epsilon, delta, whole)
        for family in families
        for shape in shapes
        for epsilon in epsilons
        for delta in deltas
    ]


PARTS: Mapping[str, list[Cell]] = {
    "map": crossed(((20_000, 2, 8), (2000, 2, 5)), (0.02, 0.1, 0.5, 2.0))
    + crossed(((50_000, 2, 50), (100, 2, 3)), (0.1, 1.0), ("blobs", "unbalanced", "uniform")),
    "few": crossed(((20_000, 3, 8), (10_000, 5, 6)), (0.05, 0.25, 0.5, 2.0)),
    "several": crossed(((10_000, 8, 6), (20_000, 20, 8)), (0.1, 1.0), deltas=(0.0, DELTA)),
    "many": crossed(((20_000, 50, 8), (5000, 200, 4)), (0.5, 5.0), ("blobs", "unbalanced"))
    + crossed(((200, 100, 4),), (0.5, 2.0), ("blobs",), (0.0, DELTA)),
    "tiny": crossed(
        ((200, 8, 3), (200, 20, 3), (300, 100, 4), (800, 50, 5)),
        (0.1, 0.25, 0.5, 1.0, 2.0),
        ("blobs", "anisotropic", "corner", "uniform"),
        (0.0, DELTA),
    ),
    "growing": crossed(
        [(n, d, 5) for d in (2, 4, 10) for n in (500, 2000, 8000, ALL_ROWS)],
        (0.2,),
        ("blobs", "corner", "unbalanced", "anisotropic"),
        whole=ALL_ROWS,
    ),
    "held-out": crossed(
        ((15_000, 2, 7), (1500, 2, 4), (30_000, 4, 10), (8000, 9, 5)),
        (0.05, 0.2, 1.0),
        tuple(held_out.FAMILIES),
    ),
}
#: Parts in which `auto` is only compared with itself.
ALONE = ("tiny", "growing")
