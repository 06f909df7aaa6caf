"""One ZIP for everybody: it says what is in it, and whatever else it holds does no harm."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from dpcore.errors import BadInput
from dpcore.release import Amount, BuiltinData, Ledger, Release, ReleasePlan, publish, verify
from dpcore.release.opening import as_named, told_of, unpacked
from dpcore.release.release_zip import README, packed
from dpcore.runs.request import Request


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    ledger = Ledger(tmp_path_factory.mktemp("ledger"))
    data, allowed = BuiltinData("nyc-taxi"), Amount.of(1.0)
    return publish(ReleasePlan("taxi", data, Request("adaptive", 3, 0.2), allowed=allowed), ledger)


def zipped(files: dict[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packing:
        for name, content in files.items():
            packing.writestr(name, content)
    return archive.getvalue()


def test_the_zip_is_the_same_each_time_and_holds_every_file(release: Release) -> None:
    assert packed(release) == packed(release)
    assert unpacked(packed(release)).items() >= release.files.items()


def test_the_readme_names_every_file_and_says_what_is_promised(release: Release) -> None:
    files = unpacked(packed(release))
    text = files[README].decode()
    assert all(name in text for name in files if name != README)
    assert "can become at most 55 % sure" in " ".join(text.split())


def test_an_opened_zip_passes_the_checks_and_leaves_strangers_out(release: Release) -> None:
    files = unpacked(packed(release))
    named = {name: files[name] for name in told_of(files) if name in files}
    found = verify(files["certificate.json"], named)
    assert not [each for each in found if each.holds is False]
    assert README not in as_named(files).files


@pytest.mark.parametrize("name", ["../certificate.json", "/etc/passwd", "C:\\centers.csv"])
def test_a_name_that_leads_elsewhere_is_only_a_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = unpacked(zipped({name: b"{}"}))
    assert list(found.values()) == [b"{}"]
    assert not any("/" in each for each in found)
    assert not [*tmp_path.iterdir()]


def test_a_bomb_is_refused_before_it_fills_the_memory() -> None:
    bomb = zipped({"centers.csv": bytes(200 << 20)})
    assert len(bomb) < 1 << 20
    tracemalloc.start()
    with pytest.raises(BadInput, match="no release is so large"):
        unpacked(bomb, 10 << 20)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50 << 20


@pytest.mark.parametrize(
    "content", [b"", b"PK\3\4", b"x" * 1000, zipped({"a": b"1"})[:-10]], ids=range(4)
)
def test_what_is_no_zip_is_refused_in_words(content: bytes) -> None:
    with pytest.raises(BadInput, match="no ZIP that can be read"):
        unpacked(content)


def test_a_certificate_that_names_nothing_has_no_files() -> None:
    assert told_of({"certificate.json": b"[1"}) == ["certificate.json", "certificate.html"]
