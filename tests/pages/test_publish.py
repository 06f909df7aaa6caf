"""Publish through Streamlit's own test runner: every control, every refusal, no browser."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sqlite3
import time
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import parse_qs

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from dpcore.algorithms import ALGORITHMS
from dpcore.datasets import engines
from dpcore.geometry.domain import Box
from dpcore.privacy import explain
from dpcore.privacy.accounting import Neighbors
from dpcore.release import (
    Amount,
    BuiltinData,
    FileData,
    Ledger,
    Release,
    ReleasePlan,
    Unanswered,
    Unit,
    publish,
)
from dpcore.release.ledger_store import DATABASE
from dpcore.release.outside_charge import record_outside_charge
from dpcore.runs.request import Request
from pages.ui.publish import publish_once
from pages.ui.publish.history import as_csv, no_formula
from pages.ui.wording import FROM_TWIN_WORDS, NOT_PRIVATE_WORDS
from tests.pages.publishing import (
    CITY,
    LONG,
    at_places,
    brought,
    buttons,
    confirmed,
    counted,
    csv_text,
    elsewhere,
    page,
    released,
    settled,
    trips,
    twin_asked,
    typed,
    until,
    upload,
)
from tests.pages.visits import checked, press, words
from tests.pages.visits import maps as drawn_maps


def key_of(app: AppTest) -> str:
    key = app.query_params["data"]
    return key if isinstance(key, str) else key[0]


def at_columns(content: str, name: str = "trips.csv") -> AppTest:
    return upload(page(), name, content)


def until_there_is(app: AppTest, key: str) -> None:
    """Draw the page again until it has a button."""
    deadline = time.monotonic() + LONG
    while key not in buttons(app):
        assert time.monotonic() < deadline, f"There is no button {key}."
        checked(app)


def figures(app: AppTest) -> dict[str, str]:
    return {metric.label: str(metric.value) for metric in app.metric}


# Data


def test_it_opens_with_the_question_where_the_data_are() -> None:
    app = page()
    assert "1 · Data" in words(app)
    assert app.button(key="open").disabled
    assert "the server writes it to no file" in "".join(app.radio(key="at-source").proto.captions)


def test_a_level_chosen_on_explore_arrives() -> None:
    app = press(page(data="nyc-month", privacy="Strict", k=7), "open")
    assert app.select_slider(key="at-privacy").value == "Strict"
    assert "7 centers" in words(press(app, "settled"))


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet"])
def test_each_kind_of_file_is_counted_from_memory(kind: str) -> None:
    points, text = trips(500), csv_text(trips(500))
    table = pa.table({"pickup_longitude": points[:, 0], "pickup_latitude": points[:, 1]})
    file = io.BytesIO()
    pq.write_table(table, file)
    content = {
        "csv": text.encode(),
        "csv.gz": gzip.compress(text.encode()),
        "parquet": file.getvalue(),
    }
    app = upload(page(), f"mine.{kind}", content[kind])
    assert figures(counted(app))["Trips in the area"] == "500"


def test_a_pattern_on_this_machine_is_read_where_it_lies(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(csv_text(trips(300)))
    app = page(**{"from": "path"})
    app.text_input(key="remembered-path").set_value(str(tmp_path / "*.csv"))
    app = settled(press(checked(app), "open"))
    assert "2 files" in words(app)
    assert figures(counted(app))["Trips in the area"] == "600"
    assert str(tmp_path) not in json.dumps(dict(app.query_params))


def test_a_file_among_many_that_lacks_a_column_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(csv_text(trips(30)))
    (tmp_path / "b.csv").write_text("when,where\n1,2\n")
    app = page(**{"from": "path"})
    app.text_input(key="remembered-path").set_value(str(tmp_path / "*.csv"))
    app = at_places(settled(press(checked(app), "open")))
    assert "b.csv, column 'pickup_longitude'" in words(app).replace("\\", "")
    assert app.button(key="count").disabled


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"", "no line of text"),
        ("a.csv", b"PAR1....", "this is a Parquet file"),
        ("a.parquet", b"lon,lat", "damaged"),
        ("a.csv.gz", gzip.compress(b"lon,lat\n1,2\n")[:-4], "damaged or cut short"),
    ],
    ids=["empty", "parquet named csv", "csv named parquet", "cut gzip"],
)
def test_a_bad_file_is_refused_in_words(name: str, content: bytes, said: str) -> None:
    app = upload(page(), name, content)
    assert said in words(app)
    assert "1 · Data" in words(app)


def test_reading_can_be_stopped_and_tried_again_with_another_file() -> None:
    app = page()
    lines = 200 * gzip.compress(b"1\n" * 1_000_000)
    app.file_uploader[0].upload("a.csv.gz", gzip.compress(b"lon,lat\n") + lines, "text/csv")
    press(checked(app), "open")
    until_there_is(app, "stop")
    assert "Nothing was kept" in words(press(app, "stop"))
    assert "1 · Data" in words(app)
    assert (
        figures(counted(upload(app, "b.csv", csv_text(trips(200)))))["Trips in the area"] == "200"
    )


def test_counting_can_be_stopped_and_begun_again(tmp_path: Path) -> None:
    app = upload(page(), "a.csv", csv_text(trips(300)))
    started, stopped = Event(), Event()
    opened = app.session_state["opened files"]

    class Slow(type(opened.engine)):  # type: ignore[misc]
        def census(self, *asked: Any) -> Any:
            started.set()
            if not stopped.wait(60):
                return super().census(*asked)
            raise engines.ReadingStopped("a.csv")

        def stop(self) -> None:
            stopped.set()

    usual = type(opened.engine)
    opened.engine.__class__ = Slow
    at_places(app, "").selectbox(key="remembered-place").set_value(CITY)
    press(checked(app), "count")
    assert started.wait(60)
    assert "Nothing was kept" in words(press(app, "stop"))
    opened.engine.__class__ = usual
    press(app, "count")
    assert figures(until(app, "What became of the rows"))["Rows in the area"] == "300"


def test_what_is_not_there_is_said_and_the_page_goes_on(tmp_path: Path) -> None:
    (tmp_path / "readme.doc").write_text("lon,lat")
    app = page(**{"from": "path"})
    app.text_input(key="remembered-path").set_value("nowhere/*.csv")
    assert "there is no such file" in words(settled(press(checked(app), "open")))
    app.text_input(key="remembered-path").set_value(str(tmp_path / "readme.doc"))
    assert "whether it is CSV, Parquet, GeoJSON or GeoPackage" in words(
        settled(press(checked(app), "open"))
    )


def test_a_table_of_spark_is_read_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Spark(engines.DuckDBEngine):
        def look(self, path: str, format: str | None = None) -> engines.Source:
            asked.append((path, format))
            raise engines.DataFileError("spark", "not installed: pip install 'dpcore[spark]'.")

    monkeypatch.setattr(engines, "SparkEngine", Spark)
    app = page(**{"from": "spark"})
    app.text_input(key="remembered-table").set_value("city.trips")
    assert "pip install" in words(settled(press(checked(app), "open")))
    assert asked == [("city.trips", "table")]


# Columns and area


@pytest.mark.parametrize(
    ("header", "guess"),
    [
        ("pickup_longitude,pickup_latitude", ["pickup_longitude", "pickup_latitude"]),
        ("lng,lat", ["lng", "lat"]),
        ("x,y", ["x", "y"]),
        ("this,that", []),
    ],
)
def test_columns_are_guessed_by_name_and_can_be_changed(header: str, guess: list[str]) -> None:
    app = at_places(at_columns(csv_text(trips(100), header)))
    assert app.multiselect(key="remembered-columns").value == guess
    assert ("Guessed by their names" in words(app)) == bool(guess)
    app.multiselect(key="remembered-columns").set_value(header.split(","))
    assert figures(counted(checked(app)))["Trips in the area"] == "100"


def test_rows_are_not_counted_before_there_is_a_box() -> None:
    app = at_places(at_columns(csv_text(trips(100))))
    assert app.button(key="count").disabled


def test_longitude_and_latitude_that_are_swapped_are_swapped_back_with_a_click() -> None:
    app = at_columns(csv_text(trips(100)[:, ::-1], "lon,lat"))
    app = counted(app)
    assert "longitude and latitude are swapped" in words(app)
    assert "protected" not in buttons(app)
    app = press(press(app, "swap"), "count")
    app = until(app, "What became of the rows")
    assert figures(app)["Trips in the area"] == "100"
    assert "protected" in buttons(app)


def test_rows_outside_and_unreadable_ones_are_told_for_your_eyes() -> None:
    lines = csv_text(trips(100)) + "\n0,0\n1,1\nhere,there"
    app = counted(at_columns(lines))
    assert figures(app) == {"Trips in the area": "100", "Outside the area": "2", "Unreadable": "1"}
    assert "not private: for your eyes" in words(app)


def test_a_box_where_nothing_is_gets_an_explanation() -> None:
    app = counted(at_columns(csv_text(trips(100))), place="Japan")
    assert "lie outside the box" in words(app)
    assert "protected" not in buttons(app)


def test_a_box_is_typed_for_any_number_of_columns() -> None:
    rows = "\n".join(f"{i % 7},{i % 5},{i % 3}" for i in range(200))
    app = at_places(at_columns(f"a,b,c\n{rows}"), "row")
    app.multiselect(key="remembered-columns").set_value(["a", "b", "c"])
    checked(app)
    for i, name in enumerate("abc"):
        app.number_input(key=f"remembered-low {i} {name}").set_value(0.0)
        app.number_input(key=f"remembered-high {i} {name}").set_value(8.0)
    app = press(checked(app), "count")
    app = until(app, "What became of the rows")
    assert figures(app)["Rows in the area"] == "200"
    app = released(press(app, "protected"))
    assert "Release 1" in words(app)


def test_a_box_without_width_is_refused() -> None:
    app = at_places(at_columns("a,b\n1,2\n"))
    app.multiselect(key="remembered-columns").set_value(["a", "b"])
    checked(app)
    app.selectbox(key="remembered-place").set_value("Type its corners")
    checked(app)
    for i, name in enumerate("ab"):
        app.number_input(key=f"remembered-low {i} {name}").set_value(1.0)
        app.number_input(key=f"remembered-high {i} {name}").set_value(1.0)
    checked(app)
    assert "has no width" in words(app)
    assert app.button(key="count").disabled


def test_other_answers_have_to_be_counted_again() -> None:
    app = counted(at_columns(csv_text(trips(100))))
    assert "protected" in buttons(app)
    app.radio(key="remembered-outside").set_value("clip")
    assert "protected" not in buttons(checked(app))


# Who is protected


def file_of_people(header: str = "lon,lat,driver") -> str:
    lines = [f"{x:.9f},{y:.9f},{i % 40}" for i, (x, y) in enumerate(trips(400).tolist())]
    return "\n".join([header, *lines])


def of_person(app: AppTest, column: str | None = None, rows: int | None = 2) -> AppTest:
    """The page where a person is to be protected, told apart by a column."""
    app.radio(key="remembered-who").set_value("person")
    checked(app)
    if column:
        app.selectbox(key="remembered-ids").set_value(column)
        checked(app)
    column = app.selectbox(key="remembered-ids").value
    if column is None or rows is None:
        return app
    app.radio(key=f"remembered-meaning {column}").set_value("same")
    checked(app)
    app.number_input(key="remembered-rows").set_value(rows)
    return checked(app)


def test_nobody_is_protected_before_somebody_chooses_who() -> None:
    app = at_columns(csv_text(trips(50)))
    assert app.radio(key="remembered-who").value is None
    assert app.button(key="who").disabled
    assert "Choose who is protected" in words(app)


def test_people_with_several_rows_are_protected_by_keeping_a_few_of_each() -> None:
    app = of_person(at_columns(file_of_people()))
    app.text_input(key="remembered-person").set_value("driver")
    app = press(checked(app), "who")
    app.selectbox(key="remembered-place").set_value(CITY)
    app = until(press(checked(app), "count"), "What became of the rows")
    app = press(app, "protected")
    assert "each driver, with up to 2 rows" in words(app)
    app = press(app, "settled")
    assert "at most 2 rows of each driver are kept" in words(app)
    app = confirmed(app)
    assert "Release 1" in words(until(app, "was made on"))


def test_a_day_of_a_person_is_protected_by_a_column_that_tells_days_apart() -> None:
    app = at_columns(file_of_people("lon,lat,card and day"))
    app.radio(key="remembered-who").set_value("day")
    checked(app)
    assert app.selectbox(key="remembered-ids").value == "card and day"
    app.radio(key="remembered-meaning card and day").set_value("same")
    checked(app)
    app.number_input(key="remembered-rows").set_value(3)
    app = press(checked(app), "who")
    assert "each person's day, with up to 3 rows" in words(app)


@pytest.mark.parametrize(
    ("header", "guess"),
    [
        ("lon,lat,driver_id", "driver_id"),
        ("lon,lat,hackLicense", "hackLicense"),
        ("lon,lat,Unnamed: 0", None),
        ("lon,lat,trip_id", None),
        ("lon,lat,discard", None),
    ],
)
def test_a_column_of_people_is_guessed_by_its_name_alone(header: str, guess: str | None) -> None:
    app = of_person(at_columns(file_of_people(header)), rows=None)
    assert app.selectbox(key="remembered-ids").value == guess
    assert app.button(key="who").disabled


def test_a_column_that_differs_in_every_row_protects_nobody_and_is_refused() -> None:
    app = of_person(at_columns(file_of_people("lon,lat,trip_id")), "trip_id", None)
    assert "By its name this column numbers rows" in words(app)
    app.radio(key="remembered-meaning trip_id").set_value("different")
    checked(app)
    assert "Every row its own person: this would protect single rows" in words(app)
    assert app.button(key="who").disabled


def test_what_is_asked_about_people_reads_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two files that differ in their rows alone get the same page, up to the count."""
    pages = []
    for shift in (0, 1):
        lines = file_of_people("lon,lat,driver").splitlines()
        content = "\n".join([lines[0], *(f"{line}{shift}" for line in lines[1:])])
        pages.append(words(press(of_person(at_columns(content)), "who")))
    assert pages[0] == pages[1]


