"""The released numbers, checked against each other and against the certificate."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from dpcore.algorithms import get
from dpcore.algorithms.base import SynopsisAlgorithm
from dpcore.geometry.domain import Box, FloatArray
from dpcore.kmeans.lloyd import lloyd
from dpcore.kmeans.points import WeightedPoints
from dpcore.kmeans.weighted import FEWEST_POINTS
from dpcore.release import map_page
from dpcore.release.bundle import derived
from dpcore.release.finding import Finding
from dpcore.release.other_build import as_made, made_here
from dpcore.release.published import (
    KINDS,
    READERS,
    Published,
    columns,
    described_box,
    read,
)
from dpcore.release.published_files import EDGE
from dpcore.release.rehearsal import Rehearsed
from dpcore.release.weight_noise import difference, is_known
from dpcore.results import parquet
from dpcore.results.run_result import in_order
from dpcore.results.synopsis import Coreset, NoisyGrid

Certificate = Mapping[str, Any]
#: A finding that fails only where this version made the certificate.
Judge = Callable[[Certificate, str, bool, str], Finding]

#: How the names of files with numbers end. The others are pages and programs.
DATA = (".csv", ".geojson", ".parquet")
#: More steps of k-means on the published points, and by which part they may lower the cost. On very
#: many points a search takes few steps, and on noisy counts, of which some are negative, it may end
#: before the best place.
STEPS, SLACK, SLACK_OF_MANY, MANY = 10, 1e-3, 1e-2, 10_000
#: How far one step may move a center of a coreset, in unit coordinates: a search ends when centers
#: move less than a tenth of that, unless it has too many points to wait for it.
SETTLED, SETTLED_OF_FEW = 1e-3, 1.1e-4
#: With fewer cells for each center, searches among noisy counts end anywhere.
CELLS_A_CENTER = 20
#: More pairs of a point and a center than this are not compared.
MOST_PAIRS = 10**9
#: Squares of what a position may be off by, as part of the box: counts on a grid are searched in
#: whole units of a lattice.
SAME_PLACE = 1e-12


def check_numbers(
    certificate: Certificate, files: Mapping[str, bytes], done: Rehearsed, judge: Judge
) -> Iterator[Finding]:
    """All that centers and points tell of each other, and the files that follow from them."""
    box = described_box(certificate)
    centers, points = (read(kind, files, box) for kind in KINDS)
    has_points = "points.parquet" in certificate["files"]
    yield from _columns(files, box)
    if centers is None:
        yield Finding("there are centers", None, "none of the files that tell them is here")
        return
    yield Finding(f"there are {certificate['k']} centers", len(centers) == certificate["k"])
    ordered = np.array_equal(centers, in_order(centers))
    yield judge(certificate, "the centers are in the order of their coordinates", ordered, "")
    inside = all(_inside(table, box) for table in (centers, points) if table is not None)
    yield Finding("all centers and points are in the box", inside)
    published = Published(box, centers, points)
    yield from _derived(certificate, files, published, has_points, judge)
    if points is not None:
        yield from _points(certificate, published, done, judge)
    yield _found_again(certificate, published, judge)


def _columns(files: Mapping[str, bytes], box: Box) -> Iterator[Finding]:
    """A file of numbers holds these numbers and nothing else."""
    for kind in KINDS:
        name = f"{kind}.parquet"
        if name in files:
            names = columns(kind, box, parquet.names(files[name]))
            same = parquet.holds_only(files[name], names, kind == "centers")
            yield Finding(f"{name} holds the numbers of the {kind} and nothing else", same)


def _derived(
    certificate: Certificate,
    files: Mapping[str, bytes],
    published: Published,
    has_points: bool,
    judge: Judge,
) -> Iterator[Finding]:
    """Files that follow from others are made again, and compared byte by byte."""
    again = derived(certificate, published)
    whole = has_points == (published.points is not None)
    if whole:
        names = {*again, "centers.parquet", *(["points.parquet"] if has_points else [])}
        strange = sorted(names ^ set(certificate["files"]))
        data = [name for name in strange if name.endswith(DATA)]
        what = "the files are those that such a release has"
        if strange and not data and not made_here(certificate):
            yield Finding(what, None, "another version of dpcore made it", by_hash=True)
        else:
            why = f"{(data or strange)[0]} is missing or one too many" if strange else ""
            yield judge(certificate, what, not strange, why)
    for name, content in again.items():
        what = f"{name} follows from the certificate and the published numbers"
        if name not in files:
            continue
        if not whole and name == map_page.NAME:
            yield Finding(what, None, "the points are not here")
        elif not name.endswith(DATA):
            yield as_made(certificate, name, files[name], content)
        elif files[name] == content or _same_data(name, files[name], content, published):
            yield judge(certificate, what, files[name] == content, "")
        else:
            yield Finding(what, False, "it has other numbers")


def _same_data(name: str, content: bytes, again: bytes, published: Published) -> bool:
    """Whether a file of another version says the same numbers in its own way."""
    kind, _, form = name.partition(".")
    if kind not in KINDS:
        return bool(json.loads(content) == json.loads(again))
    numbers = published.centers if kind == "centers" else published.points
    own = READERS[form](kind, content, published.box)
    return numbers is not None and np.array_equal(own, numbers)


def _points(
    certificate: Certificate, published: Published, done: Rehearsed, judge: Judge
) -> Iterator[Finding]:
    """The points are of the kind and number that the algorithm publishes."""
    assert published.points is not None
    number = certificate["facts"].get("points", len(published.points))
    same = number == len(published.points)
    yield judge(certificate, "there are as many points as the facts say", same, "")
    if done.coreset:
        positive = bool((published.points[:, published.box.d] > 0).all())
        yield judge(certificate, "every point has a positive weight", positive, "")
    what = "the noise beside each weight is that of the charges"
    if is_known(certificate, done):
        why = difference(certificate, published, done)
        yield judge(certificate, what, why is None, why or "")
    else:
        yield Finding(what, None, "it is not known how this method makes weights of counts")
    side = done.cells_per_side
    if side is not None:
        synopsis = published.synopsis
        grid = isinstance(synopsis, NoisyGrid) and synopsis.grid.cells_per_side == side
        what = f"the points are the cells of a grid of {side} a side, with whole counts"
        yield judge(certificate, what, grid, "")


def _inside(table: FloatArray, box: Box) -> bool:
    unit = box.to_unit(table[:, : box.d])
    return bool(np.isfinite(table).all() and (np.abs(unit) <= 1 + EDGE).all())


def _found_again(certificate: Certificate, published: Published, judge: Judge) -> Finding:
    """No step of k-means leads from the centers to better ones.

    That they are the best of all cannot be checked: two searches need not end in the same optimum,
    least of all on noisy counts.
    """
    what = "the centers are a k-means of the published points"
    system = get(str(certificate["facts"].get("chosen", certificate["algorithm"])))
    synopsis = published.synopsis
    if not isinstance(system, SynopsisAlgorithm) or certificate["parameters"].get("points"):
        return Finding(what, None, "they were found from more than these points")
    if synopsis is None or not len(synopsis):
        return Finding(what, None, "no points were published, or none are here")
    if len(synopsis) * len(published.centers) > MOST_PAIRS:
        return Finding(what, None, "there are too many of both")
    if not isinstance(synopsis, Coreset | NoisyGrid):
        return Finding(what, None, "it takes a search of its own to find them")
    if isinstance(synopsis, NoisyGrid) and len(synopsis) < CELLS_A_CENTER * len(published.centers):
        return Finding(what, None, "noise decides where they are, among so few cells")
    centers, weights = published.box.to_unit(published.centers), np.asarray(synopsis.weights)
    totals = WeightedPoints(synopsis.unit_points, weights)
    masses, sums, own = totals.step(centers[None])
    _, best = lloyd(totals, centers[None], STEPS, minimum_weight=1.0)
    many = len(weights) > MANY
    slack = SLACK_OF_MANY if many or isinstance(synopsis, NoisyGrid) else SLACK
    holds = own[0] - best[0] <= slack * abs(best[0]) + SAME_PLACE * np.abs(weights).sum()
    if isinstance(synopsis, Coreset) and not many:
        few = len(weights) <= FEWEST_POINTS
        settled = SETTLED_OF_FEW if few else SETTLED
        heavy = masses[0] > 0
        means = sums[0][heavy] / masses[0][heavy, None]
        holds &= bool(np.abs(means - centers[heavy]).max(initial=0.0) <= settled)
    why = f"they cost {own[0]:.6g}, and {best[0]:.6g} after at most {STEPS} more steps"
    return judge(certificate, what, bool(holds), why)
