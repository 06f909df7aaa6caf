"""Processes that publish, and are killed at it or compete: run by tests, in a process of their own.

Everything is imported once; each victim is a fork, so that two hundred of them take seconds. A
report is printed as JSON.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from dpcore.release import Amount, BuiltinData, Ledger, ReleasePlan, ReleaseRefused, publish
from dpcore.release.certificate import NAME, described
from dpcore.release.ledger_store import opened
from dpcore.runs.request import Request

PRICE, REFUSED = 0.25, 7


def plan(name: str, allowed: float) -> ReleasePlan:
    data = BuiltinData("s1-like")
    return ReleasePlan(name, data, Request("dplloyd", 3, PRICE), allowed=Amount.of(allowed))


def forked(job: Callable[[], int]) -> int:
    """A child that does a job and ends with its code, whatever happens."""
    child = os.fork()
    if child:
        return child
    code = 99
    try:
        code = job()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def shown(folder: Path, name: str, allowed: float, to: int) -> int:
    """Publish, and show what came of it: a line in a pipe that outlives the process."""
    try:
        release = publish(plan(name, allowed), Ledger(folder))
    except ReleaseRefused:
        return REFUSED
    os.write(to, f"{release.entry.number}\n".encode())
    return 0


def whole(ledger: Ledger, number: int) -> bool:
    """Whether a release has all its files, as its certificate names them."""
    files = ledger.files(number)
    named = json.loads(files[NAME])["files"]
    return all(described(files[name]) == said for name, said in named.items())


def lasted(folder: Path) -> float:
    """Seconds that a release takes."""
    start = time.monotonic()
    publish(plan("first", 10.0), Ledger(folder / "first"))
    return time.monotonic() - start


def kills(folder: Path, count: int, seed: int) -> dict[str, object]:
    """Kill so many at random moments; look at the ledger after each."""
    coins = random.Random(seed)
    read, write = os.pipe()
    patience = lasted(folder)
    killed, torn, i = 0, 0, 0
    while killed < count and i < 3 * count:
        i += 1
        # Every fourth meets a folder where there is no ledger yet.
        here = folder / (f"new-{i}" if i % 4 == 0 else "ledger")
        child = forked(lambda here=here: shown(here, "data", 1e6, write))
        time.sleep(coins.uniform(0, patience))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        # Whatever else the machine does meanwhile, about one in six is to live to the end.
        patience *= 0.9 if os.WIFEXITED(status) else 1.02
        killed += os.WIFSIGNALED(status)
        ledger = Ledger(here)
        entries = ledger.entries()
        torn += sum(not whole(ledger, entry.number) for entry in entries[-1:])
        account = ledger.account("data")
        torn += (account.used if account else Amount()) != Amount.of(PRICE * len(entries))
        if i % 4 == 0:
            ledger.check(plan("data", 1e6).claim())
    os.close(write)
    told = os.read(read, 1 << 20).split()
    ledger = Ledger(folder / "ledger")
    with opened(ledger.folder) as database:
        sound = database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    everywhere = sum(len(Ledger(f).entries("data")) for f in folder.iterdir() if f.name != "first")
    return {
        "killed": killed,
        "started": i,
        "torn": torn,
        "sound": sound,
        "shown": len(told),
        "kept": everywhere,
    }


def race(folder: Path, count: int, rounds: int) -> list[dict[str, object]]:
    """Several publish at once what only four can pay for, again and again."""
    report = []
    for i in range(rounds):
        (wait, go), (read, write) = os.pipe(), os.pipe()

        def job(i: int = i, wait: int = wait, go: int = go, write: int = write) -> int:
            os.close(go)
            os.read(wait, 1)
            return shown(folder / f"{i}", "data", 4 * PRICE, write)

        children = [forked(job) for _ in range(count)]
        os.close(go)
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        os.close(write)
        ledger = Ledger(folder / f"{i}")
        account = ledger.account("data")
        report.append(
            {
                "codes": sorted(codes),
                "shown": len(os.read(read, 1 << 16).split()),
                "entries": len(ledger.entries()),
                "used": float(account.used.epsilon) if account else 0.0,
            }
        )
    return report


if __name__ == "__main__":
    what, where, *numbers = sys.argv[1:]
    lasted(Path(where))  # so that no victim has to import anything
    job = {"kills": kills, "race": race}[what]
    print(json.dumps(job(Path(where), *map(int, numbers))))
