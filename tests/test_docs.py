"""The documentation builds offline, and its links lead somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml

import dpcore

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
#: What a page loads by itself, by tag and attribute.
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src")}


class Page(HTMLParser):
    """The links, names and loaded files of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.names |= {value for key in ("id", "name") if (value := told.get(key))}
        if tag == "a" and told.get("href"):
            self.links.append(str(told["href"]))
        if tag == "link" and told.get("rel") not in ("stylesheet", "icon"):
            return
        self.loaded += [str(told[key]) for each, key in LOADED if each == tag and told.get(key)]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Page]:
    site = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(site)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "http_proxy": "http://127.0.0.1:9"},
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def test_every_link_within_the_site_leads_to_a_page_and_a_place_on_it(pages):
    lost = []
    for path, page in pages.items():
        if path.name == "404.html":
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            found = target.exists() and (
                not parts.fragment or unquote(parts.fragment) in pages[target].names
            )
            if not found:
                lost.append(f"{path.name}: {link}")
    assert lost == []


def test_no_page_loads_anything_from_a_network(pages):
    away = {each for page in pages.values() for each in page.loaded if urlsplit(each).netloc}
    assert away == set()


def test_every_page_of_the_documentation_is_in_the_site(pages):
    built = {path.stem for path in pages}
    assert {path.stem for path in DOCS.rglob("*.md")} - {"README"} <= built


def test_the_reference_names_what_users_import(pages):
    names = set().union(*(page.names for page in pages.values()))
    wanted = ("PrivateKMeans", "PrivateCoreset", "Accountant", "run", "Box", "Request")
    for name in wanted:
        each = getattr(dpcore, name)
        assert f"{each.__module__}.{each.__qualname__}" in names


def test_the_citation_file_names_this_version_and_license():
    told = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert told["version"] == dpcore.__version__
    assert told["cff-version"] == "1.2.0"
    assert told["authors"]
    assert told["title"]


def test_the_container_runs_without_root_rights_and_keeps_the_ledger_on_a_volume():
    said = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    last = said[said.rindex("FROM ") :]
    assert re.search(r"^USER (?!root)", last, re.MULTILINE)
    assert "HEALTHCHECK" in last
    (volume,) = re.findall(r"^VOLUME (\S+)", last, re.MULTILINE)
    assert f"DPCORE_LEDGER={volume}/" in last
    (service,) = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))[
        "services"
    ].values()
    assert any(each.endswith(f":{volume}") for each in service["volumes"])
    assert all(each.startswith("127.0.0.1:") for each in service["ports"])
