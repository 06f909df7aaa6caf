"""The registry of findings, and `dpcore reproduce`."""

from __future__ import annotations

import gzip
import json
import re

import numpy as np
import pytest

from dpcore.algorithms import ALGORITHMS, PAPERS
from dpcore.cli import BAD_INPUT, main
from dpcore.cli.reproduce import tell
from dpcore.datasets.builtin import builtin_set
from dpcore.datasets.paper_sets import EXTRA
from dpcore.papers import REPRODUCTIONS, ReproductionRun, Row, current_name, reproduce


@pytest.fixture
def donors(tmp_path, monkeypatch):
    """A folder with a file that is read as the Blood Transfusion set; one epsilon is enough."""
    monkeypatch.setattr("dpcore.papers.ni2021.EPSILONS", (1.0,))
    rng = np.random.default_rng(0)
    box = EXTRA["blood"].box
    rows = rng.uniform(box.low, box.high, (200, box.d))
    lines = [",".join(box.names), *(",".join(f"{v:.3f}" for v in row) for row in rows)]
    with gzip.open(tmp_path / EXTRA["blood"].file, "wt") as file:
        file.write("\n".join(lines))
    return str(tmp_path)


@pytest.mark.parametrize("each", REPRODUCTIONS.values(), ids=REPRODUCTIONS)
def test_a_finding_names_what_exists_and_says_what_is_claimed(each):
    assert each.paper in PAPERS
    assert each.name.startswith(f"{each.paper}-")
    assert each.claim.endswith(".")
    assert set(each.algorithms) <= set(ALGORITHMS)
    for key in each.data:
        assert key in EXTRA or builtin_set(key)


def test_a_finding_is_found_under_its_earlier_names_too():
    assert current_name("su2016-fig1") == current_name("000-fig1") == "su2016-fig1"
    assert current_name("005-fig1") is None
    for each in REPRODUCTIONS.values():
        assert {current_name(alias) for alias in each.aliases} == {each.name}


def test_an_unknown_finding_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"There are: .*su2016-fig1"):
        next(reproduce("su2016-fig99"))


def test_without_a_name_every_finding_is_listed_with_its_claim(capsys):
    assert main(["reproduce"]) == 0
    text = capsys.readouterr().out
    squeezed = " ".join(text.split())
    for each in REPRODUCTIONS.values():
        assert f"  {each.name} " in text
        assert each.claim in squeezed


def test_the_list_as_json_holds_every_finding_in_the_order_of_the_figures(capsys):
    assert main(["reproduce", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    names = [each["name"] for each in listed]
    assert sorted(names) == sorted(REPRODUCTIONS)
    assert [name for name in names if name.startswith("su2016")] == [
        "su2016-table1",
        *(f"su2016-fig{number}" for number in range(1, 8)),
    ]


def test_a_finding_is_told_with_claim_figures_and_verdict(donors, capsys):
    assert main(["reproduce", "ni2021-fig3-9", "--quick", "--data", donors]) == 0
    text = capsys.readouterr().out
    assert "Claim: On Blood with k = 4" in text
    assert "allocation-k" in text
    assert any(line in ("REPRODUCED", "NOT REPRODUCED") for line in text.splitlines())
    assert "better than DPLloyd" in text


def test_a_finding_as_json_holds_rows_and_verdict(donors, capsys):
    main(["reproduce", "ni2021-fig3-9", "--quick", "--data", donors, "--json"])
    (outcome,) = json.loads(capsys.readouterr().out)
    assert outcome["finding"] in ("reproduced", "not reproduced")
    assert outcome["rows"][0].keys() >= {"epsilon", "algorithm", "figure", "paper"}


def test_a_papers_number_runs_all_of_its_findings_and_skips_visibly(donors, capsys):
    assert main(["reproduce", "003", "--quick", "--data", donors]) == 0
    text = capsys.readouterr().out
    assert text.count("CANNOT BE RUN") == 10
    assert EXTRA["travel"].file in text


def test_a_set_that_does_not_ship_is_skipped_without_a_folder(capsys):
    assert main(["reproduce", "ni2021-fig8-14"]) == 0
    text = capsys.readouterr().out
    assert "CANNOT BE RUN" in text
    assert "credit does not ship: name the folder that holds it" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing"], "No finding or paper 'nothing'"),
        (["su2016-fig1", "--data", "/no/such/folder"], "/no/such/folder is not one"),
    ],
)
def test_wrong_names_are_one_line_and_an_exit_code(arguments, words, capsys):
    assert main(["reproduce", *arguments]) == BAD_INPUT
    assert words in capsys.readouterr().err


def test_the_papers_numbers_stand_beside_ours_and_what_is_missing_is_said(capsys):
    each = REPRODUCTIONS["su2016-fig5"]
    (row,) = (row for row in each.printed if row.paper == 0.02172)
    tell(ReproductionRun(each, [each.beside(Row({**row.setting, "source": "stand-in"}, 0.0166))]))
    text = capsys.readouterr().out
    assert "In the paper: NICV against epsilon" in text
    assert re.search(r"0\.0166 +0\.02172", text)
    assert "The paper prints 0.244 for NICV · hybrid, always with a round · adult" in text
