"""The base of the estimators: their parameters, and one private answer about X."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from dpcore.datasets.base import DataInfo
from dpcore.datasets.rows import RowsDataset
from dpcore.errors import BadInput
from dpcore.estimators.accountant import Accountant
from dpcore.geometry.domain import Box, FloatArray
from dpcore.geometry.positions import looks_geographic
from dpcore.privacy.noise import Noise, SimulatedNoise
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.privacy.rounding import down
from dpcore.privacy.transcript import Transcript
from dpcore.release.amounts import Amount
from dpcore.release.array_source import ArrayData
from dpcore.release.ledger import Ledger
from dpcore.release.plan import ReleasePlan
from dpcore.release.publish import Release, publish
from dpcore.release.unit import Unit
from dpcore.results.centers import PrivateCenters, SimulatedCenters
from dpcore.results.run_result import RunResult
from dpcore.results.synopsis import Synopsis
from dpcore.runs.private_bounds import find_box, numbered
from dpcore.runs.request import Request
from dpcore.runs.run import run

SIMULATED, RELEASE, PRIVATE = "simulated", "release", "private"
NO_WEIGHTS = (
    "Rows cannot be weighted: how much one row can change an answer must be known, and every row "
    "counts once. Leave out sample_weight; repeat rows instead, if a repetition may count as a row "
    "of its own."
)
#: How errors of scikit-learn begin that quote values of X, and what is said in their place.
QUOTING = {
    "could not convert string": "X holds text where numbers are needed.",
    "Complex data": "Complex data not supported: X must hold real numbers.",
    **dict.fromkeys(
        ("Expected 2D array", "Expected a 2-dimensional container"),
        "Expected 2D array: one row for each sample, one column for each feature. "
        "Reshape your data, with X.reshape(-1, 1) if they have one feature.",
    ),
}
#: Public bounds: a box, ends for all columns, or a pair of ends for each column by its name.
Bounds = (
    Box
    | tuple[npt.ArrayLike, npt.ArrayLike]
    | Mapping[str, Sequence[float]]
    | Mapping[int, Sequence[float]]
    | str
)


class PrivateEstimator(BaseEstimator):  # type: ignore[misc]
    """The parameters of an estimator, and one private answer about the rows of X."""

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        epsilon: float = 1.0,
        bounds: Bounds | None = None,
        algorithm: str = "auto",
        delta: float = 0.0,
        neighbors: str = "add-remove",
        parameters: dict[str, Any] | None = None,
        outside: str = "drop",
        bounds_share: float = 0.1,
        noise: str = SIMULATED,
        accountant: Accountant | None = None,
        ledger: Ledger | str | Path | None = None,
        account: str | None = None,
        allowed: float | None = None,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.bounds = bounds
        self.algorithm = algorithm
        self.delta = delta
        self.neighbors = neighbors
        self.parameters = parameters
        self.outside = outside
        self.bounds_share = bounds_share
        self.noise = noise
        self.accountant = accountant
        self.ledger = ledger
        self.account = account
        self.allowed = allowed
        self.random_state = random_state

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        status = "" if self.noise == RELEASE else f"  # {SimulatedCenters.status}"
        return f"{super().__repr__(N_CHAR_MAX)}{status}"

    def fit(self, X: npt.ArrayLike, y: None = None, **refused: Any) -> Self:
        """Ask about the rows of X once, with a budget of epsilon.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows in data units.
        y : None
            Not used.
        **refused : object
            Nothing else may be given; `sample_weight` is refused with the reason.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._keep_synopsis(self._answer(X, refused))
        return self

    def _keep_synopsis(self, published: Synopsis | None) -> None:
        """Keep the synopsis that was published beside the centers."""

    def _answer(self, X: npt.ArrayLike, refused: Mapping[str, Any]) -> Synopsis | None:
        """Ask about the rows once, and keep the answer and its cost."""
        if refused.get("sample_weight") is not None:
            raise TypeError(NO_WEIGHTS)
        if others := refused.keys() - {"sample_weight"}:
            raise TypeError(f"fit takes X and y, not {', '.join(sorted(others))}.")
        rows = self._rows(X)
        if self.bounds is None:
            raise BadInput(
                f"{type(self).__name__} needs bounds=(low, high), the public box of the data: "
                "taking them from the data would betray its extreme rows. "
                "bounds='private' finds them with a share of epsilon."
            )
        self._check_noise()
        names = tuple(getattr(self, "feature_names_in_", _numbered(rows.shape[1])))
        self._check_method(rows.shape[1])
        for stale in ("result_", "release_", "bounds_transcript_"):
            if hasattr(self, stale):
                delattr(self, stale)
        if self.ledger is not None:
            return self._published(rows, _box(self.bounds, names))
        return self._run(rows, names)

    def _rows(self, X: npt.ArrayLike, reset: bool = True) -> FloatArray:
        """X as numbers, or an error that quotes none of them, as those of scikit-learn do."""
        try:
            return np.asarray(validate_data(self, X, dtype=np.float64, reset=reset))
        except ValueError as error:
            for words, problem in QUOTING.items():
                if str(error).startswith(words):
                    raise BadInput(problem) from None
            raise

    def _check_method(self, columns: int) -> None:
        """Refuse an algorithm that cannot give what is wanted, before anything is spent."""

    def _check_noise(self) -> None:
        """Refuse parameters that contradict each other, before anything is read or spent."""
        if self.noise not in (SIMULATED, RELEASE):
            raise BadInput(f"noise must be {SIMULATED!r} or {RELEASE!r}, not {self.noise!r}.")
        payers = [name for name in ("accountant", "ledger") if getattr(self, name) is not None]
        if self.noise == SIMULATED:
            if payers:
                raise BadInput(
                    f"Simulated noise uses no budget. Leave out {payers[0]}, "
                    "or set noise='release'."
                )
            return
        if len(payers) != 1:
            raise BadInput(
                "noise='release' uses a budget. Give either ledger=FOLDER, for centers that may "
                "be published, or accountant=dpcore.Accountant(epsilon)."
            )
        if self.random_state is not None:
            raise BadInput(
                "noise='release' takes no random_state: whoever knows it can remove the noise."
            )
        if not isinstance(self.accountant, Accountant | None):
            raise BadInput(
                f"accountant must be a dpcore.Accountant, not {self.accountant!r}. "
                "Make one with dpcore.Accountant(epsilon)."
            )
        if not isinstance(self.ledger, Ledger | str | Path | None):
            raise BadInput(f"ledger must be a Ledger or the path of its folder: {self.ledger!r}.")

    def _request(self, columns: int, epsilon: float, seed: int | None) -> Request:
        settings = self.parameters or {}
        return Request(
            self._method(columns),
            self.n_clusters,
            epsilon,
            self.delta,
            self.neighbors,
            seed,
            settings,
        )

    def _method(self, columns: int) -> str:
        """The algorithm for so many columns."""
        return self.algorithm

    def _run(self, rows: FloatArray, names: tuple[str, ...]) -> Synopsis | None:
        """A run whose noise is simulated, or exact and charged to the accountant."""
        seed = None
        if self.random_state is not None:
            seed = int(check_random_state(self.random_state).randint(2**31))
        whole = self._request(len(names), self.epsilon, seed)
        price = Amount.of(whole.epsilon, whole.delta)
        if self.accountant is not None:  # the float 0.1 is a little more than the tenth charged
            whole = replace(whole, epsilon=down(price.epsilon), delta=down(price.delta))
        searching = isinstance(self.bounds, str)
        if searching:
            for_bounds, rest = self._split(whole.epsilon)
            whole = replace(whole, epsilon=rest)
            whole.check_data(numbered(rows))
        else:
            data = self._data(rows, _box(self.bounds, names))
            whole.check_data(data)
        if self.accountant is not None:
            self.accountant.charge(price, whole.neighbors)
        if searching:
            box, self.bounds_transcript_ = self._search(rows, names, for_bounds, whole, seed)
            data = self._data(rows, box)
        noise = ReleaseNoise() if self.noise == RELEASE else None
        self.result_: RunResult = run(whole, data, noise=noise)
        self._keep(self.result_.centers, data.box)
        return self.result_.synopsis

    def _split(self, epsilon: float) -> tuple[float, float]:
        """The epsilon of the search for bounds and the rest: together at most epsilon."""
        if self.bounds != PRIVATE:
            raise BadInput(f"bounds must be ends or 'private', not {self.bounds!r}.")
        if not 0 < self.bounds_share < 1:
            raise BadInput(
                f"bounds_share must be a number between 0 and 1, not {self.bounds_share!r}."
            )
        searching = epsilon * self.bounds_share
        return searching, down(Fraction(epsilon) - Fraction(searching))

    def _search(
        self,
        rows: FloatArray,
        names: tuple[str, ...],
        epsilon: float,
        request: Request,
        seed: int | None,
    ) -> tuple[Box, Transcript]:
        """Bounds from noisy counts; with a seed, other noise than the run's."""
        noise: Noise = ReleaseNoise()
        if self.noise == SIMULATED:
            noise = SimulatedNoise(np.random.SeedSequence(seed).spawn(3)[2])
        return find_box(rows, names, epsilon, request.neighbors, noise)

    def _data(self, rows: FloatArray, box: Box) -> RowsDataset:
        about = DataInfo(geographic=looks_geographic(box))
        return RowsDataset.from_values(rows, box, about, self.outside)

    def _published(self, rows: FloatArray, box: Box) -> Synopsis | None:
        """A release, charged to the ledger, as it is read back from it."""
        books = self.ledger if isinstance(self.ledger, Ledger) else Ledger(str(self.ledger))
        if not self.account:
            raise BadInput(
                "Name the data with account=…: the name stands on the certificate, and all "
                "releases of the same data share one account."
            )
        account = books.account(self.account)
        if self.allowed is not None:
            allowed = Amount.of(self.allowed, self.delta)
        elif account is not None:
            allowed = account.allowed
        else:
            raise BadInput(
                f"This would be the first release of {self.account!r}: say with allowed=… what "
                "epsilon all releases of it may ever use."
            )
        plan = ReleasePlan(
            self.account,
            ArrayData(rows, box, self.outside),
            self._request(box.d, self.epsilon, seed=None),
            unit=Unit("row" if account is None else account.unit),
            allowed=allowed,
        )
        self.release_: Release = publish(plan, books)
        self._keep(self.release_.centers, box)
        return self.release_.synopsis

    def _keep(self, centers: Any, box: Box) -> None:
        self.box_: Box = box
        self.centers_: PrivateCenters = centers
        self.cluster_centers_: FloatArray = np.asarray(centers)


