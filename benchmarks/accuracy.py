"""How exact `auto` is on generated data: beside its peers and siblings, in its tails, and above
the floor of what can be reached; and whether more rows, epsilon or a delta ever make it worse.

`python -m benchmarks.accuracy [PART …]` measures some parts only, of map, few, several, many, tiny,
growing and held-out; `--runs N` makes other than 10 runs, but at least 40 of `auto` where the bar
on tails applies; `--save` keeps the figures of the parts measured, with which later ones are
compared; `--kept` shows what the kept figures amount to. A figure is a NICV divided by that of
k-means without privacy.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from functools import lru_cache
from pathlib import Path

import numpy as np

import dpcore
from benchmarks import workloads
from benchmarks.accuracy_cells import ALONE, PARTS, Cell
from benchmarks.accuracy_table import (
    PEERS,
    SIBLINGS,
    TAIL_MEDIAN,
    TAIL_RUNS,
    Figure,
    Figures,
    summary_rows,
)
from benchmarks.table import Row, show
from dpcore.algorithms import get
from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import TICKS, FloatArray
from dpcore.kmeans.seeding import sphere_packing
from dpcore.study.metrics import nicv

TITLE = "NICV of `auto` over that of k-means, beside peers, tails and floor"
RUNS = 10
KEPT = Path(__file__).with_name("accuracy.json")
#: A grid with many cells takes long, and answers nothing in so many dimensions.
MOST_DIMENSIONS = {"eugkm": 6, "rugnik": 6, "privtree": 8}


def rows(parts: Sequence[str] = ("map", "few", "several"), runs: int = 3) -> Iterator[Row]:
    yield from summary_rows({part: figures_of_part(part, runs) for part in parts}, last())


def figures_of_part(part: str, runs: int, only: Sequence[str] = ()) -> dict[str, Figures]:
    """Each cell's figures, by method."""
    return {
        cell.name: {
            key: figure(key, cell, runs) for key in methods(part, cell) if not only or key in only
        }
        for cell in PARTS[part]
    }


def figure(key: str, cell: Cell, runs: int) -> Figure:
    """Of so many runs; of as many as a tail takes where `auto` is good enough for the bar on it."""
    data, centers = data_of(cell.rows_of)
    best = nicv(data, data.box.from_unit(centers))
    ratios = [one(key, data, cell, seed) / best for seed in range(runs)]
    if key == "auto" and np.median(ratios) <= TAIL_MEDIAN:
        ratios += [one(key, data, cell, seed) / best for seed in range(runs, TAIL_RUNS)]
    return Figure.of(np.array(ratios))


@lru_cache(maxsize=4)
def data_of(cell: Cell) -> tuple[Dataset, FloatArray]:
    """The rows of a cell, and the best centers found for them without privacy."""
    data = workloads.as_rows(cell.rows())
    solutions = [dpcore.baseline(data, cell.k, seed).centers for seed in range(2)]
    best = min(solutions, key=lambda centers: nicv(data, centers))
    return data, data.box.to_unit(np.asarray(best))


def methods(part: str, cell: Cell) -> Iterator[str]:
    yield from ("auto", "floor")
    if part in ALONE:
        return
    yield "public"
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
    """The best centers, each moved by the noise of one mean of its rows at the whole of epsilon, as
    if it were known how far they lie from it: nobody can do that, so it is a floor."""
    _, best = data_of(cell.rows_of)
    ticks, _ = data.positions()
    unit = ticks / TICKS
    squared = ((unit[:, None] - best) ** 2).sum(axis=2)
    nearest = squared.argmin(axis=1)
    rows = np.maximum(1, np.bincount(nearest, minlength=cell.k))
    reach = np.sqrt(np.bincount(nearest, squared.min(axis=1), cell.k) / rows)
    scale = math.sqrt(cell.d) * reach / (cell.epsilon * rows)
    noise = np.random.default_rng(seed).laplace(size=best.shape) * scale[:, None]
    return np.asarray(np.clip(best + noise, -1, 1))


def last() -> dict[str, dict[str, Figures]]:
    """The figures that were kept."""
    if not KEPT.exists():
        return {}
    return {
        part: {
            name: {key: Figure(*figure) for key, figure in by_method.items()}
            for name, by_method in cells.items()
        }
        for part, cells in json.loads(KEPT.read_text())["parts"].items()
    }


def keep(measured: Mapping[str, Mapping[str, Figures]], runs: int) -> None:
    """Put the parts measured in place of those kept, a line for each cell, and for each method its
    mean, the standard error of that, the median and the 95th percentile."""
    blocks = []
    for part, cells in sorted({**last(), **measured}.items()):
        lines = [
            f"{json.dumps(name, ensure_ascii=False)}: "
            + json.dumps({key: astuple(figure) for key, figure in by_method.items()})
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
    parser.add_argument("--kept", action="store_true", help="show the kept ones, measure nothing")
    arguments = parser.parse_args()
    if arguments.kept:
        results = {
            part: cells for part, cells in last().items() if part in (arguments.parts or PARTS)
        }
        return not show(TITLE, summary_rows(results, {}))
    only = ("auto", "floor", *arguments.only) if arguments.only else ()
    measured = {
        part: figures_of_part(part, arguments.runs, only) for part in arguments.parts or list(PARTS)
    }
    met = show(TITLE, summary_rows(measured, last()))
    if arguments.save:
        keep(measured, arguments.runs)
    return not met


if __name__ == "__main__":
    raise SystemExit(main())
