"""What is shown of a release, asked of it and checked: from the ledger, or from a ZIP."""

from __future__ import annotations

import gc
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpcore.datasets.wishes import Wish
from dpcore.geometry.domain import Box
from dpcore.release import Amount, BuiltinData, Ledger, Release, ReleasePlan, ask, publish
from dpcore.release.release_zip import packed
from dpcore.release.wish_counts import WishPlan, publish_wishes
from dpcore.runs.request import Request
from dpcore.study.run_view import Marks
from pages.server import uploads
from pages.ui.background import Job
from pages.ui.publish import check_release, release_map
from pages.ui.publish.release_map import CenterRow
from tests.pages.publishing import page, settled
from tests.pages.visits import checked, maps, press, words
from tests.seeded_noise import seeded_noise


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return published(Ledger(tmp_path_factory.mktemp("elsewhere")))


def published(ledger: Ledger, data: str = "nyc-taxi", algorithm: str = "adaptive") -> Release:
    source, allowed = BuiltinData(data), Amount.of(1.0)
    with seeded_noise():
        return publish(
            ReleasePlan("taxi", source, Request(algorithm, 5, 0.2), allowed=allowed), ledger
        )


def dropped(content: bytes, view: str) -> AppTest:
    app = page(view=view)
    app.file_uploader[0].upload("release-1.zip", content, "application/zip")
    return settled(checked(app))


def changed(release: Release, name: str) -> bytes:
    files = {**release.files, name: release.files[name] + b" "}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packing:
        for each, content in files.items():
            packing.writestr(each, content)
    return archive.getvalue()


# Released


def test_a_release_is_shown_as_the_world_sees_it(ledger_folder: Path) -> None:
    release = published(Ledger(ledger_folder))
    app = page(step="released", release=1)
    (drawn,) = maps(app)
    published_at = release.centers.value.tolist()
    assert [center["at"] for center in drawn["centers"]] == published_at
    assert [center["number"] for center in drawn["centers"]] == list("12345")
    assert drawn["points"]["count"] == len(release.synopsis or ())
    rows = app.table[0].value
    assert list(rows["Center"]) == list("12345")
    assert all(rows["Where"])
    assert "at most 55 % sure" in words(app)
    (meter,) = app.get("progress")
    assert "ε 0.8 left" in meter.proto.text
    assert len(app.get("iframe")) == 1


def test_a_view_holds_nearly_all_points_and_every_center(ledger_folder: Path) -> None:
    release = published(Ledger(ledger_folder))
    (drawn,) = maps(page(step="released", release=1))
    (west, south), (east, north) = drawn["view"]
    centers = release.centers.value
    assert ((centers >= [west, south]) & (centers <= [east, north])).all()
    box = release.box
    assert east - west < 0.9 * (box.high[0] - box.low[0])


@pytest.mark.parametrize("center", [(-73.975, 40.765), (-73.975, 40.75)])
def test_a_view_has_a_width_where_all_points_are_at_one_place(center: tuple[float, float]) -> None:
    place = (-73.975, 40.765)
    box = Box((-74.1, 40.7), (-73.9, 40.9))
    shown = Marks(np.array([(*place, 90.0)] * 3), 3)
    view = release_map.first_view(box, [CenterRow(1, center, "", "")], shown)
    assert view.contains([place, center]).all()
    sides = np.subtract(view.high, view.low)
    assert (sides > 0.0019).all()
    assert (sides < 0.1).all()


@pytest.mark.parametrize(
    ("data", "algorithm"), [("s1-like", "eugkm"), ("nyc-taxi-trips", "auto"), ("iris", "auto")]
)
def test_a_release_without_a_map_is_shown_too(
    data: str, algorithm: str, ledger_folder: Path
) -> None:
    published(Ledger(ledger_folder), data, algorithm)
    app = page(step="released", release=1)
    assert bool(maps(app)) != bool(app.get("plotly_chart"))
    assert len(app.table[0].value) == 5


# Check


def test_a_zip_from_elsewhere_is_checked_in_words(release: Release) -> None:
    app = dropped(packed(release), "check")
    assert "checks hold" in app.success[0].value
    assert "centers.csv is the file that was released" in words(app).replace("\\", "")
    assert "That the noise was drawn as the transcript says" in words(app)


def test_a_changed_file_fails_the_check_and_answers_nothing(release: Release) -> None:
    app = dropped(changed(release, "centers.csv"), "check")
    assert "checks fail" in app.error[0].value
    assert "centers.csv is the file that was released" in words(app).replace("\\", "")
    app.query_params["view"] = "ask"
    assert "not the file that was released" in words(checked(app))
    assert not maps(app)


def test_the_publishers_key_must_have_signed_it(release: Release) -> None:
    app = dropped(packed(release), "check")
    box = app.text_input(key="public-key")
    box.set_value("/etc/passwd")
    assert "no public key" in words(checked(app))
    app.text_input(key="public-key").set_value("ed25519:" + "A" * 43 + "=")
    app = settled(checked(app))
    assert "checks fail" in app.error[0].value
    assert "It is not signed" in words(app)


