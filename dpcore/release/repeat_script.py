"""A program that repeats the procedure of a release, for the owner of the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NAME = "repeat.py"

PROGRAM = '''\
"""Repeats the procedure of a release of {name}, made with dpcore {version}.

It asks the same question at the same price and draws fresh noise, so its centers will be others.
It spends from a ledger of yours, whether or not the first release is in it.

usage: python {file} LEDGER_FOLDER OUTPUT_FOLDER{argument}
"""

import sys
{imports}from dpcore import Box, Request
from dpcore.release import Amount, {kind}, Ledger, {words}ReleasePlan, {period}Unit, publish

{areas}plan = ReleasePlan(
{fields}
)
print("\\n".join(plan.statement()))
if input("Spend it? (yes/no) ") == "yes":
    publish(plan, Ledger(sys.argv[1])).save(sys.argv[2])
'''


#: How a program with regions begins: they lie beside it.
AREAS = """\
areas = dpcore.regions.from_geojson(
    Path(__file__).with_name("areas.geojson"),
    {box},
)
"""


def script(certificate: Mapping[str, Any]) -> str:
    """The program, from a certificate. The person who runs it says where the data are: the path may
    tell too much."""
    source, unit, box = certificate["source"], certificate["unit"], certificate["box"]
    low, high, names = (tuple(box[end]) for end in ("low", "high", "names"))
    if source["kind"] == "built-in":
        kind, data, argument = "BuiltinData", f"BuiltinData({source['key']!r})", ""
    else:
        more = "".join(
            f", {name}={value!r}"
            for name, value in (
                ("outside", source["outside the box"]),
                ("format", source["format"]),
                ("engine", source["engine"]),
            )
            if value not in (None, "drop", "duckdb", "memory")
        )
        zones = ", zones=sys.argv[4]" if source["zones"] else ""
        own = ""
        if "thresholds" in source:
            levels = tuple(source["thresholds"])
            own = f", own={source['own level']!r}, thresholds={levels!r}"
        kind, argument = (
            "LeveledFileData" if own else "FileData",
            " DATA" + (" ZONES" if source["zones"] else ""),
        )
        ends = f"Box({low!r}, {high!r}, {names!r})"
        data = f"{kind}(sys.argv[3], {tuple(source['columns'])!r}, {ends}{zones}{more}{own})"
    allowed = certificate["allowed"]
    run = {
        "algorithm": repr(certificate["algorithm"]),
        "k": repr(certificate["k"]),
        "epsilon": repr(certificate["epsilon"]),
        "delta": repr(certificate["delta"]),
        "neighbors": repr(certificate["neighbors"]),
        "settings": repr(certificate["parameters"]),
    }
    more, imports = "", "\n"
    if "areas" in certificate:
        run["regions"] = "areas"
        ends = f"Box({low!r}, {high!r}, {names!r})"
        more, imports = AREAS.format(box=ends), "from pathlib import Path\n\nimport dpcore\n"
    fields = {
        "name": repr(certificate["data set"]),
        "data": data,
        "request": f"Request(\n{_lines(run, 8)}\n    )",
        "unit": f"Unit({unit['name']!r}, {unit['ids']!r}, {unit['rows']!r})",
        "purpose": repr(certificate["purpose"]),
        "allowed": f"Amount.of({allowed['epsilon']!r}, {allowed['delta']!r})",
    }
    if "publication" in certificate:
        own = ", ".join(f"{name}={value!r}" for name, value in certificate["publication"].items())
        fields["publication"] = f"Publication({own})"
    if "series" in certificate:
        own = ", ".join(f"{name}={value!r}" for name, value in certificate["series"].items())
        fields["series"] = f"Series({own})"
    name = ascii(certificate["data set"]).replace('"', "'").replace("\\", "\\\\")
    version = certificate["dpcore"]
    return PROGRAM.format(
        name=name,
        version=version,
        file=NAME,
        argument=argument,
        kind=kind,
        fields=_lines(fields, 4),
        areas=more,
        imports=imports,
        words="Publication, " if "publication" in certificate else "",
        period="Series, " if "series" in certificate else "",
    )


def _lines(arguments: Mapping[str, str], indent: int) -> str:
    """Arguments of a call, one a line."""
    return "\n".join(f"{' ' * indent}{name}={value}," for name, value in arguments.items())
