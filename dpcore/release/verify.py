"""What anybody can check of a release without the data, and what nobody can."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore._version import __version__
from dpcore.algorithms import ALGORITHMS
from dpcore.algorithms.base import SynopsisAlgorithm
from dpcore.geometry.domain import Box, FloatArray
from dpcore.kmeans.lloyd import lloyd
from dpcore.kmeans.points import WeightedPoints
from dpcore.privacy.accounting import Budget, Neighbors, Verdict
from dpcore.privacy.rounding import at_most
from dpcore.release import certificate as written
from dpcore.release.certificate_page import certificate_page
from dpcore.release.recomputed_spending import overspent, within
from dpcore.release.unit import Unit
from dpcore.results import parquet

#: More steps of k-means on the published points, and by which part they may lower the cost: the
#: search ends when centers hardly move, and on very many points it takes few steps.
STEPS, SLACK = 10, 0.01
#: Squares of what a position may be off by, as part of the box: counts on a grid are searched in
#: whole units of a lattice.
SAME_PLACE = 1e-12


@dataclass(frozen=True)
class Finding:
    """One thing that was checked: whether it holds, or None where files cannot tell."""

    what: str
    holds: bool | None
    why: str = ""

    def __str__(self) -> str:
        mark = {True: "holds ", False: "FAILS ", None: "unknown"}[self.holds]
        return f"{mark:<8} {self.what}" + (f": {self.why}" if self.why else "")


Said = Mapping[str, Any]
Check = Callable[[Said, Mapping[str, bytes]], Iterator[Finding]]

UNKNOWN = (
    ("that the noise was drawn as the transcript says", "noise that can be checked can be removed"),
    ("that the data were those that the certificate names", "they are not here, nor is their hash"),
    ("that nothing else was published of the same data", "ask whoever keeps the ledger"),
    (
        "that this is the certificate that was issued",
        "compare its fingerprint with the publisher's; who changes files can change it too",
    ),
)


def verify(certificate: bytes, files: Mapping[str, bytes]) -> list[Finding]:
    """Everything that a certificate and the released files, by name, can show.

    No finding is False if and only if what can be checked holds.
    """
    try:
        said = json.loads(certificate, object_pairs_hook=_once, parse_constant=_refused)
        if said["kind"] != written.KIND or said["format"] != written.FORMAT:
            raise ValueError("this is no certificate of a kind that is known here")
    except Exception as error:
        return [Finding("the certificate can be read", False, str(error))]
    found = []
    if files.get(written.NAME, certificate) != certificate:
        found.append(Finding(f"{written.NAME} among the files is this certificate", False))
    for check in (_itself, _files, _claim, _spending, _argument, _centers, _recomputed):
        try:
            found += list(check(said, files))
        except Exception as error:
            # Whoever wrote it may have written anything.
            what = (check.__doc__ or "").splitlines()[0].rstrip(".")
            found.append(Finding(what, False, f"it cannot be read ({error})"))
    return found + [Finding(what, None, why) for what, why in UNKNOWN]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that says nothing twice: of two values, readers might see different ones."""
    said = dict(pairs)
    if len(said) < len(pairs):
        raise ValueError("it says something twice")
    return said


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is no number")


def _itself(said: Said, files: Mapping[str, bytes]) -> Iterator[Finding]:
    """The certificate has its own fingerprint, and its page says the same."""
    yield Finding("the certificate has its own fingerprint", written.digest(said) == said["digest"])
    if written.PAGE not in files:
        return
    what = f"{written.PAGE} says what the certificate says"
    if said["dpcore"] == __version__:
        yield Finding(what, certificate_page(said).encode() == files[written.PAGE])
    else:
        yield Finding(what, None, _other_version(said))


def _files(said: Said, files: Mapping[str, bytes]) -> Iterator[Finding]:
    """The files are those that were released."""
    for name, content in files.items():
        if name in (written.NAME, written.PAGE):
            continue
        if name not in said["files"]:
            yield Finding(f"{name} was released", False, "the certificate does not name it")
        else:
            same = written.described(content) == said["files"][name]
            yield Finding(f"{name} is the file that was released", same)
    for name in said["files"]:
        if name not in files:
            yield Finding(f"{name} is the file that was released", None, "it is not here")


def _claim(said: Said, files: Mapping[str, bytes]) -> Iterator[Finding]:
    """What one row may cost protects the unit at the claim."""
    unit, row = Unit(**said["unit"]), said["budget of one row"]
    unit.refuse(Neighbors(said["neighbors"]))
    allowed = unit.per_row(Budget(said["epsilon"], said["delta"]))
    holds = within(row["epsilon"], allowed.epsilon) and within(row["delta"], allowed.delta)
    yield Finding(
        f"ε {at_most(row['epsilon'])}, δ {at_most(row['delta'])} for a row protects one "
        f"{unit.name} at ε {at_most(said['epsilon'])}, δ {at_most(said['delta'])}",
        holds,
        "" if unit.rows == 1 else f"at most {unit.rows} rows are one {unit.name}'s",
    )


