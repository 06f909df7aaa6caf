"""Kept draws: the repeated runs behind the figures with which Explore opens on data that ship.

Runs repeat by their seeds, so these are the figures that anybody gets who makes the same runs. All
data here are public.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from dpcore.algorithms import ALGORITHMS
from dpcore.datasets import load
from dpcore.datasets.data_folder import data_file
from dpcore.privacy.explain import LEVELS
from dpcore.runs.baseline import baseline
from dpcore.runs.request import Request
from dpcore.study.repeats import Draw, draws
from dpcore.study.usual_ranges import SEED, K

FILE = "draws.json"
#: The methods with which pages open: the first of them that can run on the data.
METHODS = ("adaptive", "auto")
#: The digits of a figure that are kept.
DIGITS = 8

KeptDraws = Mapping[tuple[str, Request], tuple[Draw, ...]]


@lru_cache(maxsize=1)
def kept_draws() -> KeptDraws:
    """The draws by data set and request; none where the file is not there."""
    try:
        return from_json(data_file(FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}


def measure(data: str) -> dict[str, Any]:
    """The draws of a data set at each named level, as the file holds them."""
    source = load(data)
    reference = baseline(source, K, SEED)
    method = next(key for key in METHODS if ALGORITHMS[key].supports(source.d, None, K))
    return {
        method: [
            [
                [float(f"{value:.{DIGITS}g}") for value in (draw.worse, *draw.shifts)]
                for draw in draws(request(method, level.epsilon), source, reference)
            ]
            for level in LEVELS
        ]
    }


def request(method: str, epsilon: float) -> Request:
    """The run that is repeated."""
    return Request(method, K, epsilon, seed=SEED)


def to_json(date: str, sets: Mapping[str, Mapping[str, Any]]) -> str:
    """One line for each level, so that two measurements can be compared."""
    levels = [level.epsilon for level in LEVELS]
    head = {"date": date, "k": K, "seed": SEED, "epsilons": levels}
    lines = [f" {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    parts = [
        f'  "{data}": {{"{method}": [\n'
        + ",\n".join(f"   {json.dumps(level, separators=(',', ':'))}" for level in of_levels)
        + "\n  ]}"
        for data, of_set in sets.items()
        for method, of_levels in of_set.items()
    ]
    return "{\n" + "\n".join(lines) + '\n "sets": {\n' + ",\n".join(parts) + "\n }\n}\n"


def from_json(text: str) -> KeptDraws:
    """The draws that `to_json` wrote; of methods that exist no more there are none."""
    content = json.loads(text)
    return {
        (data, request(method, epsilon)): tuple(
            Draw(tuple(shifts), worse) for worse, *shifts in level
        )
        for data, of_set in content["sets"].items()
        for method, of_levels in of_set.items()
        if method in ALGORITHMS
        for epsilon, level in zip(content["epsilons"], of_levels, strict=True)
    }
