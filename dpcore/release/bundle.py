"""The files of a release: made from what the run released and from public facts, nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dpcore._version import __version__
from dpcore.release import certificate, certificate_page, map_page, repeat_script
from dpcore.release.plan import ReleasePlan
from dpcore.results import export
from dpcore.results.run_result import ReleasedResult

#: More points than this come as Parquet only: as text they would be files of many megabytes.
MOST_AS_TEXT = 50_000


def sealed(
    plan: ReleasePlan, result: ReleasedResult, time: str, files: Mapping[str, bytes], head: str
) -> dict[str, bytes]:
    """The files with their certificate, which tells their digests and the ledger's head before."""
    said = certificate.certificate(plan, result, time, files, head)
    return {
        **files,
        certificate.NAME: certificate.as_json(said),
        certificate.PAGE: certificate_page.certificate_page(said).encode(),
    }


def bundle(plan: ReleasePlan, result: ReleasedResult, time: str) -> dict[str, bytes]:
    """All files that leave, but the certificate, by name."""
    return {
        name: content if isinstance(content, bytes) else content.encode()
        for name, content in _contents(plan, result, time)
    }


def _contents(
    plan: ReleasePlan, result: ReleasedResult, time: str
) -> Iterator[tuple[str, str | bytes]]:
    places = result.box.d in (2, 4) if plan.data.geographic else False
    yield "centers.csv", export.centers_csv(result.centers)
    yield "centers.parquet", export.centers_parquet(result.centers)
    if places:
        yield "centers.geojson", export.centers_geojson(result.centers)
    if result.synopsis is not None:
        yield "points.parquet", export.points_parquet(result)
        if len(result.synopsis) <= MOST_AS_TEXT:
            yield "points.csv", export.points_csv(result)
            if places:
                yield "points.geojson", export.points_geojson(result)
    if places or result.box.d == 2:
        yield map_page.NAME, map_page.map_page(plan, result, time)
    yield repeat_script.NAME, repeat_script.script(plan, __version__)