def test_other_files_are_asked_about_anew() -> None:
    app = of_person(at_columns(file_of_people()))
    press(press(app, "who"), "change-data")
    app = upload(app, "b.csv", file_of_people())
    assert app.radio(key="remembered-who").value is None
    assert app.button(key="who").disabled


def test_naming_a_row_does_not_change_who_is_protected() -> None:
    app = at_columns(csv_text(trips(50)))
    app.radio(key="remembered-who").set_value("row")
    app.text_input(key="remembered-row").set_value("visit <b>")
    checked(app)
    assert app.radio(key="remembered-who").value == "row"
    app = press(app, "who")
    assert "visit b" in words(press(counted(app), "protected"))


def test_the_first_rows_are_shown_when_asked_for_and_marked() -> None:
    app = at_places(at_columns("lon,lat\n-73.123,40.7\n"))
    assert not app.table
    app.toggle[0].set_value(True)
    checked(app)
    assert "-73.123" in str(app.table[0].value)
    assert "not private: for your eyes" in words(app)


def test_an_area_is_drawn_on_a_map_without_a_row_on_it() -> None:
    app = at_places(at_columns(csv_text(trips(50))))
    (drawn,) = drawn_maps(app)
    assert drawn["draw"]
    assert not drawn["points"]
    assert not drawn["areas"]
    app.selectbox(key="remembered-place").set_value("Chicago")
    (drawn,) = drawn_maps(checked(app))
    assert drawn["areas"][0]["rings"][0][0] == [-88.0, 41.6]
    assert drawn["view"] == [[-88.0, 41.6], [-87.4, 42.1]]


