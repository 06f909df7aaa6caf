"""Curves through Streamlit's own test runner: live runs, settings that keep them, bad input."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import dpcore
from dpcore.datasets.builtin import BUILTIN
from dpcore.study.kept_curves import kept_curves
from dpcore.study.metrics import METRICS, Metric
from dpcore.study.usual_ranges import EPSILONS
from pages.ui import cached_work, chart_zoom, live_runs, workers
from pages.ui.background import Worker
from pages.ui.chart_frame import ChartAxes
from pages.ui.chart_zoom import ChartZoom
from pages.ui.wording import percent
from tests.pages.sweeping import finished
from tests.pages.visits import checked, press, visited, words
from tests.waiting import eventually

SMALL = {
    "data": "s1-like",
    "algorithm": "dplloyd",
    "with": "",
    "runs": 2,
    "from": 0.5,
    "to": 2.0,
    "metric": "nicv",
    "run_live": "true",
}


def page(**query: object) -> AppTest:
    return visited("pages/1_curves.py", **SMALL | query)


def chart(app: AppTest) -> dict[str, Any]:
    return json.loads(app.get("plotly_chart")[0].proto.spec)


def means(app: AppTest, algorithm: str = "dplloyd") -> dict[float, float]:
    trace = next(t for t in chart(app)["data"] if t.get("name") == algorithm)
    return dict(zip(trace["x"], trace["y"], strict=True))


def segments(app: AppTest) -> list[str]:
    return [each.content for each in app.segmented_control(key="at-metric").proto.options]


def labels(app: AppTest) -> str:
    notes = [note["text"] for note in chart(app)["layout"]["annotations"]]
    return "\n".join(notes).replace("<br>", " ")


def test_the_curve_is_the_mean_of_the_sweep_that_the_page_names() -> None:
    app = finished(page())
    trials = list(
        dpcore.sweep(["dplloyd"], dpcore.datasets.load("s1-like"), 5, [0.5, 0.7, 1.0, 2.0], 2)
    )
    for epsilon, mean in means(app).items():
        own = [t.figures["nicv"] for t in trials if t.epsilon == epsilon]
        assert mean == pytest.approx(sum(own) / 2)
    assert len(means(app)) == 4


def test_lines_end_with_their_names_between_no_privacy_and_no_data() -> None:
    app = finished(page(**{"with": "eugkm,eugkm-published"}))
    for name in ("DPLloyd", "EUGkM", "EUGkM, as published (unproven)", "No privacy", "No data:"):
        assert name in labels(app)


def test_what_is_not_proved_is_hollow() -> None:
    app = finished(page(**{"with": "eugkm-published"}))
    marks = {t["name"]: t["marker"]["color"] for t in chart(app)["data"] if t.get("name")}
    assert marks["eugkm-published"] == chart(app)["layout"]["paper_bgcolor"]
    assert marks["dplloyd"] != marks["eugkm-published"]


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_is_drawn(metric: str) -> None:
    app = finished(page(metric=metric))
    assert len(means(app)) == 4
    assert METRICS[metric].meaning in words(app)


def test_a_metric_that_was_added_is_in_the_control_the_chart_and_the_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spread = Metric("spread", "Spread", "A meaning.", lambda found, _: float(found.centers.std()))
    monkeypatch.setitem(METRICS, "spread", spread)
    app = finished(page(metric="spread"))
    assert "Spread" in segments(app)
    assert "A meaning." in words(app)
    trials = list(
        dpcore.sweep(["dplloyd"], dpcore.datasets.load("s1-like"), 5, [0.5], 2, metrics=["spread"])
    )
    assert means(app)[0.5] == pytest.approx(sum(t.figures["spread"] for t in trials) / 2)


def test_a_chart_is_drawn_anew_only_for_many_more_runs_and_not_at_once() -> None:
    later = live_runs.STAYS
    assert live_runs.is_outdated(0, 0, 100, 0.0), "the first chart does not wait"
    assert not live_runs.is_outdated(10, 90, 100, later / 2)
    assert not live_runs.is_outdated(10, 11, 100, later)
    assert live_runs.is_outdated(10, 12, 100, later)
    assert live_runs.is_outdated(99, 100, 100, 0.0), "the last runs are drawn at once"


def test_metrics_that_cost_little_share_their_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    app = finished(page(seed=12))
    monkeypatch.setattr(dpcore, "sweep", lambda *_, **__: pytest.fail("the runs were made again"))
    app.segmented_control(key="at-metric").set_value("shift")
    assert len(means(finished(checked(app)))) == 4


def test_more_runs_and_other_company_keep_what_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    app = finished(page(seed=11))
    before = workers.worker()
    sweeps: list[list[str]] = []
    real = dpcore.sweep

    def counted(requests: list[dpcore.Request], *rest: Any, **named: Any) -> Iterator[dpcore.Trial]:
        sweeps.append([request.algorithm for request in requests])
        return real(requests, *rest, **named)

    monkeypatch.setattr(dpcore, "sweep", counted)
    app.number_input(key="at-runs").set_value(3)
    app.multiselect(key="at-with").set_value(["eugkm"])
    finished(checked(app))
    assert workers.worker() is before
    assert ["dplloyd"] not in sweeps
    assert ["eugkm"] in sweeps
    assert "24 runs finished" in words(app)


def test_a_sweep_stops_and_goes_on() -> None:
    app = page(seed=5, runs=200)
    next(b for b in app.button if b.label == "Stop").click()
    checked(app)
    assert "Stopped after" in words(app)

    def stands_still() -> bool:
        before = words(app)
        time.sleep(0.5)
        return words(checked(app)) == before

    # The run that was being made when somebody stopped them still comes in.
    eventually(stands_still)
    assert "Stopped after" in words(app)
    next(b for b in app.button if b.label == "Go on").click()
    checked(app)
    assert "Stopped" not in words(app)


def test_a_method_that_cannot_run_says_so_in_its_place_and_the_others_go_on() -> None:
    app = finished(page(data="wine", **{"from": 1.0, "with": "gkm-published,coreset"}))
    assert len(means(app)) == 2
    assert "Private coreset cannot run here" in labels(app)
    assert not app.warning
    (line,) = [
        c.value for c in app.caption if "Private coreset** cannot run at ε = 1, 2:" in c.value
    ]
    assert "\n" not in line


def test_a_method_that_knows_another_relation_only_does_not_hang_the_page() -> None:
    app = finished(page(neighbors="replace-one", **{"with": "eugkm-published"}))
    assert "private under add-remove only" in words(app)
    assert len(means(app)) == 4


def test_public_data_may_be_chosen_by() -> None:
    assert "choosing ε by this curve leaks nothing" in words(page())


def test_the_axes_are_logarithmic_until_told_otherwise() -> None:
    assert chart(page())["layout"]["yaxis"]["type"] == "log"
    flat = chart(page(**{"log_y.nicv": "false", "log_x": "false"}))["layout"]
    assert flat["yaxis"]["type"] == flat["xaxis"]["type"] == "linear"


def test_it_gives_the_lines_that_repeat_it() -> None:
    app = page(seed=3, **{"dplloyd.rounds": 7})
    shell, python = (code.value for code in app.code)
    assert "--epsilons 0.5 0.7 1 2 --runs 2 --seed 3 --set rounds=7" in shell
    assert "parameters={'dplloyd': {'rounds': 7}}" in python


@pytest.mark.parametrize(
    "wrong",
    [
        {"from": "9"},
        {"to": "x"},
        {"with": "nope"},
        {"runs": "0"},
        {"metric": "nope"},
        {"picture": "bmp"},
    ],
    ids=str,
)
def test_nonsense_in_the_address_is_taken_out_of_it(wrong: dict[str, str]) -> None:
    app = page(**wrong)
    assert next(iter(wrong)) not in app.query_params


def test_two_ends_that_are_one_or_swapped_still_draw() -> None:
    assert len(means(finished(page(**{"from": 1.0, "to": 1.0})))) == 1
    assert len(means(finished(page(**{"from": 2.0, "to": 1.0})))) == 2


def test_a_job_pauses_when_it_has_enough_and_goes_on_when_more_is_wanted() -> None:
    worker = Worker()
    counted = iter(range(100))

    def results(enough: int) -> list[int]:
        job = worker.job("count", lambda: counted, enough)
        eventually(lambda: len(job.results) >= enough)
        time.sleep(0.3)
        return list(job.results)

    assert results(0) == []
    assert results(3) == [0, 1, 2]
    assert results(3) == [0, 1, 2]
    assert results(5) == [0, 1, 2, 3, 4]


def dashed(app: AppTest) -> list[dict[str, Any]]:
    """Predicted lines: those whose text says so."""
    return [t for t in chart(app)["data"] if "predicted" in str(t.get("text", ""))]


def test_predicted_errors_are_dashed_lines_above_no_privacy() -> None:
    app = finished(page(**{"with": "eugkm,sulq"}))
    data = dpcore.datasets.load("s1-like")
    best = dpcore.nicv(data, dpcore.baseline(data, 5, 0).centers)
    lines = dashed(app)
    # DPLloyd with noise alone; EUGkM with noise, and with all that coarse cells may add.
    assert len(lines) == 3
    assert all(t["line"]["dash"] == "dash" for t in lines)
    at_1 = dict(zip(lines[0]["x"], lines[0]["y"], strict=True))[1.0]
    assert at_1 - best == pytest.approx(dpcore.predict("dplloyd", 5000, 5, 2, 1.0).mse, rel=1e-3)
    assert "equation (7)" in words(app)
    assert "SuLQ" not in words(app).partition("Dashed:")[2].partition("Measured")[0]


def test_predictions_can_be_switched_off_and_are_for_two_metrics_only() -> None:
    assert not dashed(finished(page(predicted="false")))
    assert not dashed(finished(page(metric="shift")))
    assert dashed(finished(page(metric="relative-error")))


OPENED = {
    name: value for name, value in SMALL.items() if name not in ("metric", "with", "algorithm")
}


def nothing_runs(patch: pytest.MonkeyPatch) -> None:
    for name in ("sweep", "baseline"):
        patch.setattr(dpcore, name, lambda *_, **__: pytest.fail("something ran"))
    patch.setattr(cached_work, "data", lambda _: pytest.fail("rows were read"))


#: The method with which the page opens on each set that is small enough to be kept.
OPENING = {
    data: "adaptive" if each.box.d == 2 else "auto"
    for data, each in BUILTIN.items()
    if each.rows < 1_000_000
}


@pytest.mark.parametrize("data", OPENING)
def test_the_page_opens_at_once_with_runs_that_are_kept_and_says_so(
    data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing_runs(monkeypatch)
    method = OPENING[data]
    app = visited("pages/1_curves.py", data=data, algorithm=method)
    beside = app.multiselect(key="at-with").value
    assert beside
    for key in (method, *beside):
        assert list(means(app, key)) == list(EPSILONS)
    total = f"{20 * len(EPSILONS) * (1 + len(beside)):,}"
    said = f"These {total} runs were made on {kept_curves().date} and kept."
    assert said in words(app), "Make the file again: python data/make_curves.py"
    assert all(not each.proto.disabled for each in app.get("download_button"))


def test_kept_runs_are_made_live_by_one_click_and_give_the_same_figures() -> None:
    query = {name: value for name, value in OPENED.items() if name != "run_live"}
    app = visited("pages/1_curves.py", **query)
    assert "runs were made on" in words(app)
    kept = {key: means(app, key) for key in ("adaptive", "eugkm", "dplloyd")}
    (run_live,) = [button for button in app.button if button.label == "Run live"]
    run_live.click()
    live = finished(checked(app))
    assert live.query_params["run_live"] in ("true", ["true"])
    assert "runs were made on" not in words(live)
    for key, figures in kept.items():
        assert means(live, key) == pytest.approx(figures, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"k": 3},
        {"runs": 21},
        {"delta": 1e-9},
        {"metric": "mean-distance"},
        {"with": "gkm"},
        {"dplloyd.rounds": 7},
        {"data": "nyc-month"},
    ],
    ids=str,
)
def test_what_was_not_measured_just_so_is_run_live(
    change: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_runs, "show_kept", lambda *_: pytest.fail("kept runs were shown"))
    monkeypatch.setattr(live_runs, "sweep", lambda *_: None)
    page(**{"run_live": "false", "from": 2.0} | change)


def test_it_opens_on_percent_worse_with_the_natural_rivals_beside_the_chosen_method() -> None:
    app = finished(visited("pages/1_curves.py", **OPENED))
    trials = list(dpcore.sweep(["adaptive"], dpcore.datasets.load("s1-like"), 5, [0.5], 2, first=0))
    mean = sum(t.figures["relative-error"] for t in trials) / 2
    assert means(app, "adaptive")[0.5] == pytest.approx(mean)
    assert {t["name"] for t in chart(app)["data"] if t.get("name")} == {
        "adaptive",
        "eugkm",
        "dplloyd",
    }
    assert chart(app)["layout"]["yaxis"]["title"]["text"] == "% worse than without privacy"
    assert all(text.endswith("%") for text in chart(app)["layout"]["yaxis"]["ticktext"])
    assert percent(mean) in app.table[0].value.loc["0.5", "Adaptive coreset"]


def test_a_rival_that_cannot_run_on_such_data_is_not_put_beside() -> None:
    app = visited("pages/1_curves.py", **OPENED | {"data": "digits", "algorithm": "dplloyd"})
    assert app.multiselect(key="at-with").value == ["auto"]


def test_levels_stand_at_the_axis_and_the_present_one_is_marked_with_its_name() -> None:
    app = finished(page(privacy="Looser"))
    axis = chart(app)["layout"]["xaxis"]
    texts = dict(zip(axis["tickvals"], axis["ticktext"], strict=True))
    assert texts[0.2] == "0.2<br>Balanced"
    assert texts[1] == "1<br><b>Looser</b>"
    assert texts[2] == "2"
    assert "your level: Looser (ε\u00a01)" in labels(app)
    (line,) = [s for s in chart(app)["layout"]["shapes"] if s["x0"] == s["x1"]]
    assert line["x0"] == 1.0


def test_the_axis_is_where_the_curves_are_and_what_is_far_away_is_a_note_with_its_factor() -> None:
    app = finished(page(**{"metric": "relative-error", "from": 2.0, "algorithm": "adaptive"}))
    high = 10 ** chart(app)["layout"]["yaxis"]["range"][1]
    assert high < 2 * max(means(app, "adaptive").values())
    assert re.search(r"No data: points spread in the box: [\d,]+\s%, [\d.e+]+ times", labels(app))
    assert "No privacy: 0\u00a0%" in labels(app)
    assert all(t.get("name") or t.get("fill") for t in chart(app)["data"] if not t.get("text"))


def test_a_target_is_a_line_and_says_from_which_epsilon_on_a_method_meets_it() -> None:
    app = finished(page(**{"metric": "relative-error", "with": "eugkm"}))
    highest = max(means(app, "eugkm").values())
    slider = app.select_slider(key="at-target.relative-error")
    options = [float(each.split("\u00a0")[0].replace(",", "")) / 100 for each in slider.options[1:]]
    target = min(each for each in options if each > highest)
    slider.set_value(target)
    said = words(finished(checked(app)))
    assert f"Worse than without privacy: at most {percent(target)}" in said
    assert "- EUGkM: on average from ε = 0.5 (Loose) on" in said
    (line,) = [s for s in chart(app)["layout"]["shapes"] if s["y0"] == s["y1"]]
    assert line["y0"] == target
    assert f"target: {percent(target)}" in labels(app)
    assert app.query_params["target.relative-error"] in (str(target), [str(target)])


def test_a_target_that_nobody_meets_is_said_to_be_met_at_no_epsilon() -> None:
    app = finished(page(**{"metric": "relative-error", "target.relative-error": 0.0005}))
    assert "- DPLloyd: at no ε up to 2" in words(app)


def test_nonsense_for_a_target_is_taken_out_of_the_address() -> None:
    assert "target.nicv" not in page(**{"target.nicv": "0.123456"}).query_params
    assert "target.nicv" not in page(**{"target.nicv": "much"}).query_params


def test_a_zoom_belongs_to_its_axes_and_a_button_ends_it() -> None:
    app = finished(page(metric="relative-error"))
    whole = chart(app)["layout"]["yaxis"]["range"]
    axes = f"s1-like relative-error {ChartAxes()}"
    app.session_state[chart_zoom.zoom_key("curves").name] = (
        axes,
        ChartZoom((-1.0, 0.0), (-3.0, -1.0)),
    )
    layout = chart(finished(checked(app)))["layout"]
    assert layout["xaxis"]["range"] == [-1.0, 0.0]
    assert layout["yaxis"]["range"] == [-3.0, -1.0]
    app.query_params["metric"] = "nicv"
    assert "range" not in chart(finished(checked(app)))["layout"]["xaxis"]
    app.query_params["metric"] = "relative-error"
    app = press(checked(app), "whole-curves")
    assert chart(finished(app))["layout"]["yaxis"]["range"] == whole
    assert not [button for button in app.button if button.key == "whole-curves"]
