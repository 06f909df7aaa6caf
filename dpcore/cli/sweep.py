"""`dpcore sweep`: many runs across epsilon, as a table."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from dpcore.cli.arguments import add_budget, add_data, dataset, request, seed
from dpcore.cli.progress_meter import Stages
from dpcore.cli.region_arguments import add_regions, regions
from dpcore.datasets.base import Dataset
from dpcore.datasets.region_map import Regions
from dpcore.errors import BadInput
from dpcore.kmeans.stages import listening
from dpcore.results.centers import NonPrivateCenters
from dpcore.results.non_private import opened
from dpcore.runs.request import Request
from dpcore.study.area_sweep import Where, area_curve, area_sweep
from dpcore.study.area_sweep import as_csv as areas_as_csv
from dpcore.study.curves import curve
from dpcore.study.metrics import Metric, measurable, named, usual
from dpcore.study.sweep import sweep
from dpcore.study.sweep_plan import as_csv, as_json
from dpcore.study.trials import Trial

T = TypeVar("T")
#: What a table for people shows.
SHOWN = ("nicv",)
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
        "--metrics",
        nargs="+",
        metavar="NAME",
        help=f"what is measured: {', '.join(measurable())}; a table for people shows "
        f"{SHOWN[0]} unless told otherwise, and files hold {', '.join(usual())}",
    )
    add_data(command)
    add_budget(command)
    add_regions(command)
    command.add_argument(
        "--area",
        metavar="NAME",
        help="vary the level of this region alone: --epsilons are its levels, and the table shows "
        "the error there and on the whole map",
    )
    command.add_argument(
        "--most",
        type=float,
        metavar="X",
        help="with --area: the epsilon of the other regions (default: the largest of --epsilons)",
    )
    shape = command.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print every run as JSON")
    shape.add_argument("--csv", action="store_true", help="print every run as CSV")
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> None:
    keys = list(dict.fromkeys(arguments.algorithms))
    if arguments.set and len(keys) > 1:
        raise BadInput("--set works with one algorithm only. Run a sweep for each algorithm.")
    requests = [request(arguments, key, epsilon) for epsilon in arguments.epsilons for key in keys]
    data = dataset(arguments)
    divided = regions(arguments, data.box)
    if arguments.area is not None or arguments.most is not None:
        sweep_area(arguments, requests[0], data, divided)
        return
    requests = [replace(each, regions=divided) for each in requests]
    trials = sweep(
        requests,
        data,
        runs=arguments.runs,
        metrics=arguments.metrics or (None if arguments.json or arguments.csv else SHOWN),
    )
    rows = [opened(trial) for trial in with_progress(trials, len(requests) * arguments.runs)]
    status = "" if data.about.public else NonPrivateCenters.status
    if arguments.json:
        print(as_json(rows, status))
    elif arguments.csv:
        print(as_csv(rows, status), end="")
    else:
        metrics = named(arguments.metrics or SHOWN)
        tables = [_table(rows, arguments.epsilons, metric) for metric in metrics]
        print("\n\n".join([*tables, *_refusals(rows)]))


def sweep_area(
    arguments: argparse.Namespace, request: Request, data: Dataset, divided: Regions | None
) -> None:
    """Print how the level of one region changes the error there and on the whole map."""
    if divided is None or arguments.area is None:
        raise BadInput("--area names one of --regions, and --most needs --area. Give both.")
    if len(set(arguments.algorithms)) > 1 or arguments.json:
        raise BadInput("--area works with one algorithm, as a table or with --csv.")
    most = max(arguments.epsilons) if arguments.most is None else arguments.most
    area_request = replace(request, epsilon=most, regions=divided)
    usual_ones = None if arguments.csv else SHOWN
    trials = area_sweep(
        area_request,
        data,
        arguments.area,
        arguments.epsilons,
        arguments.runs,
        metrics=arguments.metrics or usual_ones,
    )
    rows = [
        opened(each) for each in with_progress(trials, len(arguments.epsilons) * arguments.runs)
    ]
    if arguments.csv:
        status = "" if data.about.public else NonPrivateCenters.status
        print(areas_as_csv(rows, status), end="")
        return
    places: tuple[tuple[str, Where], ...] = ((f"in {arguments.area}", "inside"), ("all", "whole"))
    for metric in named(arguments.metrics or SHOWN):
        print(f"mean {metric.title} (for your eyes only: it compares with the true data)\n")
        print(
            f"{'level of ' + arguments.area:<28}"
            + "".join(f"{e:>12g}" for e in sorted(dict.fromkeys(arguments.epsilons)))
        )
        for words, where in places:
            points = area_curve(rows, metric, where).points
            print(f"{words:<28}" + "".join(f"{point.mean:12.5g}" for point in points))
    print("\n".join(dict.fromkeys(row.refusal for row in rows if row.refusal)))


def with_progress(trials: Iterable[T], total: int) -> Iterator[T]:
    """The trials one by one, with a progress line on the finished ones and the next one."""
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


def _table(trials: list[Trial], epsilons: list[float], metric: Metric) -> str:
    """The mean of one metric, by algorithm and epsilon."""
    lines = [f"mean {metric.title} (for your eyes only: it compares with the true data)", ""]
    lines.append(f"{'epsilon':<22}" + "".join(f"{e:>12g}" for e in epsilons))
    for key in dict.fromkeys(t.algorithm for t in trials):
        points = {point.epsilon: point for point in curve(key, trials, metric).points}
        cells = (f"{points[e].mean:12.5g}" if e in points else f"{'–':>12}" for e in epsilons)
        lines.append(f"{key:<22}" + "".join(cells))
    return "\n".join(lines)


def _refusals(trials: list[Trial]) -> list[str]:
    """The reasons why algorithms have no answer, each once."""
    refusals = {trial.algorithm: trial.refusal for trial in trials if trial.refusal}
    return [
        refusal if refusal.startswith(key) else f"{key}: {refusal}"
        for key, refusal in refusals.items()
    ]
