"""Compare as a person meets it: rankings and maps that grow, files, links, phone, dark."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from dpcore.papers import REPRODUCTIONS
from dpcore.papers.feldman2017 import TABLE_2
from dpcore.papers.feldman2017_levels import USABLE
from tests.browser.driver import (
    DESK,
    LONG,
    PHONE,
    PROJECTOR,
    Visit,
    downloaded,
    eventually,
    idle,
    in_address,
    pixels,
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

RANK = "/compare?data=iris&algorithm=dplloyd&k=3&privacy=Loosest&paper=000&runs=2&metric=nicv"
MAP = "/compare?compare=map&algorithm=dplloyd&privacy=Looser&cell_runs=2&k_to=3&d_to=4"
TIME = "/compare?compare=time&algorithm=dplloyd&timed=eugkm&rows=30000&time_runs=1"
SIZE = "/compare?compare=size&data=s1-like&algorithm=eugkm&coresets=coreset&size_runs=1"


def opened(visit: Visit, path: str = RANK, **options: object) -> Page:
    return opened_chart(visit, path, **options)


def saved(page: Page, name: str) -> list[dict[str, str]]:
    return records(downloaded(page, page.get_by_role("button", name=name).click))


def records(table: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.read_text())))


def cells(row: Locator) -> list[str]:
    return [cell.strip() for cell in row.inner_text().split("\t")]


def test_the_best_method_stands_on_the_first_screen_of_a_projector(visit: Visit) -> None:
    page = opened(visit, "/compare", viewport=PROJECTOR)
    best = page.locator(".js-plotly-plot .annotation-text").filter(has_text="1. ").first
    eventually(lambda: place(best)["y"] + place(best)["height"] <= PROJECTOR["height"])


def test_a_ranking_grows_until_somebody_stops_it(visit: Visit) -> None:
    page = opened(visit, "/compare?data=s1-like&algorithm=gkm&paper=000&runs=200&fewer_runs=false")
    grows_until_stopped(page, "1,600")


def test_the_files_of_a_ranking_say_what_the_screen_says(visit: Visit) -> None:
    page = finished(opened(visit))
    shown = cells(page.get_by_role("row").nth(1))
    rows = saved(page, "CSV of this table")
    assert rows[0]["verdict"] == shown[2].upper()
    assert f"{float(rows[0]['mean']):.4g}" in shown[3]
    assert [float(r["mean"]) for r in rows] == sorted(float(r["mean"]) for r in rows)
    runs = saved(page, "CSV of every run")
    own = [float(r["nicv"]) for r in runs if r["algorithm"] == rows[0]["algorithm"]]
    assert sum(own) / len(own) == pytest.approx(float(rows[0]["mean"]))


def test_a_click_on_a_dot_opens_explore_with_that_method(visit: Visit) -> None:
    page = finished(opened(visit))
    best = saved(page, "CSV of this table")[0]["algorithm"]
    dots = page.locator(".js-plotly-plot .scatterlayer .trace").last
    click_chart(page, dots.locator(".point").first)
    expect(page.get_by_role("heading", name="What privacy costs")).to_be_visible()
    in_address(page, f"algorithm={best}", "privacy=Loosest")


def test_a_map_fills_cell_by_cell_and_its_file_has_every_cell(visit: Visit) -> None:
    page = opened(visit, "/compare?compare=map&algorithm=dplloyd&cell_runs=20")
    before = done(page)
    eventually(lambda: done(page) > before)
    page = finished(opened(visit, MAP))
    rows = saved(page, "CSV of this map")
    assert {(int(r["k"]), int(r["d"])) for r in rows} == {(k, d) for k in (2, 3) for d in (2, 3, 4)}
    page.get_by_text("DPLloyd: NICV in figures").click()
    cell = page.get_by_role("row", name=re.compile("^d = 2")).get_by_role("cell").first
    first = next(float(r["mean"]) for r in rows if (r["k"], r["d"]) == ("2", "2"))
    expect(cell).to_have_text(f"{first:.4g}")


def test_a_click_on_a_cell_opens_explore_with_those_data(visit: Visit) -> None:
    page = finished(opened(visit, MAP))
    click_chart(page, page.locator(".js-plotly-plot .nsewdrag"), 1 / 4, 5 / 6)
    expect(page.get_by_role("heading", name="What privacy costs")).to_be_visible()
    in_address(page, "data=gaussians-k2-d2", "k=2")


def test_run_times_print_their_slopes_and_the_file_has_the_times(visit: Visit) -> None:
    page = finished(opened(visit, TIME))
    words = page.locator(".js-plotly-plot").text_content()
    assert re.search(r"DPLloyd, slope\s*-?\d\.\d\d", words or "")
    rows = saved(page, "CSV of every run")
    first = next(r for r in rows if r["algorithm"] == "dplloyd")
    shown = cells(page.get_by_role("row").nth(1))
    assert shown[:2] == [f"{int(first['n']):,}", f"{float(first['seconds']):.3g} s"]


def test_sizes_of_coresets_say_in_the_file_what_they_say_on_screen(visit: Visit) -> None:
    page = finished(opened(visit, SIZE))
    rows = saved(page, "CSV of every run")
    first = next(r for r in rows if r["algorithm"] == "eugkm" and r["epsilon"] == "0.01")
    shown = cells(page.get_by_role("row").nth(1))
    assert shown[:2] == ["0.01", f"{int(first['points']):,}"]


def test_a_finding_runs_live_and_is_stopped(visit: Visit) -> None:
    page = visit("/compare?compare=papers&paper=000", ready=False)
    card = page.locator(".st-key-finding-su2016-fig2")
    card.get_by_role("button", name="Run it live").click()
    expect(card.get_by_text(re.compile(r"[1-9]\d* figures so far"))).to_be_visible()
    in_address(page, "live=su2016-fig2")
    card.get_by_role("button", name="Stop").click()
    expect(card.get_by_role("button", name="Run it live")).to_be_visible()
    eventually(lambda: "live=" not in page.evaluate("location.search"))


def test_the_gallery_has_every_claim_and_a_verdict_from_a_live_run(visit: Visit) -> None:
    page = visit("/compare?compare=papers&live=feldman2017-table2", ready=False)
    card = page.locator(".st-key-finding-feldman2017-table2")
    expect(card.get_by_text("Live, in quick form")).to_be_visible(timeout=5 * LONG)
    rows = records(downloaded(page, card.get_by_role("button", name="CSV of these figures").click))
    assert [(r["k"], r["n"]) for r in rows][:2] == [("1", "100000"), ("1", "100000")]
    printed = [r["the paper's"] for r in rows if r["measure"] == USABLE]
    assert float(printed[0]) == TABLE_2[1][0]
    titles = [each.title for each in REPRODUCTIONS.values()]
    eventually(lambda: all(title in page.inner_text("body") for title in titles))


def test_a_view_answers_while_another_is_still_computing(visit: Visit) -> None:
    page = opened(visit, "/compare?data=s1-like&algorithm=gkm&runs=200")
    done(page)
    page.get_by_role("radio", name="Findings").or_(
        page.get_by_role("button", name="Findings")
    ).first.click()
    expect(page.locator(".st-key-finding-su2016-fig1")).to_be_visible()
    page.wait_for_timeout(3000)
    assert "compare=papers" in page.evaluate("location.search")


def test_the_address_is_the_picture(visit: Visit) -> None:
    path = f"{MAP}&against=gkm&metric=cost-gap"
    page = finished(opened(visit, path))
    again = finished(opened(visit, page.url.split("/compare")[1].join(["/compare", ""])))
    one, other = (p.locator(".js-plotly-plot") for p in (page, again))
    eventually(lambda: pixels(one).tobytes() == pixels(other).tobytes())
    expect(again.get_by_text("GkM does better")).to_be_visible()


@pytest.mark.parametrize("path", [RANK, f"{MAP}&against=gkm", TIME, SIZE], ids=list("rmts"))
def test_every_chart_fits_a_phone_and_takes_the_dark_theme(visit: Visit, path: str) -> None:
    page = finished(opened(visit, path, viewport=PHONE, color_scheme="dark"))
    eventually(lambda: width(page) <= PHONE["width"])
    plot = page.locator(".js-plotly-plot .nsewdrag").first
    eventually(lambda: place(plot)["width"] > PHONE["width"] / 3)
    page.set_viewport_size(DESK)
    is_dark(page.locator(".js-plotly-plot"), marks=100, paper=1_000)


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_the_gallery_is_no_wider_than_the_window(visit: Visit, viewport: dict[str, int]) -> None:
    page = visit("/compare?compare=papers", ready=False, viewport=viewport)
    expect(page.locator(".st-key-finding-feldman2017-fig7")).to_be_visible()
    idle(page)
    eventually(lambda: width(page) <= viewport["width"])
