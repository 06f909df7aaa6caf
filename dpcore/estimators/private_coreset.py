"""A private coreset as weighted samples for other estimators."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from dpcore.algorithms import ALGORITHMS, get
from dpcore.errors import Infeasible
from dpcore.estimators.base import PrivateEstimator
from dpcore.geometry.domain import FloatArray
from dpcore.results.synopsis import Coreset, Synopsis

E = TypeVar("E")


class PrivateCoreset(PrivateEstimator):
    """A few weighted points in place of the rows; the noise is simulated unless noise="release".

    The points and their weights are as private as the centers of `PrivateKMeans`, and so is all
    that is computed from them, as often as one likes: give them to any estimator that takes
    sample weights. Simulated noise is for trying things out; with `noise="release"` the noise is
    exact and each fit is charged, as in `PrivateKMeans`. Coresets are found for two to four
    columns.

    Parameters
    ----------
    n_clusters : int, default=8
        About how many clusters the points should be able to show.
    epsilon : float, default=1.0
        Privacy budget of one call of `fit`.
    bounds : tuple (low, high), Box, dict or "private"
        The public box of the data, as in `PrivateKMeans`.
    algorithm : str, default="auto"
        A key of `dpcore.ALGORITHMS` that publishes a coreset; "auto" is "adaptive" for two columns
        and "coreset" for any other number.
    delta : float, default=0.0
        Used only by algorithms that can.
    neighbors : {"add-remove", "replace-one"}, default="add-remove"
        Which two data sets must look alike.
    outside : {"drop", "clip"}, default="drop"
        Whether rows outside the bounds are dropped or moved to their edge.
    bounds_share : float, default=0.1
        The part of epsilon that finding bounds may spend, with `bounds="private"`.
    noise : {"simulated", "release"}, default="simulated"
        Simulated noise to look at, or exact noise that spends a budget.
    parameters, accountant, ledger, account, allowed, random_state : as there, default=None
        As in `PrivateKMeans`: settings of the algorithm, what pays for the noise of a release,
        and the seed of simulated noise.

    Attributes
    ----------
    coreset_ : Coreset
        The points and weights, in the type that says what may be done with them; for exports.
    points_ : ndarray of shape (n_points, n_features)
        The points in data units.
    sample_weight_ : ndarray of shape (n_points,)
        About how many rows each point stands for. All are positive.
    result_, release_, box_, centers_, cluster_centers_, bounds_transcript_
        As in `PrivateKMeans`.

    Examples
    --------
    >>> import dpcore
    >>> from sklearn.cluster import KMeans
    >>> X = [[0.1, 0.2], [0.2, 0.1], [0.8, 0.9], [0.9, 0.8]] * 500
    >>> coreset = dpcore.PrivateCoreset(2, epsilon=1.0, bounds=(0, 1), random_state=0).fit(X)
    >>> coreset.fit_estimator(KMeans(2, random_state=0)).cluster_centers_.shape
    (2, 2)
    """

    def _check_method(self, columns: int) -> None:
        if not get(self._method(columns)).publishes_coreset:
            able = sorted(key for key, each in ALGORITHMS.items() if each.publishes_coreset)
            raise Infeasible(
                f"{self.algorithm} publishes no coreset. Use one of {', '.join(able)}."
            )

    def _keep_synopsis(self, published: Synopsis | None) -> None:
        if not isinstance(published, Coreset):
            raise Infeasible(
                f"This run of {self.algorithm} published no points, because noise hid where the "
                "rows are. Its centers are in centers_, and the budget is used."
            )
        self.coreset_: Coreset = published
        self.points_: FloatArray = published.points
        self.sample_weight_: FloatArray = published.weights

    def _method(self, columns: int) -> str:
        if self.algorithm != "auto":
            return self.algorithm
        return "adaptive" if columns == 2 else "coreset"

    def fit_resample(self, X: npt.ArrayLike, y: None = None) -> tuple[FloatArray, FloatArray]:
        """Fit, and give the points and their weights."""
        self.fit(X)
        return self.points_, self.sample_weight_

    def fit_estimator(self, estimator: E) -> E:
        """Fit another estimator to the points and their weights, at no further cost in privacy.

        If the columns of X had names, the estimator sees a data frame with these names.
        """
        check_is_fitted(self)
        points: Any = self.points_
        if hasattr(self, "feature_names_in_"):
            import pandas as pd

            points = pd.DataFrame(points, columns=self.feature_names_in_)
        estimator.fit(points, sample_weight=self.sample_weight_)  # type: ignore[attr-defined]
        return estimator
