"""All files of a release in one ZIP, with a README that says what each is for."""

from __future__ import annotations

import io
import textwrap
import zipfile
from collections.abc import Mapping

from dpcore.privacy import explain
from dpcore.privacy.accounting import Neighbors
from dpcore.release.ask_notebook import NAME as NOTEBOOK
from dpcore.release.ask_notebook import ask_notebook
from dpcore.release.certificate import NAME as CERTIFICATE
from dpcore.release.certificate_page import date_in_words
from dpcore.release.published_files import PublishedFiles

README = "README.txt"
WIDTH = 88
#: What a file is for, by its name.
WORDS = {
    "map.html": "the map: opens in any browser, without a network",
    "certificate.html": "the certificate, to read and to print",
    "certificate.json": "the same for programs, with the digest of each file",
    "centers.csv": "the centers, for a spreadsheet",
    "centers.geojson": "the centers, for a map program",
    "centers.parquet": "the centers, for a data program",
    "points.csv": "the published points with their weights, for a spreadsheet",
    "points.geojson": "the published points, for a map program",
    "points.parquet": "the published points, for a data program",
    "areas.geojson": "the areas with a level of their own",
    NOTEBOOK: "a notebook that asks this release further questions, for free",
    "check_with_opendp.py": "checks every charge with OpenDP, without dpcore",
    "verify.html": "checks in a browser that no file was changed",
}


def packed(release: PublishedFiles) -> bytes:
    """The ZIP, the same bytes each time."""
    extra = {README: readme(release).encode()}
    if NOTEBOOK not in release.files and release.synopsis is not None:
        extra[NOTEBOOK] = ask_notebook(release.certificate)
    return zipped({**extra, **release.files})


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A ZIP of files by name, the same bytes each time."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packing:
        for name, content in sorted(files.items()):
            packing.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def readme(release: PublishedFiles) -> str:
    """The guide to the files: what was published, what it promises, and what each file is for."""
    certificate = release.certificate
    unit, neighbors = certificate["unit"], Neighbors(certificate["neighbors"])
    centers = f"{certificate['data set']}: {certificate['k']} centers"
    title = f"{centers}, published with differential privacy"
    has_notebook = NOTEBOOK in release.files or release.synopsis is not None
    names = [*release.files, *[NOTEBOOK] * has_notebook]
    listed = [f"{file:<22} {words}" for file, words in WORDS.items() if file in names]
    scripts = [file for file in names if file.endswith(".py") and file not in WORDS]
    listed += [f"{file:<22} repeats the release on other data" for file in scripts]
    words = certificate.get("publication", {})
    by = ", ".join(filter(None, (words.get("publisher"), words.get("contact"))))
    paragraphs = [
        f"Published on {date_in_words(certificate['time'])}" + f" by {by}" * bool(by) + ".",
        explain.protected(unit["name"], neighbors, unit["ids"], unit["rows"]),
        explain.attack(certificate["epsilon"], unit["name"], neighbors),
        "These files are public. Whatever is computed from them protects as much as they do.",
        "To check that no file was changed, open verify.html in a browser and drop this ZIP on it. "
        f"To check the noise and the budget as well, run dpcore verify {CERTIFICATE}, or drop this "
        "ZIP on the page Publish of the dashboard, under Check a release. For more answers from "
        "these files, run dpcore ask.",
    ]
    wrapped = [textwrap.fill(paragraph, WIDTH) for paragraph in paragraphs]
    return "\n\n".join([title, *wrapped, "Files\n" + "\n".join(listed)]) + "\n"
