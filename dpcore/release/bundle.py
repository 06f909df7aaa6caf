"""The files of a release: made from what the run released and from public facts, nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from dpcore._version import __version__
from dpcore.release import certificate, certificate_page, map_page, repeat_script
from dpcore.release.plan import ReleasePlan
from dpcore.results import export
from dpcore.results.run_result import ReleasedResult

#: More points than this come as Parquet only: as text they would be files of many megabytes.
MOST_AS_TEXT = 50_000


def bundle(plan: ReleasePlan, result: ReleasedResult, time: str) -> dict[str, bytes]:
    """All files that leave, by name; the certificate tells the digests of the others."""
    files = {
        name: content if isinstance(content, bytes) else content.encode()
        for name, content in _contents(plan, result, time)
    }
    said = certificate.certificate(plan, result, time, files)
    files[certificate.NAME] = certificate.as_json(said)
    files[certificate.PAGE] = certificate_page.certificate_page(said).encode()
    return files


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
