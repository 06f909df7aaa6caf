"""The files of a release: made from what the run released and from public facts, nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpcore._html import render
from dpcore.release import (
    ask_notebook,
    certificate,
    certificate_map,
    certificate_page,
    map_page,
    repeat_script,
)
from dpcore.release.accounts import Before
from dpcore.release.published import Published
from dpcore.release.signature import Signer
from dpcore.results import export
from dpcore.results.run_result import ReleasedResult

if TYPE_CHECKING:
    from dpcore.release.plan import ReleasePlan

#: More points than this come as Parquet only: as text they would be files of many megabytes.
MOST_AS_TEXT = 50_000
#: The file of the regions with their levels.
AREAS = "areas.geojson"
#: The page that checks the files in a browser, the same in every release.
VERIFY = "verify.html"
#: The program that checks the charges without dpcore: the module of this name, as it is.
CHECK = "check_with_opendp.py"


def bundle(plan: ReleasePlan, result: ReleasedResult, time: str) -> dict[str, bytes]:
    """All files that leave, but the certificate, by name."""
    facts = certificate.facts(plan, result, time)
    files = {"centers.parquet": export.centers_parquet(result.centers)}
    if result.synopsis is not None:
        files["points.parquet"] = export.points_parquet(result)
    files |= derived(facts, Published.by(result))
    return dict(sorted(files.items()))


def sealed(
    plan: ReleasePlan,
    result: ReleasedResult,
    time: str,
    files: Mapping[str, bytes],
    before: Before,
    signer: Signer | None = None,
) -> dict[str, bytes]:
    """The files with their certificate, which holds their digests and the state of the ledger."""
    facts = certificate.facts(plan, result, time)
    picture = certificate_map.map_of(facts, files)

    def page(whole: Mapping[str, Any]) -> bytes:
        return certificate_page.certificate_page(whole, picture).encode()

    whole = certificate.sealed(facts, files, before, signer, page)
    return {
        **files,
        certificate.NAME: certificate.as_json(whole),
        certificate.PAGE: page(whole),
    }


def derived(facts: Mapping[str, Any], published: Published) -> dict[str, bytes]:
    """The files that follow from what a certificate says and from the published numbers."""
    return {name: text.encode() for name, text in _texts(facts, published)}


def _texts(facts: Mapping[str, Any], published: Published) -> Iterator[tuple[str, str]]:
    places = facts["geographic"] and published.box.d in (2, 4)
    centers, points = published.places_of_centers, published.places_of_points
    yield "centers.csv", centers.as_csv()
    if places:
        yield "centers.geojson", centers.as_geojson(indent=export.INDENT)
    if points is not None and len(points.positions) <= MOST_AS_TEXT:
        yield "points.csv", points.as_csv()
        if places:
            yield "points.geojson", points.as_geojson()
    if "areas" in facts:
        yield AREAS, json.dumps(facts["areas"]["map"], ensure_ascii=False)
    if places or published.box.d == 2:
        yield map_page.NAME, map_page.map_page(facts, published)
    yield repeat_script.NAME, repeat_script.script(facts)
    yield VERIFY, render(VERIFY)
    if points is not None:
        yield ask_notebook.NAME, ask_notebook.ask_notebook(facts).decode()
    yield CHECK, Path(__file__).with_name(CHECK).read_text(encoding="utf-8")
