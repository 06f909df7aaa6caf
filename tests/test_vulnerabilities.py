"""The check of the lock says what was checked, and never that all is well when nothing was."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "vulnerabilities"
FINE = {"name": "fine", "version": "1", "vulns": []}
BAD = {"name": "bad", "version": "2", "vulns": [{"id": "CVE-1", "fix_versions": ["3"]}]}
UNKNOWN = {"name": "unknown", "skip_reason": "not found"}


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    loader = SourceFileLoader("vulnerabilities", str(SCRIPT))
    spec = spec_from_loader("vulnerabilities", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    monkeypatch.setattr(module, "has_tool", lambda: True)
    return module


def outcome(script: Any, monkeypatch: pytest.MonkeyPatch, said: str) -> int:
    done = subprocess.CompletedProcess([], 0, stdout=said)
    monkeypatch.setattr(script, "called", lambda command: done)
    try:
        code: int = script.main()
    except SystemExit as end:
        return int(end.code or 0)
    return code


@pytest.mark.parametrize(
    ("packages", "code", "said"),
    [
        ([FINE], 0, "1 packages checked, 0 bad"),
        ([FINE, BAD], 1, "bad 2: CVE-1, mended in 3"),
        ([FINE, UNKNOWN], 0, "NOT CHECKED, no advisory data: unknown"),
        ([UNKNOWN], 0, "NOT CHECKED: no advisory data here"),
    ],
    ids=["fine", "bad", "partly unknown", "unknown"],
)
def test_what_was_not_checked_is_said(
    script: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    packages: list[dict[str, Any]],
    code: int,
    said: str,
) -> None:
    assert outcome(script, monkeypatch, json.dumps({"dependencies": packages})) == code
    assert said in capsys.readouterr().out


@pytest.mark.parametrize("fault", [OSError("full"), subprocess.CalledProcessError(1, "ensurepip")])
def test_without_an_environment_nothing_fails(
    script: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fault: Exception,
) -> None:
    def create(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr(script, "has_tool", lambda: False)
    monkeypatch.setattr(script.venv, "create", create)
    with pytest.raises(SystemExit) as end:
        script.main()
    assert end.value.code == 0
    assert "NOT CHECKED" in capsys.readouterr().out


def test_a_command_that_never_answers_fails_nothing(
    script: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(script, "LONGEST", 0.1)
    with pytest.raises(SystemExit) as end:
        script.called([sys.executable, "-c", "import time; time.sleep(600)"])
    assert end.value.code == 0
    assert "NOT CHECKED" in capsys.readouterr().out


def test_without_a_network_nothing_fails(
    script: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert outcome(script, monkeypatch, "") == 0
    assert "NOT CHECKED" in capsys.readouterr().out
