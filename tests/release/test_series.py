"""A series costs what is proved of it, says which of the two that is, and its periods unite."""

import io
import re
import tomllib

import numpy as np
import pandas as pd
import pytest

import dpcore
from dpcore import Box, Neighbors
from dpcore.cli import main
from dpcore.release import (
    Amount,
    FileData,
    Ledger,
    ReleasePlan,
    ReleaseRefused,
    Series,
    Unit,
    opened,
    publish,
    verify,
)
from dpcore.release.plan_toml import plan_toml
from dpcore.release.series import ADDED, PARALLEL, releases_left
from dpcore.release.series_union import cost_of_union, union_files, union_of
from dpcore.runs.request import Request
from tests.seeded_noise import seeded_noise

BOX = Box((0, 0), (1, 1), ("x", "y"))
PERIODS = ("2015-01", "2015-02")


@pytest.fixture
def months(tmp_path):
    """A file for each month, with people in both."""
    for seed, period in enumerate(PERIODS):
        rows = np.random.default_rng(seed).normal([0.3, 0.7], 0.05, (2000 + seed, 2))
        frame = pd.DataFrame(rows, columns=["x", "y"]).assign(who=np.arange(len(rows)) % 500)
        frame.to_csv(tmp_path / f"{period}.csv", index=False)
    return tmp_path


def plan(months, period, epsilon=0.4, unit=None, neighbors="add-remove", disjoint=True):
    unit, series = unit or Unit("trip"), Series("trips", period, disjoint)
    account = series.account(unit, Neighbors(neighbors))
    data = FileData(str(months / f"{period}.csv"), ("x", "y"), BOX)
    request = Request("adaptive", 2, epsilon, neighbors=neighbors)
    allowed = Amount.of(0.5)
    return ReleasePlan(account, data, request, unit=unit, allowed=allowed, series=series)


PEOPLE = Unit("person", ids="who", rows=4)


@pytest.mark.parametrize(
    ("unit", "neighbors", "disjoint", "how"),
    [
        (Unit("trip"), Neighbors.ADD_REMOVE, True, PARALLEL),
        (Unit("trip"), Neighbors.ADD_REMOVE, False, ADDED),
        (Unit("trip"), Neighbors.REPLACE_ONE, True, ADDED),
        (PEOPLE, Neighbors.ADD_REMOVE, True, ADDED),
    ],
)
def test_periods_compose_in_parallel_only_where_that_is_proved(unit, neighbors, disjoint, how):
    one, other = (Series("trips", period, disjoint) for period in PERIODS)
    assert one.composition(unit, neighbors) == how
    shared = one.account(unit, neighbors) == other.account(unit, neighbors)
    assert shared == (how == ADDED)
    assert how.split()[0] in one.words(unit, neighbors, Amount.of(1.0))


def test_disjoint_months_each_have_a_budget_and_cost_one_trip_the_dearest(months):
    ledger = Ledger(months / "books")
    releases = [publish(plan(months, period), ledger) for period in PERIODS]
    assert [account.used for account in ledger.accounts()] == [Amount.of(0.4)] * 2
    for release in releases:
        findings = verify(release.files["certificate.json"], release.files)
        assert [each for each in findings if each.holds is False] == []
        page = release.files["certificate.html"].decode()
        assert "The publisher states that each trip is in one period only" in page
    assert "ε 0.4 together, the largest of them" in cost_of_union(releases)


def test_people_in_several_months_share_one_budget_and_the_series_ends_with_it(months):
    ledger = Ledger(months / "books")
    first = publish(plan(months, PERIODS[0], unit=PEOPLE), ledger)
    assert releases_left(ledger.account("trips").left, first.entry.charged) == 0
    with pytest.raises(ReleaseRefused):
        publish(plan(months, PERIODS[1], unit=PEOPLE), ledger)
    second = publish(plan(months, PERIODS[1], 0.1, PEOPLE), ledger)
    page = second.files["certificate.html"].decode()
    assert "one person may have rows in several periods" in page
    assert "added up" in page
    assert "comes to ε 0.5" in re.sub(r"\s+", " ", page)
    assert "ε 0.5 together, added up" in cost_of_union([first, second])


@pytest.mark.parametrize("first", [True, False])
def test_a_series_is_not_added_up_in_part(first, months):
    """Else the certificate would say that all charges are added up, and one of them is not."""
    ledger = Ledger(months / "books")
    publish(plan(months, PERIODS[0], 0.2, disjoint=first), ledger)
    with pytest.raises(ReleaseRefused, match="no account would tell"):
        publish(plan(months, PERIODS[1], 0.2, disjoint=not first), ledger)
    assert len(ledger.entries()) == 1
    publish(plan(months, PERIODS[1], 0.2, disjoint=first), ledger)


