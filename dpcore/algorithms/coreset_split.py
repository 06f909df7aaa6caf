"""The coreset of Feldman et al. (2017) for more dimensions, one for each part (section 4.5)."""

from __future__ import annotations

from dpcore.algorithms.base import Algorithm, AuditHints, Parameter, PublishesPoints, Room, register
from dpcore.algorithms.coreset import SIZE_SHARE, private_coreset
from dpcore.privacy.accounting import MIN_EPSILON, Budget, Verdict
from dpcore.queries.curator import Curator
from dpcore.results.run_result import Outcome
from dpcore.results.steps import CentersNote, CoresetNote, RowsNote, SizeNote
from dpcore.results.synopsis import Coreset


@register
class CoresetSplit(Algorithm):
    """A private coreset of each of many random parts of the rows, side by side.

    Idea: Deal the rows at random into parts of ten thousand, make the private coreset of each,
    and join them. In many dimensions, where each search is slow, this is how the paper stays
    linear in the number of rows; noise then weighs on every part, so the error is larger.

    Unit: one row.

    Relation: add/remove, the number of rows private; replace-one, it is public and noise doubles.

    Private: The number of parts follows from the noisy (or public) number of rows. Every row draws
    its part independently of all others, so a row added or replaced changes one part, whatever was
    drawn, and parts are asked side by side at the price of one. Each pays for its own coreset as
    `coreset` does. Joining and clustering read the coresets only.

    Reconstructed: The paper deals its rows into parts of exactly 10,000; here parts have that size
    on average, so that no row's part depends on another row. Each part is summarised by `coreset`,
    since PRIVATE-K-MEAN to the letter has no answer on parts this small.
    """

    key = "coreset-split"
    title = "Private coreset, split"
    paper = "feldman2017"
    verdict = Verdict.PROVED
    publishes_points = PublishesPoints.ALWAYS
    publishes_coreset = True
    audit = AuditHints(
        settings={"rows": 1000}, rooms=(Room(3000, 3), Room(2500, 4), Room(100, 3, epsilon=1.02e-6))
    )
    uses_delta = True
    parameters = (Parameter("rows", "Rows in a part, on average.", 10_000, 1_000, 10_000_000),)

    def obstacle(self, d: int, n: int | None, k: int) -> str | None:
        if d in (3, 4):
            return None
        return f"it is for 3 and 4 dimensions; these data have {d}."

    def run(self, curator: Curator, k: int, *, rows: int) -> Outcome:
        coreset, parts = split_coreset(curator, k, rows)
        centers = coreset.unit_centers(k, curator.rng)
        curator.note(CentersNote(centers))
        return Outcome(centers, coreset, {"parts": parts, "points": len(coreset)})


def split_coreset(curator: Curator, k: int, rows: int) -> tuple[Coreset, int]:
    """The union of the parts' coresets, and how many parts there are: one, where epsilon is too
    small to be divided."""
    if curator.budget.epsilon * (1 - SIZE_SHARE) < MIN_EPSILON:
        return private_coreset(curator, k)[0], 1
    n, rest = curator.size(SIZE_SHARE)
    parts = max(1, round(n / rows))
    whole = curator.budget
    budget = Budget(whole.epsilon * rest, whole.delta, whole.accounting)
    divided = curator.in_parts(parts, budget)
    coresets = [private_coreset(part, k)[0] for part in divided]
    for step in (step for part in divided for step in part.steps):
        if isinstance(step.note, SizeNote | RowsNote):
            curator.note(RowsNote(step.note.n))
    union = coresets[0].union(*coresets[1:])
    curator.note(CoresetNote(union.unit_points, union.weights))
    return union, parts
