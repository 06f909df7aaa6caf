"""No path outside the data folder is read or written, and nothing is told of what lies there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dpcore.datasets.engines import DataFileError
from pages.ui import data_root
from pages.ui.publish import ledger_choice
from tests.pages.publishing import at_places, csv_text, page, settled, trips
from tests.pages.visits import checked, press, words

OUTSIDE = "the only folder that this dashboard reads"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "mine.csv").write_text(csv_text(trips(30)))
    (tmp_path / "theirs.csv").write_text("secret,columns\n1,2\n")
    (folder / "link.csv").symlink_to(tmp_path / "theirs.csv")
    (folder / "folder").symlink_to(tmp_path)
    monkeypatch.setenv("DPCORE_DATA", str(folder))
    return folder


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "/dev/zero",
        "/proc/self/environ",
        "/nowhere/at/all.csv",
        "../theirs.csv",
        "../not-there.csv",
        "link.csv",
        "folder/theirs.csv",
        "folder/*.csv",
        "*/../../theirs.csv",
        "~root/.bashrc",
        "http://evil.example/a.csv",
        "s3://bucket/a.csv",
        "file:///etc/passwd",
    ],
)
def test_what_lies_outside_is_refused_whether_or_not_it_is_there(root: Path, path: str) -> None:
    with pytest.raises(data_root.Outside, match=OUTSIDE) as refused:
        data_root.RootedEngine().look(path)
    assert "secret" not in str(refused.value)
    with pytest.raises(data_root.Outside):
        data_root.file(path)


@pytest.mark.parametrize("pattern", ["*/*.csv", "fold*/theirs.csv", "lin*.csv", "**/theirs.csv"])
def test_a_pattern_does_not_follow_a_link_that_leads_out(root: Path, pattern: str) -> None:
    with pytest.raises(DataFileError, match="there is no such file"):
        data_root.RootedEngine().look(pattern)


@pytest.mark.parametrize("path", ["mine.csv", "*.csv", "", "./mine.csv", "[m]ine.csv"])
def test_what_lies_inside_is_read_and_links_that_lead_out_are_left_out(
    root: Path, path: str
) -> None:
    for given in (path, str(root / path)):
        found = data_root.RootedEngine().look(given)
        assert [layout.path for layout in found.layouts] == [str(root / "mine.csv")]


def test_only_regular_files_are_read(root: Path) -> None:
    os.mkfifo(root / "pipe.csv")
    for read in (data_root.RootedEngine().look, data_root.file):
        with pytest.raises(DataFileError, match=r"there is no such file|not a file"):
            read("pipe.csv")


def test_the_page_says_so_and_shows_nothing_of_the_file(root: Path) -> None:
    app = page(**{"from": "path"})
    app.text_input(key="remembered-path").set_value("link.csv")
    shown = words(settled(press(checked(app), "open")))
    assert OUTSIDE in shown
    assert "secret" not in shown


@pytest.mark.parametrize("name", ["csv.`/etc/passwd`", "parquet.mine", "text./etc/passwd"])
def test_no_file_is_read_under_the_name_of_a_table(root: Path, name: str) -> None:
    app = page(**{"from": "spark"})
    app.text_input(key="remembered-table").set_value(name)
    app = checked(app)
    assert "This names a file" in words(app)
    assert app.button(key="open").disabled


@pytest.mark.parametrize("zones", ["/dev/zero", "/etc/passwd", "../theirs.csv"])
def test_zones_come_from_the_data_folder(root: Path, zones: str) -> None:
    (root / "zones.csv").write_text("PULocationID,DOLocationID\n1,2\n")
    app = page(**{"from": "path"})
    app.text_input(key="remembered-path").set_value("zones.csv")
    app = at_places(settled(press(checked(app), "open")))
    app.multiselect(key="remembered-columns").set_value(["PULocationID"])
    checked(app)
    app.text_input(key="remembered-zones").set_value(zones)
    assert OUTSIDE in words(checked(app))


def test_a_ledger_is_kept_where_the_server_was_told_or_in_the_data_folder(root: Path) -> None:
    app = page(view="history")
    app.text_input(key=f"remembered-{ledger_choice.FOLDER}").set_value(
        str(root.parent / "elsewhere")
    )
    assert OUTSIDE in words(checked(app))
    assert not (root.parent / "elsewhere").exists()
    app.text_input(key=f"remembered-{ledger_choice.FOLDER}").set_value(str(root / "books"))
    assert OUTSIDE not in words(checked(app))
    assert (root / "books").is_dir()


def test_without_a_setting_one_person_reads_their_home(monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.server import settings

    monkeypatch.delenv("DPCORE_DATA")
    assert settings.data_root() == Path(os.path.realpath(Path.home()))
    monkeypatch.setenv("DPCORE_MODE", "shared")
    with pytest.raises(ValueError, match="Shared mode needs DPCORE_DATA"):
        settings.data_root()
