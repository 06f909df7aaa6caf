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


def script(said: Mapping[str, Any]) -> str:
    """The program, from a certificate. The person who runs it says where the data are: the path may
    tell too much."""
    source, unit, box = said["source"], said["unit"], said["box"]
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
    allowed = said["allowed"]
    run = {
        "algorithm": repr(said["algorithm"]),
        "k": repr(said["k"]),
        "epsilon": repr(said["epsilon"]),
        "delta": repr(said["delta"]),
        "neighbors": repr(said["neighbors"]),
        "settings": repr(said["parameters"]),
    }
    more, imports = "", "\n"
    if "areas" in said:
        run["regions"] = "areas"
        ends = f"Box({low!r}, {high!r}, {names!r})"
        more, imports = AREAS.format(box=ends), "from pathlib import Path\n\nimport dpcore\n"
    fields = {
        "name": repr(said["data set"]),
        "data": data,
        "request": f"Request({', '.join(f'{name}={value}' for name, value in run.items())})",
        "unit": f"Unit({unit['name']!r}, {unit['ids']!r}, {unit['rows']!r})",
        "purpose": repr(said["purpose"]),
        "allowed": f"Amount.of({allowed['epsilon']!r}, {allowed['delta']!r})",
    }
    if "publication" in said:
        own = ", ".join(f"{name}={value!r}" for name, value in said["publication"].items())
        fields["publication"] = f"Publication({own})"
    if "series" in said:
        own = ", ".join(f"{name}={value!r}" for name, value in said["series"].items())
        fields["series"] = f"Series({own})"
    lines = "\n".join(f"    {name}={value}," for name, value in fields.items())
    name = ascii(said["data set"]).replace('"', "'").replace("\\", "\\\\")
    version = said["dpcore"]
    return PROGRAM.format(
        name=name,
        version=version,
        file=NAME,
        argument=argument,
        kind=kind,
        fields=lines,
        areas=more,
        imports=imports,
        words="Publication, " if "publication" in said else "",
        period="Series, " if "series" in said else "",
    )
