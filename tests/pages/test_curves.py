"""Curves through Streamlit's own test runner: live runs, settings that keep them, bad input."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import dpcore
from dpcore.study.metrics import METRICS, Metric
from pages.ui import workers
from pages.ui.background import Worker
from tests.pages.sweeping import eventually, finished
from tests.pages.visits import checked, visited, words

SMALL = {"data": "s1-like", "algorithm": "dplloyd", "runs": 2, "from": 0.5, "to": 2.0}


def page(**query: object) -> AppTest:
    return visited("pages/1_curves.py", **SMALL | query)


def chart(app: AppTest) -> dict[str, Any]:
    return json.loads(app.get("plotly_chart")[0].proto.spec)


def means(app: AppTest, algorithm: str = "dplloyd") -> dict[float, float]:
    trace = next(t for t in chart(app)["data"] if t.get("name") == algorithm)
    return dict(zip(trace["x"], trace["y"], strict=True))


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
    assert "Spread" in app.selectbox(key="at-metric").options
    assert "A meaning." in words(app)
    trials = list(
        dpcore.sweep(["dplloyd"], dpcore.datasets.load("s1-like"), 5, [0.5], 2, metrics=["spread"])
    )
    assert means(app)[0.5] == pytest.approx(sum(t.figures["spread"] for t in trials) / 2)


def test_metrics_that_cost_little_share_their_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    app = finished(page(seed=12))
    monkeypatch.setattr(dpcore, "sweep", lambda *_, **__: pytest.fail("the runs were made again"))
    app.selectbox(key="at-metric").set_value("shift")
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
    assert any("Private coreset" in warning.value for warning in app.warning)


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
