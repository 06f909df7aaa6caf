"""Joshi and Thakkar (2022): does SubClustering converge, and how fast (lemmas 1 and 2)?"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from dpcore.algorithms.guarantee import distances
from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import FloatArray
from dpcore.papers.check import Check, Conclusion
from dpcore.papers.figure_row import Row, plotted, printed
from dpcore.papers.inputs import Effort, Shelf
from dpcore.papers.joshi2022 import CLUSTERS, GUARANTEE, KEYS, SUB
from dpcore.papers.measurements import counted, judged
from dpcore.papers.reproduction import Reproduction, register
from dpcore.queries.unprotected_data import UnprotectedData
from dpcore.runs.run import run
from dpcore.study.trial_seeds import trial_seed

EPSILON = 1.0
#: Rounds of a run: the most that the algorithms take.
ROUNDS = 100
#: Converged: no center moves farther than this in a round, in a box of half side 1.
STILL = 1e-3
#: Costs are compared up to the rounding of numbers.
ROUNDING = 1e-9
#: DataInfo twice: within this factor of two.
ABOUT = 1.5

MOVES, OUTSIDE = "moves of a center", "part of the moves that leave the convergent zone"
RISING = "part of the rounds in which the cost rises"
TAKEN, TIMES = "rounds", "rounds / rounds of Lloyd"


def centers_of(key: str, data: Dataset, k: int, seed: int) -> list[FloatArray]:
    """The start and the centers after each round, without the final noise."""
    result = run(key, data, k, EPSILON, seed=seed, rounds=ROUNDS, final_noise=False)
    return [step.released["centers"] for step in result.steps if "centers" in step.released]


def lloyd(data: Dataset, start: FloatArray) -> list[FloatArray]:
    """The same start and the centers after each round of Lloyd's algorithm."""
    centers = [start]
    while len(centers) <= ROUNDS:
        centers.append(UnprotectedData(data).cluster_means(centers[-1]))
        if rounds_until_still(centers) < len(centers) - 1:
            break
    return centers


def rounds_until_still(path: Sequence[FloatArray]) -> int:
    """The first round in which no center moves; the number of rounds where there is none."""
    for i in range(1, len(path)):
        if distances(path[i], path[i - 1]).max() <= STILL:
            return i
    return len(path) - 1


