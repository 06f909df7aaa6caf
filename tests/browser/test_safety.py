"""What a browser does with the dashboard when somebody means harm: a frame, a token, a file."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.driver import LONG, eventually, idle, picture, serving, watch
from tests.browser.publishing import button, choose, confirm, press, released
from tests.pages.publishing import csv_text, trips

TOKEN = "a-token-of-this-test"
EVIL = "evil.example"
#: Images, links, markup, icons and addresses, as names.
COLUMNS = (
    f"![a](http://{EVIL}/a.png) [b](http://{EVIL}) x",
    f"<img src=http://{EVIL}/c.png> www.{EVIL} :material/verified: y",
)
FILE = f"![n](http:&#47;&#47;{EVIL}&#47;n.png) <b>n</b> :red[n] n@{EVIL} https:&#47;&#47;{EVIL}.csv"
#: What none of these names may become.
MARKUP = (
    f"[href*='{EVIL}'], [src*='{EVIL}'], [data-testid=stMain] :is(script, mark), "
    "[data-testid=stMain] b:not(.stops *, .story > b), "  # these two are our own
    "[data-testid=stMain] [data-testid=stMarkdown] img"
)


@pytest.fixture(scope="module")
def guarded() -> Iterator[str]:
    with serving(DPCORE_TOKEN=TOKEN) as started:
        yield started.address


def test_the_printed_address_lets_one_browser_in_and_no_other(
    browser: Browser, guarded: str
) -> None:
    problems: list[str] = []
    context = browser.new_context()
    page = context.new_page()
    watch(page, guarded, problems)
    page.goto(f"{guarded}/verdicts?token={TOKEN}")
    expect(page.get_by_role("heading", name="Which claims hold")).to_be_visible(timeout=LONG)
    assert TOKEN not in page.url
    assert TOKEN not in page.content()
    assert "dpcore" not in page.evaluate("document.cookie")
    idle(page)
    page.reload()
    expect(page.get_by_role("heading", name="Which claims hold")).to_be_visible(timeout=LONG)
    assert not problems, problems
    stranger = browser.new_context().new_page()
    answer = stranger.goto(guarded)
    assert answer
    assert answer.status == 403
    expect(stranger.get_by_text("This dashboard needs its token")).to_be_visible()
    context.close()
    stranger.context.close()


@pytest.fixture
def other_site(server: str) -> Iterator[str]:
    """A page of another site that frames the last step before a spend."""

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            frame = f"{server}/publish?step=confirm&data=nyc-taxi"
            self.wfile.write(f'<iframe src="{frame}" width=900 height=700></iframe>'.encode())

        def log_message(self, *_: object) -> None:
            pass

    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    yield f"http://localhost:{site.server_port}"
    site.shutdown()
    site.server_close()


def test_a_frame_shows_nothing(browser: Browser, other_site: str) -> None:
    page = browser.new_page()
    refused: list[str] = []
    page.on("console", lambda said: refused.append(said.text))
    page.goto(other_site)
    (frame,) = page.frames[1:]

    def is_refused() -> bool:
        page.wait_for_timeout(100)  # what the console says is heard meanwhile
        return any("frame-ancestors" in each or "X-Frame-Options" in each for each in refused)

    eventually(is_refused, lambda: str(refused))
    assert not frame.get_by_role("button").count()
    assert not frame.get_by_text("Publish").count()
    page.close()


def test_an_address_alone_does_not_arm_the_button(visit: Callable[..., Page]) -> None:
    page = visit("/publish?step=confirm&data=nyc-taxi&confirm=New+York", ready=False)
    expect(page.get_by_text("Nothing is used yet")).to_be_visible(timeout=LONG)
    expect(button(page, "Publish, and use")).to_be_disabled()


def test_names_from_a_file_are_never_markup(visit: Callable[..., Page]) -> None:
    page = visit("/publish?privacy=Loose", ready=False)

    def harmless() -> None:
        idle(page)
        found = page.locator(MARKUP)
        assert found.count() == 0, found.evaluate_all("all => all.map(each => each.outerHTML)")

    content = csv_text(trips(2_000), ",".join(COLUMNS)).encode()
    page.locator("input[type=file]").set_input_files(
        [{"name": FILE, "mimeType": "text/csv", "buffer": content}]
    )
    press(page, "Continue")
    expect(page.get_by_text("What is one row?")).to_be_visible(timeout=LONG)
    harmless()
    page.get_by_text("A single row").click()
    press(page, "Continue")
    expect(page.get_by_text("Columns with the positions")).to_be_visible(timeout=LONG)
    harmless()
    columns = page.get_by_label("Columns with the positions, longitude before latitude").last
    for _ in COLUMNS:
        columns.click()
        page.get_by_role("option").first.click()
        page.keyboard.press("Escape")
        idle(page)
    choose(page, "Type its corners")
    harmless()
    ends = page.get_by_test_id("stNumberInput").locator("input")
    for place, value in enumerate(("-74.1", "-73.8", "40.6", "40.9")):
        ends.nth(place).fill(value)
        ends.nth(place).press("Enter")
        idle(page)
    press(page, "Count the rows")
    expect(page.get_by_text("Rows in the area", exact=True)).to_be_visible(timeout=LONG)
    harmless()
    press(page, "Continue")
    expect(page.get_by_text("Name of these data", exact=True)).to_be_visible(timeout=LONG)
    harmless()
    press(page, "Continue")
    expect(page.get_by_text("Nothing is used yet")).to_be_visible(timeout=LONG)
    harmless()
    confirm(page)
    released(page)
    harmless()
    page.get_by_role("button", name="All releases").click()
    expect(page.get_by_text("Used budget never comes back")).to_be_visible(timeout=LONG)
    harmless()
    page.get_by_role("link", name="Explore").click()
    page.get_by_role("button", name="Show my raw data").click(timeout=LONG)
    picture(page).or_(page.get_by_test_id("stPlotlyChart")).first.wait_for(timeout=LONG)
    harmless()
    page.get_by_role("link", name="Curves").click()
    expect(page.get_by_role("heading", name="What each level costs")).to_be_visible(timeout=LONG)
    idle(page)
    harmless()
