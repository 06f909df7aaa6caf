"""Verdicts through Streamlit's own test runner: every method, its argument, the audit's word."""

from __future__ import annotations

from collections import Counter

import pytest
from streamlit.testing.v1 import AppTest

from dpcore import audit
from dpcore.algorithms import ALGORITHMS
from dpcore.algorithms.references import NUMBERS, PAPERS, short
from dpcore.audit import AuditFinding, Evidence, Findings
from dpcore.privacy.accounting import Verdict
from tests.pages import visits
from tests.pages.visits import visited


def page(**query: str) -> AppTest:
    return visited("pages/3_verdicts.py", **query)


def words(app: AppTest) -> str:
    return f"{visits.words(app)}\n{visits.html(app)}"


def titles(app: AppTest) -> list[str]:
    lines = (str(text.value) for text in app.markdown)
    return [line.removeprefix("#### ") for line in lines if line.startswith("#### ")]


def test_names_in_the_code_are_set_as_such() -> None:
    said = words(page())
    assert "<code>dpcore.queries.boxes</code>" in said
    assert "`" not in said.partition("Private.")[2]


def found(*lower_bounds: tuple[str, float], cost: float | None = None) -> Findings:
    return Findings(
        "2026-01-02",
        500,
        tuple(
            AuditFinding(
                key,
                str(ALGORITHMS[key].verdict),
                "add-remove",
                "lone row",
                1.0,
                0.0,
                bound,
                Evidence("an event", round(400 * (bound > 1)), 500, 0, 500),
                cost,
                0.0,
            )
            for key, bound in lower_bounds
        ),
        (),
    )


@pytest.fixture(autouse=True)
def no_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Findings:
        raise FileNotFoundError("audit.json does not ship.")

    monkeypatch.setattr(audit, "findings", missing)


def test_every_method_is_there_with_its_verdict() -> None:
    shown = titles(page())
    assert len(shown) == len(ALGORITHMS)
    for line, algorithm in zip(shown, ALGORITHMS.values(), strict=True):
        assert line.startswith(algorithm.title)
        assert f"-badge[{algorithm.verdict}]" in line
        assert ("orange" in line) == (algorithm.verdict is Verdict.UNPROVEN)


@pytest.mark.parametrize("paper", list(PAPERS))
def test_one_paper_is_shown_alone_and_stands_in_the_address(paper: str) -> None:
    app = page()
    app.selectbox(key="at-paper").set_value(paper).run()
    own = [a for a in ALGORITHMS.values() if a.paper == paper]
    assert len(titles(app)) == len(own)
    assert app.query_params["paper"] in (paper, [paper])
    counts = Counter(algorithm.verdict for algorithm in own)
    said = ", ".join(f"{counts[v]} {v.lower()}" for v in Verdict if counts[v])
    assert f"{said}." in words(app)


def test_a_method_from_the_address_lies_open() -> None:
    opened = [e.proto.expanded for e in page(algorithm="dplloyd").expander]
    assert opened == [key == "dplloyd" for key in ALGORITHMS]


def test_an_argument_says_why_it_is_private_or_what_is_wrong() -> None:
    said = words(page(paper="joshi2022"))
    assert "<b>Flaw.</b>" in said
    assert "<b>Repair.</b>" in said
    assert "<b>Private.</b>" in words(page(paper="ours"))


def test_without_an_audit_it_says_so() -> None:
    app = page()
    assert "are not here yet" in words(app)
    assert words(app).count("Not audited yet.") == len(ALGORITHMS)


def test_a_bound_below_the_claim_ends_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "findings", lambda: found(("dplloyd", 0.5)))
    said = words(page(paper="su2016"))
    assert "Claimed: ε = 1. Audit: at least 0.5, on the pair “lone row”." in said
    assert "width: 30.0%" in said
    assert "refuted" not in said


def test_a_bound_beyond_the_claim_refutes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "findings", lambda: found(("eugkm-published", 4.5)))
    said = words(page(paper="su2016"))
    assert "at least 4.5. The claim is refuted." in said
    assert "width: 100.0%" in said


@pytest.mark.parametrize(
    ("cost", "why"),
    [(float("inf"), "something gets out without noise"), (2.0, "its noise is worth ε = 2")],
)
def test_noise_that_does_not_cover_the_claim_refutes_it_too(
    monkeypatch: pytest.MonkeyPatch, cost: float, why: str
) -> None:
    monkeypatch.setattr(audit, "findings", lambda: found(("eugkm-published", 0.2), cost=cost))
    said = words(page(paper="su2016"))
    assert f"at least 0.2. The claim is refuted: on the pair “lone row” {why}." in said
    assert "width: 100.0%" in said


def test_nonsense_in_the_address_is_taken_out_of_it() -> None:
    app = page(paper="999")
    assert "paper" not in app.query_params
    assert len(titles(app)) == len(ALGORITHMS)


def test_the_old_number_of_a_paper_in_the_address_still_finds_it() -> None:
    for number, key in NUMBERS.items():
        assert titles(page(paper=number)) == titles(page(paper=key))


def test_a_card_names_its_paper_by_authors_and_year_and_gives_its_bibtex() -> None:
    app = page(paper="su2016")
    assert words(app).count(short("su2016")) >= len(titles(app))
    assert all("@inproceedings{su2016," in code.value for code in app.code)
    assert len(app.code) == len(titles(app))


def test_a_theorem_is_evaluated_for_the_choice_in_the_address() -> None:
    said = words(page(paper="feldman2017", data="nyc-taxi", k="5", epsilon="0.5", delta="1e-8"))
    assert "evaluated for 50,000 rows of 2 coordinates" in said
    assert "theorem 3.6 (section 3.3). Says nothing here: t_min = 25.8 billion rows" in said
    assert "gamma is O(k log n) and eta is t_min" in said
    other = words(page(paper="feldman2017", data="nyc-taxi", k="5", epsilon="4", delta="1e-8"))
    assert "t_min = 25.8 billion" not in other


def test_data_that_are_not_here_leave_the_theorems_at_public_ones() -> None:
    said = words(page(paper="su2016", data="own-000000000000"))
    assert "evaluated for 50,000 rows" in said
    assert "proposition 1" in said
