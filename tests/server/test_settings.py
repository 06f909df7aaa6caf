"""Settings are read once at the start, and what is wrong with one is said in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from pages.server import gate, settings
from pages.server.gate import SAID, Throttle
from pages.server.settings import Role


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MODE", "TOKEN", "DATA", "ROLES", "USER_HEADER", "VISITS", "UPLOADS", "MOVES"):
        monkeypatch.delenv(getattr(settings, name), raising=False)


def test_one_person_needs_no_setting_and_gets_a_token() -> None:
    settings.check()
    assert len(settings.token() or "") >= 32
    assert settings.token() == settings.token()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"DPCORE_MODE": "public"}, "personal, classroom, shared"),
        ({"DPCORE_TOKEN": "short"}, "at least 16"),
        ({"DPCORE_DATA": "no/such/folder"}, "not a folder"),
        ({"DPCORE_VISITS": "0"}, "from 1 to"),
        ({"DPCORE_UPLOADS_MB": "many"}, "from 1 to"),
        ({"DPCORE_TILES": "http://tiles.example.org/{z}/{x}/{y}.png"}, "https"),
        ({"DPCORE_TILES": "https://{s}.example.org/{z}/{x}/{y}.png"}, "without {s}"),
        ({"DPCORE_TILES": "https://tiles.example.org/{z}/{x}.png"}, "/{z}/{x}/{y}"),
        ({"DPCORE_TILES": "https://a.org;script-src/{z}/{x}/{y}"}, "https"),
        ({"DPCORE_TILES": "https://tiles.example.org/{z}/{x}/{y}.png"}, "DPCORE_TILES_CREDIT"),
        ({"DPCORE_MODE": "shared"}, "DPCORE_DATA"),
        ({"DPCORE_MODE": "shared", "DPCORE_USER_HEADER": "X-User"}, "X-Dpcore-Token"),
        ({"DPCORE_MODE": "shared", "DPCORE_DATA": "."}, "DPCORE_ROLES"),
    ],
)
def test_a_wrong_setting_stops_the_server_and_says_why(
    given: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=said):
        settings.check()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[roles", "cannot be read"),
        ("admin = 1", "no more"),
        ("four_eyes = 'no'", "no more"),
        ('[roles]\nadmin = ["a"]', "viewer, curator"),
        ('[roles]\nviewer = "a"', "viewer, curator"),
        ('[roles]\nviewer = ["a"]\ncurator = ["A"]', "two roles"),
    ],
)
def test_wrong_roles_are_refused(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "roles.toml").write_text(text)
    monkeypatch.setenv("DPCORE_ROLES", str(tmp_path / "roles.toml"))
    with pytest.raises(ValueError, match=said):
        settings.roles()


def test_maps_ask_nobody_until_a_tile_server_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings.tiles() is None
    assert "tiles.example.org" not in gate.policy()
    monkeypatch.setenv("DPCORE_TILES", "https://tiles.example.org/{z}/{x}/{y}.png?key=1")
    monkeypatch.setenv("DPCORE_TILES_CREDIT", "Example")
    found = settings.tiles()
    assert found is not None
    assert (found.host, found.origin) == ("tiles.example.org", "https://tiles.example.org")
    (images,) = [part for part in gate.policy().split("; ") if part.startswith("img-src")]
    assert images == "img-src 'self' data: blob: https://tiles.example.org"


def test_a_star_gives_everybody_a_role_but_those_with_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "roles.toml").write_text('[roles]\nviewer = ["*"]\npublisher = ["Ana@x.org"]')
    monkeypatch.setenv("DPCORE_ROLES", str(tmp_path / "roles.toml"))
    roles = settings.roles()
    assert roles.role("ana@X.org") is Role.PUBLISHER
    assert roles.role("bo@x.org") is Role.VIEWER
    assert not roles.four_eyes


def test_a_visit_may_move_fast_for_a_while_and_then_waits() -> None:
    clock = [0.0]
    throttle = Throttle(10, lambda: clock[0])
    assert [throttle.wait() for _ in range(20)] == [0.0] * 20
    assert not throttle.is_busy
    waits = [throttle.wait() for _ in range(40)]
    assert waits[-1] > 1
    assert throttle.is_busy
    clock[0] += waits[-1] + SAID + 1
    assert throttle.wait() == 0.0
    assert not throttle.is_busy
