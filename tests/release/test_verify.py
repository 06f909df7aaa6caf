"""A certificate and its files: everything that was tampered with is found."""

from __future__ import annotations

import copy
import io
import json
import re
import sys

import numpy as np
import pandas as pd
import pytest

from dpcore.algorithms import ALGORITHMS
from dpcore.geometry.domain import Box
from dpcore.privacy.concentrated import epsilon_of_rho
from dpcore.release import (
    Amount,
    BuiltinData,
    FileData,
    Ledger,
    ReleasePlan,
    Unit,
    publish,
    twin_of,
    verify,
)
from dpcore.release.certificate import NAME, PAGE, digest
from dpcore.release.recomputed_spending import overspent
from dpcore.release.verify import MOST_BYTES
from dpcore.runs.request import Request
from tests.release.tampering import copied, forged, refingerprinted
from tests.seeded_noise import seeded_noise

KINDS = ["adaptive", "coreset", "eugkm", "city", "trips", "wine", "auto"]


def failures(certificate, files) -> list[str]:
    return [finding.what for finding in verify(certificate, files) if finding.holds is False]


def reissued(said, files, **contents):
    """What somebody writes who changes files and then the certificate, so that it looks whole."""
    return refingerprinted(said, {**files, **contents})


@pytest.mark.parametrize("kind", KINDS)
def test_every_release_holds_and_says_what_nobody_can_check(kind, published):
    files = published[kind].files
    findings = verify(files[NAME], files)
    assert [str(f) for f in findings if f.holds is False] == []
    unknown = " ".join(f.what for f in findings if f.holds is None)
    for words in ("noise was drawn", "data were those", "nothing else was published"):
        assert words in unknown


@pytest.mark.parametrize("kind", KINDS)
def test_centers_are_released_in_the_order_of_their_coordinates(kind, published):
    content = published[kind].files["centers.csv"]
    table = pd.read_csv(io.BytesIO(content)).to_numpy()
    assert table[:, 0].tolist() == list(range(1, len(table) + 1))
    assert table[:, 1:].tolist() == sorted(table[:, 1:].tolist())


def test_coordinates_may_be_called_as_other_columns_are(tmp_path):
    box = Box((0, 0), (1, 1), ("center", "weight"))
    rows = np.random.default_rng(0).normal([0.3, 0.7], 0.05, (3000, 2))
    pd.DataFrame(rows, columns=box.names).to_csv(tmp_path / "people.csv", index=False)
    ledger = Ledger(tmp_path / "ledger")
    data = FileData(str(tmp_path / "people.csv"), box.names, box)
    with seeded_noise():
        release = publish(ReleasePlan("people", data, Request("adaptive", 1, 1.0)), ledger)
    assert failures(release.files[NAME], release.files) == []
    centers, points = (
        pd.read_csv(io.BytesIO(release.files[f"{kind}.csv"])) for kind in ("centers", "points")
    )
    assert list(centers) == ["center_", "center", "weight"]
    assert np.allclose(centers[["center", "weight"]], [[0.3, 0.7]], atol=0.05)
    assert list(points) == ["center", "weight", "weight_", "noise"]
    assert points["weight_"].sum() == pytest.approx(3000, rel=0.1)
    assert points["weight"].between(0, 1).all()
    assert twin_of(ledger, release.entry.number).n == pytest.approx(3000, rel=0.1)


def test_the_map_of_a_release_has_a_column_for_a_coordinate_called_share(tmp_path):
    box = Box((0, 0), (1, 1), ("place", "share"))
    pd.DataFrame(np.full((500, 2), 0.25), columns=box.names).to_csv(tmp_path / "a.csv", index=False)
    data = FileData(str(tmp_path / "a.csv"), box.names, box)
    plan = ReleasePlan("shares", data, Request("adaptive", 1, 1.0))
    with seeded_noise():
        table = publish(plan, Ledger(tmp_path / "ledger")).files["map.html"].decode()
    heads = re.findall("<th>(.*?)</th>", table)
    cells = re.findall("<td>(.*?)</td>", table)
    assert heads == ["center", "place", "share", "share"]
    assert [float(cell) for cell in cells[:3]] == pytest.approx([1, 0.25, 0.25], abs=0.1)
    assert cells[3] == "100 %"


