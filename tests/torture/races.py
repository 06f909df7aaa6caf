"""More processes at once than an account can pay for; in the last round some of them are killed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from dpcore.release import Amount, Ledger
from tests.release.victims import PRICE, REFUSED, forked, lasted, shown, whole
from tests.torture.witness import ROOT

RACERS, PAID, KILLED = 14, 12, 5


def run(full: bool) -> Iterator[str]:
    rounds = 12 if full else 3
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.torture.races", folder, str(rounds)]
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        run = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
    for round_ in json.loads(run.stdout):
        assert round_["torn"] == 0, round_
        assert round_["used"] == PRICE * round_["entries"], round_
        assert round_["shown"] <= round_["entries"] <= PAID, round_
        if not round_["killed"]:
            assert round_["shown"] == round_["entries"] == PAID, round_
            assert round_["refused"] == RACERS - PAID, round_
    killed = sum(round_["killed"] for round_ in json.loads(run.stdout))
    yield f"{rounds} rounds of {RACERS} processes for {PAID} charges, {killed} of them killed"


def race(folder: Path, kills: int, coins: random.Random) -> dict[str, object]:
    """All of them at once; some are killed at random moments."""
    patience = lasted(folder)
    (wait, go), (read, write) = os.pipe(), os.pipe()

    def job() -> int:
        os.close(go)
        os.read(wait, 1)
        return shown(folder / "ledger", "data", PAID * PRICE, write)

    children = [forked(job) for _ in range(RACERS)]
    os.close(go)
    for child in sorted(children[:kills], key=lambda _: coins.random()):
        time.sleep(coins.uniform(0, patience))
        os.kill(child, signal.SIGKILL)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    os.close(write)
    ledger = Ledger(folder / "ledger")
    entries, account = ledger.entries(), ledger.account("data")
    used = account.used if account else Amount()
    assert used.within(Amount.of(PAID * PRICE))
    assert len(ledger.heads()) == len(entries) + 1
    return {
        "killed": codes.count(-signal.SIGKILL),
        "refused": codes.count(REFUSED),
        "shown": len(os.read(read, 1 << 16).split()),
        "entries": len(entries),
        "used": float(used.epsilon),
        "torn": sum(not whole(ledger, entry.number) for entry in entries),
    }


def races(folder: Path, rounds: int) -> list[dict[str, object]]:
    """Every third round with kills."""
    coins, report = random.Random(0), []
    for i in range(rounds):
        (folder / f"{i}").mkdir()
        report.append(race(folder / f"{i}", KILLED if i % 3 == 2 else 0, coins))
    return report


if __name__ == "__main__":
    print(json.dumps(races(Path(sys.argv[1]), int(sys.argv[2]))))
