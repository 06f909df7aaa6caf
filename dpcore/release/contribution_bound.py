"""The number of rows that each person has, asked privately, from the budget.

A release that protects a person counts at most m rows of each. To choose m by looking at the data
would reveal something about them. If m is not known, it can be asked for here: about the least
number on a public ladder that 95 % of all ids do not exceed.

**The unit** is everything that one id has, under add/remove, as in the release that follows. Rows
without an id belong to nobody and are left out.

**Sensitivity.** Let c be the number of rows of an id, at most the end of the ladder. Each id is one
entry of a list of such numbers, and whoever is added or removed, with all rows, adds or removes one
entry; the numbers of all others stay. The answer is one choice among the steps of the ladder by the
exponential mechanism. The score of a step is how nearly it holds the entry at the share of all;
`dpcore.runs.private_bounds.QuantileSlab` proves that one entry moves no score by more than 1. So
the answer is epsilon-private for one id.

**Composition.** The charge joins the account of the data like that of any release: it is asked of
the same table, under the same relation and unit, and the account adds up epsilons also where later
questions are chosen by earlier answers (`dpcore.release.ledger`). The ledger is charged in the
transaction that keeps the answer, before anybody sees it; a run that ends after noise was asked for
is charged in full.

A release then publishes m, as part of its terms. The epsilon of that release does not include the
question; what its certificate says of everything drawn from the data so far does.

With N steps and epsilon e, the number of ids up to the chosen step misses the share by more than
(2 / e) ln(N / chance) with at most that chance: some 300 ids at 0.05.
"""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction

import numpy as np

from dpcore.datasets.rows import RowsDataset
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, IntArray
from dpcore.privacy.accounting import Budget, Neighbors
from dpcore.privacy.losses import Selection
from dpcore.privacy.noise import Noise
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.privacy.rounding import down
from dpcore.queries.curator import Curator
from dpcore.release.accounts import Claim
from dpcore.release.amounts import Amount
from dpcore.release.ledger import Actors, Entry, Ledger
from dpcore.release.publish import ChangedData, Unanswered, spent
from dpcore.release.sources import FileData
from dpcore.release.unit import Unit
from dpcore.runs.private_bounds import QuantileSlab

#: What the ledger calls such a question, and where a line of the ledger holds the answer.
PURPOSE, ANSWER = "rows of each", "rows of each"
#: The steps among which the answer is chosen.
LADDER = (
    *range(1, 21), 25, 30, 35, 40, 45, 50, 60, 70, 80, 90, 100, 120, 150, 200, 250, 300, 400, 500,
    600, 800, 1000, 1500, 2000, 3000, 5000, 10_000,
)  # fmt: skip
#: The share of ids that have no more rows than the answer, about.
SHARE = Fraction(95, 100)