@pytest.mark.parametrize(
    "key",
    [
        *(k for k, a in ALGORITHMS.items() if a.verdict.holds and a.supports(2, None, 3)),
    ],
)
@pytest.mark.parametrize("neighbors", ["add-remove", "replace-one"])
def test_every_algorithm_that_may_be_released_passes(key, neighbors, tmp_path):
    plan = ReleasePlan(
        "s1",
        BuiltinData("s1-like"),
        Request(key, 3, 8.0, 1e-6 if ALGORITHMS[key].uses_delta else 0.0, neighbors),
        allowed=Amount.of(10, 1e-5),
    )
    release = publish(plan, Ledger(tmp_path))
    assert failures(release.files[NAME], release.files) == []


@pytest.mark.parametrize("kind", ["adaptive", "trips"])
def test_a_bit_that_changed_in_any_file_is_found(kind, published):
    for name, content in published[kind].files.items():
        # In a certificate it is a letter's: the last digits of two numbers may be one number.
        place = content.index(b"digest") if name == NAME else len(content) // 2
        bent = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        files = {**published[kind].files, name: bent}
        assert failures(files[NAME], files), name


def test_a_missing_file_is_not_a_fault_and_a_strange_one_is(published):
    files = dict(published["adaptive"].files)
    del files["points.csv"]
    assert failures(files[NAME], files) == []
    assert failures(files[NAME], {**files, "more.csv": b"1"}) == ["more.csv was released"]


def changed(path, value):
    def change(said):
        *way, last = path
        for step in way:
            said = said[step]
        said[last] = value(said[last]) if callable(value) else value

    return change


LIES = {
    "a smaller epsilon": changed(["epsilon"], 0.1),
    "a smaller delta": changed(["delta"], 1e-9),
    "more rows of each id": changed(["unit"], {"name": "person", "ids": "who", "rows": 2}),
    "a larger budget of one row": changed(["budget of one row", "epsilon"], 1.5),
    "a larger budget in the transcript": changed(["transcript", "epsilon"], 1.5),
    "a charge left out of its account": changed(["transcript", "charges", 1, "inner"], []),
    "a dearer charge": changed(["transcript", "charges", 2, "epsilon"], lambda e: 2 * e),
    "a charge that costs nothing": changed(["transcript", "charges", 0, "epsilon"], 0.0),
    "a charge that gives back": changed(["transcript", "charges", 0, "epsilon"], -0.1),
    "less noise": changed(["transcript", "charges", 2, "scale"], lambda s: s / 2),
    "a dearer choice": changed(
        ["transcript", "charges", 1, "inner", 0, "charges", 0, "rho"], lambda r: 100 * r
    ),
    "a cheaper account": changed(["transcript", "charges", 1, "epsilon"], 1e-4),
    "a mechanism that no release has": changed(
        ["transcript", "charges", 0, "mechanism"], "Laplace"
    ),
    "a better verdict": changed(["arguments", 0, "verdict"], "REPAIRED"),
    "a claim that fails": changed(["arguments", 0, "verdict"], "UNPROVEN"),
    "another proof": changed(["arguments", 0, "argument", "Private"], "Trust me."),
    "another algorithm": changed(["algorithm"], "adaptive"),
    "a setting it does not have": changed(["parameters", "rounds"], 3),
    "another number of centers": changed(["k"], 7),
    "ids where a size is public": lambda said: (
        changed(["unit"], {"name": "person", "ids": "who", "rows": 1})(said),
        changed(["neighbors"], "replace-one")(said),
    ),
    "another kind of paper": changed(["kind"], "diploma"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_found_even_when_the_certificate_was_issued_again(lie, published):
    release = published["city"]
    said = copy.deepcopy(release.certificate)
    LIES[lie](said)
    files = reissued(said, release.files)
    assert failures(files[NAME], files)


def test_centers_that_the_points_do_not_have_are_found_even_when_all_hashes_fit(published):
    release = published["adaptive"]
    said = copy.deepcopy(release.certificate)
    moved = re.sub(rb"(?m)^1,-74.0", b"1,-73.9", release.files["centers.csv"])
    moved = moved if moved != release.files["centers.csv"] else moved.replace(b"-73.9", b"-74.0", 1)
    files = reissued(said, release.files, **{"centers.csv": moved})
    assert "centers.csv follows from the certificate and the published numbers" in failures(
        files[NAME], files
    )
    alone = {n: c for n, c in files.items() if n in (NAME, "centers.csv", "points.csv")}
    assert any("k-means of the published points" in w for w in failures(files[NAME], alone))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "not JSON"),
        (b"{}", "not the certificate of a dpcore release"),
        (b"[]", "not the certificate of a dpcore release"),
        (b"null", "not the certificate of a dpcore release"),
        (b"\xff", "not JSON"),
        (b'{"kind": 1}', "not the certificate of a dpcore release"),
        (b"[" * 10**5, "nested too deeply"),
        (b'{"k": NaN}', "NaN is no number"),
        (b'{"k": ' + b"1" * 5000 + b"}", "digits"),
        (b" " * (MOST_BYTES + 1), "more than 16,777,216 bytes"),
        (b'{"kind": "dpcore release certificate", "format": 1}', "its format is 1"),
        (b'{"kind": "dpcore release certificate"}', "its format is None"),
    ],
)
def test_what_is_no_certificate_is_said_so(text, words):
    (finding,) = verify(text, {})
    assert (finding.what, finding.holds) == ("the certificate can be read", False)
    assert words in finding.why
    assert "\n" not in finding.why


