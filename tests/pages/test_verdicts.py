"""Verdicts through Streamlit's own test runner: the table, its order, and each method's page."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dpcore import audit
from dpcore.algorithms import ALGORITHMS
from dpcore.algorithms.references import NUMBERS, PAPERS, short
from dpcore.audit import AuditFinding, Evidence, Findings
from dpcore.papers import REPRODUCTIONS
from dpcore.privacy.accounting import Verdict
from dpcore.runs.request import Request
from dpcore.study.kept_standings import kept_standings
from pages.ui.verdicts import attack_chart, method_facts, typeset
from pages.ui.wording import plain
from tests.pages import visits
from tests.pages.visits import checked, visited


def page(**query: str) -> AppTest:
    return visited("pages/3_verdicts.py", **query)


def words(app: AppTest) -> str:
    return f"{visits.words(app)}\n{visits.html(app)}"


def table(app: AppTest) -> str:
    (drawn,) = [
        json.loads(each.proto.json)["html"]
        for each in app.get("bidi_component")
        if each.proto.component_name == "verdict-table"
    ]
    return str(drawn)


def listed(app: AppTest) -> list[str]:
    return re.findall(r"data-method=([\w-]+)>", table(app))


def row(app: AppTest, key: str) -> str:
    return table(app).partition(f"data-method={key}>")[2].partition("</tr>")[0]


def chart(app: AppTest) -> dict[str, Any]:
    return dict(json.loads(app.get("plotly_chart")[0].proto.spec))


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
def no_audit(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def missing() -> Findings:
        raise FileNotFoundError("audit.json does not ship.")

    monkeypatch.setattr(audit, "findings", missing)
    method_facts.audited.cache_clear()
    yield
    method_facts.audited.cache_clear()


def audited(monkeypatch: pytest.MonkeyPatch, findings: Findings) -> None:
    monkeypatch.setattr(audit, "findings", lambda: findings)
    method_facts.audited.cache_clear()


def test_the_table_has_every_method_with_its_verdict_and_whether_it_is_safe() -> None:
    app = page()
    assert sorted(listed(app)) == sorted(ALGORITHMS)
    for key, algorithm in ALGORITHMS.items():
        assert f">{algorithm.verdict.capitalize()}<" in row(app, key)
        assert method_facts.SAFE[algorithm.verdict] in row(app, key)
        assert (">No, for study only<" in row(app, key)) == (not algorithm.verdict.holds)
        assert short(algorithm.paper) in row(app, key)


def test_it_opens_with_proved_methods_first_and_the_most_accurate_of_them_on_top() -> None:
    order = [list(Verdict).index(ALGORITHMS[key].verdict) for key in listed(page())]
    assert order == sorted(order)
    best, *others = (
        kept_standings().of("nyc-taxi", Request(key, 5, 0.2, seed=0))
        for key in listed(page())
        if ALGORITHMS[key].verdict is Verdict.PROVED
    )
    errors = [each.figures["relative-error"][0] for each in others if each and each.figures]
    assert best.figures["relative-error"][0] <= min(errors)


def test_every_order_sorts_and_stands_in_the_heading() -> None:
    titles = [ALGORITHMS[key].title.lower() for key in listed(page(sort="method"))]
    assert titles == sorted(titles)
    assert "aria-sort=ascending><button data-sort=time>" in table(page(sort="time"))
    assert {listed(page(sort=sort))[0] for sort in ("error", "time")} <= set(ALGORITHMS)


def test_a_search_a_verdict_and_a_paper_leave_the_methods_that_match() -> None:
    app = page()
    app.text_input(key="at-search").set_value("quartiles blocks")
    assert set(listed(checked(app))) == {"gkm", "gkm-3k", "sample-aggregate"}
    assert listed(page(verdict="UNPROVEN", paper="joshi2022")) == [
        "kmeans-guarantee-published",
        "subclustering-published",
    ]
    assert "No method matches." in words(page(search="zebra"))


@pytest.mark.parametrize("paper", list(PAPERS))
def test_one_paper_is_shown_alone_and_stands_in_the_address(paper: str) -> None:
    app = page()
    app.selectbox(key="at-paper").set_value(paper).run()
    own = [a for a in ALGORITHMS.values() if a.paper == paper]
    assert sorted(listed(app)) == sorted(a.key for a in own)
    assert app.query_params["paper"] in (paper, [paper])
    counts = Counter(algorithm.verdict for algorithm in own)
    said = ", ".join(f"{counts[v]} {v.lower()}" for v in Verdict if counts[v])
    assert f"{said}." in words(app)


def test_a_link_of_the_table_is_the_permanent_address_of_a_method() -> None:
    assert "href='?data=iris&amp;method=eugkm'" in table(page(data="iris"))


@pytest.mark.parametrize("key", list(ALGORITHMS))
def test_the_page_of_a_method_gathers_all_that_is_known_of_it(key: str) -> None:
    app, algorithm = page(method=key), ALGORITHMS[key]
    said = words(app)
    assert plain(algorithm.title) in app.title[0].value
    assert typeset.markdown(algorithm.idea) in said
    for label in ("Private", "Flaw", "Repair"):
        if text := algorithm.specification.get(label):
            assert typeset.markdown(text) in said
    settings = [each for t in app.table for each in t.value.index]
    assert all(each.name in settings for each in algorithm.parameters)
    for each in REPRODUCTIONS.values():
        line = f"{plain(each.source)}. {plain(each.title)}"
        assert (line in said) == (key in each.algorithms)
    shell, python, cite, *_ = (code.value for code in app.code)
    assert shell.startswith(f"dpcore run {key} ")
    assert f"'{key}'" in python
    assert "@" in cite
    assert method_facts.SAFE[algorithm.verdict] in list(app.table[0].value[""])


def test_from_a_method_one_button_leads_back_to_the_table() -> None:
    app = page(method="eugkm")
    next(b for b in app.button if b.label == "All methods").click()
    assert "method" not in checked(app).query_params
    assert len(listed(app)) == len(ALGORITHMS)


def test_no_formula_of_a_specification_stays_plain_text_and_every_brace_closes() -> None:
    for algorithm in ALGORITHMS.values():
        for text in algorithm.specification.values():
            said = typeset.markdown(text)
            prose, formulas = said.split("$")[::2], said.split("$")[1::2]
            assert not re.search(r"\b(epsilon|delta)\b", re.sub(r"`[^`]*`", "", " ".join(prose)))
            for formula in formulas:
                assert formula.count("{") == formula.count("}")
                assert formula.count("(") == formula.count(")")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("scale 2 k d / epsilon, that is", r"scale $2\,k\,d / \varepsilon$, that is"),
        ("makes it epsilon_i^2/8 of zCDP", r"makes it $\varepsilon_{i}^{2} / 8$ of zCDP"),
        ("the part 2^(t-i) / (2^t - 1) in", r"the part $2^{t - i} / (2^{t} - 1)$ in"),
        ("is O(log^(3/2) n) times", r"is $O(\log^{3 / 2}\,n)$ times"),
        ("k-means of `dpcore.run` in 3-D", r"k-means of `dpcore.run` in 3-D"),
        ("89 rows give 2 x 2 cells", "89 rows give 2 x 2 cells"),
    ],
)
def test_a_formula_is_found_and_words_are_left_alone(text: str, said: str) -> None:
    assert typeset.markdown(text) == said


def test_without_an_audit_it_says_so() -> None:
    app = page()
    assert "are not here yet" in words(app)
    assert table(app).count("not audited") == len(ALGORITHMS)
    assert "Not audited yet." in words(page(method="eugkm"))


def test_a_bound_below_the_claim_ends_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    audited(monkeypatch, found(("dplloyd", 0.5)))
    app = page(method="dplloyd")
    assert "Claimed\\: ε = 1. Audit\\: at least 0.5, on the pair “lone row”." in words(app)
    (bar,) = chart(app)["data"]
    assert bar["x"] == [0.5]
    assert bar["text"] == [" ε ≥ 0.5 of 1 claimed"]
    assert chart(app)["layout"]["xaxis"]["title"]["text"] == attack_chart.AXIS
    assert "50\u00a0% of the claim" in row(page(), "dplloyd")


def test_a_bound_beyond_the_claim_refutes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    audited(monkeypatch, found(("eugkm-published", 1.25), ("dplloyd", 0.5)))
    app = page()
    assert "broke the claim" in row(app, "eugkm-published")
    (bar,) = chart(app)["data"]
    assert bar["x"] == [1.25, 0.5]
    said = words(page(method="eugkm-published"))
    assert "at least 1.2. The claim is refuted." in said


@pytest.mark.parametrize(
    ("cost", "why"),
    [(float("inf"), "something gets out without noise"), (2.0, "its noise is worth ε = 2")],
)
def test_noise_that_does_not_cover_the_claim_refutes_it_too(
    monkeypatch: pytest.MonkeyPatch, cost: float, why: str
) -> None:
    audited(monkeypatch, found(("eugkm-published", 0.2), cost=cost))
    app = page(method="eugkm-published")
    assert f"The claim is refuted\\: on the pair “lone row” {why}." in words(app)
    (bar,) = chart(app)["data"]
    assert bar["x"] == [min(cost, attack_chart.MOST)]


@pytest.mark.parametrize(
    "wrong", [{"paper": "999"}, {"method": "nope"}, {"sort": "nope"}, {"verdict": "nope"}], ids=str
)
def test_nonsense_in_the_address_is_taken_out_of_it(wrong: dict[str, str]) -> None:
    app = page(**wrong)
    assert next(iter(wrong)) not in app.query_params
    assert len(listed(app)) == len(ALGORITHMS)


def test_the_old_number_of_a_paper_in_the_address_still_finds_it() -> None:
    for number, key in NUMBERS.items():
        assert listed(page(paper=number)) == listed(page(paper=key))


def test_a_theorem_is_evaluated_for_the_choice_in_the_address() -> None:
    query = {"method": "coreset-faithful", "data": "nyc-taxi", "k": "5", "delta": "1e-8"}
    said = words(page(**query, epsilon="0.5"))
    assert "evaluated for 50,000 rows of 2 coordinates" in said
    assert "Says nothing here\\: t\\_min = 25.8 billion rows" in said
    assert typeset.markdown("gamma is O(k log n) and eta is t_min") in said
    assert "25.8 billion" not in words(page(**query, epsilon="4"))


def test_data_that_are_not_here_leave_the_theorems_at_public_ones() -> None:
    said = words(page(method="dplloyd", data="own-000000000000"))
    assert "evaluated for 50,000 rows" in said
    assert "proposition 1" in said


def test_paragraphs_of_an_argument_stay_paragraphs():
    said = typeset.markdown("It costs epsilon.\n\nUnder add/remove too.")
    assert said == "It costs $\\varepsilon$.\n\nUnder add/remove too."
