"""Compare through Streamlit's own test runner: every view, live runs, refusals, bad input."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import dpcore
from dpcore.algorithms import ALGORITHMS, installed
from dpcore.algorithms.auto import choose
from dpcore.algorithms.references import paper_key
from dpcore.datasets import DataInfo
from dpcore.datasets.rows import from_array
from dpcore.papers import REPRODUCTIONS, Check, Conclusion, Effort, ReproductionRun, Row, Shelf
from dpcore.papers.figure_row import printed
from dpcore.study import duels, standings
from dpcore.study.k_by_d_sweep import Family
from dpcore.study.kept_standings import kept_standings
from dpcore.study.sweep_plan import SweepPlan
from pages.ui import cached_work, url_keys
from pages.ui.compare import (
    accuracy_duel,
    auto_choices,
    findings,
    k_by_d,
    ranking,
    run_times,
    shared_jobs,
)
from pages.ui.own_data import HELD, SessionData
from pages.ui.wording import percent
from tests.pages.sweeping import finished, until
from tests.pages.visits import APP, checked, visited, words

RANK = {
    "data": "iris",
    "algorithm": "dplloyd",
    "k": 3,
    "privacy": "Loosest",
    "paper": "su2016",
    "metric": "nicv",
}
MAP = {"compare": "map", "algorithm": "dplloyd", "cell_runs": 1, "k_to": 3, "d_to": 3}
TIME = {"compare": "time", "algorithm": "dplloyd", "timed": "eugkm", "rows": 30_000}
SIZE = {"compare": "size", "data": "s1-like", "algorithm": "adaptive", "size_runs": 1}


def page(**query: object) -> AppTest:
    return visited("pages/2_compare.py", **query)


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click()
    return checked(app)


def chart(app: AppTest) -> dict[str, Any]:
    return json.loads(app.get("plotly_chart")[0].proto.spec)


def notes(app: AppTest) -> str:
    texts = (note["text"] for note in chart(app)["layout"]["annotations"])
    return re.sub(r"</?(b|span)\b[^>]*>", "", "\n".join(texts).replace("<br>", " "))


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is drawn of run times does not depend on how long they are."""
    monkeypatch.setattr(run_times, "SIZES", (1_000, 3_000, 30_000))


def dots(app: AppTest) -> dict[str, float]:
    trace = chart(app)["data"][-1]
    return {key: x for [key], x in zip(trace["customdata"], trace["x"], strict=True)}


def test_the_ranking_is_that_of_the_sweep_which_the_page_names() -> None:
    app = finished(page(**RANK, runs=2))
    own = [key for key, each in ALGORITHMS.items() if each.paper == "su2016"]
    trials = list(dpcore.sweep(own, dpcore.datasets.load("iris"), 3, [4.0], 2))
    for key, mean in dots(app).items():
        assert mean == pytest.approx(
            sum(t.figures["nicv"] for t in trials if t.algorithm == key) / 2
        )
    assert list(dots(app).values()) == sorted(dots(app).values())
    table = app.table[0].value
    assert list(table["Method"])[: len(dots(app))] == [ALGORITHMS[k].title for k in dots(app)]
    assert next(iter(table["Verdict"])) == ALGORITHMS[next(iter(dots(app)))].verdict.capitalize()
    shell, python = (code.value for code in app.code)
    assert shell.startswith("dpcore sweep ")
    assert "--epsilons 4 --runs 2" in shell
    assert "epsilons=[4.0]" in python


def test_verdicts_stand_beside_names_and_what_is_not_proved_is_hollow() -> None:
    app = finished(page(**RANK, runs=1))
    for key in dots(app):
        each = ALGORITHMS[key]
        assert f"{each.title} · {each.verdict.lower()}" in notes(app)
    trace, ground = chart(app)["data"][-1], chart(app)["layout"]["paper_bgcolor"]
    hollow = {
        key
        for [key], color in zip(trace["customdata"], trace["marker"]["color"], strict=True)
        if color == ground
    }
    assert hollow == {key for key in dots(app) if not ALGORITHMS[key].verdict.holds}
    assert hollow


def test_a_method_that_cannot_run_says_why_in_its_own_row() -> None:
    app = finished(page(**(RANK | {"paper": "004", "runs": 1})))
    assert "PRIVATE-K-MEAN · proved" in notes(app)
    assert "Cannot run: its grid is for 2 dimensions" in notes(app)
    assert not app.warning
    assert "**PRIVATE-K-MEAN** cannot run here: its grid is for 2 dimensions." in words(app)
    assert "PRIVATE-K-MEAN" not in list(app.table[0].value["Method"])


