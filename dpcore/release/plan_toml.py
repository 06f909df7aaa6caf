"""A plan as a TOML file, from which `dpcore release` makes it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from dpcore.errors import BadInput
from dpcore.release.leveled_source import LeveledFileData
from dpcore.release.plan import TWIN, ReleasePlan
from dpcore.release.sources import BuiltinData, FileData


def plan_files(plan: ReleasePlan, name: str = "plan.toml") -> dict[str, str]:
    """The files of a plan: the TOML file and, if it has areas, the GeoJSON file that it names."""
    regions = plan.request.regions
    if regions is None:
        return {name: plan_toml(plan)}
    areas = f"{name.removesuffix('.toml')}-areas.geojson"
    written = json.dumps(regions.as_geojson(), ensure_ascii=False)
    return {name: plan_toml(plan, areas), areas: written}


def plan_toml(plan: ReleasePlan, areas: str | None = None) -> str:
    """The options of `dpcore release` that make this plan, by their names.

    It names the path of the data, so it is for the owner of the data, unlike a certificate. The
    areas of a plan stand in a file of their own.
    """
    request = plan.request
    if (request.regions is None) != (areas is None):
        raise BadInput("A plan with areas, and no other, needs the name of a file for them.")
    if plan.purpose == TWIN:
        options: dict[str, Any] = {"algorithm": TWIN}
    else:
        options = {"algorithm": request.algorithm, "k": request.k}
    options |= {"name": plan.name, **_data(plan), "epsilon": request.epsilon}
    if request.delta and plan.purpose != TWIN:
        options["delta"] = request.delta
    allowed = plan.allowed
    options |= {
        "neighbors": str(request.neighbors),
        "allowed": [float(allowed.epsilon), float(allowed.delta)],
        "unit": plan.unit.name,
    }
    options |= plan.publication.as_dict()
    if plan.series is not None:
        del options["name"]
        options |= {
            "series": plan.series.name,
            "period": plan.series.period,
            "disjoint": plan.series.disjoint,
        }
    if plan.unit.ids is not None:
        options |= {"ids": plan.unit.ids, "rows": plan.unit.rows}
    if areas is not None:
        options["regions"] = areas
    return "\n".join(_lines(options, {} if plan.purpose == TWIN else request.parameters)) + "\n"


def _data(plan: ReleasePlan) -> dict[str, Any]:
    data, box = plan.data, plan.data.box
    if isinstance(data, BuiltinData):
        return {"data": data.key}
    if not isinstance(data, FileData) or not isinstance(data.engine, str):
        return {"data": "-", "box": [*box.low, *box.high], "outside": data.outside}
    options = {
        "data": data.path,
        "columns": list(data.columns),
        "box": [*box.low, *box.high],
        "outside": data.outside,
        "engine": data.engine,
    }
    if isinstance(data, LeveledFileData):
        options |= {"own-level": data.own, "thresholds": list(data.thresholds)}
    if data.zones:
        options["zones"] = data.zones
    if data.format:
        options["read-as"] = str(data.format)
    return options


def _lines(options: dict[str, Any], settings: dict[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        yield f"{name} = {json.dumps(value, ensure_ascii=False)}"
    if settings:
        yield "\n[set]"
        for name, value in settings.items():
            yield f"{name} = {json.dumps(value, ensure_ascii=False)}"
