"""A real server in classroom mode, with a token: who gets in, and what they never see."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus

from tests.browser.driver import ROOT, serving
from tests.server.visitor import TOKEN, drawn, fetch, stream

KNOWN = {"X-Dpcore-Token": TOKEN}
LAND = "/app/static/map/land.json"
PAGES = {"": "Explore", **{p.stem.split("_")[1]: p.stem for p in (ROOT / "pages").glob("*.py")}}


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("class") / "secret-ledger"


@pytest.fixture(scope="module")
def server(ledger: Path) -> Iterator[str]:
    with serving(str(ledger), DPCORE_MODE="classroom", DPCORE_TOKEN=TOKEN) as started:
        yield started.address


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/publish",
        "/_stcore/host-config",
        "/media/x.csv",
        "/static/js/x.js",
        "/favicon.png",
        LAND,
    ],
)
@pytest.mark.parametrize("sent", [{}, {"X-Dpcore-Token": "wrong"}, {"Cookie": "dpcore=1"}])
def test_nothing_is_served_without_the_token(server: str, path: str, sent: dict[str, str]) -> None:
    answer = fetch(server + path, sent)
    assert answer.status == 403
    assert "address that the server printed" in answer.text


def test_the_land_of_the_map_is_served_with_the_token(server: str) -> None:
    answer = fetch(server + LAND, KNOWN)
    assert answer.status == 200
    assert "Manhattan" in json.loads(answer.text)


def test_an_upload_without_the_token_is_refused(server: str) -> None:
    assert fetch(f"{server}/_stcore/upload_file/a/b", method="PUT", body=b"x").status == 403


@pytest.mark.parametrize("sent", [{}, {"Cookie": "dpcore-1=abc"}, {"X-Dpcore-Visit": "abc"}])
def test_no_page_is_drawn_without_the_token(server: str, sent: dict[str, str]) -> None:
    with pytest.raises(InvalidStatus) as refused:
        stream(server, sent)
    assert refused.value.response.status_code == 403


def test_only_the_health_check_is_open_and_it_says_nothing_else(server: str) -> None:
    assert fetch(f"{server}/_stcore/health").text == "ok"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example"])
def test_a_false_host_is_refused_with_the_token_too(server: str, host: str) -> None:
    host = host.format(port=urlsplit(server).port)
    assert fetch(server, {**KNOWN, "Host": host}).status == 403
    with pytest.raises(InvalidStatus) as refused:
        stream(server, {**KNOWN, "Host": host, "Origin": f"http://{host}"})
    assert refused.value.response.status_code == 403


def test_another_site_cannot_open_a_connection(server: str) -> None:
    with pytest.raises(InvalidStatus):
        stream(server, {**KNOWN, "Origin": "http://evil.example"})


def test_the_token_in_the_address_gives_a_strict_cookie_and_leaves_the_address(server: str) -> None:
    answer = fetch(f"{server}/curves?token={TOKEN}&k=7")
    assert answer.status == 200
    assert TOKEN not in answer.text
    assert 'content="0;url=/curves?k=7"' in answer.text
    cookie = answer.headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
    assert TOKEN not in cookie
    sent = {"Cookie": cookie.partition(";")[0]}
    assert "<title>Streamlit</title>" in fetch(server, sent).text
    with stream(server, sent):
        pass


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example", "/%5Cevil.example"])
def test_the_token_page_leads_to_no_other_site(server: str, path: str) -> None:
    answer = fetch(f"{server}{path}?token={TOKEN}")
    target = re.search(r'url=([^"]*)"', answer.text)
    assert target
    assert re.match(r"/(?![/\\])", target[1])


@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/media/none", "/favicon.png"])
def test_every_answer_says_what_a_browser_may_do_with_it(server: str, path: str) -> None:
    for sent in ({}, KNOWN):
        headers = fetch(server + path, sent).headers
        assert headers["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe-eval'" not in headers["Content-Security-Policy"].replace("wasm-unsafe", "")
        assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("page", PAGES)
def test_a_class_sees_no_path_no_ledger_and_no_way_to_publish(
    server: str, page: str, ledger: Path
) -> None:
    shown = drawn(server, page)
    assert str(ledger.parent) not in shown
    assert str(Path.home()) not in shown
    assert "ledger" not in shown.casefold() or page in ("verdicts", "learn")
    assert "pages/4_publish" not in shown
    assert not ledger.exists()


@pytest.mark.parametrize(
    "query",
    [
        "",
        "view=history",
        "from=path",
        "from=upload",
        "step=protect",
        "step=level&data=nyc-taxi",
        "step=confirm&data=nyc-taxi",
        "step=released&release=1",
    ],
)
def test_no_address_opens_publishing_to_a_class(server: str, query: str, ledger: Path) -> None:
    shown = drawn(server, "publish", query)
    assert "This page is not for you" in shown
    for word in ("file_uploader", "text_input", "download_button", "Confirm", "History"):
        assert word not in shown
    assert not ledger.exists()