def test_no_privacy_and_no_data_are_lines() -> None:
    app = finished(page(**RANK, runs=1))
    assert "No privacy" in notes(app)
    assert "No data:" in notes(app)
    assert len(chart(app)["layout"]["shapes"]) == 2


@pytest.mark.parametrize("metric", ["mean-distance", "relative-error", "cost-gap", "shift"])
def test_every_metric_ranks(metric: str) -> None:
    app = finished(page(**RANK | {"metric": metric}, runs=1))
    assert list(dots(app).values()) == sorted(dots(app).values())


OPENED = {"data": "iris", "privacy": "Loosest"}


def test_a_ranking_opens_with_the_shortlist_as_they_were_measured_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dpcore, "sweep", lambda *_, **__: pytest.fail("something ran"))
    app = page(**OPENED)
    assert set(dots(app)) == {*standings.shortlist(4, 5)}
    known = kept_standings()
    for key, mean in dots(app).items():
        cell = known.cells["iris", key, 4.0]
        assert mean == cell.figures["relative-error"][0]
    assert f"Measured on {known.date}" in words(app)
    assert percent(max(dots(app).values())) in list(
        app.table[1].value["Worse than without privacy"]
    )


def test_kept_figures_are_those_that_a_live_run_gives() -> None:
    app = page(**OPENED)
    before = dots(app)
    live = finished(press(app, "Run live"))
    assert live.query_params["run_live"] in ("true", ["true"])
    assert set(dots(live)) == set(before)
    for key, mean in dots(live).items():
        assert mean == pytest.approx(before[key], rel=1e-3, abs=1e-4)


def test_one_click_shows_the_others_and_what_each_costs_is_told_before() -> None:
    app = page(**OPENED)
    costs = app.table[0].value
    title = ALGORITHMS["gkm"].title
    assert re.match(r"(a second|\d+ s) \([\d.]+ s per run\)", costs.loc[title, "Time"])
    assert costs.loc[ALGORITHMS["ag"].title, "Time"] == "cannot run here"
    rest = len(ALGORITHMS) - 6
    app = press(app, f"Show the other {rest - 1} methods")
    assert len(dots(app)) > 15
    assert "Only the shortlist" in [b.label for b in app.button]


def test_slow_methods_make_fewer_runs_and_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "seconds", lambda _, key: 1.0 if key == "pgkm" else 0.01)
    app = finished(page(**RANK, runs=3))
    table = app.table[0].value.set_index("Method")
    assert table.loc[ALGORITHMS["pgkm"].title, "Runs"] == "2"
    assert table.loc[ALGORITHMS["eugkm"].title, "Runs"] == "3"
    assert f"{ALGORITHMS['pgkm'].title} · proved · 2 runs" in notes(app).replace("\xa0", " ")
    assert (
        f"make 2 runs instead of 3, so their places and lines are rough: {ALGORITHMS['pgkm'].title}"
        in words(app)
    )
    most, few = app.code[0].value.splitlines()
    assert "--runs 3" in most
    assert "pgkm" not in most
    assert few.startswith("dpcore sweep pgkm --data iris")
    assert "--runs 2" in few
    app.toggle(key="at-fewer_runs").set_value(False).run()
    assert set(finished(app).table[0].value["Runs"]) == {"3"}
    assert "instead of" not in words(app)


def test_what_was_not_measured_just_so_is_run_live() -> None:
    for change in ({"seed": 1}, {"k": 3}, {"epsilon": 0.3}, {"runs": 11}, {"delta": 1e-9}):
        app = page(**OPENED | {"paper": "su2016", "algorithm": "dplloyd"} | change)
        assert "Measured on" not in words(app), change


def test_of_many_methods_the_cheapest_run_first_and_few_at_a_time() -> None:
    requests = tuple(dpcore.Request(key, 5, 0.31, seed=3) for key in ("dplloyd", "eugkm", "sulq"))
    plan = SweepPlan("s1-like", requests, 200)
    jobs = cached_work.swept(plan, 200, 200, at_once=1)
    assert [job.enough for job in jobs.values()] == [200, 0, 0]
    cached_work.swept(plan, 0, 200)


def test_the_ranking_leads_to_the_verdicts() -> None:
    links = [each.proto for each in page(**OPENED).get("page_link")]
    assert any("Verdicts" in link.label and "safe to publish" in link.label for link in links)


