"""The program in each release rebuilds its mechanisms with OpenDP, and finds charges that lie."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dpcore.release import (
    Amount,
    BuiltinData,
    Ledger,
    Release,
    ReleasePlan,
    check_with_opendp,
    publish,
)
from dpcore.release.bundle import CHECK
from dpcore.release.certificate import NAME
from dpcore.runs.request import Request

#: Three rows of a person, without and with a delta; choices in rho; sums; Gaussian noise.
KINDS = ("adaptive", "coreset", "city", "wine", "digits")


@pytest.fixture(scope="module")
def releases(
    published: dict[str, Release], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Release]:
    """The releases of the session, and one with Gaussian noise."""
    plan = ReleasePlan(
        "digits", BuiltinData("digits"), Request("lift", 4, 1.0, 1e-6), allowed=Amount.of(1.0, 1e-6)
    )
    return {**published, "digits": publish(plan, Ledger(tmp_path_factory.mktemp("books")))}


def said(release: Release) -> dict[str, Any]:
    return json.loads(release.files[NAME])


def charges(account: dict[str, Any]) -> list[dict[str, Any]]:
    """All charges, those inside accounts among them."""
    inner = [each for charge in account["charges"] for each in charge["inner"]]
    return [*account["charges"], *(charge for each in inner for charge in charges(each))]


def failures(certificate: dict[str, Any]) -> list[str]:
    return [text for holds, text in check_with_opendp.checks(certificate) if not holds]


@pytest.mark.parametrize("kind", KINDS)
def test_every_charge_of_a_release_holds(releases, kind):
    certificate = said(releases[kind])
    found = list(check_with_opendp.checks(certificate))
    assert [text for holds, text in found if not holds] == []
    leaves = [each for each in charges(certificate["transcript"]) if not each["inner"]]
    assert sum("by OpenDP; charged" in text for _, text in found) == len(leaves)


def test_the_releases_draw_from_every_mechanism(releases):
    drawn = {
        charge["mechanism"]
        for kind in KINDS
        for charge in charges(said(releases[kind])["transcript"])
        if not charge["inner"]
    }
    assert drawn == {"two-sided geometric", "discrete Gaussian", "exponential mechanism"}


def test_the_program_runs_without_dpcore_on_the_files_of_a_release(releases, tmp_path):
    for name in (CHECK, NAME):
        (tmp_path / name).write_bytes(releases["coreset"].files[name])
    # In a path of its own, `import dpcore` would fail.
    (tmp_path / "dpcore.py").write_text("raise ImportError('dpcore is not needed')\n")
    run = subprocess.run(
        [sys.executable, CHECK],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.endswith("All charges hold.\n")


def scaled(key: str, factor: float) -> Any:
    def change(certificate: dict[str, Any]) -> None:
        for charge in charges(certificate["transcript"]):
            if not charge["inner"] and charge[key]:
                charge[key] *= factor

    return change


def lower_epsilon(certificate: dict[str, Any]) -> None:
    certificate["epsilon"] *= 0.99


def more_rows(certificate: dict[str, Any]) -> None:
    certificate["unit"]["rows"] += 1


def another_mechanism(certificate: dict[str, Any]) -> None:
    certificate["transcript"]["charges"][0]["mechanism"] = "Laplace"


def one_more_charge(certificate: dict[str, Any]) -> None:
    account = certificate["transcript"]
    account["charges"].append(copy.deepcopy(account["charges"][0]))


LIES = {
    "less noise": scaled("scale", 0.999),
    "a larger sensitivity": scaled("sensitivity", 2),
    "a lower price": scaled("epsilon", 0.99),
    "a smaller release": lower_epsilon,
    "more rows of a person": more_rows,
    "a mechanism that OpenDP lacks": another_mechanism,
    "a charge too many": one_more_charge,
}


@pytest.mark.parametrize("lie", LIES)
def test_a_certificate_that_lies_about_its_charges_fails(releases, lie, tmp_path, capsys):
    certificate = said(releases["adaptive"])
    LIES[lie](certificate)
    assert failures(certificate)
    path = Path(tmp_path / NAME)
    path.write_text(json.dumps(certificate), encoding="utf-8")
    assert check_with_opendp.main([str(path)]) == 1
    assert "FAILS" in capsys.readouterr().out


@pytest.mark.parametrize("key", ["rho", "scale"])
def test_lies_inside_an_account_in_rho_fail(releases, key):
    certificate = said(releases["digits"])
    scaled(key, 0.9)(certificate)
    assert failures(certificate)


def test_an_account_with_a_delta_inside_one_in_rho_has_no_price(releases):
    """An epsilon at a delta is worth no rho, so nothing pays for it."""
    certificate = said(releases["digits"])
    account = {"epsilon": 0.1, "delta": 0.5, "accounting": "pure", "charges": []}
    charge = {**certificate["transcript"]["charges"][0], "inner": [account], "rho": 1.0}
    lines = list(check_with_opendp.inner_checks(charge, True, "1."))
    assert [holds for holds, text in lines if "an account of rho" in text] == [False]
    account["delta"] = 0.0
    lines = list(check_with_opendp.inner_checks(charge, True, "1."))
    assert [holds for holds, text in lines if "an account of rho" in text] == [True]
