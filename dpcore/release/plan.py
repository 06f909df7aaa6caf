"""The plan of a release, made before any budget is used: all of it is public."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dpcore.algorithms import Algorithm
from dpcore.datasets.region_map import Regions
from dpcore.errors import BadInput, Infeasible
from dpcore.privacy import explain
from dpcore.privacy.accounting import Budget
from dpcore.privacy.rounding import down
from dpcore.release.amounts import Amount
from dpcore.release.ledger import Claim, ReleaseRefused
from dpcore.release.publication import Publication
from dpcore.release.series import Series
from dpcore.release.sources import BuiltinData, DataSource
from dpcore.release.unit import Unit
from dpcore.runs.personal import check_levels, sentences
from dpcore.runs.refusals import refusal_of_builtin
from dpcore.runs.region_checks import check_box
from dpcore.runs.request import Request

if TYPE_CHECKING:
    from dpcore.release.sources import DataSource

#: What a release is made for: to publish, or to explore the data drawn from it.
RELEASE, TWIN = "release", "twin"
LONGEST_NAME = 200
#: What begins a formula in the spreadsheets in which people open centers and points.
FORMULAS = ("=", "+", "-", "@")


@dataclass(frozen=True)
class ReleasePlan:
    """The run to publish, its data, and the budget that pays for it.

    Making one checks it: what no release could be made of raises here, and nothing is read. The
    epsilon and delta of `request` are what one *unit* is protected at; `allowed` is what all
    releases of these data may use together, fixed with the first of them.

    Parameters
    ----------
    name : str
        The name of the data set, in the ledger and on the certificate.
    data : DataSource
        `BuiltinData` or `FileData`.
    request : Request
        The run, without a seed. The claim of its algorithm holds. With regions, or with data whose
        rows have levels of their own, its epsilon becomes the largest level, which the account
        pays.
    unit : Unit, default=Unit()
        What is protected.
    allowed : Amount, default=Amount.of(1.0)
        What all releases of these data may cost together.
    purpose : {"release", "twin"}, default="release"
        To publish, or to draw a private twin from.
    publication : Publication, default=Publication()
        Who publishes the release and what for, as the certificate says it.
    series : Series or None, default=None
        The period of a series that this release is of; `name` is then the account of the series.

    Raises
    ------
    ValueError
        If an argument is not valid.
    Infeasible
        If the algorithm cannot answer for such data.
    ReleaseRefused
        If the claim of the algorithm does not hold, or the price is more than `allowed`.

    Examples
    --------
    >>> from dpcore import Request
    >>> from dpcore.release import BuiltinData, ReleasePlan
    >>> request = Request("adaptive", k=5, epsilon=0.5)
    >>> plan = ReleasePlan("taxi", BuiltinData("nyc-taxi"), request)
    >>> print(plan.price)
    ε 0.5
    """

    #: What the user calls the data set: the name of its account, printed on the certificate.
    name: str
    data: DataSource
    #: The run as it is meant, at the level of one unit.
    request: Request
    _: KW_ONLY
    unit: Unit = field(default_factory=Unit)
    allowed: Amount = field(default_factory=lambda: Amount.of(1.0))
    purpose: str = RELEASE
    publication: Publication = field(default_factory=Publication)
    series: Series | None = None

    def __post_init__(self) -> None:
        if self.request.seed is not None:
            raise BadInput("The noise of a release has no seed: leave it out of the request.")
        if self.request.regions is not None:
            self._take_levels(self.request.regions)
        if self.data.thresholds:
            self._take_thresholds(self.data.thresholds)
        request, system = self.request, self.system
        if not self.name.strip() or len(self.name) > LONGEST_NAME:
            raise BadInput(f"Name the data set, in at most {LONGEST_NAME} characters.")
        for column in self.data.box.names:
            if column.strip()[:1] in FORMULAS:
                raise BadInput(
                    f"A spreadsheet would take the column name {column!r} for a formula, because "
                    f"it begins with {column.strip()[0]!r}. Rename the column in your data."
                )
        if not system.verdict.holds:
            raise ReleaseRefused(
                f"{system.title} may not be released: its privacy claim does not hold. "
                f"{system.specification['Flaw']}"
            )
        if request.neighbors not in system.relations:
            only = " or ".join(system.relations)
            raise BadInput(f"{system.title} is private under {only}, not {request.neighbors}.")
        if request.delta and not system.uses_delta:
            raise BadInput(f"{system.title} has no use for a delta: leave it at 0.")
        if obstacle := system.obstacle(self.data.box.d, None, request.k):
            raise Infeasible(f"{system.title}: {obstacle}")
        if self.purpose not in (RELEASE, TWIN):
            raise BadInput(f"A release is made to publish or to explore, not for {self.purpose!r}.")
        self._refuse_too_few_rows()
        self._refuse_wrong_account()
        self.unit.refuse(request.neighbors)
        self.data.refuse(self.unit)
        _ = self.row_request  # raises where the level is out of range
        if not self.price.within(self.allowed):
            raise ReleaseRefused(
                f"This release would cost {self.price}, and {self.allowed} is allowed in all."
            )

    def _take_levels(self, regions: Regions) -> None:
        """Name the level of every region, and take the largest for the price of the release."""
        if self.purpose != RELEASE:
            raise BadInput("A private twin has one level for the whole map: leave out regions.")
        if self.data.box.d != 2:
            raise BadInput(f"Regions need data with 2 coordinates; these have {self.data.box.d}.")
        check_box(regions, self.data.box)
        levels = dict(zip(regions.names, regions.epsilons(self.request.epsilon), strict=True))
        leveled = regions.with_levels(levels)
        self._take(replace(self.request, epsilon=max(levels.values()), regions=leveled))

    def _take_thresholds(self, thresholds: tuple[float, ...]) -> None:
        """Take the largest level of groups of rows for the price of the release."""
        request = self.request
        if self.purpose != RELEASE or request.regions is not None:
            raise BadInput(
                "Levels of rows go with no other levels: leave out regions, and make no twin."
            )
        check_levels(self.system, thresholds, request.epsilon, request.neighbors)
        self._take(request.at(float(thresholds[-1])))

    def _take(self, request: Request) -> None:
        object.__setattr__(self, "request", request)

    def _refuse_wrong_account(self) -> None:
        """Raise where a period of a series would be paid by another account than its own."""
        if self.series is not None:
            account = self.series.account(self.unit, self.request.neighbors)
            if self.name != account:
                raise BadInput(
                    f"The account of this period is {account!r}, so that is the name, not "
                    f"{self.name!r}."
                )

    def refuse_too_few(self, rows: int) -> None:
        """Raise where the method could not answer for so many rows, a public number, before
        anything is spent."""
        request, level = self.request, self.per_row.epsilon
        if request.regions is None:
            problem = self.system.too_few_rows(rows, request.k, level, request.neighbors)
            if problem is not None:
                raise problem

    def _refuse_too_few_rows(self) -> None:
        """Raise where a public number of rows says that the method cannot answer."""
        request = self.request
        if isinstance(self.data, BuiltinData) and request.regions is None:
            problem = refusal_of_builtin(
                self.system, self.data.key, request.k, request.epsilon, request.neighbors
            )
            if problem is not None:
                raise problem

    @property
    def row_request(self) -> Request:
        """The run as it is made, at the level of one row, and in each region at a row's share of
        the level there: `dpcore.datasets.area_levels` proves what that protects."""
        per_row, regions = self.per_row, self.request.regions
        if regions is not None:
            prices = {name: Amount.of(level).epsilon for name, level in regions.levels.items()}
            levels = {
                name: self.unit.per_row(Budget(down(price))).epsilon
                for name, price in prices.items()
            }
            regions = regions.with_levels(levels)
        return replace(self.request, epsilon=per_row.epsilon, delta=per_row.delta, regions=regions)

    @property
    def row_thresholds(self) -> tuple[float, ...]:
        """The level at which each group of rows is released: what people mean by the thresholds,
        rounded down."""
        return tuple(down(Amount.of(each).epsilon) for each in self.data.thresholds)

    @property
    def system(self) -> Algorithm:
        return self.request.system

    @property
    def budget(self) -> Budget:
        """The budget that protects one unit: the ledger's charge, rounded down to floats. The float
        0.1 is a little more than the tenth that is charged."""
        price = self.price
        return replace(self.request.budget, epsilon=down(price.epsilon), delta=down(price.delta))

    @property
    def per_row(self) -> Budget:
        """The budget of the run for one row, so that one unit is protected at the whole budget."""
        return self.unit.per_row(self.budget)

    @property
    def price(self) -> Amount:
        """The amount that the ledger is charged."""
        return Amount.of(self.request.epsilon, self.request.delta)

    def claim(self, fingerprints: tuple[str, ...] = ()) -> Claim:
        """The claim on the account that this release makes."""
        return Claim(
            self.name,
            self.request.neighbors,
            self.unit,
            self.allowed,
            self.price,
            fingerprints,
            self.data.counted(),
            series=None if self.series is None else self.series.name,
        )

    def statement(self) -> list[str]:
        """The plan in sentences: what is about to happen, what it costs, and what an attacker
        gains."""
        box, unit, request = self.data.box, self.unit, self.request
        fate = "moved to its edge" if self.data.outside == "clip" else "left out"
        sentences = [
            f"We will publish {request.k} centers of {self.name!r}, found by {self.system.title} "
            f"({self.system.verdict}), and the weighted points behind them if the method has any. "
            "Anybody may see and keep them.",
            f"Only rows in the public box count: {box.words()}. Rows outside are {fate}.",
            explain.protected(unit.name, request.neighbors, unit.ids, unit.rows),
            *self.protection_by_region,
            *self.protection_by_own_level,
            explain.rows_of(self.data.as_dict()["kind"]),
            explain.attack(request.epsilon, unit.name, request.neighbors),
            explain.slip(request.delta),
            explain.caution(request.epsilon),
            self.series_in_words,
            explain.bill(str(self.price), str(self.allowed)),
            "The noise is exact and has no seed: nobody can draw it again, you included. OpenDP "
            "draws it, and dpcore the choices among candidates. " + explain.UNVETTED,
        ]
        return [sentence for sentence in sentences if sentence]

    @property
    def series_in_words(self) -> str:
        """The cost of all periods of a series together, in words; nothing without a series."""
        if self.series is None:
            return ""
        return self.series.words(self.unit, self.request.neighbors, self.allowed)

    @property
    def protection_by_region(self) -> list[str]:
        """The protection that the levels of the regions give, in sentences; nothing without
        regions."""
        unit, request = self.unit, self.request
        if request.regions is None:
            return []
        return request.regions.sentences(request.epsilon, unit.name, request.neighbors, unit.rows)

    @property
    def protection_by_own_level(self) -> list[str]:
        """The protection that levels of rows give, in sentences; nothing without any."""
        thresholds = self.data.thresholds
        return sentences(thresholds, self.unit.name) if thresholds else []

    def as_dict(self) -> dict[str, Any]:
        """The plan as data, as ledger and certificate hold it."""
        box, request = self.data.box, self.request
        return {
            "data set": self.name,
            "source": self.data.as_dict(),
            "box": {"names": list(box.names), "low": list(box.low), "high": list(box.high)},
            "geographic": self.data.geographic,
            "unit": self.unit.as_dict(),
            "neighbors": str(request.neighbors),
            "algorithm": request.algorithm,
            "k": request.k,
            "parameters": request.parameters,
            "epsilon": request.epsilon,
            "delta": request.delta,
            "purpose": self.purpose,
            "allowed": {
                "epsilon": float(self.allowed.epsilon),
                "delta": float(self.allowed.delta),
            },
            **self._areas(),
            **self._own_levels(),
            **self._publication(),
            **({} if self.series is None else {"series": self.series.as_dict()}),
        }

    def _own_levels(self) -> dict[str, Any]:
        """The thresholds of rows with levels of their own, and what they protect in words."""
        if not self.data.thresholds:
            return {}
        statement = self.protection_by_own_level
        return {"own levels": {"thresholds": list(self.data.thresholds), "statement": statement}}

    def _publication(self) -> dict[str, Any]:
        """The words of the publisher, where there are any."""
        words = self.publication.as_dict()
        return {"publication": words} if words else {}

    def _areas(self) -> dict[str, Any]:
        """The regions with their levels as GeoJSON, and what they protect in words."""
        regions = self.request.regions
        if regions is None:
            return {}
        areas = {"map": regions.as_geojson(), "statement": self.protection_by_region}
        return {"areas": areas}
