"""A limit that is reached is said in a sentence, in place of the control."""

from __future__ import annotations

import pytest

from dpcore.datasets.engines import HeldFile
from pages.server import uploads
from tests.pages.publishing import page
from tests.pages.visits import words


def test_there_is_no_upload_while_others_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DPCORE_UPLOADS_MB", "1")
    content = b"x" * (1 << 20)
    theirs = HeldFile("theirs.csv", content)
    uploads.hold(theirs, content)
    app = page()
    assert uploads.FULL in words(app)
    assert not app.file_uploader
    del theirs
    assert page().file_uploader


def test_the_same_bytes_are_counted_once() -> None:
    content = b"y" * 1000
    before = uploads.total()
    files = [HeldFile("a.csv", content), HeldFile("b.csv", content)]
    for each in files:
        uploads.hold(each, content)
    assert uploads.total() == before + 1000
