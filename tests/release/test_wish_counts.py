"""Areas drawn from wishes: counted with noise, charged, and only where many people wish them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dpcore import BadInput, regions
from dpcore.datasets import city_shapes
from dpcore.datasets.wishes import STOPS, Wish
from dpcore.privacy.noise import SimulatedNoise
from dpcore.privacy.noise_proxy import NoiseProxy
from dpcore.release import Amount, Ledger, ReleaseRefused
from dpcore.release.wish_counts import (
    COUNTS,
    MAP,
    WishPlan,
    counted,
    granted,
    publish_wishes,
    quiet_threshold,
)

NAMES = [area.name for area in city_shapes.neighborhoods()]
PLAN = WishPlan("wishes", 1.0, most_areas=2)


class NoNoise(NoiseProxy):
    """What the noise is asked: exact values, sensitivities and prices."""

    def __init__(self):
        self.asked = []

    def answer(self, request):
        self.asked.append(request)
        return np.array(request.values)


def exact(wishes, plan=PLAN):
    noise = NoNoise()
    counts, curator = counted(plan, wishes, noise)
    (asked,) = noise.asked
    return counts, asked, curator


def random_wish(rng) -> Wish:
    names = rng.choice(NAMES, rng.integers(1, 9), replace=False)
    return Wish({str(name): float(rng.choice(STOPS)) for name in names})


def test_each_wish_counts_in_the_cell_of_its_neighborhood_and_stop():
    one, other = Wish({"Sunnyside": 0.1}), Wish({"Sunnyside": 0.1, "Tribeca-Civic Center": 4.0})
    counts, _, _ = exact([one, other])
    assert counts[NAMES.index("Sunnyside"), STOPS.index(0.1)] == 2
    assert counts[NAMES.index("Tribeca-Civic Center"), STOPS.index(4.0)] == 1
    assert counts.sum() == 3


def test_one_person_moves_the_counts_by_no_more_than_the_noise_is_scaled_to():
    rng = np.random.default_rng(0)
    wishes = [random_wish(rng) for _ in range(40)]
    whole, asked, curator = exact(wishes)
    # One row costs asked.price, and a person has at most two.
    assert asked.sensitivity == 1
    assert 2 * asked.price <= PLAN.epsilon
    assert curator.transcript.epsilon == asked.price
    for left_out in range(len(wishes)):
        without, again, _ = exact([*wishes[:left_out], *wishes[left_out + 1 :]])
        moved = np.abs(whole - without).sum()
        assert moved == min(2, len(wishes[left_out].levels))
        assert moved * again.price <= PLAN.epsilon


def test_of_a_long_wish_the_strictest_count():
    long = Wish({"Sunnyside": 0.5, "Bushwick (East)": 0.02, "West Village": 0.1})
    counts, _, _ = exact([long])
    rows, columns = np.nonzero(counts)
    kept = {(NAMES[r], STOPS[c]) for r, c in zip(rows, columns, strict=True)}
    assert kept == {("Bushwick (East)", 0.02), ("West Village", 0.1)}


def test_an_area_has_the_strictest_level_that_enough_people_wish_or_better():
    plan = WishPlan("wishes", 1.0, threshold=3)
    wishes = [Wish({"Sunnyside": level}) for level in (0.02, 0.1, 0.1, 0.5)]
    assert granted(plan, exact(wishes, plan)[0]) == {"Sunnyside": 0.1}
    assert granted(plan, exact(wishes[:2], plan)[0]) == {}


@pytest.mark.parametrize("scale", [0.5, 3.0, 40.0])
def test_noise_alone_draws_an_area_once_in_a_hundred_counts_at_most(scale):
    plan = WishPlan("wishes", 1 / scale, most_areas=1)
    assert plan.threshold == quiet_threshold(scale)
    drawn = [bool(granted(plan, counted(plan, [], SimulatedNoise(seed))[0])) for seed in range(300)]
    assert sum(drawn) <= 9  # of 300 tries at one in a hundred, more than 9 come up once in 1000


def test_wishes_are_charged_once_and_their_map_can_be_used_for_a_release(tmp_path):
    ledger = Ledger(tmp_path / "books")
    # Noise alone lifts no other cell so far, nor one of these two below it.
    plan = WishPlan("wishes of visitors", 0.5, threshold=1000, allowed=Amount.of(0.6))
    wishes = [Wish({"Sunnyside": 0.05, "West Village": 0.1}) for _ in range(2000)]
    areas, entry = publish_wishes(plan, wishes, ledger)
    assert entry.charged == Amount.of(0.5)
    drawn = regions.parsed(json.dumps(areas), regions.boroughs().box)
    assert dict(drawn.levels) == {"Sunnyside": 0.05, "West Village": 0.1}
    assert set(ledger.files(entry.number)) == {MAP, COUNTS}
    said = json.loads(ledger.files(entry.number)[COUNTS])
    assert "pays for both" in said["statement"]
    counts = np.array(said["counts"])
    assert np.count_nonzero(counts) > counts.size / 2, "the counts carry noise"
    with pytest.raises(ReleaseRefused):
        publish_wishes(plan, wishes, ledger)
    assert len(ledger.entries()) == 1


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"most_areas": 0}, "most_areas must be a whole number from 1 to 20"),
        ({"most_areas": 21}, "not 21"),
        ({"threshold": 0}, "threshold must be a whole number from 1"),
        ({"epsilon": 0.0}, "epsilon must be a number"),
    ],
)
def test_an_impossible_count_is_refused(change, complaint):
    with pytest.raises(BadInput, match=complaint):
        WishPlan(**({"name": "wishes", "epsilon": 1.0} | change))
