"""No test of a page writes into the ledger of whoever runs it."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def ledger_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "ledger"
    monkeypatch.setenv("DPCORE_LEDGER", str(folder))
    monkeypatch.setenv("DPCORE_DATA", str(tmp_path))
    return folder