def test_what_a_series_costs_together_is_said_of_one_unit_only(months):
    """A period that protects people and one that protects trips have no cost in common."""
    trips = publish(plan(months, PERIODS[0]), Ledger(months / "one"))
    people = publish(plan(months, PERIODS[1], unit=PEOPLE), Ledger(months / "other"))
    with pytest.raises(dpcore.BadInput, match="the same unit"):
        cost_of_union([trips, people])


def test_one_period_twice_is_added_up_though_periods_are_disjoint(months):
    ledger = Ledger(months / "books")
    twice = [publish(plan(months, PERIODS[0], 0.2), ledger) for _ in range(2)]
    assert "ε 0.4 together, added up" in cost_of_union(twice)


def test_a_period_is_paid_by_its_own_account_only(months):
    series = Series("trips", PERIODS[0], True)
    data = FileData(str(months / f"{PERIODS[0]}.csv"), ("x", "y"), BOX)
    with pytest.raises(dpcore.BadInput, match="The account of this period"):
        ReleasePlan("another", data, Request("adaptive", 2, 0.1), series=series)


def test_one_month_cannot_be_published_as_two(months):
    ledger = Ledger(months / "books")
    publish(plan(months, PERIODS[0]), ledger)
    (months / f"{PERIODS[1]}.csv").write_bytes((months / f"{PERIODS[0]}.csv").read_bytes())
    with pytest.raises(ReleaseRefused, match="published before under the name"):
        publish(plan(months, PERIODS[1]), ledger)


def test_the_periods_of_a_series_unite(months):
    ledger = Ledger(months / "books")
    with seeded_noise():
        for period in PERIODS:
            publish(plan(months, period), ledger).save(months / f"out-{period}")
    releases = [opened(months / f"out-{period}") for period in PERIODS]
    both = union_of(releases)
    assert both.weights.sum() == pytest.approx(4001, rel=0.1)
    assert np.allclose(both.kmeans(1, seed=0), [[0.3, 0.7]], atol=0.03)
    files = union_files(releases)
    assert len(pd.read_csv(io.BytesIO(files["points.csv"]))) == len(both)
    assert "2 releases cost one trip ε 0.4 together" in files["README.txt"].decode()
    assert "One release so far costs one trip ε 0.4" in cost_of_union(releases[:1])
    with pytest.raises(dpcore.BadInput, match="twice"):
        union_of([releases[0], releases[0]])
    with pytest.raises(dpcore.BadInput, match="releases of a series"):
        union_of([])


@pytest.mark.parametrize("text", ["", " a", "a\nb", "x" * 81])
def test_a_series_and_a_period_have_names(text):
    for names in ((text, "2015-01"), ("trips", text)):
        with pytest.raises(dpcore.BadInput, match="has a name"):
            Series(*names)


def test_the_command_publishes_a_period_and_says_how_many_are_left(months, capsys, monkeypatch):
    monkeypatch.chdir(months)
    words = ["release", "adaptive", "-k", "2", "--epsilon", "0.1", "--data", f"{PERIODS[0]}.csv"]
    words += ["--columns", "x", "y", "--box", "0", "0", "1", "1", "--ledger", "books", "--yes"]
    words += ["--series", "trips", "--allowed", "0.5", "--unit", "trip"]
    assert main(words) == 2
    assert "--period" in capsys.readouterr().err
    assert main([*words, "--period", PERIODS[0], "--output", "out"]) == 0
    said = capsys.readouterr()
    assert "enough for 4 more releases" in said.out
    assert "The charges of all periods are added up" in said.err
    assert opened("out").certificate["series"]["period"] == PERIODS[0]


def test_a_plan_file_holds_the_period(months):
    told = tomllib.loads(plan_toml(plan(months, PERIODS[0])))
    assert (told["series"], told["period"], told["disjoint"]) == ("trips", PERIODS[0], True)
    assert "name" not in told


def test_a_method_that_a_public_number_of_rows_refuses_spends_nothing(months, capsys):
    words = ["release", "coreset-faithful", "-k", "5", "--epsilon", "0.5", "--name", "small"]
    words += ["--data", str(months / f"{PERIODS[0]}.csv"), "--columns", "x", "y"]
    words += ["--box", "0", "0", "1", "1", "--ledger", str(months / "books"), "--allowed", "1"]
    assert main([*words, "--public-rows", "2000", "--yes"]) == 3
    assert "too few" in capsys.readouterr().err
    assert Ledger(months / "books").entries() == []
