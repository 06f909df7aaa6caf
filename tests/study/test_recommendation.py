"""A level is recommended from public figures alone, and its neighbor does not meet the need."""

import json

import numpy as np
import pytest

import dpcore
from dpcore import Box
from dpcore.cli import main
from dpcore.datasets.base import DataInfo
from dpcore.datasets.rows import RowsDataset
from dpcore.datasets.stand_in import stand_in
from dpcore.privacy.explain import LEVELS
from dpcore.study.count_errors import areas_of, count_draws
from dpcore.study.needs import CentersWithin, CountsWithin, WorseBy, parsed_need
from dpcore.study.recommendation import ANALYSIS, PUBLIC, TWIN, recommend

CHICAGO = Box((-88.0, 41.6), (-87.5, 42.1), ("longitude", "latitude"))


@pytest.fixture(scope="module")
def taxis():
    return dpcore.datasets.load("nyc-taxi")


@pytest.mark.parametrize(
    ("text", "need"),
    [
        ("centers within 200 m, 9 times in 10", CentersWithin(200, 0.9)),
        ("Centers within 1.5 km 19 times out of 20.", CentersWithin(1500, 0.95)),
        ("center within 2 %", CentersWithin(2)),
        ("clustering at most 1 % worse", WorseBy(1)),
        ("at most 0.5 percent worse, 99 % of the time", WorseBy(0.5, 0.99)),
        ("neighborhood counts within 1,000 trips", CountsWithin(1000)),
        ("counts within 100", CountsWithin(100)),
    ],
)
def test_a_need_is_said_in_words(text, need):
    assert parsed_need(text) == need
    assert parsed_need(need.words(True).replace("\N{NO-BREAK SPACE}", " ")) == need


@pytest.mark.parametrize(
    "text",
    ["", "fast", "centers within a mile", "centers within 0 m", "counts within 5, 9 times in 0"],
)
def test_what_is_no_need_is_refused(text):
    with pytest.raises(dpcore.BadInput):
        parsed_need(text)


@pytest.mark.parametrize("text", ["centers within 200 m", "clustering at most 1 % worse"])
def test_the_level_meets_the_need_and_the_next_stricter_one_does_not(taxis, text):
    found = recommend(text, taxis)
    assert found.source == PUBLIC
    limit = 200 if "centers" in text else 0.01
    assert found.best.reached <= limit < found.stricter.reached
    names = [level.name for level in LEVELS]
    assert names.index(found.stricter.level.name) == names.index(found.level.name) + 1
    every = recommend(text, taxis, every_level=True)
    assert every.level == found.level
    assert len(every.accuracies) == 7
    assert found.request.epsilon == found.level.epsilon


def test_a_stricter_need_never_gets_a_stricter_level(taxis):
    levels = [recommend(CountsWithin(rows), taxis).level for rows in (1000, 200, 60)]
    assert [level.epsilon for level in levels] == sorted(level.epsilon for level in levels)


def test_no_level_says_so_and_what_would_do(taxis):
    found = recommend("centers within 1 m", taxis)
    assert found.level is None
    said = " ".join(found.sentences())
    assert "No level meets your need" in said
    assert "in place of yours would be met" in said
    assert "times as many rows" in said
    assert recommend(CentersWithin(found.loosest.reached * 2), taxis).level is not None
    counts = recommend("counts within 0.1", taxis)
    assert "More rows would not help" in " ".join(counts.sentences())


def test_counts_err_as_much_as_is_said(taxis):
    request = recommend("counts within 100 trips", taxis).request
    drawn = list(count_draws(request, taxis, 3))
    areas = areas_of(taxis.box, True)
    assert "Midtown-Times Square" in areas.names
    result = dpcore.run("adaptive", taxis, 5, request.epsilon, seed=0)
    truth = taxis.histogram(areas)
    assert truth.sum() == taxis.n
    assert result.synopsis.weights.sum() == pytest.approx(taxis.n, rel=0.05)
    assert 0 < np.median(drawn[0].errors) < 100


@pytest.mark.parametrize("method", ["adaptive", "eugkm"])
def test_with_hardly_any_noise_counts_err_only_where_borders_cut_cells(taxis, method):
    request = dpcore.Request(method, 5, 50.0)
    for draw in count_draws(request, taxis, 1):
        assert np.median(draw.errors) < 40


