"""No test of a page writes into the ledger of whoever runs it, or reads a key of another page."""

from __future__ import annotations

from pathlib import Path
from weakref import WeakKeyDictionary

import pytest

from pages.server import uploads
from pages.ui import address
from pages.ui.address import Key
from pages.ui.url_keys import Page


@pytest.fixture(autouse=True)
def ledger_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "ledger"
    monkeypatch.setenv("DPCORE_LEDGER", str(folder))
    monkeypatch.setenv("DPCORE_DATA", str(tmp_path))
    return folder


@pytest.fixture(autouse=True)
def nobody_else_uploads(monkeypatch: pytest.MonkeyPatch) -> None:
    """What earlier tests opened may still be in memory, and counts no more."""
    monkeypatch.setattr(uploads, "_opened", WeakKeyDictionary())


@pytest.fixture(autouse=True)
def keys_stay_on_their_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that reads a key which was not declared for it fails its test."""
    real = Key.get

    def get(key: Key[object]) -> object:
        page = address.HERE.get()
        assert page not in [*Page] or page in key.pages, f"{page} reads {key.name!r}"
        return real(key)

    monkeypatch.setattr(Key, "get", get)
