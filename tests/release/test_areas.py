"""Releases with a level for each area: charged, certified, checked again, and drawn."""

from __future__ import annotations

import copy
import json
import subprocess
import sys

import numpy as np
import pytest

from dpcore import BadInput, Box, regions
from dpcore.cli import BAD_INPUT, main
from dpcore.privacy.accounting import Budget
from dpcore.release import (
    Amount,
    BuiltinData,
    FileData,
    Ledger,
    ReleasePlan,
    Unit,
    publish,
    twin_plan,
    verify,
)
from dpcore.release.bundle import AREAS
from dpcore.release.certificate import NAME
from dpcore.runs.request import Request
from tests.release.conftest import BOX, taken_from
from tests.release.test_verify import failures, reissued
from tests.seeded_noise import seeded_noise

WEST = regions.rectangle("west <b>", (-74.1, 40.7), (-74.02, 40.9))
CLINIC = regions.polygon("clinic", [(-73.98, 40.8), (-73.94, 40.8), (-73.96, 40.84)])
LEVELS = {"clinic": 0.25, "west <b>": 0.5}
DRAWN = regions.areas([WEST, CLINIC], BOX, LEVELS)
TAXI = BuiltinData("nyc-taxi")


def visits(patients, algorithm="adaptive", **more) -> ReleasePlan:
    data = FileData(str(patients), ("lon", "lat"), BOX)
    request = taken_from(more, algorithm=algorithm, k=6, epsilon=1.0, regions=DRAWN)
    terms = {"unit": Unit("person", "who", 3), "allowed": Amount.of(3.0, 1e-5)}
    return ReleasePlan("visits", data, request, **terms | more)


@pytest.fixture(scope="module")
def released(patients, tmp_path_factory):
    """Releases by area: with ids, with a delta, of counts, and under replace-one."""
    books = Ledger(tmp_path_factory.mktemp("ledger"))
    boroughs = regions.boroughs().with_levels({"Queens": 0.3})
    city = ReleasePlan(
        "city", TAXI, Request("adaptive", 3, 0.5, regions=boroughs, neighbors="replace-one")
    )
    plans = {
        "ids": visits(patients),
        "delta": visits(patients, "coreset", delta=1e-6),
        "counts": visits(patients, "eugkm"),
        "replace-one": city,
    }
    with seeded_noise():
        return books, plans, {name: publish(plan, books) for name, plan in plans.items()}


KINDS = ["ids", "delta", "counts", "replace-one"]


# What it costs.


@pytest.mark.parametrize("kind", KINDS)
def test_the_account_is_charged_the_largest_level(kind, released):
    _, plans, releases = released
    largest = max(plans[kind].request.regions.levels.values())
    assert releases[kind].entry.charged == Amount.of(largest, plans[kind].request.delta)


def test_where_every_area_has_a_lower_level_the_largest_of_them_is_the_price(patients):
    own = DRAWN.with_levels({**LEVELS, "elsewhere": 0.125})
    plan = visits(patients, regions=own)
    assert plan.price == Amount.of(0.5)
    assert plan.request.epsilon == 0.5


@pytest.mark.parametrize("kind", ["ids", "delta", "counts"])
def test_with_ids_each_area_spends_a_row_s_share_of_its_own_level(kind, released):
    _, plans, releases = released
    (charge,) = releases[kind].certificate["transcript"]["charges"]
    levels = plans[kind].request.regions.levels
    inner = dict(zip(plans[kind].request.regions.names, charge["inner"], strict=True))
    for name, account in inner.items():
        share = Unit("person", "who", 3).per_row(Budget(levels[name], plans[kind].request.delta))
        assert account["epsilon"] == share.epsilon
        assert account["delta"] <= share.delta
        assert 3 * account["epsilon"] <= levels[name]


def test_under_replace_one_each_area_spends_half_its_level(released):
    _, plans, releases = released
    (charge,) = releases["replace-one"].certificate["transcript"]["charges"]
    halves = [level / 2 for level in plans["replace-one"].request.regions.epsilons(0.5)]
    assert [account["epsilon"] for account in charge["inner"]] == halves


# What it says.


