"""How many rows each person has: a private answer for one id, charged to the ledger."""

import gzip

import numpy as np
import pytest

import dpcore
from dpcore import Box, Budget
from dpcore.cli import main
from dpcore.datasets.engines.isolated import IsolatedEngine
from dpcore.release import (
    Amount,
    FileData,
    Ledger,
    ReleasePlan,
    ReleaseRefused,
    Unit,
    ask_rows_of_each,
    publish,
    rows_of_each,
)
from dpcore.release.contribution_bound import LADDER, PURPOSE, SHARE, private_step
from dpcore.release.publish import Unanswered
from dpcore.runs.request import Request

BOX = Box((0, 0), (1, 1), ("x", "y"))
PASSENGER = Unit("passenger", ids="card")


class Best:
    """Takes the step with the highest score, and keeps what it was asked."""

    def choose(self, scores, sensitivity, epsilon, monotone, log_prior=None):
        self.asked = np.array(scores), sensitivity, epsilon, monotone
        return int(np.argmax(scores))


def asked(counts):
    noise = Best()
    answer = private_step(np.array(counts), Budget(1.0), noise)
    return answer, noise.asked


@pytest.fixture
def rides(tmp_path):
    """6,000 cards with 3 rows each and 20 with 50, and rows without a card."""
    rng = np.random.default_rng(0)
    cards = [*np.repeat(np.arange(6000), 3), *np.repeat(np.arange(6000, 6020), 50)]
    places = rng.random((len(cards), 2)).tolist()
    lines = [f"{card},{x},{y}" for card, (x, y) in zip(cards, places, strict=True)]
    path = tmp_path / "rides.csv"
    path.write_text("\n".join(["card,x,y", *lines, *[",0.5,0.5"] * 500]))
    return path


def data(path, **more):
    return FileData(str(path), ("x", "y"), BOX, **more)


def test_the_answer_is_the_step_that_95_in_100_ids_do_not_exceed():
    assert asked([0, 0, 0, 100])[0] == 3
    assert asked([0, 90, 0, 6, 0, 4])[0] == 3
    assert asked([0] * 26 + [10])[0] == 30
    assert asked([0] * 10_000 + [10])[0] == LADDER[-1] == 10_000


def test_one_person_with_any_rows_changes_the_odds_of_no_answer_by_more_than_epsilon():
    """The exact chances of all answers, with and without one id, whatever its rows are."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        counts = np.zeros(LADDER[-1] + 1, dtype=np.int64)
        np.add.at(counts, rng.integers(1, 60, rng.integers(0, 40)), 1)
        with_one = counts.copy()
        with_one[rng.choice([1, 2, 19, 59, 5000, 10_000])] += 1
        chances = []
        for each in (counts, with_one):
            scores, sensitivity, epsilon, monotone = asked(each)[1]
            assert (sensitivity, epsilon, monotone) == (SHARE.numerator, 1.0, False)
            weights = epsilon * (scores - scores.max()) / (2 * sensitivity)
            chances.append(weights - np.log(np.exp(weights).sum()))
        assert np.abs(chances[0] - chances[1]).max() <= 1.0 + 1e-12


def test_every_way_to_read_the_files_counts_the_same_ids(rides, tmp_path):
    counts = data(rides).rows_of_ids("card", 100)
    assert (counts.sum(), counts[3], counts[50]) == (6020, 6000, 20)
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress(rides.read_bytes()))
    held = IsolatedEngine("rides.csv", rides.read_bytes())
    for other in (data(packed), data("rides.csv", engine=held)):
        assert np.array_equal(other.rows_of_ids("card", 100), counts)
    assert data(rides).rows_of_ids("card", 20)[20] == 20


def test_the_ledger_is_charged_and_keeps_the_answer_and_the_release_follows(rides, tmp_path):
    ledger = Ledger(tmp_path / "books")
    entry = ask_rows_of_each(ledger, "rides", data(rides), PASSENGER, 0.5, Amount.of(1.0))
    assert rows_of_each(ledger.entry(1)) == rows_of_each(entry) == 3
    assert (entry.purpose, ledger.files(1)) == (PURPOSE, {})
    assert ledger.account("rides").left == Amount.of(0.5)
    unit = Unit("passenger", ids="card", rows=rows_of_each(entry))
    plan = ReleasePlan("rides", data(rides), Request("adaptive", 2, 0.5), unit=unit)
    assert publish(plan, ledger).certificate["spent"] == {
        "epsilon": 1.0, "delta": 0.0, "charges": 2,
    }  # fmt: skip
    with pytest.raises(ReleaseRefused, match="is left"):
        ask_rows_of_each(ledger, "rides", data(rides), PASSENGER, 0.5)
    with pytest.raises(dpcore.BadInput, match="is no such question"):
        rows_of_each(ledger.entry(2))


def test_what_cannot_be_asked_costs_nothing(rides, tmp_path):
    ledger = Ledger(tmp_path / "books")
    with pytest.raises(dpcore.BadInput, match="Name the column"):
        ask_rows_of_each(ledger, "rides", data(rides), Unit("row"), 0.5, Amount.of(1.0))
    with pytest.raises(dpcore.BadInput, match="no account"):
        ask_rows_of_each(ledger, "rides", data(rides), PASSENGER, 0.5)
    with pytest.raises(dpcore.DpcoreError, match="no such column"):
        ask_rows_of_each(ledger, "rides", data(rides), Unit("x", ids="who"), 0.5, Amount.of(1.0))
    assert ledger.entries() == []


def test_a_question_that_fails_after_noise_was_asked_for_is_charged(rides, tmp_path, monkeypatch):
    def fail(_counts, _budget, noise):
        noise.has_answered = True
        raise MemoryError

    monkeypatch.setattr("dpcore.release.contribution_bound.private_step", fail)
    ledger = Ledger(tmp_path / "books")
    with pytest.raises(Unanswered, match=r"ended early \(MemoryError\).* so ε 0.5 is used"):
        ask_rows_of_each(ledger, "rides", data(rides), PASSENGER, 0.5, Amount.of(1.0))
    assert ledger.account("rides").used == Amount.of(0.5)
    assert ledger.entry(1).failure == "It ended early (MemoryError)."


def test_the_command_prints_the_number_alone(rides, tmp_path, capsys):
    words = ["rows-of-each", "rides", "--data", str(rides), "--ids", "card", "--epsilon", "0.5"]
    words += ["--ledger", str(tmp_path / "books"), "--yes"]
    assert main(words) == 2
    assert "no account" in capsys.readouterr().err
    assert main([*words, "--allowed", "1"]) == 0
    said = capsys.readouterr()
    assert said.out == "3\n"
    assert "ε 0.5 is left" in said.err


def test_the_command_refuses_a_budget_of_three_numbers_and_asks_nothing_in_silence(
    rides, tmp_path, capsys
):
    words = ["rows-of-each", "rides", "--data", str(rides), "--ids", "card", "--epsilon", "0.5"]
    words += ["--ledger", str(tmp_path / "books")]
    assert main([*words, "--yes", "--allowed", "1", "0", "9"]) == 2
    assert "an epsilon and, if need be, a delta" in capsys.readouterr().err
    assert main([*words, "--quiet", "--allowed", "1"]) == 2
    assert "add --yes" in capsys.readouterr().err
    assert Ledger(tmp_path / "books").entries() == []
