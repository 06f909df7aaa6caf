"""Requests: everything that determines the result of one run, except the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpcore.algorithms import get
from dpcore.algorithms.base import MAX_CLUSTERS, Algorithm
from dpcore.datasets.base import Dataset
from dpcore.datasets.region_map import Regions
from dpcore.errors import BadInput, Infeasible
from dpcore.privacy.accounting import Budget, Neighbors
from dpcore.runs import source_text
from dpcore.runs.region_checks import check_map, check_regions
from dpcore.runs.source_text import Expression

#: Settings of an algorithm by name, as given or as a request holds them.
Settings = Mapping[str, Any] | Iterable[tuple[str, Any]]


@dataclass(frozen=True)
class Request:
    """One run of an algorithm, whatever the data.

    Making a request checks it: a value that no run can have raises ValueError here. Whether the
    algorithm can answer on certain data is said by `check_data`, from public facts alone.

    Requests are equal when they ask for the same run, whether defaults are named or not, so that
    they serve as keys. With a seed, equal requests on the same data have the same result.

    Parameters
    ----------
    algorithm : str
        A key of `dpcore.ALGORITHMS`.
    k : int
        Number of centers.
    epsilon : float
        The privacy budget.
    delta : float, default=0.0
        For algorithms that can use it.
    neighbors : {"add-remove", "replace-one"}, default="add-remove"
        Which two data sets an attacker must not be able to tell apart.
    seed : int or None, default=None
        Repeats the run exactly; None draws other coins in each run.
    settings : mapping or iterable of pairs, default=()
        Settings of the algorithm by name; those not given have their defaults.
    regions : Regions or None, default=None
        Parts of a map with privacy levels of their own, each at most epsilon.

    Raises
    ------
    ValueError
        If no run can have such a value.

    Examples
    --------
    >>> from dpcore import Request
    >>> request = Request("eugkm", k=5, epsilon=0.5, seed=0)
    >>> request.at(epsilon=1.0).command("nyc-taxi")
    'dpcore run eugkm --data nyc-taxi -k 5 --epsilon 1 --seed 0'
    """

    algorithm: str
    k: int
    epsilon: float
    delta: float = 0.0
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    #: None draws other coins in each run.
    seed: int | None = None
    #: Each parameter of the algorithm with its value; those not given have their defaults.
    settings: tuple[tuple[str, Any], ...] = ()
    #: Parts of a map with levels of their own, each at most epsilon.
    regions: Regions | None = None

    def __init__(
        self,
        algorithm: str,
        k: int,
        epsilon: float,
        delta: float = 0.0,
        neighbors: Neighbors | str = Neighbors.ADD_REMOVE,
        seed: int | None = None,
        settings: Settings = (),
        regions: Regions | None = None,
    ):
        system = get(algorithm)
        budget = Budget(epsilon, delta)
        values = {
            "algorithm": system.key,
            "k": _checked_k(k),
            "epsilon": budget.epsilon,
            "delta": budget.delta,
            "neighbors": _checked_neighbors(neighbors),
            "seed": _checked_seed(seed),
            "settings": tuple(system.settings(dict(settings)).items()),
            "regions": regions,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if regions is not None:
            check_regions(system, regions, self.epsilon)

    @property
    def system(self) -> Algorithm:
        """The algorithm itself."""
        return get(self.algorithm)

    @property
    def budget(self) -> Budget:
        """The budget of the run for one row."""
        return Budget(self.epsilon, self.delta)

    @property
    def parameters(self) -> dict[str, Any]:
        """Each parameter of the algorithm with its value."""
        return dict(self.settings)

    @property
    def changed(self) -> dict[str, Any]:
        """The settings that are not defaults."""
        defaults = {p.name: p.default for p in self.system.parameters}
        return {name: value for name, value in self.settings if value != defaults[name]}

    def at(self, epsilon: float) -> Request:
        """This request at another epsilon."""
        return replace(self, epsilon=epsilon)

    def with_seed(self, seed: int | None) -> Request:
        """This request with another seed."""
        return replace(self, seed=seed)

    def on(self, k: int) -> Request:
        """This request with another number of centers."""
        return replace(self, k=k)

    def check_data(self, data: Dataset) -> None:
        """Raise Infeasible, or ValueError, where such data have no answer. Reads no rows.

        The number of rows is looked at only where the relation makes it public.
        """
        if self.neighbors not in self.system.relations:
            only = " or ".join(self.system.relations)
            raise Infeasible(
                f"{self.algorithm} is private under {only} only, not under {self.neighbors}."
            )
        public_n = None if self.neighbors.size_is_private else data.n
        if public_n is not None and self.k > public_n:
            raise BadInput(
                f"k = {self.k} centers were asked for, but there are only {public_n} rows."
            )
        if obstacle := self.system.obstacle(data.d, public_n, self.k):
            raise Infeasible(f"{self.algorithm}: {obstacle}")
        if self.regions is not None:
            check_map(self.regions, data)

    # As source text.

    def command(self, data: str, regions: str | None = None) -> str:
        """The shell command that repeats the run on data of this name.

        Regions need the name, or the GeoJSON file, by which the command line knows them.
        """
        words = ["dpcore", "run", self.algorithm, "--data", data, "-k", str(self.k)]
        words += ["--epsilon", source_text.number(self.epsilon)]
        if self.seed is not None:
            words += ["--seed", str(self.seed)]
        words += self.options()
        return source_text.shell([*words, *self.region_options(regions)])

    def region_options(self, regions: str | None) -> list[str]:
        """Words for regions of this name and their levels; none without regions."""
        if self.regions is None:
            return []
        words = ["--regions", self._named(regions)]
        for name, level in self.regions.levels.items():
            words += ["--level", f"{name}={level!r}"]
        return words

    def options(self) -> list[str]:
        """Words for delta, the relation and settings where they are not the usual ones."""
        words = []
        if self.delta:
            words += ["--delta", repr(self.delta)]
        if self.neighbors is not Neighbors.ADD_REMOVE:
            words += ["--neighbors", str(self.neighbors)]
        for name, value in self.changed.items():
            words += ["--set", f"{name}={source_text.word(value)}"]
        return words

    def python(self, data: str, regions: str | None = None) -> str:
        """A program that repeats the run on the built-in data of this name."""
        named: dict[str, Any] = {"k": self.k, "epsilon": self.epsilon}
        if self.seed is not None:
            named["seed"] = self.seed
        named |= self.keywords() | self.changed
        start = f"import dpcore\n\ndata = dpcore.datasets.load({data!r})\n"
        if self.regions is not None:
            start += self.region_lines(regions)
            named["regions"] = Expression("regions")
        text = source_text.call("dpcore.run", self.algorithm, Expression("data"), **named)
        return f"{start}result = {text}\n"

    def region_lines(self, regions: str | None) -> str:
        """A line of a program that makes the regions by a call of this name: a layer, or the file
        that holds them."""
        assert self.regions is not None
        name = self._named(regions)
        made = (
            f"from_geojson({name!r}, data.box)"
            if name.endswith((".geojson", ".json"))
            else f"{name}(data.box)"
        )
        return f"regions = dpcore.regions.{made}.with_levels({dict(self.regions.levels)!r})\n"

    def expression(self) -> str:
        """The request itself in Python, on one line. Its regions cannot be written."""
        named = {"k": self.k, "epsilon": self.epsilon, **self.keywords()}
        if self.seed is not None:
            named["seed"] = self.seed
        if self.changed:
            named["settings"] = self.changed
        words = [f"{name}={source_text.literal(value)}" for name, value in named.items()]
        return f"dpcore.Request({', '.join([repr(self.algorithm), *words])})"

    def keywords(self) -> dict[str, Any]:
        """Arguments in Python for delta and the relation where they are not the usual ones."""
        named: dict[str, Any] = {"delta": self.delta} if self.delta else {}
        if self.neighbors is not Neighbors.ADD_REMOVE:
            named["neighbors"] = self.neighbors
        return named

    @staticmethod
    def _named(regions: str | None) -> str:
        if regions is None:
            raise BadInput("Name the regions: source text cannot hold their borders.")
        return regions


def _checked_k(k: int) -> int:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= MAX_CLUSTERS:
        raise BadInput(f"k must be a whole number from 1 to {MAX_CLUSTERS}, not {k!r}.")
    return int(k)


def _checked_neighbors(neighbors: Neighbors | str) -> Neighbors:
    try:
        return Neighbors(neighbors)
    except ValueError:
        names = " or ".join(repr(str(each)) for each in Neighbors)
        raise BadInput(f"neighbors must be {names}, not {neighbors!r}.") from None


def _checked_seed(seed: int | None) -> int | None:
    if seed is None:
        return None
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise BadInput(f"seed must be a whole number of at least 0, or None, not {seed!r}.")
    return int(seed)
