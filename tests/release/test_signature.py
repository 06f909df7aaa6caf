"""Keys and signatures: made once, for their owner's eyes only, and worth nothing elsewhere."""

from __future__ import annotations

import builtins
import importlib.util
import json
import stat

import pytest

from dpcore.cli import BAD_INPUT, main
from dpcore.release import BuiltinData, Ledger, ReleasePlan, publish, signature, verify
from dpcore.release.certificate import NAME, as_json
from dpcore.runs.request import Request
from tests.conftest import missing

S1 = ["release", "dplloyd", "--data", "s1-like", "-k", "2", "--epsilon", "0.1", "--yes"]


@pytest.fixture(autouse=True, scope="module")
def library():
    if importlib.util.find_spec("cryptography") is None:
        missing("cryptography (pip install 'dpcore[sign]')")


def failures(files, key=None):
    return [f for f in verify(files[NAME], files, key) if f.holds is False]


def released(ledger):
    return publish(
        ReleasePlan("s1", BuiltinData("s1-like"), Request("dplloyd", 2, 0.1)), ledger
    ).files


def test_a_key_is_made_once_and_nobody_else_can_read_it(tmp_path):
    made = signature.make_key(tmp_path)
    assert stat.S_IMODE((tmp_path / signature.FILE).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [signature.FILE]
    assert signature.signer(tmp_path).public_key == made.public_key
    with pytest.raises(ValueError, match="is there already"):
        signature.make_key(tmp_path)


def test_releases_are_signed_from_the_day_there_is_a_key(ledger):
    before = released(ledger)
    key = signature.make_key(ledger.folder).public_key
    after = released(ledger)
    assert json.loads(before[NAME])["public key"] is None
    assert [f.why for f in failures(before, key)] == ["it is not signed"]
    assert failures(after) == failures(after, key) == []
    assert key in after["certificate.html"].decode()
    assert "not signed" in before["certificate.html"].decode()
    assert any("is not signed" in f.why for f in verify(before[NAME], before) if f.holds is None)


def test_a_signature_of_another_release_does_not_fit(ledger):
    signature.make_key(ledger.folder)
    first, second = (json.loads(released(ledger)[NAME]) for _ in range(2))
    second["signature"] = first["signature"]
    assert any("signature fits" in f.what for f in failures({NAME: as_json(second)}))


def test_a_new_key_leaves_the_old_signatures_standing(ledger):
    old = signature.make_key(ledger.folder).public_key
    files = released(ledger)
    aside = signature.retire_key(ledger.folder)
    new = signature.make_key(ledger.folder).public_key
    assert aside.exists()
    assert old != new
    assert failures(files, old) == []
    (finding,) = failures(files, new)
    assert f"it is signed with {old}, and you trust {new}" in finding.why


@pytest.mark.parametrize("half", ["public key", "signature"])
def test_half_a_signature_is_none(half, ledger):
    signature.make_key(ledger.folder)
    said = json.loads(released(ledger)[NAME])
    said[half] = None
    assert failures({NAME: as_json(said)})


@pytest.mark.parametrize("nonsense", ["", "ed25519:", "ed25519:AAAA", "ed25519:é", "x" * 100])
def test_a_key_that_is_none_is_said_so(nonsense, tmp_path):
    (tmp_path / "key").write_text(nonsense)
    for given in (nonsense or "nothing", str(tmp_path / "key")):
        with pytest.raises(ValueError, match="public key"):
            signature.trusted(given)


def test_what_is_no_private_key_spends_nothing(ledger):
    (ledger.folder / signature.FILE).write_text("hello")
    with pytest.raises(ValueError, match="not a private Ed25519 key"):
        released(ledger)
    assert ledger.entries() == []


def test_without_the_library_nothing_signed_is_claimed_or_spent(ledger, monkeypatch):
    key = signature.make_key(ledger.folder).public_key
    files = released(ledger)
    real = builtins.__import__

    def without(name, *rest):
        if name.startswith("cryptography"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert failures(files) == []
    (finding,) = failures(files, key)
    assert "pip install 'dpcore[sign]'" in finding.why
    with pytest.raises(ValueError, match="pip install"):
        released(ledger)
    assert len(ledger.entries()) == 1


def test_the_commands_make_show_and_check_a_key(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    books = ["--ledger", "books"]
    assert main([*S1, "--allowed", "1", *books, "--sign", "--output", "one"]) == 0
    capsys.readouterr()
    assert main(["key", *books]) == 0
    key = capsys.readouterr().out.strip()
    (tmp_path / "key.txt").write_text(f"{key}\n")
    assert main(["history", *books]) == 0
    assert key in capsys.readouterr().out
    for given in (key, "key.txt"):
        assert main(["verify", "one/certificate.json", "--key", given]) == 0
    assert main(["key", "--new", *books]) == 0
    assert "put aside" not in capsys.readouterr().err
    assert main(["key", "--json", *books]) == 0
    other = json.loads(capsys.readouterr().out)["public key"]
    assert other != key
    assert main(["verify", "one/certificate.json", "--key", other]) == 1
    assert "and you trust" in capsys.readouterr().out
    assert main(["verify", "one/certificate.json", "--key", "nonsense"]) == BAD_INPUT


def test_files_beside_a_release_that_are_not_of_it_are_told(tmp_path, capsys):
    release = publish(
        ReleasePlan("s1", BuiltinData("s1-like"), Request("dplloyd", 2, 0.1)),
        Ledger(tmp_path / "books"),
    )
    release.save(tmp_path / "one")
    (tmp_path / "one" / "rows.csv").write_text("secret")
    assert main(["verify", str(tmp_path / "one" / "certificate.json")]) == 0
    assert "Not part of this release: rows.csv." in capsys.readouterr().out
