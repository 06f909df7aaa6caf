"""The plan that a certificate describes, made again and so checked again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from dpcore.datasets import regions
from dpcore.datasets.region_map import Regions
from dpcore.release.amounts import Amount
from dpcore.release.array_source import ArrayData
from dpcore.release.leveled_source import OWN, THRESHOLDS, LeveledFileData
from dpcore.release.plan import TWIN, ReleasePlan
from dpcore.release.publication import Publication
from dpcore.release.published import described_box
from dpcore.release.series import Series
from dpcore.release.sources import BuiltinData, DataSource, FileData
from dpcore.release.twin import twin_plan
from dpcore.release.unit import Unit
from dpcore.runs.request import Request


def described_plan(certificate: Mapping[str, Any]) -> ReleasePlan:
    """The plan, or an error that says why nothing could be released so. No data are looked at."""
    unit = Unit(**certificate["unit"])
    allowed = Amount.of(certificate["allowed"]["epsilon"], certificate["allowed"]["delta"])
    data = described_source(certificate)
    if certificate["purpose"] == TWIN:
        return twin_plan(
            certificate["data set"],
            data,
            certificate["epsilon"],
            neighbors=certificate["neighbors"],
            unit=unit,
            allowed=allowed,
        )
    return ReleasePlan(
        certificate["data set"],
        data,
        Request(
            certificate["algorithm"],
            k=certificate["k"],
            epsilon=certificate["epsilon"],
            delta=certificate["delta"],
            neighbors=certificate["neighbors"],
            settings=certificate["parameters"],
            regions=described_regions(certificate),
        ),
        unit=unit,
        allowed=allowed,
        purpose=certificate["purpose"],
        publication=Publication.of(certificate),
        series=None if "series" not in certificate else Series(**certificate["series"]),
    )


def described_source(certificate: Mapping[str, Any]) -> DataSource:
    """The data that are named, without the place where they lie, which no certificate tells."""
    source = certificate["source"]
    if source["kind"] == "built-in":
        return BuiltinData(source["key"])
    if source["kind"] == "array":
        box = described_box(certificate)
        return ArrayData(np.empty((0, box.d)), box, source["outside the box"])
    if THRESHOLDS in source:
        return LeveledFileData(
            "",
            tuple(source["columns"]),
            described_box(certificate),
            engine=source["engine"],
            format=source["format"],
            own=source[OWN],
            thresholds=tuple(source[THRESHOLDS]),
        )
    return FileData(
        "",
        tuple(source["columns"]),
        described_box(certificate),
        "" if source["zones"] else None,
        source["outside the box"],
        source["engine"],
        source["format"],
    )


def described_regions(certificate: Mapping[str, Any]) -> Regions | None:
    """The regions with the level of each, checked again; None without any."""
    if "areas" not in certificate:
        return None
    return regions.parsed(
        json.dumps(certificate["areas"]["map"]), described_box(certificate), "The map"
    )
