"""How exact `auto` is on generated data: beside its peers and siblings, in its tails, and above
the floor of what can be reached.

`python -m benchmarks.accuracy [PART …]` measures some parts only, of map, few, several, many and
held-out; `--runs N` makes other than 10 runs; `--save` keeps the figures of the parts measured,
with which later ones are compared. A figure is a NICV divided by that of k-means without privacy.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import dpcore
from benchmarks import workloads
from benchmarks.families import FAMILIES, generated
from benchmarks.table import Row, show
from dpcore.algorithms import get
from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import TICKS, FloatArray, to_ticks
from dpcore.kmeans.seeding import sphere_packing
from dpcore.privacy.noise import SimulatedNoise
from dpcore.study.metrics import nicv

TITLE = "NICV of `auto` over that of k-means, beside peers, tails and floor"
RUNS, DELTA = 10, 1e-6
KEPT = Path(__file__).with_name("accuracy.json")
#: A cell is lost when it is this far behind, and two standard errors.
BEHIND = 0.03
#: What a geometric mean of a peer over `auto` should be, by part.
BARS = {"map": 1.15, "few": 1.15}
#: The median excess over k-means at an epsilon, by part.
EXCESS_BARS = {"map": (0.1, 0.15), "few": (0.5, 0.08), "several": (0.1, 0.3)}
#: A 95th percentile over the median, where the median is no more than 1.1.
TAIL_BAR, TAIL_MEDIAN = 1.25, 1.1
PEERS = ("privtree", "ag", "rugnik")
SIBLINGS = ("adaptive", "lift", "eugkm", "coreset")
#: A grid with many cells takes long, and answers nothing in so many dimensions.
MOST_DIMENSIONS = {"eugkm": 6, "rugnik": 6, "privtree": 8}


@dataclass(frozen=True)
class Cell:
    """Data, how many centers, and what is spent."""

    family: str
    n: int
    d: int
    k: int
    epsilon: float
    delta: float = 0.0

    @property
    def name(self) -> str:
        delta = ", δ" if self.delta else ""
        return f"{self.family} {self.n:,} × {self.d}, k={self.k}, ε={self.epsilon:g}{delta}"

    @property
    def of_data(self) -> tuple[str, int, int, int]:
        return self.family, self.n, self.d, self.k


@dataclass(frozen=True)
class Figure:
    """Some runs of one method in one cell."""

    mean: float
    error: float
    median: float
    high: float

    @classmethod
    def of(cls, runs: npt.NDArray[np.float64]) -> Figure:
        error = runs.std(ddof=1) / math.sqrt(len(runs)) if len(runs) > 1 else 0.0
        high = np.percentile(runs, 95)
        told = (float(f"{x:.5g}") for x in (runs.mean(), error, np.median(runs), high))
        return cls(*told)


def crossed(
    shapes: Sequence[tuple[int, int, int]],
    epsilons: Sequence[float],
    families: Sequence[str] = tuple(FAMILIES),
    deltas: Sequence[float] = (0.0,),
) -> list[Cell]:
    return [
        Cell(family, *shape, epsilon, delta)
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
    "held-out": crossed(
        ((15_000, 2, 7), (1500, 2, 4), (30_000, 4, 10)),
        (0.05, 0.2, 1.0),
        ("streets", "nested"),
    ),
}


def rows(parts: Sequence[str] = ("map", "few", "several"), runs: int = 3) -> Iterator[Row]:
    measured = {part: figures_of_part(part, runs) for part in parts}
    yield from told(measured)


def figures_of_part(part: str, runs: int, only: Sequence[str] = ()) -> dict[str, dict[str, Figure]]:
    """Each cell's figures, by method."""
    found: dict[str, dict[str, Figure]] = {}
    data: Dataset | None = None
    before, best = None, 0.0
    for cell in PARTS[part]:
        if data is None or cell.of_data != before:
            before = cell.of_data
            data = workloads.as_rows(generated(*cell.of_data))
            best = reference(data, cell.k)
        found[cell.name] = {
            key: Figure.of(np.array([one(key, data, cell, seed) for seed in range(runs)]) / best)
            for key in methods(cell)
            if not only or key in only
        }
    return found


def methods(cell: Cell) -> Iterator[str]:
    yield from ("auto", "public", "floor")
    for key in (*PEERS, *SIBLINGS):
        usable = get(key).obstacle(cell.d, None, cell.k) is None
        if usable and cell.d <= MOST_DIMENSIONS.get(key, cell.d):
            yield key


def one(key: str, data: Dataset, cell: Cell, seed: int) -> float:
    """The NICV of one run."""
    if key == "public":
        rng = np.random.default_rng(seed)
        return float(data.cost(sphere_packing(cell.k, cell.d, 1, rng))[0]) / data.n
    if key == "floor":
        return float(data.cost(floor_centers(data, cell, seed)[None])[0]) / data.n
    delta = cell.delta if get(key).uses_delta else 0.0
    return nicv(data, dpcore.run(key, data, cell.k, cell.epsilon, delta, seed=seed).centers)


