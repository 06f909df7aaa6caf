"""The unit of privacy: a row, or a person with a limited number of rows."""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.errors import BadInput
from dpcore.privacy.accounting import Budget, Neighbors
from dpcore.privacy.groups import of_one_row

#: More rows than this for each id would leave next to nothing of any budget for one of them.
MOST_ROWS = 10_000


@dataclass(frozen=True)
class Unit:
    """The unit of privacy: one row or, with `ids`, the person behind an id.

    With ids at most `rows` rows of each are kept, chosen at random by the engine; rows without an
    id, which belong to nobody who could be counted, are left out.

    **Bounding.** Whatever key the choice is drawn by, which rows of an id are kept depends on the
    key and on that id's rows alone. So two data sets that differ by everything one id has differ,
    once bounded, by at most m rows of that id and by nothing else: m steps of add/remove.

    **Pure epsilon.** A run that is (epsilon/m)-private for one row is epsilon-private for m of
    them: each of m steps costs a factor e^(epsilon/m). It is the same as m times the sensitivity,
    since every scale of noise is a sensitivity over an epsilon.

    **Epsilon and delta.** If P(M(x) in S) <= e^a P(M(y) in S) + b for each step, then for m steps
    P <= e^(ma) Q + b (1 + e^a + ... + e^((m-1)a)) = e^(ma) Q + b (e^(ma) - 1)/(e^a - 1), one step
    put into the next (theorem 2.2 of Dwork and Roth 2014 is the case b = 0). A run at a = epsilon/m
    and b = delta (e^a - 1)/(e^epsilon - 1) is thus (epsilon, delta)-private for one id. Runs that
    count in rho inside spend at most the rho that implies (a, b), so the same holds for them.

    Under replace-one the number of rows would be public, but an id that is replaced by another may
    bring more rows or fewer: with ids that relation is refused.

    Parameters
    ----------
    name : str, default="row"
        What is protected: a trip, a passenger.
    ids : str or None, default=None
        The column that tells units apart, if a unit may have several rows.
    rows : int, default=1
        How many rows of each id are kept, at most.

    Raises
    ------
    ValueError
        If the name is empty, or `rows` is out of range or given without `ids`.

    Examples
    --------
    >>> from dpcore import Budget
    >>> from dpcore.release import Unit
    >>> Unit("passenger", ids="card", rows=4).per_row(Budget(1.0)).epsilon
    0.25
    """

    name: str = "row"
    ids: str | None = None
    rows: int = 1

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise BadInput("Say what is protected: a row, a trip, a person.")
        if isinstance(self.rows, bool) or not isinstance(self.rows, int):
            raise BadInput(f"The rows kept for each id are a whole number, not {self.rows!r}.")
        if not 1 <= self.rows <= MOST_ROWS:
            raise BadInput(f"From 1 to {MOST_ROWS:,} rows are kept for each id, not {self.rows}.")
        if self.ids is None and self.rows != 1:
            raise BadInput("How many rows are kept is counted by id: name the column of ids.")

    def per_row(self, budget: Budget) -> Budget:
        """The budget of a run for one row, so that the unit is protected at the whole budget: both
        rounded down."""
        return of_one_row(budget, self.rows)

    def refuse(self, neighbors: Neighbors) -> None:
        """Raise where the relation does not fit the unit."""
        if self.ids is not None and not neighbors.size_is_private:
            raise BadInput(
                f"With ids, data are private under {Neighbors.ADD_REMOVE} only: one {self.name} "
                "replaced by another may bring more rows or fewer, so that their number could not "
                "be public."
            )

    def as_dict(self) -> dict[str, str | int | None]:
        return {"name": self.name, "ids": self.ids, "rows": self.rows}
