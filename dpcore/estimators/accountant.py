"""A budget that several fits share within one process."""

from __future__ import annotations

import threading
from typing import Any, NoReturn, Self

from dpcore.errors import BadInput, BudgetExceeded
from dpcore.privacy.accounting import Neighbors
from dpcore.release.amounts import Amount


class Accountant:
    """A privacy budget that several fits on the same data share.

    Each fit with `noise="release"` charges it before any noise is drawn, and what is charged stays
    charged, however the fit ends. A clone of an estimator keeps the same accountant, so that
    `GridSearchCV` adds up what all its fits spend. It counts within one process and forgets when
    the process ends; to publish, charge a `dpcore.release.Ledger`.

    **Adding up.** All charges are answers about the same data under the same relation. Epsilons
    add up and deltas add up, also when later fits are chosen by looking at earlier ones, as long
    as the sums stay within bounds fixed at the start (Rogers, Roth, Ullman and Vadhan 2016). Sums
    are exact fractions.

    Parameters
    ----------
    epsilon : float
        What all fits together may spend.
    delta : float, default=0.0
        What all fits together may spend of delta.

    Raises
    ------
    ValueError
        If an amount is negative or not finite.

    Examples
    --------
    >>> import dpcore
    >>> accountant = dpcore.Accountant(epsilon=2.0)
    >>> X = [[0.1, 0.2], [0.8, 0.9]] * 500
    >>> model = dpcore.PrivateKMeans(
    ...     2, epsilon=0.5, bounds=(0, 1), noise="release", accountant=accountant
    ... )
    >>> centers = model.fit(X).centers_
    >>> print(accountant.spent, "of", accountant.allowed)
    ε 0.5 of ε 2
    """

    def __init__(self, epsilon: float, delta: float = 0.0):
        self.allowed = Amount.of(epsilon, delta)
        self._charges: list[Amount] = []
        self._neighbors: Neighbors | None = None
        self._lock = threading.Lock()

    @property
    def spent(self) -> Amount:
        """The budget that all fits have used so far."""
        return sum(self._charges, Amount())

    @property
    def left(self) -> Amount:
        """The budget that is left."""
        return self.allowed - self.spent

    def charge(self, price: Amount, neighbors: Neighbors) -> None:
        """Spend an amount, or raise BudgetExceeded and spend nothing."""
        with self._lock:
            if self._neighbors not in (None, neighbors):
                raise BadInput(
                    f"This accountant counts under {self._neighbors}; a fit under {neighbors} "
                    "cannot be added. Use another accountant."
                )
            if not price.within(self.left):
                raise BudgetExceeded(
                    f"The fit would cost {price}, and {self.left} of {self.allowed} is left."
                )
            self._neighbors = neighbors
            self._charges.append(price)

    def __repr__(self) -> str:
        return f"<Accountant: {self.spent} of {self.allowed} spent>"

    # Copies would each have a budget of their own.

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __sklearn_clone__(self) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "An Accountant counts within one process and cannot be sent to another or saved. Fit "
            "with n_jobs=1, or charge a ledger (ledger=FOLDER), which several processes can share."
        )