def test_a_ranking_stops_and_goes_on() -> None:
    app = press(page(**RANK, runs=200, seed=4), "Stop")
    assert "Stopped after" in words(app)
    assert "Stopped" not in words(press(app, "Go on"))


def test_a_map_has_the_mean_of_every_cell() -> None:
    app = finished(page(**MAP, privacy="Looser"))
    own = Family((dpcore.Request("dplloyd", 2, 1.0),), 1, ks=(2, 3), ds=(2, 3))
    by_place = {(cell.k, cell.d): cell.trial.figures["nicv"] for cell in own.cells()}
    figures = [k_by_d.short(by_place[k, d]) for d in (2, 3) for k in (2, 3)]
    assert chart(app)["data"][1]["text"] == figures
    assert "finished" in words(app)


def test_of_two_methods_the_map_says_which_does_better_and_how_many_times() -> None:
    app = finished(page(**MAP, against="kvariates", privacy="Looser"))
    cells, figures = chart(app)["data"]
    assert all(color > 0 for row in cells["z"] for color in row)
    assert all(float(figure) > 1 for figure in figures["text"])
    assert "DPLloyd** does better" in words(app)


def test_where_a_method_cannot_run_the_map_has_a_dash_and_says_why() -> None:
    app = finished(page(**(MAP | {"algorithm": "adaptive"})))
    assert chart(app)["data"][1]["text"][2:] == ["–", "–"]
    assert (
        "**Adaptive coreset** cannot run at (k, d) = (2, 3), (3, 3): it draws maps, in 2"
        in words(app)
    )
    assert not app.warning


def test_the_map_opens_on_a_method_that_runs_everywhere_in_the_figure_of_its_paper() -> None:
    app = finished(page(compare="map", cell_runs=1, k_to=2, d_to=3))
    assert "**Best for this data**: NICV" in words(app)
    assert "–" not in chart(app)["data"][1]["text"]


def test_a_method_that_fails_on_the_map_does_not_hang_the_page() -> None:
    app = page(**(MAP | {"algorithm": "eugkm-published", "neighbors": "replace-one"}))
    until(app, "private under add-remove only")


def test_a_relative_error_has_no_ratio_so_two_methods_are_not_compared_by_it() -> None:
    app = page(**MAP, against="eugkm", metric="relative-error")
    assert app.segmented_control(key="at-metric").value == "nicv"
    assert "relative-error" in app.query_params["metric"]  # for when one is looked at alone


def test_more_runs_of_a_cell_keep_those_that_are_finished() -> None:
    before = finished(page(**MAP, seed=21))
    family = Family((dpcore.Request("dplloyd", 2, 0.2, seed=21),), 1, ks=(2, 3), ds=(2, 3))
    (job,) = shared_jobs.cells(family, False, url_keys.MOST_CELL_RUNS).values()
    first = list(job.results)
    before.number_input(key="at-cell_runs").set_value(2)
    finished(checked(before))
    assert job.results[:4] == first
    assert len(job.results) >= 8


def test_run_times_have_a_slope_that_is_printed() -> None:
    app = finished(page(**TIME))
    assert re.search(r"DPLloyd, slope -?\d\.\d\d ± \d+\.\d\d", notes(app))
    assert re.search(r"EUGkM, slope -?\d\.\d\d ± \d+\.\d\d", notes(app))
    assert "timed only while this server computes nothing else" in words(app)
    assert "gaussians(5, 2, n)" in app.code[0].value
    assert [f"{n:,}" for n in (1_000, 3_000, 30_000)] == list(app.table[0].value.index)[:3]


def test_a_method_that_knows_no_such_dimensions_is_left_out_of_the_times() -> None:
    app = finished(page(**(TIME | {"timed": "adaptive", "dimensions": 4})))
    assert "**Adaptive coreset** cannot run with 1,000, 3,000, 30,000 rows: it draws maps" in words(
        app
    )
    assert "DPLloyd, slope" in notes(app)


def test_a_coreset_has_its_size_at_every_epsilon() -> None:
    app = finished(page(**SIZE, coresets="dplloyd,coreset-faithful"))
    curve = next(t for t in chart(app)["data"] if t.get("name") == "adaptive")
    assert len(curve["x"]) == 12
    assert all(size > 0 for size in curve["y"])
    assert "Centers and nothing else are published by DPLloyd." in words(app)
    assert "**PRIVATE-K-MEAN** cannot run at ε = 0.01" in words(app)


