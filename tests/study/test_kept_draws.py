"""Kept draws: the file has every level at which pages open, and repeats by its seeds."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from dpcore.algorithms import ALGORITHMS
from dpcore.datasets import load
from dpcore.datasets.builtin import BUILTIN
from dpcore.datasets.data_folder import data_file
from dpcore.privacy.explain import LEVELS
from dpcore.runs.baseline import baseline
from dpcore.runs.request import Request
from dpcore.study import kept_draws
from dpcore.study.kept_draws import FILE, METHODS
from dpcore.study.repeats import draws
from dpcore.study.trial_seeds import DRAWS
from dpcore.study.usual_ranges import SEED, K

KEPT = kept_draws.kept_draws()
REMADE = "Make the file again: python data/make_curves.py"


@pytest.mark.parametrize(
    ("data", "method", "epsilon"),
    [
        ("nyc-taxi", "adaptive", 0.2),
        ("nyc-taxi", "adaptive", 4.0),
        ("nyc-taxi-trips", "auto", 0.05),
        ("s1-like", "adaptive", 0.02),
        ("iris", "auto", 1.0),
        ("digits", "auto", 0.5),
    ],
)
def test_kept_draws_repeat_by_their_seeds(data: str, method: str, epsilon: float) -> None:
    source = load(data)
    request = Request(method, K, epsilon, seed=SEED)
    again = draws(request, source, baseline(source, K, SEED))
    for old, new in zip(KEPT[data, request], islice(again, 3), strict=False):
        assert old.worse == pytest.approx(new.worse, rel=1e-5, abs=1e-7), REMADE
        assert old.shifts == pytest.approx(new.shifts, rel=1e-5, abs=1e-7), REMADE


@pytest.mark.parametrize("data", BUILTIN)
def test_every_level_of_what_ships_is_kept(data: str) -> None:
    d = BUILTIN[data].box.d
    opens = next(key for key in METHODS if ALGORITHMS[key].supports(d, None, K))
    for level in LEVELS:
        assert len(KEPT[data, Request(opens, K, level.epsilon, seed=SEED)]) == DRAWS, REMADE


def test_the_file_is_small_and_reads_back_as_it_was_written() -> None:
    text = data_file(FILE).read_text(encoding="utf-8")
    assert len(text) < 150_000
    content = json.loads(text)
    assert kept_draws.to_json(content["date"], content["sets"]) == text
    assert kept_draws.from_json(text) == KEPT