def test_the_plan_says_before_it_spends_what_each_level_protects(released):
    _, plans, _ = released
    said = " ".join(plans["ids"].statement())
    assert "in an area at all is protected at the epsilon of that area: clinic 0.25, west" in said
    assert "1 everywhere else" in said
    assert "at the mean of their levels, weighted by the rows" in said
    assert "1.5 at most between two areas and 2 at most within one" in said


@pytest.mark.parametrize("kind", KINDS)
def test_the_certificate_holds_the_areas_with_their_levels_and_says_what_they_protect(
    kind, released
):
    _, plans, releases = released
    said = releases[kind].certificate["areas"]
    again = regions.parsed(json.dumps(said["map"]), plans[kind].request.regions.box)
    assert again == plans[kind].request.regions
    assert said["statement"] == plans[kind].protection_by_region
    assert json.loads(releases[kind].files[AREAS]) == said["map"]
    page = releases[kind].files["certificate.html"].decode()
    assert "A level for each area" in page


def test_the_map_is_tinted_by_level_and_lists_the_levels_without_a_program(released):
    page = released[2]["ids"].files["map.html"].decode()
    assert page.count('class="area"') == 2
    assert "<title>clinic: ε 0.25</title>" in page
    assert "<title>west &lt;b&gt;: ε 0.5</title>" in page
    assert "<td>ε 1</td><td>the rest of the map</td>" in page
    shades = [page.split(f'fill-opacity="{shade}"')[1] for shade in ("0.50", "0.29")]
    assert "clinic" in shades[0][:3000]
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")


# What can be checked.


@pytest.mark.parametrize("kind", KINDS)
def test_every_release_by_area_holds(kind, released):
    files = released[2][kind].files
    findings = verify(files[NAME], files)
    assert [str(each) for each in findings if each.holds is False] == []
    asked = "the charges, sensitivities and mechanisms are those of the algorithm"
    assert [each.holds for each in findings if each.what == asked] == [True]


def move_a_level(said):
    said["areas"]["map"]["features"][0]["properties"]["epsilon"] = 0.75


def move_the_level_of_the_rest(said):
    said["areas"]["map"]["elsewhere"]["epsilon"] = 0.9


def swap_the_levels_of_two_areas(said):
    one, other = (each["properties"] for each in said["areas"]["map"]["features"])
    one["epsilon"], other["epsilon"] = other["epsilon"], one["epsilon"]


def forget_an_area(said):
    del said["areas"]["map"]["features"][1]


def forget_the_areas(said):
    del said["areas"]


def tell_other_words(said):
    said["areas"]["statement"][0] = "Everything is protected at 0.25."


def tell_a_fact_of_another_level(said):
    said["facts"]["regions"]["clinic"] = 0.01


def answer_for_another_area(said):
    said["answers"][0]["region"] = said["answers"][-1]["region"]


def answer_for_an_area_that_is_none(said):
    said["answers"].append({"region": "moon", "why": "number of rows", "values": [1]})


def charge_an_area_less(said):
    account = said["transcript"]["charges"][0]["inner"][0]
    account["charges"][0]["epsilon"] /= 2


def forget_the_run_of_an_area(said):
    del said["transcript"]["charges"][0]["inner"][0]


def cross_a_border(said):
    ring = said["areas"]["map"]["features"][1]["geometry"]["coordinates"][0][0]
    ring[1], ring[2] = ring[2], [ring[1][0], ring[1][1] - 0.05]


@pytest.mark.parametrize(
    "tamper",
    [
        move_a_level,
        move_the_level_of_the_rest,
        swap_the_levels_of_two_areas,
        forget_an_area,
        forget_the_areas,
        tell_other_words,
        tell_a_fact_of_another_level,
        answer_for_another_area,
        answer_for_an_area_that_is_none,
        charge_an_area_less,
        forget_the_run_of_an_area,
        cross_a_border,
    ],
    ids=lambda tamper: tamper.__name__,
)
def test_whatever_is_changed_about_the_areas_is_found(tamper, released):
    release = released[2]["counts"]
    said = copy.deepcopy(release.certificate)
    tamper(said)
    more = {AREAS: json.dumps(said["areas"]["map"]).encode()} if "areas" in said else {}
    files = reissued(said, release.files, **more)
    assert failures(files[NAME], files)