@pytest.mark.parametrize("content", [b"", b"no zip"], ids=["empty", "text"])
@pytest.mark.parametrize("view", ["ask", "check"])
def test_what_is_no_release_is_refused_in_words(content: bytes, view: str) -> None:
    app = page(view=view)
    app.file_uploader[0].upload("a.zip", content, "application/zip")
    assert "This is no release" in words(checked(app))


def test_another_release_can_be_dropped(release: Release) -> None:
    app = press(dropped(packed(release), "check"), "another")
    assert app.file_uploader
    assert not app.success


# Ask


def test_a_zip_from_elsewhere_is_asked_for_other_centers(release: Release) -> None:
    app = dropped(packed(release), "ask")
    assert "free: from what is published" in words(app)
    assert "Suggested: " in words(app)
    assert len(maps(app)[0]["centers"]) == 5
    app.slider[0].set_value(3)
    app = checked(app)
    means = [center["at"] for center in maps(app)[0]["centers"]]
    assert len(means) == len(app.table[0].value) == 3
    app.toggle[0].set_value(True)
    medians = [center["at"] for center in maps(checked(app))[0]["centers"]]
    assert medians == ask.new_medians(release, 3).value.tolist() != means


def test_a_neighborhood_is_counted_with_what_the_count_may_be_off_by(release: Release) -> None:
    app = dropped(packed(release), "ask")
    box = next(each for each in app.selectbox if "lie in" in each.label)
    box.set_value("Midtown-Times Square")
    app = checked(app)
    (metric,) = app.metric
    about = int(str(metric.value).removeprefix("about ").replace(",", ""))
    assert 1_000 < about < 20_000
    said = words(app)
    assert "19 times in 20" in said
    assert "for each square kilometer" in said
    assert maps(app)[0]["areas"][0]["name"] == "Midtown-Times Square"


def test_centers_of_ones_own_are_compared_with_the_published_ones(release: Release) -> None:
    app = dropped(packed(release), "ask")
    app.text_area(key="own-centers").set_value("-73.98, 40.75\n-73.96, 40.78")
    app = checked(app)
    assert {"Yours: mean distance", "Published centers"} <= {m.label for m in app.metric}
    app.text_area(key="own-centers").set_value("here, there")
    assert "Each line has 2 numbers" in words(checked(app))


def test_the_notebook_asks_this_release(release: Release) -> None:
    app = dropped(packed(release), "ask")
    (button,) = app.get("download_button")
    assert button.proto.label == "Notebook that asks the same"


def test_a_release_of_centers_alone_says_that_it_has_no_more(ledger_folder: Path) -> None:
    published(Ledger(ledger_folder), algorithm="dplloyd")
    assert "published its centers and no points" in words(page(view="ask", release=1))


def test_asking_and_checking_charge_nothing(ledger_folder: Path) -> None:
    published(Ledger(ledger_folder))
    settled(page(view="ask", release=1))
    settled(page(view="check", release=1))
    assert len(Ledger(ledger_folder).entries()) == 1


def test_a_dropped_release_stays_in_its_visit(release: Release) -> None:
    app = dropped(packed(release), "ask")
    assert json.loads(json.dumps(dict(app.query_params)))["view"] in ("ask", ["ask"])
    assert page(view="ask").file_uploader


def test_a_count_of_wishes_has_files_and_no_certificate(ledger_folder: Path) -> None:
    publish_wishes(WishPlan("wishes", 0.5), [Wish({"Sunnyside": 0.05})], Ledger(ledger_folder))
    for app in (page(step="released", release=1), page(view="history")):
        for toggle in app.toggle:
            toggle.set_value(True)
        names = [button.proto.label for button in checked(app).get("download_button")]
        assert "Areas, GeoJSON" in names


# Limits


def test_a_small_zip_of_large_files_does_not_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DPCORE_UPLOADS_MB", "1")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packing:
        packing.writestr("certificate.json", bytes(4 << 20))
    app = dropped(archive.getvalue(), "check")
    assert uploads.FULL in words(app)


def test_what_a_zip_unpacks_to_counts_as_long_as_it_is_held(release: Release) -> None:
    app = dropped(packed(release), "check")
    assert uploads.total() >= sum(map(len, release.files.values()))
    press(app, "another")
    gc.collect()
    assert not uploads._opened


def test_one_visit_makes_one_check_at_a_time(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each may take a minute, and another key would begin another."""
    begun: list[Job[object]] = []

    def begin(*_: object) -> Job[object]:
        begun.append(Job(lambda: iter(())))
        return begun[-1]

    monkeypatch.setattr(check_release, "begin", begin)
    app = page(view="check")
    app.file_uploader[0].upload("release-1.zip", packed(release), "application/zip")
    app = checked(app)
    for letter in "AB":
        app.text_input(key="public-key").set_value(f"ed25519:{43 * letter}=")
        app = checked(app)
    assert len(begun) == 1
