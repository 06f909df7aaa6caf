"""Bad areas: one clear sentence from Python and from the command line, and nothing is spent."""

from __future__ import annotations

import pytest

import dpcore
from dpcore import regions
from dpcore.cli import BAD_INPUT, main
from dpcore.release import Ledger
from tests.bad_areas import BAD, GOOD, HERE, area, collection

BOX = regions.boroughs().box
RELEASE = ["release", "adaptive", "--data", "nyc-taxi", "-k", "3", "--epsilon", "1", "--yes"]


@pytest.mark.parametrize(("features", "complaint"), BAD.values(), ids=BAD)
def test_bad_areas_are_refused_in_a_sentence(features, complaint):
    with pytest.raises(dpcore.BadInput, match=r"(?s)^.{20,300}$") as refused:
        regions.parsed(collection(*features), BOX)
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_release_by_bad_areas_spends_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DPCORE_LEDGER", str(tmp_path / "books"))
    path = tmp_path / "areas.geojson"
    above = [area("a", HERE, epsilon=5.0)], "'a' must be a number from 1e-06 to 1"
    for features, complaint in (*BAD.values(), above):
        path.write_text(collection(*features))
        command = [*RELEASE, "--allowed", "3", "--regions", str(path)]
        assert main([*command, "--output", str(tmp_path / "out")]) == BAD_INPUT
        said = capsys.readouterr()
        assert complaint in said.err
        assert len(said.err.strip().splitlines()) == 1
        assert not (tmp_path / "out").exists()
    assert Ledger(tmp_path / "books").entries() == []


def test_ten_thousand_corners_and_a_filled_hole_are_areas():
    drawn = regions.parsed(collection(*GOOD), BOX)
    assert drawn.names == ("round", "core", "elsewhere")
