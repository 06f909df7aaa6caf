"""The server's files: a click hands out its file however often the page is drawn meanwhile."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import PurePosixPath

import pytest
from playwright.sync_api import Browser, Page, expect
from streamlit.runtime import media_file_manager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from pages.server.download_files import GRACE, DownloadFiles
from tests.browser.driver import LONG, ROOT, in_address, serving
from tests.browser.sweeping import finished

#: A few quick runs with their files.
CURVES = (
    "/curves?data=s1-like&algorithm=dplloyd&with=&runs=2&from=0.5&to=2.0&metric=nicv&run_live=true"
)


#: What Streamlit calls the visit of a script without a browser.
VISIT = "dontcare"


class Clock:
    """The time, which a test moves."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def storage() -> MemoryMediaFileStorage:
    return MemoryMediaFileStorage("/media")


@pytest.fixture
def files(storage: MemoryMediaFileStorage, clock: Clock) -> DownloadFiles:
    return DownloadFiles(storage, clock)


def button(files: DownloadFiles, make: Callable[[], str] = lambda: "a,b\n") -> str:
    """Draw a button that makes its file when pressed."""
    return files.add_deferred(make, "text/csv", "0.1", "table.csv")


def drawn_again(files: DownloadFiles) -> str:
    files.clear_session_refs()
    name = button(files)
    files.remove_orphaned_files()
    return name


def content(storage: MemoryMediaFileStorage, url: str) -> bytes:
    return storage.get_file(PurePosixPath(url).name).content


def test_a_file_that_a_click_made_is_there_after_many_redraws(
    files: DownloadFiles, storage: MemoryMediaFileStorage
) -> None:
    url = files.execute_deferred(button(files))
    for _ in range(5):
        drawn_again(files)
    assert content(storage, url) == b"a,b\n"


def test_a_button_that_the_page_has_just_replaced_still_works(files: DownloadFiles) -> None:
    first = button(files)
    for _ in range(5):
        drawn_again(files)
    assert files.execute_deferred(first)


def test_a_button_still_works_while_its_page_is_being_drawn(files: DownloadFiles) -> None:
    first = button(files)
    files.clear_session_refs()
    files.remove_orphaned_files()  # the script of another visit ends
    assert files.execute_deferred(first)


def test_files_and_their_buttons_go_after_a_while(
    files: DownloadFiles, storage: MemoryMediaFileStorage, clock: Clock
) -> None:
    first = button(files)
    url = files.execute_deferred(first)
    last = drawn_again(files)
    clock.seconds = GRACE + 1
    files.remove_orphaned_files()
    with pytest.raises(MediaFileStorageError):
        content(storage, url)
    with pytest.raises(MediaFileStorageError):
        files.execute_deferred(first)
    assert files.execute_deferred(last)


def test_a_file_that_is_made_again_stays_as_long_again(
    files: DownloadFiles, storage: MemoryMediaFileStorage, clock: Clock
) -> None:
    name = button(files)
    files.execute_deferred(name)
    files.remove_orphaned_files()
    clock.seconds = GRACE - 1
    url = files.execute_deferred(name)
    clock.seconds = GRACE + 1
    files.remove_orphaned_files()
    assert content(storage, url) == b"a,b\n"


def test_who_forgets_does_not_wait(files: DownloadFiles, storage: MemoryMediaFileStorage) -> None:
    name = button(files)
    url = files.execute_deferred(name)
    files.clear_session_refs()
    files.forget_unused(VISIT)
    with pytest.raises(MediaFileStorageError):
        content(storage, url)
    with pytest.raises(MediaFileStorageError):
        files.execute_deferred(name)


def test_who_forgets_leaves_the_files_of_other_visits(
    files: DownloadFiles, storage: MemoryMediaFileStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls, buttons = {}, {}
    for visit in ("mine", "yours"):
        monkeypatch.setattr(media_file_manager, "_get_session_id", lambda visit=visit: visit)
        buttons[visit] = button(files, lambda visit=visit: f"{visit}\n")
        urls[visit] = files.execute_deferred(buttons[visit])
        files.clear_session_refs()
    files.forget_unused("mine")
    with pytest.raises(MediaFileStorageError):
        content(storage, urls["mine"])
    with pytest.raises(MediaFileStorageError):
        files.execute_deferred(buttons["mine"])
    assert content(storage, urls["yours"]) == b"yours\n"
    assert files.execute_deferred(buttons["yours"])


def test_a_file_that_two_visits_made_alike_stays_for_the_other(
    files: DownloadFiles, storage: MemoryMediaFileStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for visit in ("mine", "yours"):
        monkeypatch.setattr(media_file_manager, "_get_session_id", lambda visit=visit: visit)
        url = files.execute_deferred(button(files))
        files.clear_session_refs()
    files.forget_unused("mine")
    assert content(storage, url) == b"a,b\n"


def test_what_a_file_is_made_of_goes_with_its_button(files: DownloadFiles) -> None:
    class Rows:
        def text(self) -> str:
            return "a,b\n"

    rows = Rows()
    button(files, rows.text)
    held = weakref.ref(rows)
    del rows
    files.clear_session_refs()
    assert held() is not None
    files.forget_unused(VISIT)
    gc.collect()
    assert held() is None


def pressed(page: Page) -> str:
    """The address of the file that the browser is told of."""
    with page.expect_response(lambda answer: "/media/" in answer.url) as told:
        page.get_by_role("button", name="CSV of every run").click()
    return told.value.url


def test_the_file_of_a_view_is_there_after_new_runs_have_replaced_it(browser: Browser) -> None:
    main = "tests/server/lasting.py"
    with serving(main=main, PYTHONPATH=str(ROOT)) as server:
        page = browser.new_page()
        page.set_default_timeout(LONG)
        page.goto(server.address + CURVES)
        url = pressed(finished(page))
        for seed in (1, 2, 3):
            page.get_by_role("button", name="Draw new noise").click()
            in_address(page, f"seed={seed}")
            finished(page)
        assert page.request.get(url).ok
        expect(page.get_by_text("Failed to generate file")).to_have_count(0)
        page.close()
