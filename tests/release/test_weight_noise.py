"""The noise that is stated beside each weight is that of the charges, or verification fails."""

import numpy as np
import pytest

from dpcore.release import Amount, Ledger, ReleasePlan, publish, verify
from dpcore.release.certificate import NAME
from dpcore.runs.request import Request
from tests.release.conftest import S1
from tests.release.tampering import at, copied, numbers, remade
from tests.seeded_noise import seeded_noise

WHAT = "the noise beside each weight is that of the charges"
EVERY = slice(None)
#: How a method makes weights of counts, by a name.
WAYS = {
    "a tree": ("adaptive", "add-remove", {}),
    "points that were merged": ("privtree", "add-remove", {"points": 20}),
    "two grids": ("ag", "add-remove", {}),
    "a grid under replace-one": ("eugkm", "replace-one", {}),
    "a public number shared out": ("coreset", "replace-one", {}),
}


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    with seeded_noise():
        return {
            way: publish(
                ReleasePlan(
                    "s1", S1, Request(algorithm, 3, 0.5, neighbors=neighbors, settings=parameters)
                ),
                Ledger(tmp_path_factory.mktemp("books")),
            )
            for way, (algorithm, neighbors, parameters) in WAYS.items()
        }


def found(files):
    (finding,) = [each for each in verify(files[NAME], files) if each.what == WHAT]
    return finding.holds


def told(release, change):
    """What is found of a release with other points, where all that follows was made again."""
    said, files = copied(release.files)
    numbers("points", change)(said, files)
    return found(remade(said, files))


@pytest.mark.parametrize("way", WAYS)
def test_the_stated_noise_is_recomputed_and_a_lie_is_refused(way, releases):
    release = releases[way]
    assert found(release.files) is True
    d = release.box.d
    for part in (0.1, 0.5):
        lie = at((EVERY, d + 1), lambda noise, part=part: noise * part)
        assert told(release, lie) is False, f"{part} of the noise"
    assert told(release, lambda table: table[:, : d + 1]) is False, "no noise is stated"
    assert told(release, at((0, d + 1), lambda noise: -noise)) is False


@pytest.mark.parametrize("kind", ["adaptive", "coreset", "eugkm", "city", "trips"])
def test_sound_releases_of_people_and_of_other_budgets_hold(kind, published):
    assert found(published[kind].files) is True


def test_a_method_that_states_no_noise_may_not_gain_any(tmp_path):
    plan = ReleasePlan("s1", S1, Request("coreset-faithful", 3, 50.0), allowed=Amount.of(50.0))
    release = publish(plan, Ledger(tmp_path))
    assert release.synopsis.variances is None
    assert found(release.files) is True
    added = told(release, lambda table: np.column_stack([table, table[:, 2]]))
    assert added is False
