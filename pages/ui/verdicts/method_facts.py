"""A method in a few words: is it safe, what does it promise, what does it cost, and how far did an
attacker come."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from dpcore import audit
from dpcore.algorithms import ALGORITHMS, Algorithm
from dpcore.audit import AuditFinding, Findings
from dpcore.privacy.accounting import Neighbors, Verdict
from dpcore.privacy.explain import MIDDLE, NO_BREAK
from dpcore.privacy.rounding import at_least, at_most
from dpcore.study.kept_standings import RELATIVE, kept_standings
from dpcore.study.standings import Standing
from pages.ui.wording import percent

#: A verdict's color on the screen, what it means, and what it means for a publisher.
COLORS = {Verdict.PROVED: "blue", Verdict.REPAIRED: "blue", Verdict.UNPROVEN: "orange"}
MEANINGS = {
    Verdict.PROVED: "Its claim has a proof, which we checked.",
    Verdict.REPAIRED: "Its published claim fails. We repaired the method and proved the repair.",
    Verdict.UNPROVEN: "Its claim does not hold. The method is here for study only.",
}
SAFE = {
    Verdict.PROVED: "Yes",
    Verdict.REPAIRED: "Yes, as repaired here",
    Verdict.UNPROVEN: "No, for study only",
}
RELATIONS: dict[tuple[Neighbors, ...], str] = {
    (Neighbors.ADD_REMOVE,): "a row added or removed",
    (Neighbors.REPLACE_ONE,): "a row replaced",
}
EITHER = "a row added, removed or replaced"
#: The data on which a method's cost is told.
DATA = "nyc-taxi"
#: A first sentence of fewer letters, such as "Count noisily on a coarse grid.", suits many methods.
TOO_SHORT = 40
SENTENCE = re.compile(r"(?<=[.:])\s+(?=[A-Z`])")


@lru_cache(maxsize=1)
def audited() -> Findings | None:
    """The findings of the last audit, if there was one."""
    try:
        return audit.findings()
    except FileNotFoundError:
        return None


@dataclass(frozen=True)
class Attacked:
    """The success of attackers: the case that came farthest, and in words what it shows."""

    strongest: AuditFinding
    refuted: bool
    #: The epsilon that it comes to, infinite where something gets out without noise.
    reached: float
    words: str

    @property
    def part(self) -> float:
        """The part of the claim that was reached."""
        return self.reached / self.strongest.epsilon


def badge(verdict: Verdict) -> str:
    return f":{COLORS[verdict]}-badge[{verdict}]"


def in_short(algorithm: Algorithm) -> str:
    """The first sentence of its idea, and the next one where that says too little."""
    first, *others = SENTENCE.split(algorithm.idea, maxsplit=2)
    return " ".join([first, *others[:1]]) if len(first) < TOO_SHORT else first.rstrip(":")


def guarantee_words(algorithm: Algorithm) -> str:
    """The guarantee in words, and the change of the data that it covers."""
    what = "ε (δ optional)" if algorithm.uses_delta else "ε"
    return f"{what} for {RELATIONS.get(tuple(algorithm.relations), EITHER)}"


def guarantee_short(algorithm: Algorithm) -> str:
    """The guarantee in few words: the kind of change is named only if some are excluded."""
    what = "ε, δ optional" if algorithm.uses_delta else "ε"
    only = RELATIONS.get(tuple(algorithm.relations))
    return f"{what}, for {only}" if only else what


def kept_standing(algorithm: Algorithm) -> Standing | None:
    """Its figures on the data of the table of costs, at the level at which the pages open."""
    cell = kept_standings().cells.get((DATA, algorithm.key, MIDDLE.epsilon))
    return None if cell is None else cell.standing(algorithm.key, MIDDLE.epsilon, RELATIVE)


def error_words(standing: Standing | None) -> str:
    if standing is None or standing.point is None:
        return "cannot run there" if standing else "not measured"
    return percent(standing.point.mean)


def time_words(standing: Standing | None) -> str:
    if standing is None or standing.point is None:
        return "–"
    return f"{standing.seconds:.2g} s" if standing.seconds >= 0.0095 else "under 0.01 s"


def attacked(key: str, audit: Findings | None) -> Attacked | None:
    """The findings of the audit on a method; None if it was not audited."""
    strongest = audit.strongest(key) if audit else None
    if audit is None or strongest is None:
        return None
    refuted = [f for f in audit.of(key) if f.refutes(audit.family_confidence)]
    words, reached = _told(strongest, refuted)
    return Attacked(strongest, bool(refuted), reached, words)


def _told(strongest: AuditFinding, refuted: list[AuditFinding]) -> tuple[str, float]:
    """The result of the strongest attack, what refutes the claim, and the epsilon it comes to."""
    least = at_least(strongest.lower_bound, 2)
    words = f"Claimed: ε = {at_most(strongest.epsilon)}. Audit: at least {least}"
    if not refuted:
        return f"{words}, on the pair “{strongest.pair}”.", strongest.lower_bound
    if strongest.lower_bound > strongest.epsilon:
        return f"{words}. The claim is refuted.", strongest.lower_bound
    dearest = max(refuted, key=lambda f: (f.cost or 0) / f.epsilon)
    cost = (dearest.cost or 0) / dearest.epsilon * strongest.epsilon
    why = (
        "something gets out without noise"
        if math.isinf(cost)
        else f"its noise is worth ε = {at_least(cost, 2)}"
    )
    return f"{words}. The claim is refuted: on the pair “{dearest.pair}” {why}.", cost


def attack_words(strongest: Attacked | None) -> str:
    """The audit in a few words."""
    if strongest is None:
        return "not audited"
    if strongest.refuted:
        return "broke the claim"
    share = f"{at_least(100 * strongest.part, 2)}{NO_BREAK}%"
    return f"{share} of the claim" if strongest.part else "got nowhere"


def methods(paper: str | None, verdicts: list[str], search: str) -> list[Algorithm]:
    """The methods of a paper, with one of some verdicts, in which all words of a search occur."""
    words = search.lower().split()
    return [
        each
        for each in ALGORITHMS.values()
        if paper in (None, each.paper)
        and (not verdicts or str(each.verdict) in verdicts)
        and all(word in _text(each) for word in words)
    ]


def _text(algorithm: Algorithm) -> str:
    parts = (algorithm.key, algorithm.title, *algorithm.works, *algorithm.specification.values())
    return " ".join(parts).lower()
