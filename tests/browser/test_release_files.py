"""The files of a release in a browser, offline: the certificate prints, verify.html checks."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from dpcore.release import BuiltinData, Ledger, Publication, ReleasePlan, Unit, publish
from dpcore.release.signature import make_key
from dpcore.runs.request import Request
from tests.browser.driver import LONG

WORDS = Publication(
    "Transit Office", "privacy@transit.example", "Where taxis wait", "Trips “of” 2015", "CC BY 4.0"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a signed release."""
    where = tmp_path_factory.mktemp("released")
    make_key(where / "books")
    plan = ReleasePlan(
        "Taxis, día y noche",
        BuiltinData("nyc-taxi"),
        Request("adaptive", 5, 1e-1),
        unit=Unit("trip"),
        publication=WORDS,
    )
    publish(plan, Ledger(where / "books")).save(where / "files")
    return where / "files"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(offline=True)
    context.set_default_timeout(LONG)
    yield context.new_page()
    context.close()


def packed(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, each in files.items():
            archive.writestr(f"release-1/{name}", each)
    return content.getvalue()


def test_the_certificate_prints_on_one_sheet_and_an_annex(page: Page, folder: Path) -> None:
    page.goto((folder / "certificate.html").as_uri())
    assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") == 2
    said = page.inner_text("body")
    for words in ("Transit Office, privacy@transit.example", "Trips “of” 2015", "CC BY 4.0"):
        assert words in said
    for words in ("Unit of privacy", "Trust model", "Hazards considered", "Signed (Ed25519)"):
        assert words in said
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 1000})  # an A4 sheet within its margins
    annex = page.locator(".annex").bounding_box()
    assert annex is not None
    assert annex["y"] < 1000
    assert page.locator(".map .center").count() == 5


def test_verify_html_checks_the_fingerprints_without_a_network(page: Page, folder: Path) -> None:
    files = {file.name: file.read_bytes() for file in folder.iterdir()}
    page.goto((folder / "verify.html").as_uri())
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    found, verdict = page.locator("#found"), page.locator("#verdict")

    def drop(content: bytes) -> None:
        file = {"name": "release.zip", "mimeType": "application/zip", "buffer": content}
        page.set_input_files("#files", files=[file])

    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        drop(packed(files, method))
        expect(verdict).to_have_text("All fingerprints hold.")
        expect(found).to_contain_text("The certificate has its own fingerprint")
        expect(found).to_contain_text("points.parquet is the file that was released")
        assert page.locator("#found .fails").count() == 0
    drop(packed({**files, "points.csv": files["points.csv"] + b"-74,40.7,9,1\n"}))
    expect(verdict).to_have_text("1 of the checks fails.")
    expect(found).to_contain_text("points.csv is not the file that was released.")
    changed = files["certificate.json"].replace(b'"epsilon": 0.1', b'"epsilon": 0.2', 1)
    drop(packed({**files, "certificate.json": changed}))
    expect(found).to_contain_text("The certificate was changed")
    drop(packed({"points.csv": b""}))
    expect(found).to_contain_text("There is no certificate.json among the files.")
    page.set_input_files("#files", files=[folder / name for name in files])
    expect(verdict).to_have_text("All fingerprints hold.")
    assert problems == []


def test_files_that_are_dropped_last_have_the_last_word(page: Page, folder: Path) -> None:
    page.goto((folder / "verify.html").as_uri())
    page.evaluate(
        """() => {
          const read = new Promise(resolve => { window.goOn = () => resolve(new ArrayBuffer(9)); });
          window.first = check([{ name: 'points.csv', arrayBuffer: () => read }]);
        }"""
    )
    page.set_input_files("#files", files=sorted(folder.iterdir()))
    expect(page.locator("#verdict")).to_have_text("All fingerprints hold.")
    page.evaluate("async () => { window.goOn(); await window.first; }")
    assert page.locator("#verdict").inner_text() == "All fingerprints hold."
    assert page.locator("#found .fails").count() == 0