def test_nobody_beside_the_chosen_method_is_a_choice_too() -> None:
    app = finished(page(**SIZE, coresets="dplloyd"))
    app.multiselect(key="at-coresets").set_value([])
    checked(app)
    assert app.query_params["coresets"] in ("", [""])
    assert app.multiselect(key="at-coresets").value == []


def test_only_the_view_that_is_seen_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("A view that nobody sees was computed.")

    monkeypatch.setattr(shared_jobs, "cells", never)
    monkeypatch.setattr(shared_jobs, "timings", never)
    monkeypatch.setattr(shared_jobs, "reproduced", never)
    app = page(**RANK, runs=1)
    assert len(app.get("plotly_chart")) == 1


def test_the_view_stands_in_the_address() -> None:
    app = page(compare="papers")
    app.segmented_control(key="at-compare").set_value("map")
    checked(app)
    assert app.query_params["compare"] in ("map", ["map"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"compare": "nope"},
        {"paper": "999"},
        {"runs": "0"},
        {"compare": "map", "against": "nope"},
        {"compare": "map", "cell_runs": "999"},
        {"compare": "map", "k_to": "1"},
        {"compare": "map", "d_to": "99"},
        {"compare": "time", "rows": "12"},
        {"compare": "time", "dimensions": "two"},
        {"compare": "time", "timed": "nope"},
        {"compare": "size", "coresets": "nope"},
        {"compare": "papers", "finding": "nope"},
        {"compare": "papers", "live": "nope"},
    ],
    ids=str,
)
def test_nonsense_in_the_address_is_taken_out_of_it(wrong: dict[str, str]) -> None:
    app = page(**(RANK | wrong))
    assert list(wrong)[-1] not in app.query_params


NAME = "su2016-fig2"


def measured() -> ReproductionRun:
    rows = [Row({"k": 2, "d": 3, "algorithm": "eugkm"}, 0.25, paper=0.5)]
    side = Check(Conclusion.REPRODUCED, "the *other*.")
    check = Check(Conclusion.NOT_REPRODUCED, "one_half.", (side,), ("Left out: [a].",))
    return ReproductionRun(REPRODUCTIONS[NAME], rows, check, "2026-01-02")


def test_every_finding_has_its_claim_and_what_differs() -> None:
    said = words(page(compare="papers"))
    for each in REPRODUCTIONS.values():
        assert findings.plain(each.claim) in said
        assert each.source in said
        assert each.differs.strip() in said


def test_one_paper_is_shown_alone() -> None:
    said = words(page(compare="papers", paper="ni2021"))
    for each in REPRODUCTIONS.values():
        assert (each.title in said) == (paper_key(each.paper) == "ni2021")


def test_a_kept_finding_is_told_with_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "kept_outcomes", lambda: {NAME: measured()})
    app = page(compare="papers")
    said = words(app)
    assert "*Measured 2026-01-02:* one\\_half." in said
    assert "- :green-badge[:material/check: reproduced] the \\*other\\*." in said
    assert "- Left out\\: \\[a\\]." in said
    assert ":violet-badge[:material/close: not reproduced]\xa01" in said
    assert not app.dataframe
    app.button(key=f"figures-{NAME}").click()
    checked(app)
    shown = app.dataframe[0].value
    assert list(shown.columns) == ["k", "d", "algorithm", "measured", "the paper's"]
    assert shown["the paper's"][0] == 0.5
    assert app.query_params["finding"] in (NAME, [NAME])
    assert f"dpcore reproduce {NAME}" in [each.value for each in app.code]
    assert any(f"reproduce({NAME!r}, effort=" in each.value for each in app.code)


def test_figures_of_data_that_do_not_ship_name_their_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outcome = measured()
    outcome.rows.append(Row({"source": "real"}, 0.5))
    monkeypatch.setattr(findings, "kept_outcomes", lambda: {NAME: outcome})
    lines = [each.value for each in page(compare="papers", finding=NAME).code]
    assert f"dpcore reproduce {NAME} --data FOLDER" in lines
    (program,) = [each for each in lines if "import" in each]
    assert 'shelf = Shelf(Path("FOLDER"))' in program
    compile(program, "program", "exec")


def test_an_earlier_name_in_the_address_opens_the_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "kept_outcomes", lambda: {NAME: measured()})
    assert page(compare="papers", finding="000-fig2").dataframe