def measure_rounds(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    """Moves outside of the convergent zone, rounds with a rising cost, and rounds to the end."""
    for key, k in CLUSTERS.items():
        data = shelf.data(key)
        for label, algorithm in KEYS.items():
            moves = outside = rising = rounds = 0
            round_counts, of_lloyd = [], []
            for i in range(effort.runs(10 if key == "digits" else 30)):
                path = centers_of(algorithm, data, k, trial_seed(effort.seed, i))
                round_counts.append(rounds_until_still(path))
                of_lloyd.append(rounds_until_still(lloyd(data, path[0])))
                path = path[: round_counts[-1] + 1]
                costs = data.cost(np.stack(path))
                rising += int((np.diff(costs) > ROUNDING * costs[:-1]).sum())
                rounds += len(path) - 1
                for before, after in pairwise(path):
                    moved = (before != after).any(axis=1)
                    means = UnprotectedData(data).cluster_means(before)
                    inside = distances(means, after) < distances(means, before)
                    moves += int(moved.sum())
                    outside += int((moved & ~inside).sum())
            where = {"data": key, "algorithm": label}
            lloyds = statistics.fmean(of_lloyd)
            yield Row({**where, "measure": MOVES}, moves)
            yield Row({**where, "measure": OUTSIDE}, outside / max(1, moves))
            yield Row({**where, "measure": RISING}, rising / max(1, rounds))
            yield Row({**where, "measure": TAKEN}, statistics.fmean(round_counts))
            yield Row({**where, "measure": TIMES}, statistics.fmean(round_counts) / lloyds)


def figures(rows: Sequence[Row], label: str, measure: str) -> list[float]:
    setting = {"algorithm": label, "measure": measure}.items()
    return [row.figure for row in rows if setting <= row.setting.items()]


def check_times(rows: Sequence[Row], label: str) -> Check:
    """Whether it takes about twice the rounds of Lloyd, on average over the sets: the paper says
    one number of all."""
    times = figures(rows, label, TIMES)
    if not times:
        return Check(Conclusion.CANNOT_RUN, f"The rounds of {label} were not counted.")
    mean = statistics.geometric_mean(times)
    time_words = ", ".join(f"{value:.3g}" for value in times)
    return Check(
        Conclusion.REPRODUCED if 1 / ABOUT <= mean / 2 <= ABOUT else Conclusion.NOT_REPRODUCED,
        f"{label} takes {time_words} times the rounds of Lloyd, {mean:.3g} times on average; about "
        f"twice is {2 / ABOUT:.3g} to {2 * ABOUT:.3g}.",
    )


def check_none(rows: Sequence[Row], label: str, measure: str, words: str) -> Check:
    """The number of sets on which something never happens."""
    parts = figures(rows, label, measure)
    holds = sum(part == 0 for part in parts)
    worst = f", in {max(parts):.2%} at most" if any(parts) else ""
    return counted(holds, len(parts), f"{label}: {words}{worst}:", most=1.0)


def check_rounds(rows: Sequence[Row]) -> Check:
    """Both lemmas on SubClustering, and the rounds of its baseline, decide together."""
    parts = (
        check_none(rows, SUB, OUTSIDE, "no move leaves the convergent zone"),
        check_none(rows, SUB, RISING, "the cost rises in no round"),
        check_times(rows, GUARANTEE),
    )
    conclusions = [part.finding for part in parts]
    worst = next(
        (f for f in (Conclusion.CANNOT_RUN, Conclusion.NOT_REPRODUCED) if f in conclusions),
        conclusions[0],
    )
    notes = []
    if moves := sum(figures(rows, SUB, MOVES)):
        times = ", ".join(f"{value:.3g}" for value in figures(rows, SUB, TIMES))
        notes.append(
            f"{moves:,.0f} moves of SubClustering were looked at. It takes {times} times the "
            "rounds of Lloyd: its centers are rows, and stop at the row nearest the mean."
        )
    return judged(
        Check(worst, " ".join(part.words for part in parts), notes=tuple(notes)),
        [
            check_none(rows, GUARANTEE, OUTSIDE, "no move leaves the convergent zone"),
            check_none(rows, GUARANTEE, RISING, "the cost rises in no round"),
        ],
        rows,
    )


register(
    Reproduction(
        name="joshi2022-lemma1-2",
        paper="joshi2022",
        figure="lemmas 1 and 2",
        title="Rounds of SubClustering and of Lloyd",
        claim="Every new center lies nearer the mean of its cluster than the old one (lemma 2), so "
        "the cost falls and the algorithm converges (lemma 1), as its baseline does in twice the "
        "rounds of Lloyd (section 1).",
        measure=measure_rounds,
        check=check_rounds,
        algorithms=tuple(KEYS.values()),
        data=tuple(CLUSTERS),
        differs="The paper proves the lemmas and measures no rounds; it says twice of its "
        "baseline, after Lu and Shen, not of SubClustering. Here both published forms run without "
        f"the final noise from 30 starts (digits: 10), with epsilon {EPSILON:g} and the default "
        f"internalK; they have converged when no center moves farther than {STILL:g} in a box of "
        "half side 1. Lloyd begins at the same rows. A center whose zone holds no row stays, which "
        "is no move. The repaired forms do not converge, for their means are noisy.",
        setting="Any data; the four sets of section 5.1 are taken here.",
        printed=(
            printed(2.0, algorithm=GUARANTEE, measure=TIMES),
            *(
                plotted(0.0, algorithm=label, measure=measure)
                for label in KEYS
                for measure in (OUTSIDE, RISING)
            ),
        ),
    )
)
