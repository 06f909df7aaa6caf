"""A program that repeats the procedure of a release, for who holds the data."""

from __future__ import annotations

from dpcore.release.plan import ReleasePlan
from dpcore.release.sources import BuiltinData, FileData

NAME = "repeat.py"

PROGRAM = '''\
"""Repeats the procedure of a release of {name}, made with dpcore {version}.

It asks the same question at the same price and draws fresh noise, so its centers will be others.
It spends from a ledger of yours, whether or not the first release is in it.

usage: python {file} LEDGER_FOLDER OUTPUT_FOLDER{argument}
"""

import sys

from dpcore import Box
from dpcore.release import Amount, {kind}, Ledger, ReleasePlan, Unit, publish

plan = ReleasePlan(
{fields}
)
print("\\n".join(plan.statement()))
if input("Spend it? (yes/no) ") == "yes":
    publish(plan, Ledger(sys.argv[1])).save(sys.argv[2])
'''


def script(plan: ReleasePlan, version: str) -> str:
    """The program. Where the data lie is for who runs it to say: the path may tell too much."""
    data, unit, box = plan.data, plan.unit, plan.data.box
    ends = f"Box({box.low!r}, {box.high!r}, {box.names!r})"
    if isinstance(data, BuiltinData):
        kind, source, argument = "BuiltinData", f"BuiltinData({data.key!r})", ""
    elif isinstance(data, FileData):
        more = "".join(
            f", {name}={str(value)!r}"
            for name, value in (
                ("outside", data.outside),
                ("format", data.format),
                # A file that was handed over lies on the disk of whoever repeats it.
                ("engine", data.engine if isinstance(data.engine, str) else data.engine.key),
            )
            if value not in (None, "drop", "duckdb")
        )
        zones = ", zones=sys.argv[4]" if data.zones else ""
        kind, argument = "FileData", " DATA" + (" ZONES" if data.zones else "")
        source = f"FileData(sys.argv[3], {data.columns!r}, {ends}{zones}{more})"
    else:
        raise TypeError(f"A program cannot say how to open {type(data).__name__}.")
    fields = {
        "name": repr(plan.name),
        "data": source,
        "algorithm": repr(plan.algorithm),
        "k": repr(plan.k),
        "epsilon": repr(plan.epsilon),
        "delta": repr(plan.delta),
        "neighbors": repr(str(plan.neighbors)),
        "parameters": repr(dict(plan.parameters)),
        "unit": f"Unit({unit.name!r}, {unit.ids!r}, {unit.rows!r})",
        "purpose": repr(plan.purpose),
        "allowed": f"Amount.of({float(plan.allowed.epsilon)!r}, {float(plan.allowed.delta)!r})",
    }
    lines = "\n".join(f"    {name}={value}," for name, value in fields.items())
    name = ascii(plan.name).replace('"', "'").replace("\\", "\\\\")
    return PROGRAM.format(
        name=name, version=version, file=NAME, argument=argument, kind=kind, fields=lines
    )
