"""Signing in with Streamlit: nobody sees anything before, and everybody what their role allows."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.server.settings import Mode, Role
from pages.ui.access import OF_MODE, OF_ROLE, Action
from tests.pages.publishing import PUBLISH, buttons
from tests.pages.visits import checked, words

APP = str(Path(__file__).parents[2] / "app.py")


@pytest.fixture(autouse=True)
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "roles.toml").write_text('[roles]\nviewer = ["*"]\ncurator = ["cy@example.org"]')
    monkeypatch.setenv("DPCORE_MODE", "shared")
    monkeypatch.setenv("DPCORE_ROLES", str(tmp_path / "roles.toml"))
    monkeypatch.delenv("DPCORE_USER_HEADER", raising=False)


def opened(file: str, **user: object) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=600)
    app.switch_page(file)
    app.user = user
    return checked(app)


@pytest.mark.parametrize("user", [{}, {"is_logged_in": False}, {"email": "cy@example.org"}])
def test_who_has_not_signed_in_sees_a_button_to_sign_in(user: dict[str, object]) -> None:
    for file in ("pages/3_verdicts.py", PUBLISH):
        app = opened(file, **user)
        assert words(app) == "Please sign in"
        assert list(buttons(app).values()) == ["Sign in"]


def test_who_signed_in_sees_what_their_role_allows() -> None:
    viewer = opened(PUBLISH, is_logged_in=True, email="anybody@example.org")
    assert "This page is not for you" in words(viewer)
    curator = opened(PUBLISH, is_logged_in=True, email="cy@example.org")
    assert "1 · Data" in words(curator)
    assert "Sign out" in buttons(curator).values()


@pytest.mark.parametrize("said", [False, "false", "False"])
def test_an_unverified_address_has_no_role(said: object) -> None:
    app = opened(PUBLISH, is_logged_in=True, email="cy@example.org", email_verified=said)
    assert "has not verified your email address" in words(app)
    assert list(buttons(app).values()) == ["Sign in"]


def test_an_action_that_is_not_drawn_is_refused_as_well() -> None:
    from pages.ui import access

    with pytest.raises(PermissionError, match="may not publish"):
        access.require(Action.SPEND)


def test_every_role_and_mode_looks_and_only_one_spends() -> None:
    assert all(Action.LOOK in allowed for allowed in [*OF_ROLE.values(), *OF_MODE.values()])
    assert [role for role, allowed in OF_ROLE.items() if Action.SPEND in allowed] == [
        Role.PUBLISHER
    ]
    assert OF_MODE[Mode.CLASSROOM] == {Action.LOOK}
    assert not [r for r, allowed in OF_ROLE.items() if Action.CHOOSE_LEDGER in allowed]