def _numbered(d: int) -> tuple[str, ...]:
    return tuple(f"x{i}" for i in range(d))


def _box(bounds: Any, names: tuple[str, ...]) -> Box:
    """The public box, at the columns of X in their order."""
    d = len(names)
    if isinstance(bounds, str):
        raise BadInput(
            f"bounds={bounds!r} cannot be charged to a ledger, whose certificates state a box that "
            "is publicly known. Give such bounds, or use accountant= in place of ledger=."
        )
    if isinstance(bounds, Box):
        if bounds.d != d:
            raise BadInput(f"The box has {bounds.d} coordinates, and X has {d} columns.")
        if names == _numbered(d):  # columns without names take those of the box
            return bounds
        if bounds.names == _numbered(d):
            return Box(bounds.low, bounds.high, names)
        if set(bounds.names) != set(names):
            raise BadInput(
                f"The box is of {', '.join(bounds.names)}, and the columns of X are "
                f"{', '.join(names)}."
            )
        return bounds.take([bounds.names.index(name) for name in names])
    if isinstance(bounds, Mapping):
        numbers = dict(enumerate(names))
        ends = {numbers.get(key, key): pair for key, pair in bounds.items()}
        if set(ends) != set(names):
            raise BadInput(
                f"bounds must name each column of X once: {', '.join(names)}, "
                f"not {', '.join(map(str, ends))}."
            )
        try:
            lows, highs = zip(*(ends[name] for name in names), strict=True)
        except (TypeError, ValueError):
            raise BadInput("bounds by column are pairs: {name: (low, high), …}.") from None
        return Box.between(lows, highs, d, names)
    try:
        low, high = bounds
    except (TypeError, ValueError):
        raise BadInput(
            "bounds must be (low, high) with numbers or with all low ends and all high ends, a "
            "dpcore.Box, a pair for each column in a dict {name: (low, high), …}, or 'private'."
        ) from None
    try:
        return Box.between(low, high, d, names)
    except BadInput as error:
        raise BadInput(
            f"{error} bounds are all low ends, then all high ends; for a pair of ends for each "
            "column, give a dict {name: (low, high), …}."
        ) from None