def test_the_program_repeats_the_release_with_its_areas(released, tmp_path):
    released[2]["replace-one"].save(tmp_path / "out")
    words = [sys.executable, "repeat.py", str(tmp_path / "books"), str(tmp_path / "again")]
    run = subprocess.run(
        words, cwd=tmp_path / "out", input="yes\n", capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    again = json.loads((tmp_path / "again" / NAME).read_text())
    assert again["areas"] == released[2]["replace-one"].certificate["areas"]


# What is refused, with nothing spent.


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"regions": regions.boroughs()}, "drawn for another box"),
        ({"regions": DRAWN.with_levels({"clinic": 2.0})}, "'clinic' must be a number from"),
        ({"algorithm": "dplloyd"}, "With regions use adaptive"),
        ({"neighbors": "replace-one"}, "With ids, data are private under add-remove only"),
        ({"purpose": "twin"}, "one level for the whole map"),
    ],
)
def test_a_plan_by_area_that_cannot_be_is_refused(change, complaint, patients):
    with pytest.raises(BadInput, match=complaint):
        visits(patients, **change)


def test_a_level_so_low_that_a_row_has_no_share_of_it_is_refused(patients):
    with pytest.raises(BadInput, match="epsilon must be a number from"):
        visits(patients, regions=DRAWN.with_levels({"clinic": 1e-6}))


def test_ids_whose_rows_lie_in_several_areas_are_kept_as_without_areas(patients):
    """Which rows of an id are kept does not depend on the areas: they divide what is kept."""
    data = visits(patients).data.open(Unit("person", "who", 3))
    counted = np.bincount(DRAWN.labels(data.positions()[0]), data.positions()[1], 3)
    assert counted.sum() == data.n


# The command.


def release_words(tmp_path, *more):
    words = ["release", "adaptive", "--data", "nyc-taxi", "-k", "3", "--epsilon", "0.5"]
    words += ["--allowed", "1", "--yes", "--ledger", str(tmp_path / "books")]
    return [*words, "--output", str(tmp_path / "out"), *more]


def test_the_command_releases_by_names_and_levels_and_verify_holds(tmp_path, capsys):
    levels = ["--level", "West Village=0.1", "--level", "elsewhere=0.4"]
    words = release_words(tmp_path, "--regions", "West Village, Sunnyside", *levels)
    assert main(words) == 0
    told = capsys.readouterr()
    assert "West Village 0.1, 0.4 everywhere else" in told.err
    assert main(["verify", str(tmp_path / "out" / NAME)]) == 0
    said = json.loads((tmp_path / "out" / NAME).read_text())
    levels = {"West Village": 0.1, "Sunnyside": 0.5, "elsewhere": 0.4}
    assert said["facts"]["regions"] == pytest.approx(levels)


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (["--regions", "West Vilage"], "Did you mean 'West Village'?"),
        (["--regions", "boroughs", "--level", "Bronx=9"], "'Bronx' must be a number from"),
        (["--level", "Bronx=9"], "Name the regions first"),
        (["--regions", "nowhere.geojson"], "cannot be read"),
    ],
)
def test_an_impossible_release_by_area_spends_nothing(wish, words, tmp_path, capsys):
    assert main(release_words(tmp_path, *wish)) == BAD_INPUT
    assert words in capsys.readouterr().err
    assert Ledger(tmp_path / "books").entries() == []


def test_a_twin_takes_no_regions(tmp_path, capsys):
    words = release_words(tmp_path, "--regions", "boroughs")
    words[1] = "twin"
    del words[4:6]
    assert main(words) == BAD_INPUT
    assert "leave out -k, --delta, --set and --regions" in capsys.readouterr().err
    assert twin_plan("city", TAXI, 0.5).request.regions is None


def test_regions_need_a_map():
    with pytest.raises(BadInput, match="Regions need data with 2 coordinates; these have 4"):
        ReleasePlan("iris", BuiltinData("iris"), Request("eugkm", 3, 1.0, regions=DRAWN))
    assert Box.cube(4).d == BuiltinData("iris").box.d