# Level


@pytest.mark.parametrize("level", explain.LEVELS, ids=lambda level: level.name)
def test_every_level_says_what_an_attacker_gains(level: explain.Level) -> None:
    app = press(page(data="nyc-taxi", privacy=level.name), "open")
    assert figures(app)["What an attacker can gain about one trip"] == explain.odds(level.epsilon)
    affordable = level.epsilon <= 1
    assert ("settled" in buttons(app)) == affordable
    assert ("This cannot be published" in words(app)) != affordable


def test_what_is_not_proved_cannot_be_chosen() -> None:
    unproven = next(key for key, system in ALGORITHMS.items() if not system.verdict.holds)
    app = press(page(data="nyc-taxi", algorithm=unproven), "open")
    method = next(each for each in app.selectbox if each.label == "Method")
    assert method.value == "adaptive"
    holding = [a.title for a in ALGORITHMS.values() if a.verdict.holds]
    assert set(method.options) <= set(holding)


def test_exact_values_and_the_total_are_typed() -> None:
    app = press(page(data="nyc-taxi"), "open")
    app.number_input(key="at-epsilon").set_value(0.35)
    total = next(each for each in app.number_input if "Budget for life" in each.label)
    total.set_value(0.5)
    checked(app)
    assert "This release uses ε 0.35 of a budget of ε 0.5" in words(app)
    assert "After this release, **30 %** of the budget is left" in words(app)


