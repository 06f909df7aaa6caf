"""Folders of released files appear whole or not at all; nothing is spent for one that cannot."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dpcore.cli import BAD_INPUT, main
from dpcore.release import BuiltinData, Ledger, Release, ReleasePlan, publish
from dpcore.release.output import refuse_target, write
from dpcore.runs.request import Request

FILES = {"a.txt": b"A", "b.bin": bytes(1000)}
WORDS = ["release", "dplloyd", "--data", "s1-like", "-k", "2", "--epsilon", "0.5", "--yes"]


def held(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def made(what: str, tmp_path: Path) -> Path:
    """A place where no new folder can be made."""
    place, other = tmp_path / "out", tmp_path / "other"
    if what == "full":
        place.mkdir()
        (place / "mine").write_text("mine")
    elif what == "file":
        place.write_text("mine")
    elif what == "link":
        other.mkdir()
        place.symlink_to(other)
    elif what == "dangling":
        place.symlink_to(tmp_path / "nowhere")
    elif what == "under a file":
        other.write_text("mine")
        place = other / "out"
    elif what == "under a dangling link":
        other.symlink_to(tmp_path / "nowhere")
        place = other / "out"
    return place


PLACES = ["full", "file", "link", "dangling", "under a file", "under a dangling link"]


@pytest.mark.parametrize("what", PLACES)
def test_nothing_is_spent_for_a_folder_that_cannot_be_made(what, tmp_path, capsys):
    place, books = made(what, tmp_path), tmp_path / "books"
    there = sorted(tmp_path.iterdir())
    command = [*WORDS, "--allowed", "1", "--ledger", str(books), "--output", str(place)]
    assert main(command) == BAD_INPUT
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert Ledger(books).entries() == []
    assert sorted(tmp_path.iterdir()) == sorted([*there, books])


@pytest.mark.parametrize("what", PLACES)
def test_what_is_there_is_neither_written_over_nor_followed(what, tmp_path):
    place = made(what, tmp_path)
    before = sorted(map(str, tmp_path.rglob("*")))
    with pytest.raises(OSError):  # noqa: PT011 each place has its own
        write(place, FILES)
    assert sorted(map(str, tmp_path.rglob("*"))) == before


def test_a_release_keeps_to_a_new_folder(tmp_path):
    release = publish(
        ReleasePlan("s1", BuiltinData("s1-like"), Request("dplloyd", 2, 0.5)),
        Ledger(tmp_path / "b"),
    )
    release.save(tmp_path / "new" / "out")
    assert held(tmp_path / "new" / "out") == dict(release.files)
    with pytest.raises(FileExistsError, match="name a new folder"):
        release.save(tmp_path / "new" / "out")
    (tmp_path / "empty").mkdir()
    release.save(tmp_path / "empty")
    assert held(tmp_path / "empty") == dict(release.files)


def test_the_usual_folder_is_looked_at_before_anything_is_spent(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "release-1").mkdir()
    (tmp_path / "release-1" / "mine").write_text("mine")
    assert main([*WORDS, "--allowed", "1", "--ledger", "books"]) == BAD_INPUT
    assert "release-1 is there already" in capsys.readouterr().err
    assert Ledger("books").entries() == []


def test_a_write_that_fails_leaves_nothing(tmp_path, monkeypatch):
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write(tmp_path / "out", FILES)
    assert list(tmp_path.iterdir()) == []


def test_names_stay_in_their_folder(tmp_path):
    with pytest.raises(ValueError, match="no name of a file"):
        write(tmp_path / "out", {"../a": b""})
    assert list(tmp_path.iterdir()) == []


def test_who_is_killed_while_writing_can_write_again(tmp_path):
    program = (
        "import os, sys\nfrom pathlib import Path\nfrom dpcore.release.output import write\n"
        "class Files(dict):\n"
        "    def items(self):\n"
        "        yield 'a.txt', b'A'\n"
        "        os.kill(os.getpid(), 9)\n"
        "write(Path(sys.argv[1]), Files())\n"
    )
    run = subprocess.run([sys.executable, "-c", program, str(tmp_path / "out")], check=False)
    assert run.returncode == -9
    assert not (tmp_path / "out").exists()
    refuse_target(tmp_path / "out")
    write(tmp_path / "out", FILES)
    assert held(tmp_path / "out") == FILES


def test_a_program_of_ones_own_saves_the_same_way(tmp_path):
    """What repeat.py does."""
    books = Ledger(tmp_path / "books")
    plan = ReleasePlan("s1", BuiltinData("s1-like"), Request("dplloyd", 2, 0.2))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "centers.csv").symlink_to(tmp_path / "precious")
    release: Release = publish(plan, books)
    with pytest.raises(FileExistsError):
        release.save(tmp_path / "out")
    assert not (tmp_path / "precious").exists()
