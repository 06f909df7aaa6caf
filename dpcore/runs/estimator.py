"""Private k-means as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from dpcore.datasets.rows import RowsDataset
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, FloatArray, IntArray
from dpcore.results.centers import SimulatedCenters
from dpcore.results.run_result import RunResult
from dpcore.runs.request import Request
from dpcore.runs.run import run


class PrivateKMeans(ClusterMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """k-means by private algorithms, to look at: its noise is simulated.

    The centers show what a private release would look like. They are not one: simulated noise is
    fast and can be repeated, and no ledger is charged. To publish centers, use
    `dpcore.release.publish`.

    Parameters
    ----------
    n_clusters : int, default=8
        Centers to find.
    epsilon : float, default=1.0
        Privacy budget of one call of `fit`.
    bounds : tuple (low, high)
        The public box of the data: numbers, or one for each column. It must be known without
        looking at the data. Rows outside are moved to its edge.
    algorithm : str, default="auto"
        A key of `dpcore.ALGORITHMS`, or "auto" for the best one by public facts.
    delta : float, default=0.0
        Used only by algorithms that can; "auto" can where there are more than six columns.
    neighbors : {"add-remove", "replace-one"}, default="add-remove"
        Which two data sets must look alike.
    parameters : dict, default=None
        Settings of the algorithm.
    random_state : int, RandomState instance or None, default=None
        Repeats the simulated noise. Whoever knows it can undo the privacy.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centers drawn with simulated noise, in data units.
    result_ : SimulatedResult or UnprovenResult
        The run: its transcript, what it published, its verdict. With "auto", its facts say which
        algorithm was chosen and because of what.

    Notes
    -----
    Only `fit` is private. `predict`, `transform` and `labels_` say where given rows lie, and are
    as private as these rows are; `labels_` is therefore not kept. An error about X itself, such as
    a NaN in it or no row at all, is no private answer either: only the owner of X may see it.

    Examples
    --------
    >>> import dpcore
    >>> X = [[0.1, 0.2], [0.2, 0.1], [0.8, 0.9], [0.9, 0.8]] * 500
    >>> model = dpcore.PrivateKMeans(n_clusters=2, epsilon=1.0, bounds=(0, 1), random_state=0)
    >>> model.fit(X).cluster_centers_.shape
    (2, 2)
    >>> len(set(model.predict(X)))
    2
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        epsilon: float = 1.0,
        bounds: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
        algorithm: str = "auto",
        delta: float = 0.0,
        neighbors: str = "add-remove",
        parameters: dict[str, Any] | None = None,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.bounds = bounds
        self.algorithm = algorithm
        self.delta = delta
        self.neighbors = neighbors
        self.parameters = parameters
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: None = None) -> Self:
        """Find centers with simulated noise of a budget of epsilon."""
        rows: FloatArray = validate_data(self, X, dtype=np.float64)
        if self.bounds is None:
            raise BadInput(
                "PrivateKMeans needs bounds=(low, high), the public box of the data: taking them "
                "from the data would betray its extreme rows."
            )
        box = Box.between(*self.bounds, rows.shape[1])
        data = RowsDataset.from_values(rows, box, outside="clip")
        seed = None
        if self.random_state is not None:
            seed = int(check_random_state(self.random_state).randint(2**31))
        request = Request(
            self.algorithm,
            self.n_clusters,
            self.epsilon,
            self.delta,
            self.neighbors,
            seed,
            self.parameters or {},
        )
        self.result_: RunResult = run(request, data)
        self.cluster_centers_ = np.asarray(self.result_.centers)
        return self

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return f"{super().__repr__(N_CHAR_MAX)}  # {SimulatedCenters.status}"

    def transform(self, X: npt.ArrayLike) -> FloatArray:
        """Distances of each row to each center."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray(euclidean_distances(X, self.cluster_centers_))

    def predict(self, X: npt.ArrayLike) -> IntArray:
        """The nearest center of each row, nearest where it was clustered: in unit coordinates."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        box = self.result_.box
        distances = euclidean_distances(box.to_unit(X), box.to_unit(self.cluster_centers_))
        return np.asarray(distances.argmin(axis=1))

    def fit_predict(self, X: npt.ArrayLike, y: None = None, **kwargs: Any) -> IntArray:
        """Fit, then say which center is nearest to each row. The labels are not private."""
        return self.fit(X).predict(X)