def test_a_delta_is_asked_for_where_a_method_has_use_for_it() -> None:
    using = next(k for k, a in ALGORITHMS.items() if a.uses_delta and a.verdict.holds)
    app = press(page(data="nyc-taxi", algorithm=using, delta=1e-6), "open")
    assert app.number_input(key="at-delta").value == 1e-6
    assert "δ = 1e-06" in words(app)
    assert "chance of up to 0.01 this limit does not hold" in words(app)
    assert "δ" not in words(press(page(data="nyc-taxi", delta=1e-6), "open"))


def test_the_budget_for_life_says_what_it_buys() -> None:
    app = press(page(data="nyc-taxi", privacy="Strict"), "open")
    said = words(app)
    assert "This pays for 10 releases at this level" in said
    assert "one each month for a year would take 1.2 times this budget" in said
    (asked,) = (each for each in app.selectbox if "Budget for life" in each.label)
    assert asked.format_func(asked.value) == "At most 74 % sure (suggested)"
    asked.set_value(0.5)
    assert "This pays for 5 releases at this level" in words(checked(app))
    (asked,) = (each for each in app.selectbox if "Budget for life" in each.label)
    assert asked.value == 0.5
    said = words(with_budget(app, 2.5))
    assert "This pays for 25 releases at this level: one each month for 2 years" in said
    assert "pays for no release at this level" in words(with_budget(app, 0.05))


def with_budget(app: AppTest, epsilon: float) -> AppTest:
    next(each for each in app.number_input if "Budget for life" in each.label).set_value(epsilon)
    return checked(app)


def test_others_budgets_stand_beside_their_sources() -> None:
    app = press(page(data="nyc-taxi"), "open")
    (others,) = app.table
    assert list(others.value.columns) == ["Publisher", "One ε covers", "ε", "Source"]
    assert "19.61" in list(others.value["ε"])
    assert all(others.value["Source"])


# Confirm, release


