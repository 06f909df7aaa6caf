"""The private twin: data drawn from a release, to be explored as often as one likes, for free.

Moving a slider over sensitive data until the picture pleases is itself a leak: the level that is
chosen tells of the data. A twin is paid for once, through the same ledger and with the same noise
as any release. What is drawn from it is as private as it is, and so is all that is seen there.
"""

from __future__ import annotations

import hashlib

import numpy as np
import scipy

from dpcore.datasets.base import DataInfo, Dataset
from dpcore.datasets.files import MAP_CELLS
from dpcore.datasets.grid import GridDataset
from dpcore.datasets.rows import RowsDataset
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, FloatArray
from dpcore.privacy.accounting import Neighbors
from dpcore.release.amounts import Amount
from dpcore.release.ledger import Ledger
from dpcore.release.plan import TWIN, ReleasePlan
from dpcore.release.sources import DataSource
from dpcore.release.unit import Unit
from dpcore.results import parquet
from dpcore.runs.request import Request

#: The method that describes data best, by their number of coordinates.
DESCRIBED_BY = {2: "adaptive", 3: "eugkm", 4: "coreset"}
POINTS = "points.parquet"
#: The rows of a point are spread no further than this from it, in unit coordinates.
FARTHEST = 0.25
#: Rows of more coordinates than two are drawn one by one: no more than so many.
MOST_ROWS = 1_000_000


def twin_plan(
    name: str,
    data: DataSource,
    epsilon: float,
    *,
    neighbors: Neighbors = Neighbors.ADD_REMOVE,
    unit: Unit | None = None,
    allowed: Amount | None = None,
) -> ReleasePlan:
    """The plan of a release that a twin can be drawn from: publish it like any other.

    Parameters
    ----------
    name : str
        The name of the data set.
    data : DataSource
        Data of two to four coordinates.
    epsilon : float
        What the twin costs.
    neighbors : Neighbors, default=Neighbors.ADD_REMOVE
        Which two data sets an attacker must not be able to tell apart.
    unit : Unit or None, default=None
        What is protected; a row if None.
    allowed : Amount or None, default=None
        What all releases of these data may cost together; epsilon 1 if None.

    Returns
    -------
    ReleasePlan

    Raises
    ------
    ValueError
        If the data have fewer than two or more than four coordinates.

    Examples
    --------
    >>> from dpcore.release import BuiltinData, twin_plan
    >>> twin_plan("taxi", BuiltinData("nyc-taxi"), 0.1).purpose
    'twin'
    """
    d = data.box.d
    if d not in DESCRIBED_BY:
        raise BadInput(
            f"A twin is drawn from points all over the box, in 2 to 4 dimensions; these data have "
            f"{d}. Choose on public data of as many coordinates."
        )
    return ReleasePlan(
        name,
        data,
        Request(DESCRIBED_BY[d], 1, epsilon, neighbors=neighbors),
        unit=unit or Unit(),
        allowed=allowed or Amount.of(1.0),
        purpose=TWIN,
    )


def twin_of(ledger: Ledger, number: int) -> Dataset:
    """The data drawn from a release, the same ones each time; `about.twin` is set.

    Parameters
    ----------
    ledger : Ledger
        The ledger that has the release.
    number : int
        The number of a release that published points.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If the release published no points.

    Examples
    --------
    >>> from dpcore.release import BuiltinData, Ledger, publish, twin_of, twin_plan
    >>> ledger = Ledger("books")
    >>> release = publish(twin_plan("points", BuiltinData("s1-like"), 1.0), ledger)
    >>> twin_of(ledger, release.entry.number).about.twin
    True
    """
    entry, files = ledger.entry(number), ledger.files(number)
    if POINTS not in files:
        raise BadInput(f"Release {number} published no points that data could be drawn from.")
    plan = entry.plan
    box = Box(*(tuple(plan["box"][end]) for end in ("low", "high", "names")))
    about = DataInfo(
        f"twin-{number}",
        f"Private twin of {entry.account}",
        f"Drawn from release {number} of {entry.account}, which cost {entry.charged}. Rows of the "
        "twin are nobody's.",
        plan["unit"]["name"],
        simulated=True,
        geographic=plan["geographic"],
        public=True,
        twin=True,
    )
    *places, weights = parquet.read(files[POINTS], (*box.names, box.beside("weight"))).T
    # Of the released points alone, so that everybody draws the same twin.
    coins = np.random.default_rng(int(hashlib.sha256(files[POINTS]).hexdigest(), 16))
    return spread_rows(box.to_unit(np.column_stack(places)), weights, box, about, coins)


def spread_rows(
    points: FloatArray,
    weights: FloatArray,
    box: Box,
    about: DataInfo,
    coins: np.random.Generator,
) -> Dataset:
    """Rows in the number that the points weigh, each spread around a point, half way to the next.

    Points that weigh no more than noise alone can, as the lowest of them show, are left out.
    """
    loud = weights > max(0.0, -float(weights.min(initial=0.0)))
    points, weights = points[loud], weights[loud]
    rows = round(float(weights.sum()))
    reach = np.full(len(points), FARTHEST)
    if len(points) > 1:
        beside = np.asarray(scipy.spatial.cKDTree(points).query(points, 2, p=np.inf)[0])
        reach = np.minimum(beside[:, 1] / 2, FARTHEST)
    if box.d == 2:
        density = _density(points, weights, reach)
        shares = density.ravel() / max(density.sum(), np.finfo(np.float64).tiny)
        counts = coins.multinomial(rows if density.any() else 0, shares)
        return GridDataset(counts.reshape(density.shape), box, about)
    of = np.empty(0, dtype=np.int64)
    if rows:
        of = coins.choice(len(points), min(rows, MOST_ROWS), p=weights / weights.sum())
    unit = points[of] + reach[of, None] * coins.uniform(-1, 1, (len(of), box.d))
    return RowsDataset.from_values(box.from_unit(np.clip(unit, -1, 1)), box, about, "clip")


def _density(points: FloatArray, weights: FloatArray, reach: FloatArray) -> FloatArray:
    """Each point's weight spread evenly over the cells of a map within its reach, its own at
    least. Corners of the squares are marked, and sums along both axes fill them."""
    low = np.clip(((points - reach[:, None] + 1) / 2 * MAP_CELLS).round(), 0, MAP_CELLS - 1)
    high = np.clip(((points + reach[:, None] + 1) / 2 * MAP_CELLS).round(), low + 1, MAP_CELLS)
    (x0, y0), (x1, y1) = low.astype(np.int64).T, high.astype(np.int64).T
    share = weights / ((x1 - x0) * (y1 - y0))
    marks = np.zeros((MAP_CELLS + 1, MAP_CELLS + 1))
    for x, y, sign in ((x0, y0, 1), (x1, y1, 1), (x0, y1, -1), (x1, y0, -1)):
        np.add.at(marks, (x, y), sign * share)
    filled = marks.cumsum(axis=0).cumsum(axis=1)[:-1, :-1]
    # What rounding leaves where there is nothing.
    return np.where(filled > 1e-9 * weights.max(initial=0.0), filled, 0.0)