def floor_centers(data: Dataset, cell: Cell, seed: int) -> FloatArray:
    """The best centers known, with one noisy mean for each at the whole of epsilon."""
    best = data.box.to_unit(np.asarray(dpcore.baseline(data, cell.k, 0).centers))
    totals = data.cluster_totals(to_ticks(best))
    noise, d = SimulatedNoise(seed), data.d
    counts = noise.geometric(totals.counts, 1, 0.2 * cell.epsilon)
    sums = noise.geometric(totals.sums, d * TICKS, 0.8 * cell.epsilon) / TICKS
    near = np.sqrt(np.maximum(1, counts))[:, None]
    means = sums / np.maximum(1, counts)[:, None]
    # A center with few rows is known already: what noise says of it counts only as far as it may.
    trust = near**2 / (near**2 + (d / cell.epsilon) ** 2)
    return np.asarray(np.clip(best + trust * (means - best), -1, 1))


def reference(data: Dataset, k: int) -> float:
    """The NICV of the best clustering found without privacy."""
    return min(nicv(data, dpcore.baseline(data, k, seed).centers) for seed in range(2))


def told(measured: Mapping[str, Mapping[str, Mapping[str, Figure]]]) -> Iterator[Row]:
    """Geometric means, lost cells, tails and the distance to the floor; and since last time."""
    kept = last()
    for part, cells in measured.items():
        for peer in (*PEERS, *SIBLINGS):
            ratios = [c[peer].mean / c["auto"].mean for c in cells.values() if peer in c]
            if ratios:
                bar = BARS.get(part, 1.0) if peer in PEERS else 1.0
                lost = sum(ratio < 1 - BEHIND for ratio in ratios)
                yield Row(
                    f"{part}: {peer} over auto, geometric mean",
                    math.exp(np.mean(np.log(ratios))),
                    bar,
                    at_least=True,
                    note=f"{lost} of {len(ratios)} cells lost by more than {BEHIND:.0%}",
                )
        losses = dict(lost_cells(cells))
        worst = sorted(losses, key=losses.__getitem__, reverse=True)[:12]
        yield Row(
            f"{part}: cells lost to any",
            len(losses),
            0,
            unit=f"of {len(cells)}",
            note="; ".join(f"{name} {losses[name]:.2f}" for name in worst),
        )
        tails = {
            name: c["auto"].high / c["auto"].median
            for name, c in cells.items()
            if c["auto"].median <= TAIL_MEDIAN
        }
        if tails:
            worst_tail = max(tails, key=tails.__getitem__)
            yield Row(f"{part}: worst tail", tails[worst_tail], TAIL_BAR, note=worst_tail)
        yield from distances(part, cells)
        ratios = [
            cells[name]["auto"].mean / kept[part][name]["auto"].mean
            for name in cells
            if name in kept.get(part, {})
        ]
        if ratios:
            middle = math.exp(np.mean(np.log(ratios)))
            yield Row(f"{part}: auto over auto as last kept", middle, 1.01)


def lost_cells(cells: Mapping[str, Mapping[str, Figure]]) -> Iterator[tuple[str, float]]:
    """Cells in which another is better, by how much."""
    for name, by_method in cells.items():
        ours = by_method["auto"]
        for key, other in by_method.items():
            room = 2 * math.hypot(ours.error, other.error)
            behind = ours.mean > other.mean * (1 + BEHIND) and ours.mean > other.mean + room
            if behind and key not in ("auto", "floor"):
                yield f"{name} to {key}", ours.mean / other.mean


def distances(part: str, cells: Mapping[str, Mapping[str, Figure]]) -> Iterator[Row]:
    """Median excess over k-means at each epsilon, beside that of the floor."""
    at, bar = EXCESS_BARS.get(part, (0.0, 0.0))
    epsilons = sorted({cell.epsilon for cell in PARTS[part]})
    for epsilon in epsilons:
        here = [cells[c.name] for c in PARTS[part] if c.epsilon == epsilon and c.name in cells]
        ours, floor = (
            float(np.median([c[key].mean for c in here])) - 1 for key in ("auto", "floor")
        )
        yield Row(
            f"{part}: median excess at ε={epsilon:g}",
            ours,
            bar if epsilon == at else None,
            unit="",
            note=f"floor {floor:.3g}",
        )


def last() -> dict[str, dict[str, dict[str, Figure]]]:
    """The figures that were kept."""
    if not KEPT.exists():
        return {}
    return {
        part: {
            name: {key: Figure(**figure) for key, figure in by_method.items()}
            for name, by_method in cells.items()
        }
        for part, cells in json.loads(KEPT.read_text())["parts"].items()
    }


def keep(measured: Mapping[str, Mapping[str, Mapping[str, Figure]]], runs: int) -> None:
    """Put the parts measured in place of those kept, a line for each cell."""
    parts = {**last(), **measured}
    blocks = []
    for part, cells in sorted(parts.items()):
        lines = [
            f"{json.dumps(name, ensure_ascii=False)}: "
            + json.dumps({key: asdict(figure) for key, figure in by_method.items()})
            for name, by_method in cells.items()
        ]
        blocks.append(f'"{part}": {{\n' + ",\n".join(lines) + "\n}")
    KEPT.write_text(f'{{"runs": {runs}, "parts": {{\n' + ",\n".join(blocks) + "\n}}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=[], help="parts; all if none is given")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--only", nargs="*", default=[], help="methods besides auto and floor")
    parser.add_argument("--save", action="store_true", help="keep the figures")
    given = parser.parse_args()
    only = ("auto", "floor", *given.only) if given.only else ()
    measured = {
        part: figures_of_part(part, given.runs, only) for part in given.parts or list(PARTS)
    }
    met = show(TITLE, told(measured))
    if given.save:
        keep(measured, given.runs)
    return not met


if __name__ == "__main__":
    raise SystemExit(main())
