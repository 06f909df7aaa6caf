"""The short answers of a run, which its certificate carries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpcore.results.steps import RunStep

#: Longer answers are not on the certificate.
SHORT = 16
#: How the number of rows is called among the answers.
ROWS = "number of rows"


def short_answers(steps: Sequence[RunStep]) -> list[dict[str, Any]]:
    """The short answers of a run, in order, each with its question and its region."""
    answers: list[dict[str, Any]] = []
    region: dict[str, str] = {}
    for step in steps:
        if step.kind == "region":
            region = {"region": step.released["name"]}
        elif step.kind in ("size", "rows"):
            answers.append({**region, "why": ROWS, "values": [int(step.released["n"])]})
        elif step.kind == "answer":
            values = np.ravel(step.released["values"])
            if len(values) <= SHORT:
                why = step.released["why"]
                answers.append({**region, "why": why, "values": values.tolist()})
    return answers
