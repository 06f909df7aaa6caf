"""Killed at each call that changes a file, before it or half way through what it writes.

A release is published and its files are written; the process dies at one call. Afterwards there is
no release and no charge, or a charge with its release; the folder of files is whole or not there;
and the next attempt works. Every call is a place to die at, with a ledger that is used and without.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from dpcore.release import Amount, Ledger, publish, reopened
from tests.release.victims import PRICE, forked, plan, whole
from tests.torture.witness import Witness, witnessed

#: How many places are tried when not all of them are.
SOME = 48


def run(full: bool) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        report = json.loads(witnessed("kills", folder, 0 if full else SOME))
    assert report["bad"] == [], report
    # Another run may need a call less, and live.
    assert report["killed"] >= 0.95 * report["tried"] > 0, report
    assert report["charged"] > 0, report
    assert report["free"] > 0, report
    yield (
        f"{report['killed']} kills at {report['places']} places, {report['half']} of them half way "
        f"through a write: {report['charged']} charged with their release, {report['free']} free"
    )


def victim(home: Path) -> int:
    publish(plan("data", 100.0), Ledger(home / "ledger")).save(home / "out")
    return 0


def tortured(folder: Path, some: int) -> dict[str, object]:
    """Die at every call, or at some of them."""
    witness, coins = Witness(), random.Random(0)
    homes = {}
    for kind in ("new", "used"):
        homes[kind] = folder / kind
        homes[kind].mkdir()
        if kind == "used":
            publish(plan("data", 100.0), Ledger(homes[kind] / "ledger"))
    places = []
    for kind, home in homes.items():
        calls = counted(witness, home, folder / "counted")
        places += [(kind, n, False) for n in range(1, len(calls) + 1)]
        places += [(kind, n, True) for n, call in enumerate(calls, start=1) if call == ord("W")]
    report = {"places": len(places), "tried": 0, "killed": 0, "half": 0}
    report |= {"charged": 0, "free": 0, "bad": []}
    for kind, call, half in coins.sample(places, some) if some else places:
        home = folder / "victim"
        shutil.copytree(homes[kind], home)

        def job(home: Path = home, call: int = call, half: bool = half) -> int:
            witness.watch(home, call, half)
            return victim(home)

        _, status = os.waitpid(forked(job), 0)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        report["tried"] += 1
        report["killed"] += killed
        report["half"] += killed and half
        try:
            charged = looked_at(home, 1 if kind == "used" else 0)
            report["charged" if charged else "free"] += 1
        except Exception as problem:
            report["bad"].append([kind, call, half, repr(problem)])
        shutil.rmtree(home)
    return report


def counted(witness: Witness, home: Path, copy: Path) -> bytes:
    """The calls that a whole victim makes."""
    shutil.copytree(home, copy)
    read, write = os.pipe()

    def job() -> int:
        witness.watch(copy)
        victim(copy)
        os.write(write, witness.seen)
        return 0

    _, status = os.waitpid(forked(job), 0)
    os.close(write)
    assert os.waitstatus_to_exitcode(status) == 0, "a release that nobody kills fails"
    shutil.rmtree(copy)
    return os.read(read, 1 << 16)


def looked_at(home: Path, before: int) -> bool:
    """Whether the victim was charged; raises where anything is not as it must be."""
    ledger = Ledger(home / "ledger")
    entries = ledger.entries()
    assert len(entries) in (before, before + 1), len(entries)
    assert all(whole(ledger, entry.number) for entry in entries)
    account = ledger.account("data")
    assert (account.used if account else Amount()) == Amount.of(PRICE * len(entries))
    assert len(ledger.heads()) == len(entries) + 1
    charged, out = len(entries) > before, home / "out"
    if out.exists():
        assert charged
        assert {p.name: p.read_bytes() for p in out.iterdir()} == ledger.files(before + 1)
    elif charged:
        reopened(ledger, before + 1).save(out)
    if not charged:
        publish(plan("data", 100.0), ledger).save(out)
    assert len(ledger.entries()) == before + 1
    return charged


if __name__ == "__main__":
    print(json.dumps(tortured(Path(sys.argv[1]).resolve(), int(sys.argv[2]))))
