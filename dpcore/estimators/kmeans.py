"""Private k-means by scikit-learn's contract."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.validation import check_is_fitted

from dpcore.estimators.base import NO_WEIGHTS, PrivateEstimator
from dpcore.geometry.domain import FloatArray, IntArray


class PrivateKMeans(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    ClusterMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    PrivateEstimator,
):
    """k-means by private algorithms; its noise is simulated unless `noise="release"`.

    Simulated noise is fast, can be repeated and shows what a release would look like, but the
    centers may not be published. With `noise="release"` the noise is exact and has no seed, and
    each fit is charged: to a ledger, for centers that may be published, or to an accountant.

    Parameters
    ----------
    n_clusters : int, default=8
        Centers to find.
    epsilon : float, default=1.0
        Privacy budget of one call of `fit`.
    bounds : tuple (low, high), Box, dict or "private"
        The public box of the data: two numbers, two ends for each column, a `dpcore.Box`, or a
        pair for each column by name. It must be known without looking at the data, or found with
        a share of epsilon: "private".
    algorithm : str, default="auto"
        A key of `dpcore.ALGORITHMS`, or "auto" for the best one by public facts.
    delta : float, default=0.0
        Used only by algorithms that can; "auto" can where there are more than six columns.
    neighbors : {"add-remove", "replace-one"}, default="add-remove"
        Which two data sets must look alike.
    parameters : dict, default=None
        Settings of the algorithm.
    outside : {"drop", "clip"}, default="drop"
        Whether rows outside the bounds are dropped or moved to their edge.
    bounds_share : float, default=0.1
        The part of epsilon that finding bounds may spend, with `bounds="private"`.
    noise : {"simulated", "release"}, default="simulated"
        Simulated noise to look at, or exact noise that spends a budget.
    accountant : Accountant or None, default=None
        A budget in memory that several fits share, with `noise="release"`. Its centers have exact
        noise but are in no ledger.
    ledger : Ledger, str, Path or None, default=None
        The ledger, or its folder, that a release is charged to, with `noise="release"`.
    account : str or None, default=None
        The name of the data in the ledger and on the certificate.
    allowed : float or None, default=None
        What all releases of the data may spend together; needed for the first one.
    random_state : int, RandomState instance or None, default=None
        Repeats the simulated noise. Whoever knows it can undo the privacy.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers in data units.
    centers_ : SimulatedCenters, UnchargedCenters, ReleasedCenters or NonPrivateCenters
        The same, in the type that says what may be done with them; for exports.
    box_ : Box
        The box that was used, with the names of the columns.
    result_ : SimulatedResult, UnchargedResult or UnprovenResult
        The run: its transcript, what it published, its verdict. Missing with a ledger.
    release_ : Release
        The files and the entry in the ledger. Only with a ledger.
    bounds_transcript_ : Transcript
        What finding the bounds cost. Only with `bounds="private"`.

    Notes
    -----
    Only `fit` is private. `predict`, `transform` and `score` say where given rows lie, and are as
    private as these rows are; `labels_` is therefore not kept. An error about X itself, such as a
    NaN in it or no row at all, is no private answer either: only the owner of X may see it.

    `GridSearchCV` fits many times. With a ledger or an accountant all fits are charged and add up,
    and a fit that the budget cannot pay is refused. The scores by which it chooses look at rows
    without noise: choose on public or simulated data, then release once.

    Examples
    --------
    >>> import dpcore
    >>> X = [[0.1, 0.2], [0.2, 0.1], [0.8, 0.9], [0.9, 0.8]] * 500
    >>> model = dpcore.PrivateKMeans(n_clusters=2, epsilon=1.0, bounds=(0, 1), random_state=0)
    >>> model.fit(X).cluster_centers_.shape
    (2, 2)
    >>> len(set(model.predict(X)))
    2

    Centers that may be published:

    >>> model = dpcore.PrivateKMeans(
    ...     2, epsilon=0.5, bounds=(0, 1), noise="release",
    ...     ledger="books", account="points", allowed=2.0,
    ... )
    >>> type(model.fit(X).centers_).__name__
    'ReleasedCenters'
    >>> print(model.release_.entry.charged)
    ε 0.5
    """

    def transform(self, X: npt.ArrayLike) -> FloatArray:
        """Distances of each row to each center, where it was clustered: in unit coordinates.

        There the box is [-1, 1] in each column, so that each column counts alike; the smallest
        distance is that to the center which `predict` gives. The distances are not private.
        """
        return self._distances(X)

    def predict(self, X: npt.ArrayLike) -> IntArray:
        """The nearest center of each row, in unit coordinates. The labels are not private."""
        return np.asarray(self._distances(X).argmin(axis=1))

    def fit_predict(self, X: npt.ArrayLike, y: None = None, **refused: Any) -> IntArray:
        """Fit, then say which center is nearest to each row. The labels are not private."""
        return self.fit(X, **refused).predict(X)

    def score(self, X: npt.ArrayLike, y: None = None, sample_weight: None = None) -> float:
        """Minus the sum of squared distances to the nearest centers, in unit coordinates.

        It looks at the rows without noise, so it is not private.
        """
        if sample_weight is not None:
            raise TypeError(NO_WEIGHTS)
        return -float((self._distances(X).min(axis=1) ** 2).sum())

    def _distances(self, X: npt.ArrayLike) -> FloatArray:
        """The distances that `transform` gives, whatever container its output is set to."""
        check_is_fitted(self)
        unit = self.box_.to_unit
        rows = self._rows(X, reset=False)
        return np.asarray(euclidean_distances(unit(rows), unit(self.cluster_centers_)))

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)
