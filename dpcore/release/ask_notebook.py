"""A notebook that asks a release the questions of `dpcore ask`, to be changed and asked further."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcore.results.notebook_file import Code, Text, as_text, notebook_file

NAME = "ask.ipynb"

INTRODUCTION = """\
# Ask this release

{name}: {k} centers, published with differential privacy.

Every answer below is computed from the published files. The data are not needed, and nothing is
spent, however many questions you ask. Counts come with an interval: the noise that protects people
is known, so what it can do to a count is known too.

Keep this notebook in the folder of the release. It needs Python and `pip install dpcore`."""
OPENING = """\
from dpcore.release import ask, opened

release = opened(".")
release.centers"""
CURVE = """\
curve = ask.cost_curve(release)
for k, cost in curve.costs:
    print(f"{k:3} centers: {cost:.5f}")
print(f"{curve.suggested} centers fit these data best.")"""
COST = """\
cost = ask.center_cost(release, release.centers)
print(f"mean distance to the nearest center: {cost.distance:.4g}", "m" * cost.in_meters)"""
NEIGHBORHOODS = """\
try:
    for each in ask.neighborhood_counts(release)[:10]:
        print(f"{each.name}: {each.estimate}")
except ValueError as reason:
    print(reason)"""
AREA = """\
from dpcore import regions

low, high = release.box.low, release.box.high
middle = [(a + b) / 2 for a, b in zip(low, high)]
for each in ask.counts(release, [regions.rectangle("one quarter of the map", low, middle)]):
    print(f"{each.name}: {each.estimate}")"""
#: Text and code of each question; the last two need a map or a plane.
QUESTIONS = (
    ("## Another number of centers\n\nThe mean squared distance to the nearest center, for each "
     "number of centers. Of rows spread evenly over a map it would fall with one over the number; "
     "where it falls faster, there are clusters.", CURVE),
    ("The best centers of another number.", "ask.new_centers(release, curve.suggested)"),
    ("## Centers of least distance\n\nk-median weighs far places less than k-means does.",
     "ask.new_medians(release, {k})"),
    ("## How good are these centers?\n\nPut your own in their place.", COST),
)  # fmt: skip
ON_A_PLANE = ("## How many rows lie in an area?", AREA)
ON_A_MAP = ("## Counts by neighborhood", NEIGHBORHOODS)


def ask_notebook(certificate: Mapping[str, Any]) -> bytes:
    """The notebook for the release with this certificate, to be kept in the release's folder."""
    places = len(certificate["box"]["names"])
    questions = list(QUESTIONS)
    if places == 2:
        questions.append(ON_A_PLANE)
        if certificate["geographic"]:
            questions.append(ON_A_MAP)
    cells: list[Text | Code] = [
        Text(INTRODUCTION.format(name=as_text(certificate["data set"]), k=certificate["k"])),
        Code(OPENING),
    ]
    for words, code in questions:
        cells += [Text(words), Code(code.replace("{k}", str(certificate["k"])))]
    return notebook_file(cells)