def test_the_numbers_that_a_paper_prints_stand_beside_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = measured()
    known = printed(0.5, k=2, d=3)
    outcome.reproduction = replace(outcome.reproduction, printed=(known, printed(0.7, k=4)))
    monkeypatch.setattr(findings, "in_order", lambda _: [outcome.reproduction])
    monkeypatch.setattr(findings, "kept_outcomes", lambda: {NAME: outcome})
    said = words(page(compare="papers"))
    assert "| k = 2 · d = 3 | 0.5 | 0.25 |" in said
    assert "| k = 4 | 0.7 | not measured |" in said


def quickly(monkeypatch: pytest.MonkeyPatch, fail: bool = False) -> list[Effort]:
    """A finding that is measured at once, in place of one that takes long."""
    efforts = []

    def reproduce(name: str, shelf: Shelf | None = None, effort: Effort | None = None) -> Any:
        assert effort
        efforts.append(effort)
        outcome = ReproductionRun(REPRODUCTIONS[name])

        def steps() -> Iterator[ReproductionRun]:
            for row in measured().rows * 3:
                outcome.rows.append(row)
                yield outcome
                if fail:
                    raise ValueError("no luck")
            outcome.check = measured().check
            yield outcome

        return steps()

    monkeypatch.setattr(shared_jobs, "reproduce", reproduce)
    return efforts


def test_a_finding_runs_live_in_its_quick_form(monkeypatch: pytest.MonkeyPatch) -> None:
    efforts = quickly(monkeypatch)
    name = "feldman2017-fig6"
    app = page(compare="papers", paper="004")
    app.button(key=f"live-{name}").click()
    checked(app)
    assert app.query_params["live"] in (name, [name])
    until(app, "Live, in quick form")
    assert efforts == [Effort(quick=True)]
    assert len(app.dataframe[0].value) == 3
    app.button(key=f"live-{name}").click()
    checked(app)
    assert "Live, in quick form" not in words(app)
    assert "live" not in app.query_params


def test_a_finding_that_fails_live_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    quickly(monkeypatch, fail=True)
    until(
        page(compare="papers", paper="004", live="feldman2017-fig5"), "The live run failed: no luck"
    )


def test_the_map_of_auto_is_its_rule() -> None:
    app = page(compare="auto", k=3, privacy="Looser", neighbors="replace-one")
    drawn = chart(app)["data"][0]
    for d, sentences in zip(drawn["y"], drawn["hovertext"], strict=True):
        expected = [choose(n, int(d), 3, 1.0, 0.0, "replace-one") for n in auto_choices.ROWS]
        assert sentences == [each.sentence for each in expected]
    for each in expected:
        assert f"{ALGORITHMS[each.algorithm].title}: {each.way}" in words(app)


def test_the_program_prints_the_map_of_auto(capsys: pytest.CaptureFixture[str]) -> None:
    exec(page(compare="auto").code[1].value, {})
    said = capsys.readouterr().out.splitlines()
    assert len(said) == len(auto_choices.ROWS) * len(auto_choices.DIMENSIONS)
    way = choose(100, 1, 5, 0.2).way
    assert said[0] == f"100 1 {way}"


def test_predictions_say_who_wins_from_where_without_a_run() -> None:
    app = page(compare="predict", data="s1-like", k=15, epsilon=1.0)
    said = words(app)
    assert "5,000 rows, 15 centers, 2 dimensions" in said
    assert "**EUGkM** has the least noise, **Hybrid** from 61.5 on" in said
    table = app.table[0].value
    assert table.loc["1", "DPLloyd"] == "0.0097"
    assert " to " in table.loc["1", "EUGkM"]


def test_predictions_say_which_methods_cannot_run() -> None:
    table = page(compare="predict", data="digits", k=10).table[0].value
    assert set(table["EUGkM"]) == {"cannot run"}
    assert "cannot run" not in set(table["DPLloyd"])


def test_the_number_of_ones_own_rows_is_typed_and_never_counted() -> None:
    rows = from_array(np.zeros((4321, 2)), (-1, 1))
    own = SessionData(DataInfo("own-mine", "Mine", "Rows of mine."), rows)
    app = AppTest.from_file(APP, default_timeout=600).switch_page("pages/2_compare.py")
    app.session_state[HELD.name] = {own.key: own}
    for name, value in {"compare": "predict", "data": own.key, "k": "3"}.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    assert not app.table
    app.number_input(key="at-public_rows").set_value(50_000).run()
    assert "50,000 rows, 3 centers, 2 dimensions" in words(app)
    assert "4,321" not in words(app)


