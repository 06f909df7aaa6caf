"""Areas drawn from what people wish for, after a private count of the wishes.

**What is counted.** A person's wish names at most m neighborhoods, each with one of the public
stops of the slider; of a longer one the strictest m count, by level and then by name, which depends
on that wish alone. Each (neighborhood, stop) is a cell of a public list. A person adds 1 to at most
m cells, so adding or removing one person's whole wish moves the histogram by at most m in L1. It
gets two-sided geometric noise of scale m / epsilon: epsilon-private for one person's whole wish,
under add-remove. (In the curator each cell named is a row, a row costs epsilon / m, and m rows are
one person's, as with ids; `Unit` has that proof.)

**What is drawn.** In each neighborhood the noisy counts are added up from the strictest stop on,
and the area gets the first stop at which the sum reaches a public threshold: the strictest level
that so many people wish, for themselves or others. All other neighborhoods belong to the rest. That
is post-processing of the noisy counts and of public numbers, so the map, with which later releases
are made, costs no more.

**What it does not say.** A neighborhood that few people wish for stays in the rest, and its few
wishes are not granted: with fewer than the threshold they could not be without revealing them. Who
wishes and is also in the data that are published with the map pays in both accounts, because both
tell of the same person.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np

from dpcore.datasets import city_shapes
from dpcore.datasets.area_files import as_feature_collection
from dpcore.datasets.area_shapes import place
from dpcore.datasets.rows import RowsDataset
from dpcore.datasets.wishes import STOPS, Wish
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, Grid, IntArray
from dpcore.privacy.accounting import Budget, Neighbors
from dpcore.privacy.noise import Noise
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.privacy.rounding import at_most, down
from dpcore.queries.curator import Curator
from dpcore.release.amounts import Amount
from dpcore.release.ledger import Actors, Claim, Entry, Ledger
from dpcore.release.unit import Unit

#: What such an entry of the ledger is made for, and its files.
PURPOSE, MAP, COUNTS = "wishes", "areas.geojson", "wishes.json"
#: Neighborhoods of one wish that count, at most.
MOST_AREAS = 20


@dataclass(frozen=True)
class WishPlan:
    """A plan to count wishes: all of it is public, and fixed before a wish is looked at.

    `most_areas` neighborhoods of each wish count; an area becomes strict where the noisy count of
    people reaches `threshold`. By default noise alone draws an area with a chance of at most one in
    a hundred.
    """

    name: str
    epsilon: float
    most_areas: int = 3
    threshold: int | None = None
    allowed: Amount = field(default_factory=lambda: Amount.of(1.0))

    def __post_init__(self) -> None:
        if isinstance(self.most_areas, bool) or not 1 <= self.most_areas <= MOST_AREAS:
            raise BadInput(
                f"most_areas must be a whole number from 1 to {MOST_AREAS}, not "
                f"{self.most_areas!r}."
            )
        _ = self.per_row
        if self.threshold is None:
            object.__setattr__(self, "threshold", quiet_threshold(self.most_areas / self.epsilon))
        if isinstance(self.threshold, bool) or int(self.threshold or 0) < 1:
            raise BadInput(f"threshold must be a whole number from 1, not {self.threshold!r}.")

    @property
    def unit(self) -> Unit:
        return Unit("person", "wish", self.most_areas)

    @property
    def price(self) -> Amount:
        return Amount.of(self.epsilon)

    @property
    def per_row(self) -> Budget:
        """The budget for one neighborhood of a wish."""
        return self.unit.per_row(Budget(down(self.price.epsilon)))

    def statement(self) -> str:
        """The protection that the count gives, in words."""
        return (
            "Whether one person wished for anything is protected at epsilon "
            f"{at_most(self.epsilon)}: at most {self.most_areas} neighborhoods of each wish count, "
            "with noise. An area is strict where the noisy count of people reaches "
            f"{self.threshold}. A person who is also in the data that are published with these "
            "areas pays for both."
        )


def quiet_threshold(scale: float, chance: float = 0.01) -> int:
    """A number that no sum of noise alone reaches, in any neighborhood, but with this chance.

    Geometric noise of scale b has P(z) = (1-p)/(1+p) p^|z| for p = e^(-1/b), and
    E e^(tz) = (1-p)^2 / ((1 - p e^t)(1 - p e^-t)) =: M(t) for 0 < t < 1/b. The sum of j counts
    reaches T with probability M(t)^j e^(-tT) at most (Chernoff), and M(t) >= 1. So over n sums of
    up to L counts T = (L ln M(t) + ln(n / chance)) / t will do, for any t; the best is taken.
    """
    t = np.linspace(0.01, 0.99, 99) / scale
    log_m = 2 * np.log(-np.expm1(-1 / scale))
    log_m = log_m - np.log(-np.expm1(t - 1 / scale)) - np.log(-np.expm1(-t - 1 / scale))
    sums = len(city_shapes.neighborhoods()) * len(STOPS)
    return int(np.ceil(np.min((len(STOPS) * log_m + np.log(sums / chance)) / t)))


def counted(plan: WishPlan, wishes: Sequence[Wish], noise: Noise) -> tuple[IntArray, Curator]:
    """Noisy counts (neighborhoods, stops) of wishes, and the curator that has charged them."""
    names = [area.name for area in city_shapes.neighborhoods()]
    number = {name: place_in_list for place_in_list, name in enumerate(names)}
    cells = [
        number[name] * len(STOPS) + STOPS.index(level)
        for wish in wishes
        for name, level in _counting(wish, plan.most_areas)
    ]
    size = len(names) * len(STOPS)
    box = Box((0.0,), (float(size),), ("wish",))
    rows = RowsDataset.from_values(np.array(cells, dtype=np.float64).reshape(-1, 1) + 0.5, box)
    curator = Curator(rows, plan.per_row, noise, Neighbors.ADD_REMOVE)
    counts = curator.noisy_counts(Grid(box, size), plan.per_row.share(1.0), "wishes")
    return counts.reshape(len(names), len(STOPS)), curator


def _counting(wish: Wish, most: int) -> list[tuple[str, float]]:
    """The strictest of a wish, by level and then by name."""
    return sorted(wish.levels.items(), key=lambda each: (each[1], each[0]))[:most]


def granted(plan: WishPlan, counts: IntArray) -> dict[str, float]:
    """The level of each neighborhood whose noisy counts reach the threshold: post-processing."""
    assert plan.threshold is not None
    reached = np.cumsum(counts, axis=1) >= plan.threshold
    names = [area.name for area in city_shapes.neighborhoods()]
    return {
        names[index]: STOPS[int(np.argmax(reached[index]))]
        for index in np.flatnonzero(reached.any(axis=1))
    }


def fingerprint(wishes: Sequence[Wish], key: bytes) -> str:
    """A keyed digest of all wishes in any order: a ledger knows them under another name by it."""
    texts = sorted(json.dumps(sorted(wish.levels.items())) for wish in wishes)
    return hmac.new(key, json.dumps(["wishes", *texts]).encode(), hashlib.sha256).hexdigest()


def publish_wishes(
    plan: WishPlan, wishes: Sequence[Wish], ledger: Ledger, actors: Actors | None = None
) -> tuple[dict[str, Any], Entry]:
    """Count wishes once, charge the ledger, and return the areas as GeoJSON with their levels.

    Raises ReleaseRefused, with nothing spent, where the account cannot pay. Nothing is shown before
    the charge is in the ledger, and what is shown is read back from there.
    """
    claim = Claim(
        plan.name,
        Neighbors.ADD_REMOVE,
        plan.unit,
        plan.allowed,
        plan.price,
        (fingerprint(wishes, ledger.key),),
        {"wishes": True},
    )
    ledger.check(claim)
    time = datetime.now(UTC).isoformat(timespec="seconds")
    counts, curator = counted(plan, wishes, ReleaseNoise())
    levels = granted(plan, counts)
    areas = as_feature_collection([place(name) for name in levels], levels)
    summary = {
        "epsilon": plan.epsilon,
        "areas of one wish": plan.most_areas,
        "threshold": plan.threshold,
        "stops": list(STOPS),
        "counts": counts.tolist(),
        "statement": plan.statement(),
        "transcript": curator.transcript.as_dicts(),
    }
    files = {MAP: json.dumps(areas).encode(), COUNTS: json.dumps(summary, default=str).encode()}
    described = {"epsilon": plan.epsilon, "statement": plan.statement()}
    entry = ledger.record(claim, PURPOSE, time, described, files, actors=actors)
    return json.loads(ledger.files(entry.number)[MAP]), entry
