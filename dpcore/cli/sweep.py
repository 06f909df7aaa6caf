"""`dpcore sweep`: many runs across epsilon, as a table."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Iterator
from typing import TypeVar

from dpcore.algorithms import get
from dpcore.cli.arguments import add_budget, add_data, dataset, seed, settings
from dpcore.cli.progress_meter import Stages
from dpcore.errors import BadInput
from dpcore.kmeans.stages import listening
from dpcore.results.centers import NonPrivateCenters
from dpcore.results.non_private import opened
from dpcore.study.sweep import Trial, sweep
from dpcore.study.sweep_plan import as_csv, as_json

T = TypeVar("T")
EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Run algorithms many times across epsilon and show how good their centers are. The figures "
        "compare with the true data, so they are not private: do not publish them, and do not "
        "choose epsilon by them. Tables of your own data say so in each row."
    )
    command.add_argument("algorithms", nargs="+", help="keys from `dpcore list`")
    command.add_argument("-k", type=int, required=True, help="number of centers")
    command.add_argument(
        "--epsilons",
        type=float,
        nargs="+",
        default=list(EPSILONS),
        metavar="X",
        help="privacy budgets to try (default: " + " ".join(f"{e:g}" for e in EPSILONS) + ")",
    )
    command.add_argument("--runs", type=int, default=20, help="runs at each epsilon (%(default)s)")
    command.add_argument(
        "--seed", type=seed, default=0, help="seed of the simulated noise (%(default)s)"
    )
    command.add_argument(
        "--unsquared",
        action="store_true",
        help="also measure the mean distance, not squared",
    )
    add_data(command)
    add_budget(command)
    shape = command.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print every run as JSON")
    shape.add_argument("--csv", action="store_true", help="print every run as CSV")
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> None:
    keys = list(dict.fromkeys(arguments.algorithms))
    if arguments.set and len(keys) > 1:
        raise BadInput("--set works with one algorithm only. Run a sweep for each algorithm.")
    chosen = {key: settings(get(key), arguments.set) for key in keys}
    data = dataset(arguments)
    trials = sweep(
        keys,
        data,
        arguments.k,
        arguments.epsilons,
        arguments.runs,
        arguments.seed,
        arguments.delta,
        arguments.neighbors,
        chosen,
        unsquared=arguments.unsquared,
    )
    total = len(keys) * len(arguments.epsilons) * arguments.runs
    rows = [opened(trial) for trial in watched(trials, total)]
    status = "" if data.about.public else NonPrivateCenters.status
    if arguments.json:
        print(as_json(rows, status))
    elif arguments.csv:
        print(as_csv(rows, status), end="")
    else:
        _tell(rows, arguments.epsilons)


def watched(trials: Iterable[T], total: int) -> Iterator[T]:
    """The trials one by one, while it is told how many are done, and how far the next one is."""
    done = 0
    with Stages() as stages:
        stages("sweep", 0.0)

        def hear(doing: str, part: float) -> None:
            stages(f"sweep: {doing}, {part:.0%}", done / total)

        with listening(hear):
            for trial in trials:
                done += 1
                stages("sweep", done / total)
                yield trial


def _tell(trials: list[Trial], epsilons: list[float]) -> None:
    print("mean NICV (for your eyes only: it compares with the true data)\n")
    print(f"{'epsilon':<22}" + "".join(f"{e:>12g}" for e in epsilons))
    refusals: dict[str, str] = {}
    for key in dict.fromkeys(t.algorithm for t in trials):
        cells = []
        for epsilon in epsilons:
            of = [t for t in trials if t.algorithm == key and t.epsilon == epsilon]
            values = [t.nicv for t in of if t.refusal is None]
            cells.append(f"{math.fsum(values) / len(values):12.5g}" if values else f"{'–':>12}")
            refusals.update((key, t.refusal) for t in of if t.refusal)
        print(f"{key:<22}" + "".join(cells))
    for key, refusal in refusals.items():
        whose = "" if refusal.startswith(key) else f"{key}: "
        print(f"\n{whose}{refusal}")