def test_a_method_that_publishes_no_points_counts_nothing(taxis):
    found = recommend("counts within 100", taxis, algorithm="dplloyd")
    assert found.level is None
    assert "publishes centers and no counts" in found.loosest.refusal


class Untouchable(RowsDataset):
    """Rows that nobody may look at."""

    def _refuse(self, *_args, **_named):
        raise AssertionError("private rows were looked at")

    positions = histogram = cost = cluster_totals = squared_ticks = whole_cost = _refuse


def own_rows() -> dpcore.datasets.OwnData:
    about = DataInfo("own", "Own", "", "visit", geographic=True)
    rows = np.ones((3, 2), dtype=np.int32)
    return dpcore.datasets.OwnData(Untouchable(rows, CHICAGO, about))


def test_private_rows_are_never_looked_at_not_even_counted():
    with pytest.raises(dpcore.BadInput, match="a public number of rows"):
        recommend("centers within 900 m", own_rows())
    found = recommend("centers within 900 m", own_rows(), n=80_000)
    assert "80,000 simulated visits" in found.source
    assert found.in_meters
    same = recommend("centers within 900 m", n=80_000, box=CHICAGO)
    assert [each.reached for each in same.accuracies] == [each.reached for each in found.accuracies]


def test_a_twin_is_measured_as_it_is(taxis):
    about = DataInfo("t", "Twin", "", "trip", geographic=True, public=True, twin=True)
    coins = np.random.default_rng(0)
    cells = coins.integers(0, 2**21, (5000, 2), dtype=np.int32)
    found = recommend("clustering at most 5 % worse", RowsDataset(cells, taxis.box, about))
    assert found.source == TWIN


def test_a_stand_in_has_the_box_and_the_size_that_were_said():
    data = stand_in(12_345, CHICAGO, True, "visit")
    assert data.n == 12_345
    assert data.box == CHICAGO
    assert data.about.public
    for n in (0, -1, 1.5, 10**12, True):
        with pytest.raises(dpcore.BadInput, match="n must be"):
            stand_in(n, CHICAGO, True)


def test_more_rows_allow_a_stricter_level():
    levels = [recommend("at most 20 % worse", n=n, box=CHICAGO).level for n in (10**4, 10**6)]
    assert levels[1].epsilon < levels[0].epsilon


def test_with_more_coordinates_the_error_analysis_answers_or_says_what_it_cannot():
    found = recommend("centers within 10 %", n=10_000, box=Box.cube(4), algorithm="dplloyd")
    assert found.source.startswith(ANALYSIS)
    assert found.best.draws == 0
    assert not found.in_meters
    with pytest.raises(dpcore.Infeasible, match="nothing else"):
        recommend("at most 1 % worse", n=10_000, box=Box.cube(4))
    with pytest.raises(dpcore.Infeasible, match="private twin"):
        recommend("centers within 10 %", n=10_000, box=Box.cube(4), algorithm="lift")


def test_the_command_recommends_in_words_and_as_json(capsys):
    assert main(["recommend", "centers within 300 m", "--data", "nyc-taxi"]) == 0
    said = capsys.readouterr().out
    assert "is the strictest level that meets your need" in said
    assert PUBLIC in said
    box = ["--box", "-88", "41.6", "-87.5", "42.1", "-n", "50000"]
    assert main(["recommend", "centers within 1 m", *box, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["level"] is None
    assert told["need"] == "centers within 1\N{NO-BREAK SPACE}m, 9 times in 10"
    assert main(["recommend", "centers within 1 m", "--data", "trips.csv"]) == 2
    assert "may not choose a level" in capsys.readouterr().err
    assert main(["recommend", "centers within 1 m"]) == 2


def test_a_person_with_eight_rows_has_the_noise_of_an_eighth_of_the_level():
    need, size = "clustering at most 5 % worse", {"n": 20_000, "box": CHICAGO, "every_level": True}
    one = {each.level.epsilon: each for each in recommend(need, **size).accuracies}
    eight = {
        each.level.epsilon: each for each in recommend(need, rows_of_each=8, **size).accuracies
    }
    assert eight[4.0].reached == one[0.5].reached > one[4.0].reached
    with pytest.raises(ValueError, match="rows_of_each must be a whole number from 1"):
        recommend(need, rows_of_each=0, **size)
