"""What somebody might change in a release: each a function that edits the certificate or a file.

A person who tampers with a release changes one thing in it. `remade` does the rest, as somebody
careful would who has dpcore at hand.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dpcore.release.bundle import derived
from dpcore.release.certificate import (
    NAME,
    PAGE,
    as_json,
    described,
    digest,
    page_digest,
)
from dpcore.release.certificate_map import map_of
from dpcore.release.certificate_page import certificate_page
from dpcore.release.described import described_box
from dpcore.release.published import Published, read
from dpcore.results import parquet
from dpcore.results.formats import centers_as_places, points_as_places

Said = dict[str, Any]
Files = dict[str, bytes]
Edit = Callable[[Said, Files], None]


def put(*path: Any, to: Any) -> Edit:
    """Another value in the certificate; a function makes it of the one that is there."""

    def edit(said: Said, files: Files) -> None:
        place: Any = said
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = to(place[path[-1]]) if callable(to) else to

    return edit


def drop(*path: Any) -> Edit:
    def edit(said: Said, files: Files) -> None:
        place: Any = said
        for step in path[:-1]:
            place = place[step]
        del place[path[-1]]

    return edit


def both(*edits: Edit) -> Edit:
    def edit(said: Said, files: Files) -> None:
        for each in edits:
            each(said, files)

    return edit


def replaced(name: str, old: bytes, new: bytes) -> Edit:
    def edit(said: Said, files: Files) -> None:
        assert old in files[name], f"{name} has no {old!r}"
        files[name] = files[name].replace(old, new, 1)

    return edit


def added(name: str, more: bytes) -> Edit:
    def edit(said: Said, files: Files) -> None:
        files[name] += more

    return edit


def numbers(kind: str, change: Callable[[np.ndarray], np.ndarray]) -> Edit:
    """Other centers or points in the file that the others are made from."""

    def edit(said: Said, files: Files) -> None:
        box = described_box(said)
        table = read(kind, files, box)
        assert table is not None
        changed = change(table.copy())
        if kind == "centers":
            places = centers_as_places(box, changed, "")
        else:
            noise = changed[:, box.d + 1] if changed.shape[1] > box.d + 1 else None
            places = points_as_places(box, changed[:, : box.d], changed[:, box.d], "", noise)
        files[f"{kind}.parquet"] = places.as_parquet()

    return edit


def at(index: Any, value: Callable[[Any], Any]) -> Callable[[np.ndarray], np.ndarray]:
    def change(table: np.ndarray) -> np.ndarray:
        table[index] = value(table[index])
        return table

    return change


def one_moved(which: Callable[[np.ndarray], Any], by: float) -> Callable[[np.ndarray], np.ndarray]:
    """A point, chosen by the weights, a little further east."""

    def change(table: np.ndarray) -> np.ndarray:
        table[which(table[:, 2]), 0] += by
        return table

    return change


def columns(kind: str, more: Mapping[str, Any]) -> Edit:
    """Columns that no release has, in a file that is otherwise right."""

    def edit(said: Said, files: Files) -> None:
        box = described_box(said)
        table = read(kind, files, box)
        assert table is not None
        numbered = {box.beside("center"): np.arange(1, len(table) + 1)}
        own = dict(zip(box.names, table.T, strict=False))
        files[f"{kind}.parquet"] = parquet.written({**numbered, **own, **more})

    return edit


def without_noise(said: Said, files: Files) -> None:
    """The centers as somebody found them without privacy, and no question asked."""
    put("transcript", "charges", to=[])(said, files)
    put("noise", to={"library": "numpy", "version": "2.0", "seed": 1})(said, files)


CHARGES = ("transcript", "charges")
#: The accounts of balls, and the first charge in it, of a coreset's certificate.
BALLS = (*CHARGES, 1, "inner", 0)

CERTIFICATE: dict[str, Edit] = {
    "no noise at all": without_noise,
    "no charges": put(*CHARGES, to=[]),
    "a charge left out": drop(*CHARGES, 0),
    "the last charge left out": drop(*CHARGES, -1),
    "a charge twice": put(*CHARGES, to=lambda charges: [*charges[:1], *charges]),
    "charges in another order": put(*CHARGES, to=lambda charges: charges[::-1]),
    "numpy's noise": put("noise", "library", to="numpy"),
    "a seed": put("noise", "seed", to=1),
    "a seed of 0": put("noise", "seed", to=0),
    "another library's version": put("noise", "version", to="9.9"),
    "a version that is none": put("noise", "version", to="the newest"),
    "half the sensitivity": put(*CHARGES, 0, "sensitivity", to=0.5),
    "half the sensitivity and scale": both(
        put(*CHARGES, 0, "sensitivity", to=0.5),
        put(*CHARGES, 0, "scale", to=lambda scale: scale / 2),
    ),
    "half the scale": put(*CHARGES, 0, "scale", to=lambda scale: scale / 2),
    "twice the scale": put(*CHARGES, 0, "scale", to=lambda scale: 2 * scale),
    "a scale a little larger": put(*CHARGES, 2, "scale", to=lambda scale: scale * (1 + 1e-9)),
    "half the sensitivity of a choice": put(*BALLS, "charges", 0, "sensitivity", to=0.5),
    "a cheaper choice": put(*BALLS, "charges", 0, "rho", to=lambda rho: rho / 2),
    "a choice left out": drop(*BALLS, "charges", 0),
    "a choice of two": put(*BALLS, "charges", 0, "answers", to=2),
    "a choice instead of noise": put(*CHARGES, 0, "mechanism", to="exponential mechanism"),
    "Gaussian noise instead": put(*CHARGES, 0, "mechanism", to="discrete Gaussian"),
    "Laplace noise instead": put(*CHARGES, 0, "mechanism", to="Laplace"),
    "a charge for something else": put(*CHARGES, 0, "why", to="number of trips"),
    "a number in what a charge is for": put(*CHARGES, 2, "why", to=lambda why: f"{why}, 9 cells"),
    "a cheaper charge": put(*CHARGES, 0, "epsilon", to=lambda epsilon: epsilon / 2),
    "a dearer charge": put(*CHARGES, 2, "epsilon", to=lambda epsilon: 2 * epsilon),
    "a charge over by a billionth": put(
        *CHARGES, 2, "epsilon", to=lambda epsilon: epsilon * (1 + 1e-9)
    ),
    "a charge that gives back": put(*CHARGES, 0, "epsilon", to=-0.1),
    "another delta in a charge": put(*CHARGES, 1, "delta", to=1e-9),
    "an account left out": put(*CHARGES, 1, "inner", to=[]),
    "another accounting inside": put(*BALLS, "accounting", to="pure"),
    "a larger account inside": put(*BALLS, "epsilon", to=0.9),
    "a smaller epsilon": put("epsilon", to=0.1),
    "an epsilon a little smaller": put("epsilon", to=0.999999),
    "an epsilon that is true": put("epsilon", to=True),
    "an epsilon that is text": put("epsilon", to="1.0"),
    "a smaller delta": put("delta", to=1e-9),
    "no delta": put("delta", to=0.0),
    "a smaller budget of a row": put("budget of one row", "epsilon", to=0.5),
    "a smaller price all through": both(
        put("epsilon", to=0.5),
        put("budget of one row", "epsilon", to=0.5),
        put("transcript", "epsilon", to=0.5),
    ),
    "less allowed than it cost": put("allowed", "epsilon", to=0.5),
    "more allowed": put("allowed", "epsilon", to=5.0),
    "less spent than it cost": put("spent", "epsilon", to=0.5),
    "more spent than allowed": both(put("spent", "epsilon", to=2.0), put("spent", "charges", to=3)),
    "more spent by one charge": both(
        put("allowed", "epsilon", to=5.0), put("spent", "epsilon", to=2.0)
    ),
    "another charge that cost nothing": put("spent", "charges", to=2),
    "another relation": put("neighbors", to="replace-one"),
    "a relation that is none": put("neighbors", to="everybody"),
    "another unit": put("unit", "name", to="person"),
    "people by their ids": put("unit", to={"name": "person", "ids": "who", "rows": 1}),
    "ten rows of a unit": put("unit", "rows", to=10),
    "another algorithm": put("algorithm", to="adaptive"),
    "an algorithm that is none": put("algorithm", to="perfect"),
    "an algorithm whose claim fails": put("algorithm", to="eugkm-published"),
    "another number of centers": put("k", to=7),
    "a setting it does not have": put("parameters", to={"rounds": 3}),
    "a better verdict": put("arguments", 0, "verdict", to="REPAIRED"),
    "a verdict that does not hold": put("arguments", 0, "verdict", to="UNPROVEN"),
    "another proof": put("arguments", 0, "argument", "Private", to="Trust me."),
    "another paper": put("arguments", 0, "paper", to="Nobody 2001: A dream"),
    "another title": put("arguments", 0, "title", to="Perfect privacy"),
    "no argument": put("arguments", to=[]),
    "another data set": put("data set", to="another city"),
    "another built-in set": put("source", "key", to="s1-like"),
    "other columns": put("source", "columns", to=["a", "b"]),
    "a file instead of a built-in set": put(
        "source",
        to={
            "kind": "files",
            "columns": ["lon", "lat"],
            "outside the box": "drop",
            "engine": "duckdb",
            "format": None,
            "zones": False,
        },
    ),
    "another box": put("box", "low", 0, to=lambda low: low - 1),
    "another name of a coordinate": put("box", "names", 0, to="east"),
    "not on a map": put("geographic", to=False),
    "made to explore": put("purpose", to="twin"),
    "a purpose that is none": put("purpose", to="research"),
    "another time": put("time", to="2026-01-01T00:00:00+00:00"),
    "a time to come": put("time", to="2999-01-01T00:00:00+00:00"),
    "a day that is none": put("time", to="2026-02-31T00:00:00+00:00"),
    "a time elsewhere": put("time", to=lambda time: time.replace("+00:00", "+05:00")),
    "an older dpcore": put("dpcore", to="0.0.9"),
    "a newer dpcore": put("dpcore", to="99.0.0"),
    "another format": put("format", to=1),
    "a format that is true": put("format", to=True),
    "another kind of paper": put("kind", to="diploma"),
    "more rounds in the facts": put("facts", "rounds", to=lambda rounds: rounds + 1),
    "more points in the facts": put("facts", "points", to=lambda points: points + 1),
    "a fact that is none": put("facts", "quality", to="excellent"),
    "twice the rows": put("answers", 0, "values", 0, to=lambda rows: 2 * rows),
    "no answers": put("answers", to=[]),
    "one answer more": put("answers", to=lambda old: [*old, {"why": "height", "values": [3]}]),
    "another head of the ledger": put("ledger before", to="0" * 64),
    "a head that is none": put("ledger before", to=None),
    "an endorsement": put("endorsed by", to="NIST"),
    "an endorsement inside": put("noise", "endorsed by", to="NIST"),
    "a file that was not released": put("files", "rows.csv", to={"sha256": "0" * 64, "bytes": 10}),
    "a file left out of the list": drop("files", "repeat.py"),
    "a field left out": drop("arguments"),
}

FILES: dict[str, Edit] = {
    "a center moved in one file": replaced("centers.csv", b"\n1,-7", b"\n1,-6"),
    "centers numbered otherwise": replaced("centers.csv", b"\n1,", b"\n6,"),
    "a column called otherwise": replaced("centers.csv", b"center,", b"person,"),
    "a comment after the centers": added("centers.csv", b"# approved\n"),
    "a center more in one file": added("centers.csv", b"6,-73.9,40.7\n"),
    "a center moved": numbers("centers", at((0, 0), lambda x: x + 0.01)),
    "a center moved by 100 meters": numbers("centers", at((0, 1), lambda x: x + 0.001)),
    "a center out of the box": numbers("centers", at((0, 0), lambda x: x + 30)),
    "a center that is no number": numbers("centers", at((0, 0), lambda x: np.nan)),
    "two centers swapped in one file": numbers("centers", lambda table: table[[1, 0, 2, 3, 4]]),
    "a center left out": numbers("centers", lambda table: table[1:]),
    "a secret column": columns("centers", {"secret": np.arange(5.0)}),
    "a heavy point moved": numbers("points", one_moved(np.argmax, 0.01)),
    "a light point moved by ten meters": numbers("points", one_moved(np.argmin, 0.0001)),
    "a point far heavier": numbers("points", at((0, 2), lambda weight: 50 * weight)),
    "a point lighter than nothing": numbers("points", at((0, 2), lambda weight: -weight)),
    "a point left out": numbers("points", lambda table: table[1:]),
    "half the noise beside a weight": numbers("points", at((0, 3), lambda noise: noise / 2)),
    "a little less noise beside all weights": numbers(
        "points", at((slice(None), 3), lambda noise: 0.99 * noise)
    ),
    "no noise beside the weights": numbers("points", lambda table: table[:, :3]),
    "a point changed in one file": replaced("points.csv", b"\n-7", b"\n-6"),
    "another point on the other map": replaced("points.geojson", b"-7", b"-6"),
    "a property in a map file": replaced(
        "centers.geojson", b'"center": 1', b'"center": 1, "name": "Ann"'
    ),
    "a program that does harm": replaced(
        "repeat.py", b"import sys\n", b'import sys, os\nos.system("rm -rf ~")\n'
    ),
    "a program at a lower price": replaced("repeat.py", b"epsilon=1.0", b"epsilon=0.1"),
    "a sentence in the map": replaced("map.html", b"</h1>", b"</h1><p>Approved.</p>"),
    "a center moved on the map": replaced(
        "map.html", b'title="center 1" style="left:', b'title="center 1" style="left:1'
    ),
    "a script in the map": replaced("map.html", b"</body>", b"<script>1</script></body>"),
    "another epsilon on the page": replaced(PAGE, "ε = 1,".encode(), "ε = 0.1,".encode()),
    "a sentence on the page": replaced(PAGE, b"</h1>", b"</h1><p>Approved.</p>"),
    "with a seed on the page": replaced(PAGE, b"without a seed", b"with seed 3"),
}

TAMPERINGS = {**CERTIFICATE, **FILES}
#: Changes that are undone by making nothing again, the page, or everything that dpcore makes.
UNDONE = {
    "nothing": set[str](),
    "page": {name for name in FILES if name.endswith("on the page")},
    "everything": {
        name
        for name in FILES
        if name.endswith(("on the page", "in one file", "on the other map", "the map", "harm"))
        or name
        in (
            "centers numbered otherwise",
            "a column called otherwise",
            "a comment after the centers",
            "a property in a map file",
            "a program at a lower price",
        )
    }
    - {"two centers swapped in one file"},
}


def edited(said: Said, files: Files) -> Files:
    """The changed files and the certificate as they are."""
    return {**files, NAME: as_json(said)}


def refingerprinted(said: Said, files: Files) -> Files:
    """All digests, the certificate's own fingerprint and its page fit again."""
    again = dict(files)
    for name in said.get("files", {}):
        if name in again:
            said["files"][name] = described(again[name])
    blank = {"digest": "", "signature": said.get("signature") and ""}
    said["page"] = hashlib.sha256(_page({**said, **blank}, again)).hexdigest()
    said["digest"] = digest(said)
    return {**again, NAME: as_json(said), PAGE: _page(said, again)}