def test_confirm_says_this_release_all_so_far_and_what_is_left() -> None:
    until(twin_asked(brought()), "is here")
    said = words(press(brought(privacy="Strict"), "settled"))
    assert "**This release:** Someone who is 50 % sure" in said
    assert ":gray[(ε 0.1)]" in said
    assert "at most 53 % sure" in said
    assert "**All so far together:** Someone who is 50 % sure" in said
    assert ":gray[(ε 0.2)]" in said
    assert "at most 55 % sure" in said
    assert "The private twin counts" in said
    assert "**Left after it:** 80 % of the budget. :gray[(ε 0.8 of ε 1)]" in said


def test_nothing_is_spent_before_it_is_confirmed(ledger_folder: Path) -> None:
    app = press(page(data="s1-like", algorithm="auto"), "open")
    app = press(app, "settled")
    assert "Nothing is used yet" in words(app)
    assert "We will publish **5 centers**" in words(app)
    assert "Save this plan" in [button.label for button in app.get("download_button")]
    assert Ledger(ledger_folder).entries() == []


def test_the_whole_path_from_an_upload_to_files(ledger_folder: Path) -> None:
    app = released(brought())
    (entry,) = Ledger(ledger_folder).entries()
    assert "Release 1" in words(app)
    names = {button.proto.label for button in app.get("download_button")}
    assert {"Certificate, JSON", "Centers, CSV", "Map for any browser"} <= names
    assert any(name.startswith("Download everything (ZIP, ") for name in names)
    assert entry.account == "trips"
    assert "own-" not in json.dumps(dict(entry.plan))


def test_pressing_again_and_again_publishes_once(ledger_folder: Path) -> None:
    app = typed(press(press(page(data="s1-like"), "open"), "settled"))
    button = app.button(key="publish")
    for _ in range(3):
        button.click()
        checked(app)
    until(app, "was made on")
    assert len(Ledger(ledger_folder).entries()) == 1


@pytest.fixture
def held_up(monkeypatch: pytest.MonkeyPatch) -> Event:
    """Every release waits for this before it is made."""
    go_on = Event()

    def waiting(*plan: Any) -> Release:
        assert go_on.wait(600)
        return publish(*plan)

    monkeypatch.setattr(publish_once, "publish", waiting)
    return go_on


def test_a_ledger_that_cannot_be_written_is_told_in_words(
    ledger_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Ledger, "record", full)
    app = confirmed(press(press(page(data="s1-like"), "open"), "settled"))
    until(app, "disk is full")
    assert "nothing was used" in words(app)
    assert Ledger(ledger_folder).entries() == []


