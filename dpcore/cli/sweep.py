"""`dpcore sweep`: many runs across epsilon, as a table."""

from __future__ import annotations

import argparse
import math
from typing import Any

from dpcore.algorithms import get
from dpcore.cli.arguments import add_budget, add_data, dataset, seed, settings
from dpcore.cli.progress_meter import progress
from dpcore.errors import BadInput
from dpcore.results.non_private import opened
from dpcore.results.run_result import NonPrivateCenters
from dpcore.study.sweep import Trial, sweep
from dpcore.study.sweep_plan import as_csv, as_json

EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)


def add(commands: Any) -> None:
    command = commands.add_parser(
        "sweep",
        help="NICV across epsilon, many runs",
        description="Runs algorithms many times across epsilon. Its figures compare with the true "
        "data: they are for your eyes only, and choosing epsilon by them leaks. Tables of your "
        "own data say so in each row.",
    )
    command.add_argument("algorithms", nargs="+", help="keys from `dpcore list`")
    command.add_argument("-k", type=int, required=True, help="how many centers")
    command.add_argument("--epsilons", type=float, nargs="+", default=list(EPSILONS))
    command.add_argument("--runs", type=int, default=20, help="runs at each epsilon")
    command.add_argument("--seed", type=seed, default=0)
    command.add_argument(
        "--unsquared", action="store_true", help="the mean distance as well, as paper 003 has NICV"
    )
    add_data(command)
    add_budget(command)
    shape = command.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="every trial as JSON")
    shape.add_argument("--csv", action="store_true", help="every trial as CSV")
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> None:
    keys = list(dict.fromkeys(arguments.algorithms))
    if arguments.set and len(keys) > 1:
        raise BadInput("--set needs a single algorithm, so that it is clear whose setting it is.")
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
    rows = [opened(trial) for trial in progress(trials, total, "sweep")]
    status = "" if data.about.public else NonPrivateCenters.status
    if arguments.json:
        print(as_json(rows, status))
    elif arguments.csv:
        print(as_csv(rows, status), end="")
    else:
        _tell(rows, arguments.epsilons)


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