def forged(said: Said, files: Files) -> Files:
    """All digests fit again, and nothing is made again, whatever was changed in it."""
    again, old = dict(files), said["digest"]
    for name, known in said["files"].items():
        if name in again:
            said["files"][name] = described(again[name])
            new = said["files"][name]["sha256"]
            again[PAGE] = again[PAGE].replace(known["sha256"].encode(), new.encode())
    said["page"] = page_digest(said, again[PAGE])
    said["digest"] = digest(said)
    for printed in (old, old[:8]):
        again[PAGE] = again[PAGE].replace(printed.encode(), said["digest"][: len(printed)].encode())
    return {**again, NAME: as_json(said)}


def remade(said: Said, files: Files) -> Files:
    """All that dpcore makes of a certificate and its numbers is made again as well.

    What was changed in such a file is thereby undone, so these changes are kept.
    """
    try:
        box = described_box(said)
        centers, points = read("centers", files, box), read("points", files, box)
        assert centers is not None
        again = derived(said, Published(box, centers, points))
    except Exception:
        again = {}  # no release is made of this
    return refingerprinted(said, {**files, **again})


def _page(said: Said, files: Files) -> bytes:
    try:
        return certificate_page(said, map_of(said, files)).encode()
    except Exception:
        return files[PAGE]


def copied(files: Mapping[str, bytes]) -> tuple[Said, Files]:
    """A certificate and its files, to be changed."""
    return json.loads(files[NAME]), dict(files)
