"""Curves as a person meets it: lines that grow, stop, lead to Explore, and are saved."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from pages.ui.palette import LIGHT
from tests.browser.driver import (
    DESK,
    LONG,
    PHONE,
    PROJECTOR,
    Visit,
    count,
    downloaded,
    eventually,
    in_address,
    place,
    width,
)
from tests.browser.sweeping import (
    click_chart,
    done,
    finished,
    grows_until_stopped,
    is_dark,
    opened_chart,
)

SMALL = (
    "/curves?data=s1-like&algorithm=dplloyd&with=&runs=2&from=0.5&to=2.0&metric=nicv&run_live=true"
)


def opened(visit: Visit, path: str = SMALL, **options: object) -> Page:
    return opened_chart(visit, path, **options)


def saved(page: Page, press: Callable[[], None]) -> bytes:
    return downloaded(page, press).read_bytes()


def test_points_appear_while_runs_are_made_until_somebody_stops_them(visit: Visit) -> None:
    page = opened(visit, "/curves?data=s1-like&algorithm=gkm&with=&runs=200")
    grows_until_stopped(page, "2,400")


def test_the_chart_with_its_axis_stands_on_one_screen_of_a_projector(visit: Visit) -> None:
    page = opened(visit, "/curves", viewport=PROJECTOR)
    axis = page.get_by_text("ε: less is more private")
    eventually(lambda: place(axis)["y"] + place(axis)["height"] <= PROJECTOR["height"])


def drawn(page: Page) -> tuple[list[float], str]:
    """The ends of the vertical axis, and the points in words."""
    ends, words = page.evaluate(
        """() => {
          const { data, layout } = document.querySelector(".js-plotly-plot");
          return [layout.yaxis.range, data.flatMap((trace) => trace.text ?? []).join()];
        }"""
    )
    return ends, words


def height(ends: list[float]) -> float:
    return ends[1] - ends[0]


def test_a_zoom_is_kept_while_runs_come_in_until_somebody_resets_it(visit: Visit) -> None:
    page = opened(visit, "/curves?data=s1-like&algorithm=gkm&with=&runs=200")
    # From then on the axis hardly changes.
    eventually(lambda: done(page) > 240)
    area = place(page.locator(".js-plotly-plot .nsewdrag"))

    def at(x: float, y: float) -> tuple[float, float]:
        return area["x"] + area["width"] * x, area["y"] + area["height"] * y

    page.mouse.move(*at(0.2, 0.25))
    page.mouse.down()
    page.mouse.move(*at(0.4, 0.5))
    pressed = drawn(page)[1]
    # The rectangle outlives the chart in which it was begun.
    eventually(lambda: drawn(page)[1] != pressed)
    page.mouse.move(*at(0.6, 0.75))
    whole = drawn(page)[0]
    page.mouse.up()
    reset = page.get_by_role("button", name="Show the whole chart")
    expect(reset).to_be_visible(timeout=LONG)
    eventually(lambda: height(drawn(page)[0]) < 0.75 * height(whole))
    zoomed, points = drawn(page)

    def grew() -> bool:
        ends, now = drawn(page)
        assert ends == zoomed
        return now != points

    eventually(grew)
    reset.click()
    expect(reset).to_have_count(0, timeout=LONG)
    eventually(lambda: height(drawn(page)[0]) > 1.3 * height(zoomed))


def test_controls_answer_while_the_sweep_of_a_month_runs(visit: Visit) -> None:
    page = opened(visit, "/curves?data=nyc-month&algorithm=eugkm&with=&runs=200")
    for seed in (1, 2, 3):
        assert done(page) < 2400
        page.get_by_test_id("stSidebar").get_by_role("button", name="Draw new noise").click()
        eventually(lambda seed=seed: f"seed={seed}" in page.evaluate("location.search"))
    # Nor does a redraw that was asked for before the last press bring the old address back.
    page.wait_for_timeout(3000)
    assert "seed=3" in page.evaluate("location.search")


def test_a_click_on_a_point_opens_explore_there(visit: Visit) -> None:
    page = finished(opened(visit, SMALL.replace("with=", "with=eugkm")))
    click_chart(page, page.locator(".js-plotly-plot .scatterlayer .trace .point").nth(2))
    expect(page.get_by_role("heading", name="What privacy costs")).to_be_visible()
    in_address(page, "privacy=Looser", "algorithm=dplloyd", "data=s1-like")


def test_an_epsilon_without_a_name_is_typed_for_explore(visit: Visit) -> None:
    page = finished(opened(visit))
    page.get_by_role("radio", name="0.7").or_(page.get_by_role("button", name="0.7")).first.click()
    expect(page.get_by_role("heading", name="What privacy costs")).to_be_visible()
    in_address(page, "epsilon=0.7")


def test_the_files_say_what_the_screen_says(visit: Visit) -> None:
    page = finished(opened(visit))
    shown = page.get_by_role("row").nth(1).inner_text().split()
    table = saved(page, page.get_by_role("button", name="CSV of every run").click).decode()
    rows = list(csv.DictReader(io.StringIO(table)))
    assert len(rows) == 8
    own = [float(row["nicv"]) for row in rows if float(row["epsilon"]) == 0.5]
    assert shown[:2] == ["0.5", f"{math.fsum(own) / len(own):.4g}"]
    trials = json.loads(saved(page, page.get_by_role("button", name="JSON of every run").click))
    assert [trial["nicv"] for trial in trials] == [float(row["nicv"]) for row in rows]


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_the_camera_saves_a_picture_without_any_other_host(visit: Visit, kind: str) -> None:
    page = finished(opened(visit, f"{SMALL}&picture={kind.upper()}"))
    page.locator(".js-plotly-plot").hover()
    picture = saved(page, page.locator(".modebar-btn").first.click)
    if kind == "png":
        image = Image.open(io.BytesIO(picture)).convert("RGB")
        assert count(image, LIGHT.private) > 500
        assert count(image, LIGHT.non_private) > 200
    else:
        assert picture.lstrip().startswith(b"<svg")
        assert b"DPLloyd" in picture


def test_the_address_is_the_picture(visit: Visit) -> None:
    path = SMALL.replace("with=", "with=eugkm").replace("nicv", "cost-gap&band=false&log_x=false")
    page = finished(opened(visit, path))
    again = finished(opened(visit, page.url.split("/curves")[1].join(["/curves", ""])))
    one, other = (p.locator(".js-plotly-plot") for p in (page, again))
    eventually(lambda: one.inner_text() == other.inner_text())
    expect(one).to_contain_text("CostGap")
    expect(one).to_contain_text("EUGkM")


def test_the_dark_theme_reaches_the_chart(visit: Visit) -> None:
    page = finished(opened(visit, color_scheme="dark"))
    is_dark(page.locator(".js-plotly-plot"), marks=200, paper=10_000)


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_it_is_no_wider_than_the_window(visit: Visit, viewport: dict[str, int]) -> None:
    page = finished(
        opened(visit, SMALL.replace("with=", "with=eugkm,gkm,hybrid"), viewport=viewport)
    )
    eventually(lambda: width(page) <= viewport["width"])
    plot = page.locator(".js-plotly-plot .gridlayer").first
    eventually(lambda: place(plot)["width"] > viewport["width"] / 3)
