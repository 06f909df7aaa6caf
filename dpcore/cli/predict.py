"""`dpcore predict`: the error that public numbers predict, and which method wins from where."""

from __future__ import annotations

import argparse
import json
import textwrap
from dataclasses import asdict
from typing import Any

from dpcore.algorithms import get
from dpcore.cli.arguments import add_neighbors, add_settings, settings
from dpcore.datasets import load
from dpcore.datasets.builtin import is_builtin
from dpcore.errors import BadInput, Infeasible
from dpcore.study.prediction import (
    COMPARED,
    PARTING,
    PREDICTED,
    Prediction,
    Win,
    crossover,
    predict,
)

EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
#: What may run from small to large while the rest stays.
AXES = ("epsilon", "n", "d")


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Predict the mean squared error of a centroid by the error analysis of Su et "
        "al. (2016). It reads public numbers only, so it costs nothing. In a box from -1 to 1 the "
        "error is about what a method adds to NICV."
    )
    command.add_argument(
        "algorithms", nargs="*", metavar="METHOD", help=f"some of {', '.join(PREDICTED)}"
    )
    add_public_numbers(command)
    command.add_argument(
        "--epsilons",
        type=float,
        nargs="+",
        metavar="X",
        default=list(EPSILONS),
        help="privacy budgets (default: 0.05 0.1 0.2 0.5 1 2)",
    )
    command.add_argument(
        "--across",
        choices=AXES,
        default="epsilon",
        help="what to vary when looking for the best method",
    )
    add_neighbors(command)
    add_settings(command)
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> None:
    keys = list(dict.fromkeys(arguments.algorithms)) or list(COMPARED)
    if arguments.set and len(keys) > 1:
        raise BadInput("--set needs a single method, so that it is clear whose setting it is.")
    n, d = public_numbers(arguments)
    parameters = {key: settings(get(key), arguments.set) for key in keys}
    predictions = {
        key: [
            prediction_or_refusal(
                key, n, arguments.k, d, epsilon, arguments.neighbors, parameters[key]
            )
            for epsilon in arguments.epsilons
        ]
        for key in keys
    }
    wins = winners(arguments, keys, n, d) if len(keys) > 1 else ()
    if arguments.json:
        print(json.dumps(as_data(predictions, wins, arguments.across), indent=1))
    else:
        tell(arguments, predictions, wins, n, d)


def add_public_numbers(command: argparse.ArgumentParser) -> None:
    command.add_argument("-k", type=int, required=True, help="number of centers")
    command.add_argument(
        "-n", type=int, help="number of rows: a public one, for example of a census"
    )
    command.add_argument("-d", type=int, help="number of coordinates")
    command.add_argument("--data", help="a built-in set, for its n and d, which are public")


def public_numbers(arguments: argparse.Namespace) -> tuple[int, int]:
    """n and d, typed or those of a built-in set. Private rows are never counted."""
    if arguments.data is None:
        if arguments.n is None or arguments.d is None:
            raise BadInput("Type -n and -d, or name a built-in set with --data.")
        return arguments.n, arguments.d
    if not is_builtin(arguments.data):
        raise BadInput(
            f"{arguments.data} is not built in, and its number of rows is not public: type -n "
            "(a public number) and -d instead."
        )
    data = load(arguments.data)
    return arguments.n or data.n, arguments.d or data.d


def prediction_or_refusal(
    key: str, n: int, k: int, d: int, epsilon: float, neighbors: str, parameters: dict[str, Any]
) -> Prediction | str:
    """The prediction, or why there is none."""
    try:
        return predict(key, n, k, d, epsilon, neighbors=neighbors, **parameters)
    except Infeasible as refusal:
        return str(refusal)


def winners(arguments: argparse.Namespace, keys: list[str], n: int, d: int) -> tuple[Win, ...]:
    """Over one axis, with the others where they are; epsilon is then the middle one asked for."""
    middle = sorted(arguments.epsilons)[len(arguments.epsilons) // 2]
    sizes: dict[str, Any] = {"n": n, "d": d, "epsilon": middle, arguments.across: None}
    possible = [
        key for key in keys if get(key).obstacle(sizes["d"] or 1, None, arguments.k) is None
    ]
    if len(possible) < 2:
        return ()
    return crossover(possible, k=arguments.k, neighbors=arguments.neighbors, **sizes)


def as_data(
    all_predictions: dict[str, list[Prediction | str]], wins: tuple[Win, ...], across: str
) -> dict[str, Any]:
    return {
        "predictions": [
            {"algorithm": key, "refusal": each}
            if isinstance(each, str)
            else {**asdict(each), "mse": each.mse, "citation": each.citation}
            for key, predictions in all_predictions.items()
            for each in predictions
        ],
        "least noise": [{across: win.start, "algorithm": win.algorithm} for win in wins],
    }


def tell(
    arguments: argparse.Namespace,
    all_predictions: dict[str, list[Prediction | str]],
    wins: tuple[Win, ...],
    n: int,
    d: int,
) -> None:
    print(f"Predicted error of a centroid: n = {n:,}, k = {arguments.k}, d = {d}\n")
    widths = [max(len(key), 20) for key in all_predictions]
    titles = (f"{key:>{width}}" for key, width in zip(all_predictions, widths, strict=True))
    print(f"{'epsilon':>8}  {'  '.join(titles)}")
    for i, epsilon in enumerate(arguments.epsilons):
        cells = (
            f"{figures(each[i]):>{width}}"
            for each, width in zip(all_predictions.values(), widths, strict=True)
        )
        print(f"{epsilon:>8g}  {'  '.join(cells)}")
    print()
    for key, predictions in all_predictions.items():
        answers = [each for each in predictions if isinstance(each, Prediction)]
        if answers:
            print(f"{key}: {answers[-1].citation}. {answers[-1].note}")
        else:
            print(f"{key}: {predictions[0]}")
    if wins:
        at = [f"{win.algorithm} from {arguments.across} = {win.start:.3g}" for win in wins]
        print(f"\nLeast noise: {', '.join(at)}.")
    print(f"\n{textwrap.fill(PARTING, 100)}")


def figures(each: Prediction | str) -> str:
    """The predicted error: by noise alone, and at most where cells are coarse."""
    if isinstance(each, str):
        return "cannot run"
    if each.bias:
        return f"{each.noise:.3g} to {each.mse:.3g}"
    return f"{each.mse:.3g}"