def test_a_release_can_be_stopped_while_it_counts_the_rows_and_made_after_that(
    ledger_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = press(brought(), "settled")
    endless = "SELECT count(*) FROM range(1000000000) a, range(1000000000) b"
    engine = engines.DuckDBEngine()
    with monkeypatch.context() as slow:
        slow.setattr(FileData, "open", lambda *_: engine._run("rows", endless))
        slow.setattr(FileData, "stop", lambda _: engine.stop())
        confirmed(app)
        until_there_is(app, "stop")
        assert "Nothing was used" in words(press(app, "stop"))
    assert Ledger(ledger_folder).entries() == []
    until(confirmed(checked(app)), "was made on")
    assert len(Ledger(ledger_folder).entries()) == 1


def test_pressing_while_a_twin_is_being_made_makes_one(ledger_folder: Path, held_up: Event) -> None:
    app = press(twin_asked(brought()), "make-twin")
    held_up.set()
    until(app, "is here")
    assert len(Ledger(ledger_folder).entries()) == 1


def test_of_two_files_of_one_name_each_is_published_by_itself(
    ledger_folder: Path, held_up: Event
) -> None:
    app = confirmed(press(brought(), "settled"))
    first = key_of(app)
    press(app, "change-data")
    app.radio(key="at-source").set_value("upload")
    upload(checked(app), "trips.csv", csv_text(trips(seed=1)))
    press(press(counted(app), "protected"), "settled")
    assert key_of(app) != first
    assert "Nothing is used yet" in words(app)
    held_up.set()
    until(confirmed(app), "was made on")
    app.query_params.update({"step": "confirm", "data": first})
    until(checked(app), "was made on")
    assert len(Ledger(ledger_folder).entries()) == 2


def test_spending_all_that_is_left_ends_with_the_files(ledger_folder: Path) -> None:
    app = released(press(page(data="s1-like", privacy="Looser"), "open"))
    assert "made on" in words(app)
    app.query_params["step"] = "confirm"
    assert "ε 0 is left" in words(checked(app))


def test_going_back_after_a_release_says_that_it_was_made(ledger_folder: Path) -> None:
    app = released(press(page(data="s1-like"), "open"))
    app.query_params["step"] = "confirm"
    checked(app)
    assert "with exactly this plan" in words(app)
    app = press(app, "instead")
    assert "Release 1" in words(app)
    assert len(Ledger(ledger_folder).entries()) == 1


def test_two_visits_cannot_overspend(ledger_folder: Path) -> None:
    tabs = [press(page(data="s1-like", privacy="Looser"), "open") for _ in range(2)]
    tabs = [typed(press(tab, "settled")) for tab in tabs]
    until(press(tabs[0], "publish"), "was made on")
    until(press(tabs[1], "publish"), "Nothing was used")
    assert [float(e.charged.epsilon) for e in Ledger(ledger_folder).entries()] == [1.0]


def test_an_address_of_a_release_opens_it_again(ledger_folder: Path) -> None:
    released(press(page(data="s1-like"), "open"))
    assert "Release 1" in words(page(step="released", release=1))
    assert "has no release 9" in words(page(step="released", release=9))


@pytest.mark.parametrize("number", [2**63 - 1, 2**63, 10**20])
def test_a_huge_number_in_the_address_is_told_in_words(number: int) -> None:
    released(press(page(data="s1-like"), "open"))
    assert f"has no release {number}" in words(page(step="released", release=number))


def test_another_box_cannot_publish_a_strip_from_the_page(ledger_folder: Path) -> None:
    """The account was opened under replace-one, in which the number of rows is published."""
    path = ledger_folder.parent / "trips.csv"
    path.write_text(csv_text(trips()))
    names = ("pickup_longitude", "pickup_latitude")
    narrow = FileData(str(path), names, Box((-74.1, 40.6), (-73.97, 40.9), names))
    relation, unit = Neighbors.REPLACE_ONE, Unit("trip")
    plan = ReleasePlan("trips", narrow, Request("dplloyd", 2, 0.1, neighbors=relation), unit=unit)
    publish(plan, Ledger(ledger_folder))
    app = brought()
    next(each for each in app.text_input if "Name of these data" in each.label).set_value("trips")
    said = words(checked(app))
    assert "This cannot be published" in said
    assert "count the rows in one box" in said
    assert "settled" not in buttons(app)
    assert len(Ledger(ledger_folder).entries()) == 1


def test_a_damaged_ledger_is_told_in_words(ledger_folder: Path) -> None:
    released(press(page(data="s1-like"), "open"))
    content = bytearray((ledger_folder / DATABASE).read_bytes())
    content[4096:] = b"x" * (len(content) - 4096)
    (ledger_folder / DATABASE).write_bytes(content)
    assert "cannot be used" in words(page(view="history"))
    assert "cannot be used" in words(page(step="released", release=1))


def test_history_shows_what_a_run_that_ended_early_cost(ledger_folder: Path) -> None:
    file = ledger_folder.parent / "own.csv"
    file.write_text("lon,lat\n" + "-73.98,40.75\n" * 100)
    box = Box((-74.1, 40.7), (-73.9, 40.9), ("lon", "lat"))
    own = FileData(str(file), ("lon", "lat"), box)
    plan = ReleasePlan("s1", own, Request("coreset-faithful", 5, 0.5))
    with pytest.raises(Unanswered):
        publish(plan, Ledger(ledger_folder))
    app = page(view="history")
    said = words(app)
    assert "**ε 0.9749999 left** of ε 1 (97.4 %); ε 0.0250001 used" in meters(app)
    assert "It ended early and was charged ε 0.0250001" in said


def test_a_charge_that_nothing_came_of_is_not_called_a_release(ledger_folder: Path) -> None:
    plan = ReleasePlan("s1", BuiltinData("s1-like"), Request("dplloyd", 2, 0.5))
    Ledger(ledger_folder).record(
        plan.claim(),
        plan.purpose,
        "2026-01-01T00:00:00",
        plan.as_dict(),
        {},
        failure="Too few rows.",
    )
    app = page(step="released", release=1)
    assert "Too few rows. It used ε 0.5 of the budget all the same" in words(app)
    assert not app.success
    assert not app.get("download_button")


def test_the_same_file_under_another_name_is_noticed(ledger_folder: Path) -> None:
    released(brought())
    app = brought()
    next(each for each in app.text_input if "Name of these data" in each.label).set_value("other")
    app = press(checked(app), "settled")
    app = until(confirmed(app), "Nothing was published")
    assert "published before under the name" in words(app)
    assert len(Ledger(ledger_folder).entries()) == 1


def test_a_name_that_is_known_brings_its_terms() -> None:
    released(brought(privacy="Loose"))
    app = brought(privacy="Loose")
    assert "**ε 0.5 left** of ε 1 (50 %); ε 0.5 used" in "".join(
        str(bar.proto.text) for bar in app.get("progress")
    )
    assert not [each for each in app.number_input if "Budget for life" in each.label]


# History


def meters(app: AppTest) -> str:
    """What the bars of budgets say."""
    return "".join(str(bar.proto.text) for bar in app.get("progress"))


def test_the_calendar_shows_each_kind_of_charge_on_its_day(ledger_folder: Path) -> None:
    until(twin_asked(brought()), "is here")
    ledger = Ledger(ledger_folder)
    record_outside_charge(ledger, "trips", Amount.of(0.2), "a histogram by another library")
    calendar = json.loads(page(view="history").get("plotly_chart")[0].proto.spec)
    shown = {trace["name"]: trace for trace in calendar["data"] if trace.get("name")}
    assert list(shown) == ["Private twin"]
    days = zip(shown["Private twin"]["z"], shown["Private twin"]["text"], strict=True)
    (said,) = (text for is_shown, text in days if is_shown)
    assert "Private twin 1, trips: ε 0.1" in said
    assert "Another tool 2, trips: ε 0.2" in said


def test_a_charge_of_another_tool_is_entered_by_hand(ledger_folder: Path) -> None:
    released(press(page(data="s1-like", privacy="Strict"), "open"))
    app = page(view="history")
    app.number_input[0].set_value(0.3)
    next(e for e in app.text_input if "Which tool" in e.label).set_value("counts by hand, =1+1")
    app.button[-1].click()
    app = checked(app)
    assert "that is not the name" in "".join(each.value for each in app.error)
    assert len(Ledger(ledger_folder).entries()) == 1
    app = page(view="history")
    (name,) = {each.account for each in Ledger(ledger_folder).entries()}
    app.number_input[0].set_value(0.3)
    next(e for e in app.text_input if "Which tool" in e.label).set_value("counts by hand, =1+1")
    next(e for e in app.text_input if "type the name" in e.label).set_value(name)
    app.button[-1].click()
    app = checked(app)
    assert "**ε 0.6 left** of ε 1" in meters(app)
    assert "counts by hand" in words(app)
    entry = Ledger(ledger_folder).entries()[-1]
    assert "counts by hand, =1+1" in entry.description
    app.number_input[0].set_value(0.7)
    next(e for e in app.text_input if "Which tool" in e.label).set_value("too much")
    next(e for e in app.text_input if "type the name" in e.label).set_value(name)
    app.button[-1].click()
    app = checked(app)
    assert "ε 0.6 is left" in "".join(each.value for each in app.error)
    assert len(Ledger(ledger_folder).entries()) == 2


def test_the_history_is_a_table_without_formulas(ledger_folder: Path) -> None:
    ledger = Ledger(ledger_folder)
    plan = ReleasePlan("=cmd", BuiltinData("s1-like"), Request("dplloyd", 2, 0.5))
    ledger.record(
        plan.claim(), plan.purpose, "2026-01-01T00:00:00", plan.as_dict(), {}, failure="Few."
    )
    assert no_formula("\t=cmd") == "'\t=cmd"
    record_outside_charge(ledger, "=cmd", Amount.of(0.1), "-counts")
    lines = list(csv.DictReader(io.StringIO(as_csv(ledger.entries()))))
    assert [line["data set"] for line in lines] == ["'=cmd", "'=cmd"]
    assert [line["result"] for line in lines] == ["Few.", "Used by another tool: -counts."]
    assert [float(line["epsilon"]) for line in lines] == [0.5, 0.1]


def test_history_lists_every_charge_and_gives_the_files_again() -> None:
    released(press(page(data="s1-like"), "open"))
    released(press(page(data="nyc-taxi", privacy="Strict"), "open"))
    app = page(view="history")
    assert "**ε 0.8 left** of ε 1 (80 %); ε 0.2 used" in meters(app)
    assert "**ε 0.9 left** of ε 1 (90 %); ε 0.1 used" in meters(app)
    assert len(app.get("plotly_chart")) == 2
    assert len(app.get("download_button")) == 1
    app.toggle(key="files-2").set_value(True)
    assert len(checked(app).get("download_button")) > 3


def test_an_empty_history_says_so() -> None:
    assert "Nothing was published with this ledger yet" in words(page(view="history"))


def test_the_ledger_is_kept_where_somebody_wants_it(tmp_path: Path) -> None:
    app = page(view="history")
    app.text_input(key="remembered-ledger folder").set_value(str(tmp_path / "mine"))
    checked(app)
    assert (tmp_path / "mine").is_dir()
    (tmp_path / "file").write_text("")
    app.text_input(key="remembered-ledger folder").set_value(str(tmp_path / "file"))
    assert "cannot be used" in words(checked(app))


# Own data, elsewhere


def test_own_data_are_hidden_on_explore_until_a_click_and_never_in_the_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DPCORE_TILES", "https://tiles.example.org/{z}/{x}/{y}.png")
    monkeypatch.setenv("DPCORE_TILES_CREDIT", "Example")
    assert drawn_maps(page("app.py"))[0]["tiles"]["host"] == "tiles.example.org"
    app = elsewhere(brought(), "app.py")
    assert "Your raw data are hidden" in words(app)
    assert not drawn_maps(app)
    app = press(app, "show-raw")
    (drawn,) = drawn_maps(app)
    assert drawn["file"] is None
    assert drawn["tiles"] is None
    assert not app.get("download_button")
    assert "not private: for your eyes" in words(app)
    assert set(app.query_params) <= {"data", "step"}
    assert "Your raw data are hidden" in words(press(app, "hide-raw"))


def test_nothing_can_be_saved_of_raw_data_on_curves() -> None:
    app = brought(runs=1, **{"from": "upload"})
    app = elsewhere(app, "pages/1_curves.py")
    assert "Your raw data are hidden" in words(app)
    app = press(app, "show-raw")
    assert app.get("plotly_chart")
    assert not app.get("download_button")
    assert "Take it with you" not in words(app)


def test_own_data_can_be_chosen_in_this_visit_only() -> None:
    app = brought()
    key = key_of(app)
    mine = elsewhere(app, "app.py")
    assert mine.selectbox(key="at-data").value == key
    for file in ("app.py", "pages/1_curves.py"):
        other = page(file, data=key)
        assert "These data are not here" in words(other)
        assert not drawn_maps(other)
        assert not other.get("plotly_chart")
    other = press(page("app.py", data=key), "public-instead")
    assert "trips" not in other.selectbox(key="at-data").options
    assert drawn_maps(other)


def test_public_data_say_that_they_are() -> None:
    assert "Public data" in words(page("app.py"))
    assert "Public data" in words(page("pages/1_curves.py", data="s1-like", runs=1))


def test_a_twin_is_paid_once_and_then_looked_at_for_free(ledger_folder: Path) -> None:
    app = twin_asked(brought())
    app = until(app, "is here")
    (entry,) = Ledger(ledger_folder).entries()
    assert (entry.purpose, float(entry.charged.epsilon)) == ("twin", 0.1)
    explore = elsewhere(app, "app.py")
    twin = next(o for o in explore.selectbox(key="at-data").options if "twin" in o)
    assert twin == "Private twin of trips"
    keys = explore.session_state["own data"]
    explore.query_params["data"] = next(k for k, own in keys.items() if own.is_twin)
    checked(explore)
    assert "Private twin" in words(explore)
    (drawn,) = drawn_maps(explore)
    assert drawn["file"]["name"].endswith("private-twin")
    assert "Red marks are from the private twin." in drawn["file"]["note"]
    assert len(Ledger(ledger_folder).entries()) == 1


@pytest.mark.parametrize("file", ["app.py", "pages/1_curves.py", "pages/2_compare.py"])
def test_what_is_measured_on_a_twin_says_so_and_is_not_marked_as_raw(file: str) -> None:
    app = until(twin_asked(brought(runs=1, to=0.02, paper="000")), "is here")
    own = app.session_state["own data"].values()
    keys = {each.is_twin: each.key for each in own}
    app.query_params["data"] = keys[True]
    said = everything(elsewhere(app, file))
    assert FROM_TWIN_WORDS in said
    assert NOT_PRIVATE_WORDS not in said
    app.query_params["data"] = keys[False]
    said = everything(press(checked(app), "show-raw"))
    assert NOT_PRIVATE_WORDS in said
    assert FROM_TWIN_WORDS not in said


def everything(app: AppTest) -> str:
    """What a page says, its switches, its table and its map's tooltips included."""
    switches = "".join(toggle.label for toggle in app.toggle)
    tables = "".join(str(list(table.value)) for table in app.table)
    maps = "".join(map(str, drawn_maps(app)))
    return words(app) + switches + tables + maps


def test_from_a_twin_it_is_one_step_to_the_plan_for_its_data() -> None:
    app = until(twin_asked(brought(privacy="Strict")), "is here")
    app.query_params["data"] = next(
        key for key, own in app.session_state["own data"].items() if own.is_twin
    )
    explore = elsewhere(app, "app.py")
    link = next(each.proto for each in explore.get("page_link") if "own data" in each.proto.label)
    query = parse_qs(link.query_string)
    assert (query["step"], query["privacy"]) == (["level"], ["Strict"])
    app.query_params["step"] = "level"
    assert "4 · Level" in words(elsewhere(app, "pages/4_publish.py"))
    assert "“trips”" in str([bar.proto.text for bar in app.get("progress")])


def test_a_twin_is_opened_again_at_no_cost(ledger_folder: Path) -> None:
    until(twin_asked(brought()), "is here")
    app = brought()
    assert "Open the twin" in buttons(app)["reopen-1"]
    assert "is here" in words(press(app, "reopen-1"))
    assert len(Ledger(ledger_folder).entries()) == 1


def test_publishing_from_a_twin_publishes_from_its_data() -> None:
    app = until(twin_asked(brought()), "is here")
    keys = app.session_state["own data"]
    app.query_params["data"] = next(k for k, own in keys.items() if own.is_twin)
    checked(app)
    assert "1 · Data** trips" in words(app).replace("&ensp;", "")
    assert not [each for each in app.selectbox if each.label.startswith("Which area")]