def _spending(said: Said, files: Mapping[str, bytes]) -> Iterator[Finding]:
    """The charges add up to no more than what one row may cost."""
    row, account = said["budget of one row"], said["transcript"]
    same = account["epsilon"] <= row["epsilon"] and account["delta"] <= row["delta"]
    yield Finding("the transcript has the budget of one row", same)
    problem = overspent(account)
    yield Finding(
        "the charges, and those inside them, add up to no more than their budgets, and every scale "
        "of noise is what its charge pays for",
        problem is None,
        problem or "",
    )


def _argument(said: Said, files: Mapping[str, bytes]) -> Iterator[Finding]:
    """The verdict and its argument are those of this version."""
    chosen = str(said["facts"].get("chosen", said["algorithm"]))
    named = list(dict.fromkeys([said["algorithm"], chosen]))
    claims = said["arguments"]
    proved = [each["algorithm"] for each in claims] == named and all(
        Verdict(each["verdict"]).holds for each in claims
    )
    # Whatever its version said: a flaw may have been found since.
    proved &= all(ALGORITHMS[key].verdict.holds for key in named if key in ALGORITHMS)
    yield Finding("the algorithm's privacy claim is proved or repaired", proved)
    if said["dpcore"] != __version__:
        what = "the verdict and its argument are those of dpcore"
        yield Finding(what, None, _other_version(said))
        return
    known = all(key in ALGORITHMS for key in named)
    same = known and claims == written.arguments(said["algorithm"], said["facts"])
    yield Finding("the verdict and its argument are those of dpcore", same)
    if known:
        system = ALGORITHMS[said["algorithm"]]
        fits = (
            system.settings(said["parameters"]) == dict(said["parameters"])
            and said["neighbors"] in system.relations
            and system.supports(len(said["box"]["names"]), None, said["k"])
        )
        yield Finding("the algorithm takes these settings and this relation", fits)


def _other_version(said: Said) -> str:
    return f"it was made with {said['dpcore']}, this is {__version__}"


def _centers(said: Said, files: Mapping[str, bytes]) -> Iterator[Finding]:
    """All files tell the same centers and points."""
    box = _box(said)
    for kind in ("centers", "points"):
        tables = dict(_tables(kind, files, box))
        if not tables:
            continue
        first, *others = tables.values()
        yield Finding(
            f"{' and '.join(tables)} tell the same {kind}",
            all(each.shape == first.shape and np.array_equal(each, first) for each in others),
        )
        if kind == "centers":
            yield Finding(f"there are {said['k']} centers", len(first) == said["k"])


def _recomputed(said: Said, files: Mapping[str, bytes]) -> Iterator[Finding]:
    """No step of k-means leads from the centers to better ones.

    That they are the best of all cannot be checked: two searches need not end in the same optimum,
    least of all on noisy counts.
    """
    box, what = _box(said), "the centers are a k-means of the published points"
    system = ALGORITHMS.get(str(said["facts"].get("chosen", said["algorithm"])))
    if not isinstance(system, SynopsisAlgorithm) or said["parameters"].get("points"):
        yield Finding(what, None, "they were found from more than these points")
        return
    tables = [dict(_tables(kind, files, box)) for kind in ("centers", "points")]
    if not all(tables):
        yield Finding(what, None, "nothing was published, or is here, to find them from")
        return
    centers, points = (next(iter(each.values())) for each in tables)
    if not len(points):
        yield Finding(what, None, "there are no points")
        return
    published, weights = box.to_unit(centers), points[:, box.d]
    totals = WeightedPoints(box.to_unit(points[:, : box.d]), weights)
    _, _, own = totals.step(published[None])
    _, best = lloyd(totals, published[None], STEPS, minimum_weight=1.0)
    yield Finding(
        what,
        bool(own[0] - best[0] <= SLACK * abs(best[0]) + SAME_PLACE * np.abs(weights).sum()),
        f"they cost {own[0]:.6g}, and {best[0]:.6g} after at most {STEPS} more steps",
    )


def _box(said: Said) -> Box:
    return Box(*(tuple(said["box"][end]) for end in ("low", "high", "names")))


def _tables(kind: str, files: Mapping[str, bytes], box: Box) -> Iterator[tuple[str, FloatArray]]:
    """The coordinates, and weights of points, that each file of a kind tells."""
    columns = [*box.names, *([box.beside("weight")] if kind == "points" else [])]
    if content := files.get(f"{kind}.parquet"):
        yield f"{kind}.parquet", parquet.read(content, columns)
    if content := files.get(f"{kind}.csv"):
        lines = csv.DictReader(io.StringIO(content.decode()))
        rows = [[float(line[column]) for column in columns] for line in lines]
        yield f"{kind}.csv", np.array(rows, dtype=np.float64).reshape(-1, len(columns))
    if content := files.get(f"{kind}.geojson"):
        rows = []
        for feature in json.loads(content)["features"]:
            places = np.ravel(feature["geometry"]["coordinates"]).tolist()
            weight = [feature["properties"]["weight"]] if kind == "points" else []
            rows.append([*places, *weight])
        yield f"{kind}.geojson", np.array(rows, dtype=np.float64).reshape(-1, len(columns))
