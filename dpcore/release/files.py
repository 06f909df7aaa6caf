"""The files of a release: made from what the run released and from public facts, nothing else."""

from __future__ import annotations

import json

from dpcore import export
from dpcore.release.plan import ReleasePlan
from dpcore.results import ReleasedResult


def bundle(plan: ReleasePlan, result: ReleasedResult, time: str) -> dict[str, bytes]:
    """All files that leave, by name; certificate.json among them."""
    found = {"centers.csv": export.centers_csv(result.centers).encode()}
    certificate = {"plan": plan.as_dict(), "time": time}
    found["certificate.json"] = json.dumps(certificate, indent=1).encode()
    return found
