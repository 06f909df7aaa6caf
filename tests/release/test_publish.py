"""Publishing: what is refused before anything is spent, what is charged, what comes of it."""

from __future__ import annotations

import io
import re

import numpy as np
import pandas as pd
import pytest

import dpcore
from dpcore.algorithms import ALGORITHMS
from dpcore.datasets.engines import DataFileError
from dpcore.errors import Infeasible
from dpcore.geometry.domain import Box
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.release import (
    Amount,
    BuiltinData,
    FileData,
    ReleaseRefused,
    Unanswered,
    Unit,
    publish,
    reopened,
)
from tests.release.conftest import BOX, S1, plan
from tests.seeded_noise import seeded_noise


@pytest.fixture
def silent(monkeypatch):
    """Fails when any noise is drawn."""

    def drawn(*_, **__):
        pytest.fail("noise was drawn")

    for name in ("geometric", "gaussian", "choose"):
        monkeypatch.setattr(ReleaseNoise, name, drawn)


@pytest.mark.parametrize("key", [k for k, a in ALGORITHMS.items() if not a.verdict.holds])
def test_an_algorithm_whose_claim_fails_cannot_even_be_planned(key):
    with pytest.raises(ReleaseRefused, match="does not hold"):
        plan(algorithm=key, neighbors=ALGORITHMS[key].relations[0])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"epsilon": -1.0}, "epsilon must be"),
        ({"k": 0}, "k must be"),
        ({"k": True}, "k must be"),
        ({"name": " "}, "Name the data set"),
        ({"algorithm": "nope"}, "No algorithm"),
        ({"settings": {"rounds": -1}}, "rounds"),
        ({"neighbors": "neither"}, "neither"),
        ({"delta": 1e-6, "allowed": Amount.of(1, 1e-5)}, "no use for a delta"),
        ({"unit": Unit("person", "who", 2), "neighbors": "replace-one"}, "more rows or fewer"),
        ({"purpose": "fun"}, "fun"),
    ],
)
def test_what_no_release_could_be_made_of_is_refused_when_it_is_planned(changes, words):
    with pytest.raises(ValueError, match=words):
        plan(**changes)


def test_a_price_over_all_that_is_allowed_is_refused():
    with pytest.raises(ReleaseRefused, match=r"cost ε 2, and ε 1 is allowed"):
        plan(2.0)


def test_an_algorithm_for_other_data_is_refused():
    with pytest.raises(Infeasible, match="2 dimensions"):
        plan(algorithm="adaptive", data=BuiltinData("iris"))


def test_an_empty_account_is_told_before_noise_is_drawn(ledger, silent):
    ledger.record(plan(0.7).claim(S1.fingerprints(ledger.key)), "release", "now", {}, {})
    with pytest.raises(ReleaseRefused, match=r"ε 0\.3 is left"):
        publish(plan(0.5), ledger)
    assert ledger.account("s1").used == Amount.of(0.7)


def test_a_release_is_charged_once_and_can_be_had_again_for_free(ledger):
    release = publish(plan(), ledger)
    assert ledger.account("s1").used == release.entry.charged == Amount.of(0.5)
    assert reopened(ledger, release.entry.number) == release
    assert ledger.account("s1").used == Amount.of(0.5)


