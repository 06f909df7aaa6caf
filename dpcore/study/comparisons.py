"""Comparisons with the true data: plain numbers if the data are public, else `NonPrivate`.

Data are public when `about.public` says so: the built-in sets, and twins drawn from a release. With
data of your own, `.value` opens a figure. To choose a setting by such figures and then publish what
it gives leaks; choose on public data or on a twin.
"""

from __future__ import annotations

import numpy.typing as npt

from dpcore.datasets.own import AnyData, opened_data
from dpcore.geometry.domain import FloatArray
from dpcore.results.non_private import NonPrivate, guarded
from dpcore.study import metrics, shifts


def nicv(data: AnyData, centers: npt.ArrayLike) -> float | NonPrivate[float]:
    """Normalised intra-cluster variance: mean squared distance to the nearest center.

    Centers in data units; distances in unit coordinates, in which the box is [-1, 1]^d.

    Parameters
    ----------
    data : Dataset or OwnData
        The data to compare with.
    centers : array-like of shape (k, d)
        Centers in data units.

    Returns
    -------
    float or NonPrivate[float]
        0 if every row lies on a center, and d at most for a center in the middle of the box.

    Examples
    --------
    >>> import dpcore
    >>> data = dpcore.datasets.load("iris")
    >>> centers = dpcore.baseline(data, k=3).centers
    >>> 0 < dpcore.nicv(data, centers) < dpcore.nicv(data, data.box.center)
    True
    """
    return guarded(metrics.nicv(opened_data(data), centers), data.about.public)


def center_shift(
    data: AnyData, centers: npt.ArrayLike, reference: npt.ArrayLike
) -> FloatArray | NonPrivate[FloatArray]:
    """The distance of each reference center from its partner: in meters on a map, else in unit
    coordinates.

    Parameters
    ----------
    data : Dataset or OwnData
        The data set, for its box and its unit of distance.
    centers : array-like of shape (k, d)
        Centers in data units.
    reference : array-like of shape (k, d)
        The centers to compare with.

    Returns
    -------
    ndarray of shape (k,), or NonPrivate of it
        The shift of each reference center.

    Examples
    --------
    >>> import dpcore
    >>> data = dpcore.datasets.load("iris")
    >>> centers = dpcore.baseline(data, k=3).centers
    >>> dpcore.center_shift(data, centers, centers).tolist()
    [0.0, 0.0, 0.0]
    """
    return guarded(shifts.center_shift(opened_data(data), centers, reference), data.about.public)