def test_a_certificate_with_anything_missing_fails_and_does_not_break(published):
    said = published["coreset"].certificate
    for name in said:
        less = {key: value for key, value in said.items() if key != name}
        assert failures(json.dumps(less).encode(), published["coreset"].files), name


@pytest.mark.parametrize("nonsense", [None, "x", -1, 1e999, [], {"a": 1}, [[]] * 3, True])
def test_nonsense_in_any_place_is_found_and_breaks_nothing(nonsense, published):
    files = published["city"].files
    for name, told in published["city"].certificate.items():
        if told == nonsense:
            continue
        said = copy.deepcopy(published["city"].certificate) | {name: nonsense}
        if name != "digest":
            said["digest"] = digest(said)
        # Of another version, what it is, little can be known.
        assert failures(json.dumps(said).encode(), files) or name == "dpcore"


def test_what_is_said_twice_is_not_believed(published):
    files = published["city"].files
    twice = files[NAME].replace(b'"epsilon": 1.0', b'"epsilon": 0.1, "epsilon": 1.0', 1)
    assert twice != files[NAME]
    assert failures(twice, files) == ["the certificate can be read"]


def test_of_another_version_no_more_is_claimed_than_can_be_known(published, monkeypatch):
    """An earlier version may have had another argument, other charges and other pages."""
    said = copy.deepcopy(published["coreset"].certificate)
    said["arguments"][0]["argument"]["Private"] = "As it was argued then."
    files = reissued(said, published["coreset"].files, **{"map.html": b"an older page"})
    assert failures(files[NAME], files)
    monkeypatch.setattr(sys.modules["dpcore.release.verify"], "__version__", "0.2.0")
    monkeypatch.setattr(sys.modules["dpcore.release.other_build"], "__version__", "0.2.0")
    assert failures(files[NAME], files) == []
    unknown = [f.what for f in verify(files[NAME], files) if "0.1.0, this" in f.why]
    assert unknown == ["the verdict and its argument are those of dpcore"]
    assert [f.what for f in verify(files[NAME], files) if f.by_hash] == [
        "map.html follows from the certificate and the published numbers"
    ]


def test_pages_of_another_build_are_neither_wrong_nor_right(published):
    """Two commits may have one version; their words and drawings may differ all the same."""
    said, files = copied(published["city"].files)
    said["build"] = "0" * 64
    files["map.html"] = files["map.html"].replace(b"Each blue disc is", b"A blue disc is")
    files[PAGE] = files[PAGE].replace(b"What is promised.", b"The promise.")
    found = verify(*(lambda again: (again[NAME], again))(forged(said, files)))
    assert [str(each) for each in found if each.holds is False] == []
    assert sorted(each.what.split()[0] for each in found if each.by_hash) == [PAGE, "map.html"]
    assert all(each.holds is None for each in found if each.by_hash)


