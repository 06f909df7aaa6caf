"""People sign in to the shared dashboard at an OpenID Connect provider, in a real browser."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.driver import LONG, eventually, idle, open_page, serving, settled, watch
from tests.browser.identity_provider import CLIENT, SECRET, Provider, new_key, providing
from tests.conftest import missing

ROLES = """
[roles]
viewer = ["vic@example.org"]
publisher = ["Pia@example.org"]
"""
SECRETS = """
[auth]
redirect_uri = "http://127.0.0.1:{{port}}/oauth2callback"
cookie_secret = "a-cookie-secret-of-this-test"
client_id = "{client}"
client_secret = "{secret}"
server_metadata_url = "{issuer}/.well-known/openid-configuration"
"""
CONFIRM = "/publish?step=confirm&data=nyc-taxi"


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    try:
        importlib.import_module("authlib.integrations.starlette_client")
    except ImportError as problem:
        missing(f"what the extra auth installs: {problem}")
    with providing() as started:
        yield started


def described(provider: Provider, folder: Path) -> dict[str, str]:
    """The settings of a shared dashboard, with their files."""
    roles, secrets = folder / "roles.toml", folder / "secrets.toml"
    roles.write_text(ROLES)
    secrets.write_text(SECRETS.format(client=CLIENT, secret=SECRET, issuer=provider.issuer))
    return {
        "DPCORE_MODE": "shared",
        "DPCORE_TOKEN": "",
        "DPCORE_ROLES": str(roles),
        "DPCORE_DATA": str(folder),
        "STREAMLIT_SECRETS_FILES": str(secrets),
    }


@pytest.fixture(scope="module")
def shared(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(**described(provider, tmp_path_factory.mktemp("shared"))) as started:
        yield started.address


@pytest.fixture
def stranger(browser: Browser, shared: str, provider: Provider) -> Iterator[Callable[..., Page]]:
    """A new browser at the dashboard, whose person is known to the provider."""
    problems: list[str] = []
    contexts = []

    def arrive(path: str = "/", **person: object) -> Page:
        provider.person = person
        provider.published = provider.key
        context = browser.new_context()
        context.set_default_timeout(LONG)
        contexts.append(context)
        page = context.new_page()
        watch(page, shared, problems)
        page.goto(shared + path)
        nothing_but_the_button(page)
        return page

    yield arrive
    for context in contexts:
        context.close()
    elsewhere = f"request: {provider.issuer}/authorize?"
    assert [each for each in problems if not each.startswith(elsewhere)] == []


def shows_only(page: Page, *lines: str) -> None:
    """Wait until the page holds these lines, whatever the link past the menu says, and no more."""
    heading = page.get_by_role("heading", name=lines[0])
    expect(heading).to_be_visible(timeout=LONG)
    idle(page)
    heading.hover()  # nothing covers it
    shown: list[str] = []

    def shows_them() -> bool:
        shown[:] = filter(str.strip, page.locator("body").inner_text().split("\n"))
        return shown == ["Skip to main content", *lines]

    eventually(shows_them, lambda: str(shown))


def nothing_but_the_button(page: Page) -> None:
    shows_only(page, "Please sign in", "Sign in")
    expect(page.get_by_test_id("stMain").get_by_role("button")).to_have_text(["Sign in"])


def sign_in(page: Page) -> None:
    page.get_by_role("button", name="Sign in").click()


def comes_in(page: Page, email: str) -> None:
    """Sign in, and wait until the first page has drawn itself for this person."""
    sign_in(page)
    expect(page.get_by_text(f"Signed in as {email}")).to_be_visible(timeout=LONG)
    settled(page)


def test_a_publisher_signs_in_comes_to_the_last_step_and_signs_out(
    stranger: Callable[..., Page], shared: str
) -> None:
    page = stranger(email="pia@example.org", email_verified=True)
    comes_in(page, "pia@example.org")
    open_page(page, "Publish")
    expect(page.get_by_text("Where is your data?")).to_be_visible(timeout=LONG)
    idle(page)
    page.goto(shared + CONFIRM)  # a new visit of the same browser
    expect(page.get_by_text("To confirm, type the name")).to_be_visible(timeout=LONG)
    idle(page)
    page.get_by_role("button", name="Sign out").click()
    nothing_but_the_button(page)
    page.goto(shared + CONFIRM)
    nothing_but_the_button(page)


def test_a_viewer_does_not_see_the_way_to_publish(
    stranger: Callable[..., Page], shared: str
) -> None:
    page = stranger(email="vic@example.org", email_verified=True)
    comes_in(page, "vic@example.org")
    expect(page.get_by_role("link", name="Learn")).to_be_visible()
    expect(page.get_by_role("link", name="Publish")).to_have_count(0)
    page.goto(shared + CONFIRM)
    expect(page.get_by_text("Your role does not let you plan a release.")).to_be_visible()


def test_who_has_no_role_sees_one_sentence(stranger: Callable[..., Page], shared: str) -> None:
    page = stranger(email="nobody@example.org", email_verified=True)
    sign_in(page)
    for path in ("/", CONFIRM):
        told = "Ask whoever runs this dashboard to give you one."
        shows_only(page, "You have no role here", told)
        page.goto(shared + path)


def test_an_address_that_the_provider_did_not_verify_is_nobodys(
    stranger: Callable[..., Page],
) -> None:
    page = stranger(email="pia@example.org", email_verified=False)
    sign_in(page)
    expect(page.get_by_text("has not verified your email address")).to_be_visible(timeout=LONG)
    told = "Your provider has not verified your email address. Verify it there first."
    shows_only(page, "Please sign in", told, "Sign in")


def test_a_token_that_another_key_signed_lets_nobody_in(
    stranger: Callable[..., Page], provider: Provider
) -> None:
    page = stranger(email="pia@example.org", email_verified=True)
    provider.published = new_key()
    with page.expect_response(lambda answer: "/oauth2callback" in answer.url):
        sign_in(page)
    nothing_but_the_button(page)


def test_a_server_at_which_nobody_could_sign_in_does_not_start(
    provider: Provider, tmp_path: Path
) -> None:
    settings = described(provider, tmp_path)
    (tmp_path / "secrets.toml").write_text("")
    with pytest.raises(AssertionError, match="Shared mode needs a sign-in"), serving(**settings):
        pass
