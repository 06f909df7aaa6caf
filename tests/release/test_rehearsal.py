"""What an algorithm charges is found again without the data, and anything else is not."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import dpcore
from dpcore.datasets import RowsDataset, load
from dpcore.geometry.domain import Box
from dpcore.release.certificate import account, plain
from dpcore.release.rehearsal import rehearse
from dpcore.release.short_answers import short_answers
from dpcore.results import parquet


def told(key, name, k, epsilon, neighbors="add-remove"):
    """What a certificate would say of a simulated run."""
    system = dpcore.ALGORITHMS[key]
    return certified(key, load(name), k, epsilon, 1e-6 if system.uses_delta else 0.0, neighbors)[0]


def certified(key, data, k, epsilon, delta, neighbors, seed=1):
    """What a certificate would say of a run on these data, and the facts of the run."""
    run = dpcore.run(key, data, k, epsilon, delta, neighbors, seed=seed)
    said = {
        "budget of one row": {"epsilon": epsilon, "delta": delta},
        "neighbors": neighbors,
        "box": {"names": data.box.names},
        "answers": short_answers(run.steps),
        "algorithm": key,
        "k": k,
        "parameters": run.parameters,
        "transcript": account(run.transcript),
    }
    return plain(said), run.facts


def difference(said):
    return rehearse(said, lambda transcript: plain(account(transcript))).difference


@pytest.mark.parametrize("neighbors", ["add-remove", "replace-one"])
@pytest.mark.parametrize(
    ("key", "name", "k", "epsilon"),
    [
        ("adaptive", "s1-like", 4, 1e-5),  # nothing stands out, so it ends early
        ("adaptive", "s1-like", 4, 0.1),
        ("highdim", "iris", 4, 0.1),  # cubes die out
        ("highdim", "iris", 1, 8.0),
        ("coreset-split", "nyc-taxi-trips", 2, 1.0),  # parts, each with its own number of rows
        ("lift", "wine", 3, 0.01),  # the level decides how the rest is spent
        ("lift", "wine", 3, 8.0),
        ("hybrid", "s1-like", 3, 0.05),
        ("pgkm", "iris", 3, 1.0),  # coins decide the sensitivities
    ],
)
def test_the_charges_of_a_run_are_found_again_without_its_data(key, name, k, epsilon, neighbors):
    assert difference(told(key, name, k, epsilon, neighbors)) is None


@pytest.mark.parametrize("neighbors", ["add-remove", "replace-one"])
@pytest.mark.parametrize("middles", [(-0.7,), (-0.7, 0.7), (-0.9, -0.5, -0.1, 0.3, 0.7)])
@pytest.mark.parametrize(
    ("key", "d", "epsilon"),
    [("adaptive", 2, 0.1), ("auto", 2, 0.1), ("lift", 3, 0.2), ("lift", 4, 2.0), ("lift", 8, 4.0)],
)
def test_how_rows_lie_decides_the_stages_and_is_no_fault(key, d, epsilon, middles, neighbors):
    rng = np.random.default_rng(0)
    values = rng.choice(middles, (5000, d)) + 0.02 * rng.standard_normal((5000, d))
    data = RowsDataset.from_values(values, Box.cube(d))
    said, facts = certified(key, data, 3, epsilon, 0.0, neighbors)
    rehearsed = rehearse(said, lambda transcript: plain(account(transcript)))
    assert rehearsed.difference is None
    assert {name: facts[name] for name in rehearsed.facts} == rehearsed.facts


def test_a_question_about_one_center_more_is_no_fault():
    # Noise sets a center far from most of its rows, and it is halved before the last round: so the
    # last answer has four centers of four numbers each, and a run without data has three.
    said, _ = certified("lift", load("s1-like"), 3, 8.0, 0.0, "replace-one", seed=64)
    assert len(said["answers"][-1]["values"]) == 4 * 4
    assert difference(said) is None


@pytest.mark.parametrize("more", [-1, 1])
@pytest.mark.parametrize(
    ("key", "neighbors", "which"),
    [
        ("lift", "add-remove", 0),
        ("lift", "replace-one", 0),
        ("lift", "replace-one", -1),
        ("eugkm", "replace-one", 0),
    ],
)
def test_an_answer_of_too_many_or_too_few_numbers_is_refused(key, neighbors, which, more):
    said = told(key, "s1-like", 3, 8.0, neighbors)
    values = said["answers"][which]["values"]
    said["answers"][which]["values"] = [*values, 5] if more > 0 else values[:-1]
    with pytest.raises(ValueError, match=r"numbers|missing|cells"):
        rehearse(said, lambda transcript: plain(account(transcript)))


@pytest.mark.parametrize("key", ["eugkm", "coreset", "dplloyd", "sulq", "gkm"])
def test_charges_that_the_algorithm_does_not_make_are_not(key):
    said = told(key, "s1-like", 3, 1.0)
    for change in (
        lambda charges: charges.pop(),
        lambda charges: charges.pop(0),
        lambda charges: charges.append(charges[-1]),
        lambda charges: charges[-1].update(sensitivity=charges[-1]["sensitivity"] / 2 + 1),
        lambda charges: charges[-1].update(mechanism="exponential mechanism"),
        lambda charges: charges[-1].update(epsilon=charges[-1]["epsilon"] * (1 - 1e-9)),
        lambda charges: charges[-1].update(why="something else"),
    ):
        other = copy.deepcopy(said)
        change(other["transcript"]["charges"])
        if other != said:
            assert difference(other)


@pytest.mark.parametrize(("k", "d"), [(1000, 1000), (51, 1000)])
def test_a_certificate_cannot_make_a_rehearsal_take_long_by_its_sizes(k, d, monkeypatch):
    said = told("lift", "wine", 3, 1.0) | {"k": k, "box": {"names": [f"x{i}" for i in range(d)]}}
    monkeypatch.setattr("dpcore.release.rehearsal._Run", lambda *_: pytest.fail("it was run"))
    done = rehearse(said, lambda transcript: plain(account(transcript)))
    assert not done.is_certain
    assert "too many centers" in done.difference


def test_a_rehearsal_ends_when_its_time_is_up(monkeypatch):
    monkeypatch.setattr("dpcore.release.rehearsal.MOST_SECONDS", 0.0)
    done = rehearse(told("dplloyd", "s1-like", 3, 1.0), lambda t: plain(account(t)))
    assert not done.is_certain
    assert "longer than" in done.difference


def test_a_file_of_too_many_rows_is_not_read(monkeypatch):
    """A few bytes may say that they are billions of rows."""
    file = parquet.written({"x": np.zeros(1001)})
    assert parquet.holds_only(file, ["x"], numbered=False)
    monkeypatch.setattr("dpcore.results.parquet.MOST_ROWS", 1000)
    with pytest.raises(ValueError, match="more than 1,000 rows"):
        parquet.read(file, ["x"])
    assert not parquet.holds_only(file, ["x"], numbered=False)


@pytest.mark.parametrize("key", ["lift", "eugkm"])
def test_another_number_in_a_charge_is_found(key):
    said = told(key, "s1-like", 3, 1.0)
    for charge in said["transcript"]["charges"]:
        charge["why"] = charge["why"].replace(" cells", "9 cells").replace("stage 1:", "stage 19:")
    assert any(wrong in str(said["transcript"]) for wrong in ("9 cells", "stage 19:"))
    assert difference(said)