@pytest.mark.parametrize(
    ("version", "words"), [("0.0.9", "first version that does"), ("99.0", "newer version")]
)
def test_a_version_that_cannot_have_made_it_is_not_believed(version, words, published):
    said = copy.deepcopy(published["coreset"].certificate) | {"dpcore": version}
    files = reissued(said, published["coreset"].files)
    assert any(words in f.why for f in verify(files[NAME], files) if f.holds is False)


def test_of_another_version_a_claim_that_is_known_not_to_hold_is_not_believed(published):
    said = copy.deepcopy(published["adaptive"].certificate) | {"dpcore": "99.0"}
    said["algorithm"] = said["arguments"][0]["algorithm"] = "eugkm-published"
    assert not ALGORITHMS["eugkm-published"].verdict.holds
    files = reissued(said, published["adaptive"].files)
    assert "the algorithm's privacy claim is proved or repaired" in failures(files[NAME], files)


def test_another_certificate_among_the_files_is_found(published):
    files = {**published["city"].files, NAME: published["coreset"].files[NAME]}
    assert any("is this certificate" in f for f in failures(published["city"].files[NAME], files))


def test_an_account_inside_a_charge_in_rho_must_be_paid_in_rho():
    inner = {"epsilon": 1.0, "delta": 0.0, "accounting": "pure", "charges": []}
    charge = {
        "mechanism": "set aside",
        "why": "more",
        "epsilon": 0.5,
        "delta": 1e-6,
        "rho": 0.01,
        "inner": [inner],
    }
    account = {"epsilon": 1.0, "delta": 1e-6, "accounting": "zcdp", "charges": [charge]}
    assert "larger budget" in overspent(account)


def charged(mechanism, **cost):
    charge = {"mechanism": mechanism, "why": "more", "sensitivity": 0.0, "scale": None, "inner": []}
    return {**charge, "rho": None, "epsilon": 0.5, "delta": 0.0, **cost}


def test_pure_epsilons_with_a_delta_inside_are_worth_no_rho():
    inner = {"epsilon": 0.1, "delta": 1e-6, "accounting": "pure", "charges": []}
    rho = 0.05
    charge = charged("set aside", rho=rho, inner=[inner], epsilon=epsilon_of_rho(rho, 1e-6))
    account = {"epsilon": 5.0, "delta": 1e-6, "accounting": "zcdp", "charges": [charge]}
    assert "larger budget" in overspent(account)
    account["charges"][0]["inner"] = [{**inner, "accounting": "zcdp"}]
    assert overspent(account) is None


def test_the_smallest_budget_is_added_up_as_strictly_as_a_large_one():
    rho, delta = 3e-12, 1e-6
    spent = epsilon_of_rho(rho, delta)
    assert 0 < spent < 1e-6
    account = {"epsilon": 1e-6, "delta": delta, "accounting": "zcdp"}
    honest = charged("discrete Gaussian", rho=rho, epsilon=spent, sensitivity=1.0, scale=1e8)
    assert overspent({**account, "charges": [honest]}) is None
    assert "are epsilon" in overspent({**account, "charges": [{**honest, "epsilon": spent / 2}]})


def test_gaussian_noise_is_never_paid_in_epsilon_alone():
    charge = charged("discrete Gaussian", sensitivity=1.0, scale=10.0)
    account = {"epsilon": 1.0, "delta": 0.0, "accounting": "pure", "charges": [charge]}
    assert "costs a delta" in overspent(account)


def test_a_single_cell_and_a_few_rows_make_an_honest_release(tmp_path):
    """Half a unit of the lattice beside the middle of the only cell is not worth a suspicion."""
    rows = np.random.default_rng(1).uniform(-1, 1, (60, 2))
    file = tmp_path / "few.csv"
    pd.DataFrame(rows, columns=["x", "y"]).to_csv(file, index=False)
    data = FileData(str(file), ("x", "y"), Box((-1, -1), (1, 1), ("x", "y")))
    plan = ReleasePlan(
        "few", data, Request("eugkm", 1, 0.2), unit=Unit("row"), allowed=Amount.of(99.0)
    )
    books = Ledger(tmp_path / "ledger")
    for _ in range(12):
        release = publish(plan, books)
        assert failures(release.files[NAME], release.files) == []
