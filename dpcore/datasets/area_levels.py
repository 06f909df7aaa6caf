r"""The protection that a level for each area of a map gives, proved and in words.

**Setting.** Everybody knows the areas A_1, ..., A_s: each place of the box lies in exactly one. A
row lies in an area by its own position. One run M_j is made on the rows of each area A_j, with
noise of its own, and is (b_j, d)-private for them under add-remove. What is published is a function
of all M_j and of public facts. The level of area j is e_j, and E is the largest level.

**Under add-remove, b_j = e_j.** A row added in area j changes the rows of A_j and of no other area,
so it changes the law of M_j alone: it costs e_j, and d (parallel composition). E covers every row,
which is what an account is charged. A row that *moves* from area i to area j is taken from one and
added to the other. M_i and M_j are independent given their rows, so the two steps add up: the move
costs e_i + e_j, within an area 2 e_j, and 2 E at most. No smaller number covers it: where each M_j
is a count with geometric noise, the counts move by one each, and the probability of the outcome
(high, low) changes by exp(e_i + e_j) exactly.

**Under replace-one, b_j = e_j / 2.** A replaced row is one taken away and one added. Within area j
that is two steps of M_j: 2 b_j = e_j. From area i to area j it is one step of each:
b_i + b_j = (e_i + e_j) / 2, the mean of both levels. Both are at most E. How many rows an area has
is not public, though how many there are in all is, so the run of an area is private under
add-remove and asks for its number of rows with noise. With a delta, M_j has
d_j = delta / (1 + exp(b_j)): two steps of M_j cost d_j (1 + exp(b_j)) = delta, and one step of
each costs d_i + d_j <= delta, because each is at most half of it.

**With ids and at most m rows of each (add-remove), b_j = e_j / m.** Let a person have r_j kept rows
in area j, r_1 + r_2 + ... <= m. Which rows are kept depends on the person's own rows and a key, not
on where others are. Without the person, M_j is r_j steps away, and the areas' runs are independent:
the person costs r_1 b_1 + r_2 b_2 + ..., which is the mean of the levels of the areas where the
rows lie, weighted by the rows, at most. So

* whoever has all rows in area j is protected at e_j,
* whoever has rows in several areas is protected at the largest of their levels or better,
* *that a person has rows in area j at all* costs r_j b_j <= e_j, wherever the other rows lie,
* and a person whose rows all move from area i to area j costs e_i + e_j, as a row does.

A low level at home does not make the whole person's trace private at that level: rows in an area
with a high level tell of the person at that higher level. E covers every person, and the account is
charged E. With a delta, d is delta (e^a - 1) / (e^(m a) - 1) for a = E/m: r steps of M_j cost
d (1 + e^b + ... + e^((r-1) b)) with b = b_j <= a, and all areas together no more than
d (1 + e^a + ... + e^((m-1) a)) = delta, because the exponents that are added are at most those.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from dpcore.datasets.city_shapes import ELSEWHERE
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.rounding import at_most

#: Areas whose level is told one by one.
MOST_TOLD = 20


def cost_of_move(origin: float, destination: float, neighbors: Neighbors) -> float:
    """The cost of a row that moves between areas of these levels, or within one."""
    together = origin + destination
    return together if neighbors is Neighbors.ADD_REMOVE else together / 2


def sentences(
    epsilons: Mapping[str, float],
    unit: str = "row",
    neighbors: Neighbors = Neighbors.ADD_REMOVE,
    rows: int = 1,
) -> list[str]:
    """Sentences on what the levels of all areas protect; one unit has at most `rows` rows."""
    levels = levels_line(epsilons)
    largest, *rest = sorted(epsilons.values(), reverse=True)
    between = at_most(cost_of_move(largest, rest[0], neighbors)) if rest else ""
    pays = f"The account pays the largest level, {at_most(largest)}: no {unit} costs more."
    if neighbors is Neighbors.REPLACE_ONE:
        apart = (
            f"If they lie in two areas, it is protected at the mean of both levels, {between} at "
            "most."
        )
        return [
            f"Which of two places a {unit} has is protected at the epsilon of the area, if both "
            f"places lie in the same one: {levels}.",
            *([apart] if rest else []),
            pays,
        ]
    if rows == 1:
        who = f"Whether a {unit} is in the data is protected at the epsilon of its area: {levels}."
    else:
        who = (
            f"Whether a {unit} was in an area at all is protected at the epsilon of that area: "
            f"{levels}. A {unit} with rows in several areas is protected as a whole at the mean of "
            "their levels, weighted by the rows, and never worse than at the largest of them."
        )
    two_areas = f"{between} at most between two areas and " if rest else ""
    move = (
        f"Where a {unit} lies is protected less. One that moves costs the epsilon of the area it "
        f"leaves plus that of the area it enters: {two_areas}{at_most(2 * largest)} at most within "
        "one."
    )
    return [who, move, pays]


def levels_line(epsilons: Mapping[str, float]) -> str:
    """The level of each area in a line: one that many areas have, or the rest of the map, is told
    last, as that of everywhere else."""
    count = Counter(epsilons.values())
    usual = epsilons.get(ELSEWHERE, max(count, key=lambda level: (count[level], level)))
    own = [f"{name} {at_most(e)}" for name, e in sorted(epsilons.items()) if e != usual]
    parts = [*own[:MOST_TOLD], *([f"{len(own) - MOST_TOLD} more areas"] if own[MOST_TOLD:] else [])]
    return ", ".join([*parts, f"{at_most(usual)} everywhere{' else' if own else ''}"])
