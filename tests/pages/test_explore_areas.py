"""Explore with areas in the address: its picture, figures and three levels follow, and say so."""

from __future__ import annotations

from pathlib import Path

from dpcore import regions
from dpcore.privacy import explain
from pages.ui.areas import chosen, explore_areas
from pages.ui.areas.chosen import Chosen
from tests.pages.visits import address, figure, maps, press, visited, words

MIDTOWN = "Midtown-Times Square"
AREAS = "pages/6_areas.py"
PLAN = chosen.text([Chosen(MIDTOWN, "Looser"), Chosen("Queens", "Strictest")])


def test_the_picture_is_that_of_the_page_areas_and_links_to_it() -> None:
    app, page = visited(areas=PLAN, seed=4), visited(AREAS, areas=PLAN, seed=4)
    shown, there = maps(app)[0], maps(page)[0]
    assert shown["areas"] == there["areas"]
    assert shown["points"]["packed"] == there["points"]["packed"]
    assert [c["at"] for c in shown["centers"]] == [c["at"] for c in there["centers"]]
    assert shown["legend"][0]["words"] == f"Looser: {MIDTOWN}"
    assert "The slider sets everywhere else" in words(app)
    (link,) = (e.proto for e in app.get("page_link") if e.proto.label == "Edit the areas")
    assert "areas=" in link.query_string
    assert "--regions areas.geojson" in app.code[0].value
    press(app, "no-areas")
    assert "areas" not in address(app)
    assert not maps(app)[0]["areas"]


def test_the_slider_moves_the_level_everywhere_else_and_the_figures_say_the_largest() -> None:
    app = visited(areas=PLAN, privacy="Strict")
    plain = visited(privacy="Strict")
    odds = [figure(each, "Attacker, about one trip") for each in (app, plain)]
    assert odds == [f"50 → {explain.certainty(1.0)}", f"50 → {explain.certainty(0.1)}"]
    assert maps(app)[0]["points"]["count"] != maps(plain)[0]["points"]["count"]


def test_three_levels_side_by_side_vary_everywhere_else() -> None:
    shown = maps(visited(areas=PLAN, three="true"))
    assert len(shown) == 3
    assert len({each["points"]["packed"] for each in shown}) == 3
    assert all(each["areas"] == shown[0]["areas"] for each in shown)


def test_where_areas_cannot_count_the_run_is_without_them_and_the_page_says_why() -> None:
    app = visited(areas=PLAN, algorithm="dplloyd")
    assert "Without your areas" in words(app)
    assert not maps(app)[0]["areas"]
    overlap = chosen.text([Chosen(MIDTOWN, "Strict"), Chosen("Manhattan", "Strict")])
    app = visited(areas=overlap)
    assert "overlap" in words(app)
    assert maps(app)[0]["points"]
    assert not visited(areas=PLAN, data="iris").exception


def test_the_program_repeats_the_picture_with_the_file_of_areas(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = visited(areas=PLAN, seed=4)
    box = regions.boroughs().box
    drawn = regions.areas([regions.place(MIDTOWN), regions.place("Queens")], box)
    drawn.save(explore_areas.FILE)
    scope: dict[str, object] = {}
    exec(app.code[1].value, scope)
    found = sorted(scope["result"].centers.tolist())  # type: ignore[attr-defined]
    assert [[round(x, 9) for x in c] for c in found] == [
        [round(x, 9) for x in c["at"]]
        for c in sorted(maps(app)[0]["centers"], key=lambda c: c["at"])
    ]