def test_the_charge_and_the_files_are_there_before_the_result_is_shown(ledger, monkeypatch):
    """What the ledger cannot keep is not returned either."""

    def full(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr(ledger, "record", full)
    with pytest.raises(OSError, match="disk full"):
        publish(plan(), ledger)
    assert ledger.entries() == []


def test_a_run_that_began_to_ask_and_has_no_answer_is_charged_what_it_asked(ledger, tmp_path):
    """The number of rows is bought first; with it the algorithm finds that it cannot go on."""
    file = tmp_path / "own.csv"
    file.write_text("lon,lat\n" + "-73.98,40.75\n" * 100)
    own = FileData(str(file), ("lon", "lat"), BOX)
    unlucky = plan(0.5, algorithm="coreset-faithful", data=own)
    with pytest.raises(Unanswered, match=r"ε 0\.0250001 is used") as caught:
        publish(unlucky, ledger)
    # The float 0.05 * 0.5 is a little more than 0.025, and charges are rounded up.
    assert ledger.account("s1").used == Amount.of(0.0250001)
    assert caught.value.entry == ledger.entries()[0]
    assert "too few" in ledger.entries()[0].failure
    assert ledger.files(1) == {}


def test_a_run_that_ends_before_it_asks_costs_nothing(ledger, tmp_path):
    """Under replace-one the number of rows is public: nothing need be bought to see it."""
    file = tmp_path / "own.csv"
    file.write_text("lon,lat\n" + "-73.98,40.75\n" * 100)
    own = FileData(str(file), ("lon", "lat"), BOX)
    with pytest.raises(Infeasible, match="too few") as caught:
        publish(plan(algorithm="coreset-faithful", neighbors="replace-one", data=own), ledger)
    assert not isinstance(caught.value, Unanswered)
    assert ledger.entries() == []


def test_data_that_cannot_be_read_cost_nothing(ledger, tmp_path, silent):
    lost = FileData(str(tmp_path / "lost.csv"), ("lon", "lat"), BOX)
    with pytest.raises(DataFileError, match="no such file"):
        publish(plan(data=lost), ledger)
    assert ledger.entries() == []


def test_progress_is_told_thing_by_thing(ledger):
    told = []
    publish(plan(), ledger, told.append)
    doings = list(dict.fromkeys(progress.doing for progress in told))
    assert doings[0] == "looking at the ledger"
    assert doings[-1] == "writing the files"
    assert {"counting the rows", "drawing noise", "using the budget"} < set(doings)
    assert all(0 <= progress.part <= 1 for progress in told)


def test_progress_moves_within_what_was_set_aside(ledger):
    told = []
    with seeded_noise():
        publish(plan(2.0, algorithm="coreset", allowed=Amount.of(2.0)), ledger, told.append)
    parts = [progress.part for progress in told if progress.doing == "using the budget"]
    assert parts == sorted(parts)
    assert len({part for part in parts if 0.05 < part < 0.43}) > 3
    assert parts[-1] == pytest.approx(1)


def test_noise_for_looking_at_never_reaches_a_release(ledger, monkeypatch):
    class Tampered(ReleaseNoise):
        """Release noise by name."""

    monkeypatch.setitem(publish.__globals__, "ReleaseNoise", Tampered)
    with pytest.raises(Unanswered, match="TypeError"):
        publish(plan(), ledger)
    assert ledger.files(1) == {}


def test_the_same_file_under_another_name_or_path_is_noticed(ledger, patients, tmp_path):
    (tmp_path / "copy.parquet").write_bytes(patients.read_bytes())
    publish(plan(name="visits", data=FileData(str(patients), ("lon", "lat"), BOX)), ledger)
    copied = FileData(
        str(tmp_path / "copy.parquet"), ("lat", "lon"), Box(BOX.low[::-1], BOX.high[::-1])
    )
    with pytest.raises(ReleaseRefused, match="under the name 'visits'"):
        publish(plan(name="other", data=copied), ledger)


def test_a_ledger_keeps_no_path_and_fingerprints_need_its_key(ledger, patients):
    data = FileData(str(patients), ("lon", "lat"), BOX)
    publish(plan(data=data), ledger)
    stored = b"".join(p.read_bytes() for p in ledger.folder.iterdir())
    assert b"oncology" not in stored
    assert data.fingerprints(ledger.key) != data.fingerprints(bytes(32))
    assert data.fingerprints(ledger.key)[0].encode() in stored


def test_at_most_so_many_rows_of_each_id_are_counted(ledger, tmp_path):
    """One id has nearly all rows: kept at 2 of them, its place no longer stands out."""
    rng = np.random.default_rng(0)
    crowd = pd.DataFrame(rng.normal([-74.0, 40.8], 1e-3, (2000, 2)), columns=["lon", "lat"])
    one = pd.DataFrame(rng.normal([-73.95, 40.85], 1e-3, (50_000, 2)), columns=["lon", "lat"])
    frame = pd.concat([crowd.assign(who=np.arange(2000)), one.assign(who=-1)])
    frame.to_csv(path := tmp_path / "rows.csv", index=False)
    data = FileData(str(path), ("lon", "lat"), BOX)
    with seeded_noise():
        release = publish(
            plan(1.0, data=data, algorithm="eugkm", k=1, unit=Unit("person", "who", 2)), ledger
        )
    center = pd.read_csv(io.BytesIO(release.files["centers.csv"])).iloc[0]
    assert abs(center["lon"] + 74.0) < 0.02
    assert release.certificate["budget of one row"]["epsilon"] == 0.5


def test_the_statement_says_who_is_protected_what_it_costs_and_what_leaks():
    people = FileData("visits.csv", BOX.names, BOX)
    said = " ".join(plan(data=people, unit=Unit("person", "who", 3)).statement())
    for words in (
        "at most 3 rows",
        "'who'",
        "50 % sure",
        "63 % sure",
        "ε 0.5 of a lifetime budget of ε 1",
        "box",
    ):
        assert words in said


def test_under_replace_one_the_statement_says_that_the_number_of_rows_is_published():
    said = " ".join(plan(neighbors="replace-one").statement())
    assert re.search("The number of rows in the box is published", said)


def test_of_files_the_statement_and_the_certificate_say_what_one_record_is(plans, published):
    sentence = "In a CSV file, one record is one row, even if it contains line breaks in quotes. A"
    for name, is_of_files in (("adaptive", True), ("city", False)):
        assert (sentence in " ".join(plans[name].statement())) == is_of_files
        page = published[name].files["certificate.html"].decode()
        assert (sentence in page) == is_of_files


def test_it_is_said_that_opendp_has_not_vetted_what_draws_the_noise(plans, published):
    for said in (plans["city"].statement()[-1], published["city"].files["certificate.html"]):
        text = said if isinstance(said, str) else said.decode()
        assert "contributed: tested, but not vetted yet" in text


def test_files_are_written_where_one_wants_them(ledger, tmp_path):
    release = publish(plan(), ledger)
    release.save(tmp_path / "out")
    assert {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()} == dict(release.files)


def test_versions_are_told(ledger):
    said = publish(plan(), ledger).certificate
    assert said["dpcore"] == dpcore.__version__
    assert said["noise"]["library"] == "OpenDP"