@pytest.fixture
def small_duel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Duels over two cells."""
    small = {"epsilons": (2.0,), "ks": (2, 3), "ns": (500,), "ds": (2,)}
    real = duels.MethodDuel
    monkeypatch.setattr(accuracy_duel, "MethodDuel", lambda *rest: real(*rest, **small))


@pytest.mark.usefixtures("small_duel")
def test_a_duel_says_who_wins_in_which_cell() -> None:
    app = page(compare="duel", algorithm="eugkm", against="kvariates", duel_runs=8)
    said = words(finished(app))
    assert "**EUGkM** wins 2 of 2 cells, 2 of them beyond chance; **k-variates++** wins 0" in said
    for trace in chart(app)["data"]:
        ((strength,),) = trace["z"]
        ((text,),) = trace["text"]
        assert strength > 0.9
        assert float(text) > 4
    table = app.table[0].value
    assert list(table["EUGkM won"]) == [8, 8]
    assert set(table["beyond chance"]) == {"yes"}


@pytest.mark.usefixtures("small_duel")
def test_a_duel_of_two_runs_says_that_they_show_nothing_and_how_many_would() -> None:
    app = page(compare="duel", algorithm="eugkm", against="kvariates", duel_runs=2)
    said = words(finished(app))
    assert "**2 runs of each cell are too few to tell a win from chance:**" in said
    assert "Choose at least 6 runs, or 7 for a win in one cell alone." in said
    assert "**EUGkM** wins 2 of 2 cells; " in said
    app.number_input(key="at-duel_runs").set_value(7).run()
    assert "too few" not in words(finished(app))


def test_a_duel_is_against_another_method_whatever_the_address_says() -> None:
    app = page(compare="duel", algorithm="eugkm", against="eugkm", duel_runs=2)
    assert app.selectbox(key="at-against").value == "dplloyd"
    press(app, "Stop")


def own(app: AppTest, text: str) -> AppTest:
    app.file_uploader(key="own-results").set_value(("mine.csv", text.encode(), "text/csv"))
    return checked(app)


def test_centers_of_ones_own_method_stand_in_the_ranking_beside_ours() -> None:
    app = page(compare="mine", **OPENED)
    ours = dots(app)
    assert len(ours) == 6
    data = dpcore.datasets.load("iris")
    best = dpcore.baseline(data, 5, 0)
    lines = [",".join(map(repr, map(float, center))) for center in best.centers]
    app = own(app, "\n".join([",".join(data.box.names), *lines]))
    table = app.table[0].value
    assert next(iter(table["Method"])) == "Your method"
    assert next(iter(table["Verdict"])) == "Not checked here"
    assert set(dots(app)) == {*ours, "Your method"}
    assert dots(app)["Your method"] == pytest.approx(0)


def test_results_of_ones_own_method_are_shown_at_their_levels_and_keep_their_names() -> None:
    app = own(
        page(compare="mine", **OPENED),
        "algorithm,epsilon,relative_error\nMine <b>,4,.5\nMine <b>,4,.7\neugkm,4,.9\nother,1,.1\n",
    )
    assert dots(app)["Mine <b>"] == pytest.approx(0.6)
    assert dots(app)["eugkm (yours)"] == pytest.approx(0.9)
    assert "Mine &lt;b&gt; · not checked here" in notes(app)
    assert "other" not in dots(app)
    app = own(page(compare="mine", **OPENED), "epsilon,nicv\n1,.1\n")
    assert "The table has results at ε = 1." in words(app)
    app = own(page(compare="mine", **OPENED), "epsilon,nicv\n4,.1\n")
    assert "says nothing about this figure" in words(app)


def test_a_table_that_cannot_be_read_says_why_and_ours_stay() -> None:
    app = own(page(compare="mine", **OPENED), "a,b\n1,2\n")
    (error,) = app.error
    assert "has no column" in error.value
    assert len(dots(app)) == 6


def test_a_package_that_brought_a_method_is_named_with_one_click_to_compare_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "no code comes from the browser" in words(page(compare="mine", **OPENED))
    monkeypatch.setitem(installed.FOUND, "sulq", "somewhere:SuLQ")
    monkeypatch.setitem(installed.PROBLEMS, "gone", "ImportError: no such module")
    app = page(compare="mine", **OPENED)
    assert "from `somewhere:SuLQ`. Its claim was not checked here." in words(app)
    assert "ImportError: no such module" in words(app).replace("\\", "")
    app.button(key="take-sulq").click()
    assert "sulq" in dots(checked(app))