def ask_rows_of_each(
    ledger: Ledger,
    name: str,
    data: FileData,
    unit: Unit,
    epsilon: float,
    allowed: Amount | None = None,
    actors: Actors | None = None,
) -> Entry:
    """Ask how many rows about 95 % of all ids do not exceed, and charge the ledger for it.

    Parameters
    ----------
    ledger : Ledger
        What to charge.
    name : str
        The name of the data set.
    data : FileData
        The files. Rows count wherever they lie, so their columns and box are not used.
    unit : Unit
        What is protected, told apart by the column `unit.ids`.
    epsilon : float
        What the question costs.
    allowed : Amount or None, default=None
        What everything about these data may cost together; needed if the account is new.
    actors : Actors or None, default=None
        Who asked for it.

    Returns
    -------
    Entry
        The new line of the ledger; `rows_of_each(entry)` is the answer.

    Raises
    ------
    ValueError
        If the unit names no column of ids, or the account is new and `allowed` is missing.
    ReleaseRefused
        If the account has less left; nothing is spent.
    Unanswered
        If the question ended without an answer after it drew noise; `entry` says what it cost.

    Examples
    --------
    >>> import dpcore
    >>> from dpcore.release import Amount, FileData, Ledger, Unit, ask_rows_of_each, rows_of_each
    >>> with open("rides.csv", "w") as file:
    ...     _ = file.write("card,lon\\n" + "".join(f"{i // 3},1\\n" for i in range(9000)))
    >>> data = FileData("rides.csv", ("lon",), dpcore.Box((0,), (2,), ("lon",)))
    >>> unit = Unit("passenger", ids="card")
    >>> entry = ask_rows_of_each(
    ...     Ledger("books"), "rides", data, unit, 0.5, allowed=Amount.of(1.0)
    ... )
    >>> rows_of_each(entry)
    3
    """
    if unit.ids is None:
        raise BadInput("Name the column that tells people apart: rows are counted by it.")
    total = ledger.lifetime_budget(name, allowed)
    price, budget = Amount.of(epsilon), Budget(epsilon)
    state = data.state()
    claim = Claim(name, Neighbors.ADD_REMOVE, unit, total, price, data.fingerprints(ledger.key))
    ledger.check(claim)
    time = datetime.now(UTC).isoformat(timespec="seconds")
    counts = data.rows_of_ids(unit.ids, LADDER[-1])
    if data.state() != state:
        raise ChangedData()
    noise = ReleaseNoise()
    question = {
        "epsilon": float(price.epsilon),
        "delta": 0.0,
        "unit": unit.as_dict(),
        "statement": f"How many rows each {unit.name} has, at most, for about "
        f"{float(100 * SHARE):g} in 100",
    }
    try:
        answer = private_step(counts, Budget(down(price.epsilon), budget.delta), noise)
    except BaseException as error:
        if noise.has_answered:
            failure = f"It ended early ({type(error).__name__})."
            entry = ledger.record(
                claim, PURPOSE, time, question, {}, failure=failure, actors=actors
            )
            if isinstance(error, Exception):
                raise Unanswered(entry) from error
            error.add_note(spent(entry))
        raise
    answered = {**question, ANSWER: answer, "statement": f"{question['statement']}: {answer:,}"}
    return ledger.record(claim, PURPOSE, time, answered, {}, actors=actors)


def private_step(counts: IntArray, budget: Budget, noise: Noise) -> int:
    """The step of the ladder that about 95 % of all ids do not exceed, chosen privately.

    `counts` has how many ids have 0, 1, ... rows.
    """
    steps = np.searchsorted(LADDER, np.arange(len(counts)))
    entries = np.repeat(np.minimum(steps, len(LADDER) - 1), counts) + 0.5
    ids = RowsDataset.from_values(entries[:, None], Box.cube(1, 0, len(LADDER)))
    curator = Curator(ids, budget, noise, Neighbors.ADD_REMOVE)
    score = QuantileSlab(0, SHARE, len(LADDER), Neighbors.ADD_REMOVE)
    return LADDER[curator.select(score, Selection(budget.epsilon), "rows of each id")]


def rows_of_each(entry: Entry) -> int:
    """The answer that a line of the ledger holds.

    Parameters
    ----------
    entry : Entry
        The line that `ask_rows_of_each` returned.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If the line is no such question.

    Examples
    --------
    >>> from dpcore import Request
    >>> from dpcore.release import BuiltinData, Ledger, ReleasePlan, publish
    >>> from dpcore.release import rows_of_each
    >>> flowers = ReleasePlan("flowers", BuiltinData("s1-like"), Request("dplloyd", 2, 0.5))
    >>> rows_of_each(publish(flowers, Ledger("books")).entry)
    Traceback (most recent call last):
    ...
    dpcore.errors.BadInput: Entry 1 of the ledger is no such question.
    """
    if ANSWER not in entry.plan:
        raise BadInput(f"Entry {entry.number} of the ledger is no such question.")
    return int(entry.plan[ANSWER])
