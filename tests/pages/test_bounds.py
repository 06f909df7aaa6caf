"""Every sentence of a page that says "at most" or "at least" is true of the exact value."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.privacy.explain import attacker_certainty
from pages.ui.verdicts import method_facts
from tests.pages.publishing import brought, page
from tests.pages.test_verdicts import chart, found, table

SURE = re.compile(
    r"(?:at most|more than \**|dashed line|[Bb]ound[^%]{0,20}?)\s*\**(\d+(?:\.\d+)?)\s%"
)
LEAST = re.compile(r"Audit\\?: at least ([\d.]+\d)")
SHARE = re.compile(r">([\d.]+)\s% of the claim<")
SHOWN = re.compile(r"ε ≥ ([\d.]+) of 1 claimed")
#: Whole percents, one decimal, and what nobody's slider stands at.
EPSILONS = (4.0, 1.0, 0.5, 0.37, 0.1, 0.02)


def all_words(app: AppTest) -> str:
    """Whatever a page says, in whatever kind of element."""
    kinds = (app.markdown, app.caption, app.warning, app.info, app.error, app.success, app.title)
    said = [str(each.value) for kind in kinds for each in kind]
    said += [str(each.proto.body) for each in app.get("html")]
    said += [str(each.value) for each in app.metric] + [str(each.label) for each in app.button]
    return "\n".join(said + [str(each.label) for each in app.expander])


def assert_true_and_tight(said: str, *epsilons: float) -> None:
    """Each "at most" is a bound at one of these epsilons, rounded up by less than one percent."""
    figures = [float(each) for each in SURE.findall(said)]
    assert figures
    exact = [100 * attacker_certainty(epsilon) for epsilon in epsilons]
    for figure in figures:
        assert any(0 <= figure - bound < 1 for bound in exact), (figure, exact)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_explore_tells_true_bounds(epsilon: float) -> None:
    app = page("app.py", data="s1-like", k=3, epsilon=epsilon)
    assert_true_and_tight(all_words(app), epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS[1:4])
def test_publish_tells_true_bounds(epsilon: float) -> None:
    """Of the release, of all releases together, and of a twin at a tenth of that."""
    app = brought(epsilon=epsilon)
    assert_true_and_tight(all_words(app), epsilon, 1.0, 0.1)


@pytest.mark.parametrize("epsilon", [2.0, 0.5, 0.2])
def test_the_game_tells_true_bounds(epsilon: float) -> None:
    app = page("pages/5_learn.py", part="game", epsilon=epsilon)
    assert_true_and_tight(all_words(app), epsilon)


def test_verdicts_round_the_audits_lower_bounds_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the table, in the words of a method's page, and in its chart."""
    bounds = {"eugkm": (0.5678, "0.56"), "dplloyd": (0.999, "0.99"), "adaptive": (0.0449, "0.044")}
    findings = found(*((key, bound) for key, (bound, _) in bounds.items()))
    # The page keeps an audit once it has read one, so what it keeps is what is replaced.
    monkeypatch.setattr(method_facts, "audited", lambda: findings)
    shares = {float(each) for each in SHARE.findall(table(page("pages/3_verdicts.py")))}
    assert shares == {56, 99, 4.4}
    for key, (_, told) in bounds.items():
        app = page("pages/3_verdicts.py", method=key)
        assert LEAST.findall(all_words(app)) == [told]
        (bars,) = chart(app)["data"]
        assert [SHOWN.findall(text) for text in bars["text"]] == [[told]]
