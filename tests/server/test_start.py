"""Each way to start the dashboard: with its gate, or with nothing to see."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dpcore.cli import arguments_of, main
from dpcore.cli.dashboard import options, settings
from pages.server import start
from tests.browser.driver import ROOT, eventually, serving
from tests.server.command import dashboard
from tests.server.visitor import drawn, fetch

COMMAND = "from dpcore.cli import main; raise SystemExit(main())"


def test_the_command_prints_an_address_that_opens_from_any_folder(tmp_path: Path) -> None:
    with dashboard(tmp_path, ROOT, "-c", COMMAND) as (server, token):
        assert fetch(f"{server}/?token={token}").status == 200
        assert fetch(server).status == 403
        assert "frame-ancestors 'none'" in fetch(server).headers["Content-Security-Policy"]


def test_a_page_started_by_itself_shows_nothing() -> None:
    with serving(main="pages/4_publish.py", PYTHONPATH=str(ROOT)) as started:
        shown = drawn(started.address, "")
    assert "no other file is safe to open" in shown
    assert "file_uploader" not in shown


@pytest.mark.skipif(sys.platform != "linux", reason="Linux lists what a process has loaded")
def test_what_the_first_chart_needs_is_loaded_before_anybody_comes() -> None:
    with serving() as started:
        loaded = Path(f"/proc/{started.pid}/maps")
        eventually(lambda: "/sklearn/cluster/" in loaded.read_text())


def test_other_names_are_allowed_only_where_they_are_given() -> None:
    class Given:
        port, address, host = 8501, "0.0.0.0", ["class.example"]

    told = options(Given)  # type: ignore[arg-type]
    assert "--server.allowedHosts=class.example" in told
    assert "--browser.serverAddress=class.example" in told
    assert not [each for each in told if each.endswith("=*")]


def test_the_folders_that_are_named_are_those_it_uses(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    named = arguments_of(["dashboard", "--ledger", "books", "--data", "rows"])
    assert settings(named)["DPCORE_LEDGER"] == str(tmp_path / "books")
    assert settings(named)["DPCORE_DATA"] == str(tmp_path / "rows")
    assert "DPCORE_LEDGER" not in settings(arguments_of(["dashboard"]))


@pytest.mark.parametrize("port", ["0", "70000"])
def test_a_port_that_is_none_is_refused(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dashboard", "--port", port]) == 2
    assert "from 1 to 65535" in capsys.readouterr().err


def test_listening_everywhere_needs_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dashboard", "--address", "0.0.0.0"]) == 2
    assert "needs --host" in capsys.readouterr().err


def test_a_browser_is_led_to_the_token_by_a_file_and_not_by_its_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DPCORE_TOKEN", "a-token-of-this-test")
    page = start.leading(tmp_path)
    assert "token=a-token-of-this-test" in page.read_text()
    assert "token" not in page.as_uri()


def test_a_shared_server_without_the_packages_that_sign_in_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "roles.toml").write_text("")
    monkeypatch.setenv("DPCORE_MODE", "shared")
    monkeypatch.setenv("DPCORE_ROLES", str(tmp_path / "roles.toml"))
    monkeypatch.setenv("DPCORE_DATA", str(tmp_path))
    monkeypatch.delenv("DPCORE_TOKEN", raising=False)
    monkeypatch.delenv("DPCORE_USER_HEADER", raising=False)
    monkeypatch.setitem(sys.modules, "authlib.integrations.starlette_client", None)
    with pytest.raises(ValueError, match=r"dpcore\[auth\].*DPCORE_USER_HEADER"):
        start.options()
