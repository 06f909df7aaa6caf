"""Citations: the works by author and year, their BibTeX, and no paper by its number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dpcore.algorithms import ALGORITHMS, PAPERS
from dpcore.algorithms.references import NUMBERS, OWN, REFERENCES, bibtex, paper_key, short
from dpcore.cli import main

ROOT = Path(__file__).parents[2]
#: What people read: code, pages and documents. The findings name papers in their own way.
READ = [
    path
    for folder in ("dpcore", "pages", "docs")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".md", ".toml") and (ROOT / "dpcore/papers") not in path.parents
]


@pytest.mark.parametrize("work", REFERENCES.values(), ids=REFERENCES)
def test_an_entry_is_bibtex_with_authors_a_title_and_no_empty_field(work):
    entry = work.bibtex
    assert entry.startswith(f"@{work.kind}{{{work.key},\n")
    assert entry.count("{") == entry.count("}")
    fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", entry, re.MULTILINE))
    assert {"author", "title"} <= fields.keys()
    assert all(fields.values())
    assert fields.get("year", work.year) == work.year
    assert work.key == f"{work.authors[0].split()[-1].lower()}{work.year}"


def test_two_authors_are_both_named_and_more_are_not():
    assert short("joshi2022") == "Joshi and Thakkar (2022)"
    assert short("su2016") == "Su et al. (2016)"
    assert short("mcsherry2010") == "McSherry (2010)"
    assert PAPERS["ni2021"].startswith("Ni, Qiao, Chen, Zhang and Zhong (2021): Utility-efficient")


@pytest.mark.parametrize(("number", "key"), NUMBERS.items())
def test_the_old_number_of_a_paper_still_names_it(number, key):
    assert paper_key(number) == key
    assert key in PAPERS
    assert number not in PAPERS


@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=ALGORITHMS)
def test_every_method_can_be_cited(algorithm, capsys):
    assert main(["cite", algorithm.key]) == 0
    said = capsys.readouterr().out
    for key in algorithm.works:
        assert ("@software{dpcore," if key == OWN else f"{{{key},") in said
    assert said.count("@") == len(set(algorithm.works))


def test_a_work_is_cited_by_its_key_or_its_old_number_and_nonsense_is_refused(capsys):
    for name in ("balcan2017", "001"):
        assert main(["cite", name]) == 0
        assert capsys.readouterr().out.strip() == bibtex("balcan2017")
    assert main(["cite", "knuth1997"]) == 2
    assert "Nothing to cite for 'knuth1997'" in capsys.readouterr().err


@pytest.mark.parametrize("path", READ, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_calls_a_paper_by_its_number(path):
    assert not re.search(r"\b[Pp]aper\s+00\d", path.read_text(encoding="utf-8"))
