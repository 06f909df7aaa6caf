"""The server under scripted visits, without a browser: what a move of the slider costs it."""

from __future__ import annotations

import contextlib
import io
import statistics
import subprocess
import tarfile
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.table import Row
from benchmarks.visitors import Visitor, cpu_seconds, resident
from dpcore.privacy.explain import LEVELS, MIDDLE
from tests.browser.driver import ROOT, Server, serving

TITLE = "Server"
#: The commit that a move is compared with: the last one before moves were made cheaper.
BEFORE = "87983258c27afecd491829194add921df6231e4b"
NAMES = [level.name for level in LEVELS if level is not MIDDLE]
PEOPLE, PHONES, MANY = 10, 50, 1_000


def rows() -> Iterator[Row]:
    with source_of(BEFORE) as before, serve(before) as old, serve(ROOT) as new:
        servers = {"old": old, "new": new}
        for view, title in (
            ("", "CPU of a level that nobody drew, figures included / before"),
            ("k=6", "the same with 6 centers, whose draws are not kept"),
        ):
            first = {name: warm(server, view) for name, server in servers.items()}
            seconds = {name: each.seconds for name, each in first.items()}
            note = f"{seconds['new']:.2f} s"
            yield Row(title, seconds["new"] / seconds["old"], 0.35, note=note)
        yield Row("redraws meanwhile that changed nothing", first["new"].idle, 0, "")
        fresh: dict[str, list[float]] = {name: [] for name in servers}
        costs_of: dict[str, list[float]] = {name: [] for name in servers}
        sent: list[float] = []
        for seed in range(1, 6):
            for name, server in servers.items():
                visitor = Visitor(server.address, f"seed={seed}")
                visitor.settle()
                before_moves = visitor.received
                fresh[name].append(cost(server, visitor))
                if name == "new":
                    sent.append((visitor.received - before_moves) / len(NAMES) / 1000)
                costs_of[name].append(cost(server, visitor))
                visitor.close()
        move = {name: statistics.median(costs) for name, costs in fresh.items()}
        again = {name: statistics.median(costs) for name, costs in costs_of.items()}
        yield Row("CPU of a move to a new level / before", move["new"] / move["old"], 0.35)
        yield Row("CPU of a move to a new level", 1000 * move["new"], unit="ms")
        yield Row("CPU of a move to a level already computed", 1000 * again["new"], 20, "ms")
        yield Row("the same / before", again["new"] / again["old"])
        yield Row("sent to the browser for a move", max(sent), 80, "kB")

        rates: dict[str, list[float]] = {name: [] for name in servers}
        for turn in range(2):
            for name, server in servers.items():
                rates[name].append(moves_per_second(server, first_seed=100 + turn * PEOPLE))
        ratio = statistics.mean(rates["new"]) / statistics.mean(rates["old"])
        note = f"{statistics.mean(rates['new']):.1f} a second"
        yield Row(
            f"moves a second of {PEOPLE} people / before", ratio, 2.5, note=note, at_least=True
        )

        alone = statistics.median(class_waits(new, 1))
        crowd = statistics.median(class_waits(new, PHONES))
        yield Row(f"wait of {PHONES} phones that move at once, median", crowd, 1, "s")
        yield Row("the same / one person's", crowd / alone, note=f"{alone:.3f} s")

        start = grown = resident(new.pid)
        for seed in range(1_000, 1_000 + MANY // len(NAMES)):
            visitor = Visitor(new.address, f"seed={seed}")
            cost(new, visitor, rest=0.0)
            visitor.close()
            if seed == 1_000 + MANY // len(NAMES) // 2:
                start = resident(new.pid)
            grown = resident(new.pid)
        yield Row(f"memory gained in the second half of {MANY:,} moves", grown - start, 16, "MB")
        yield Row("memory of the server", grown, 512, "MB")


@contextlib.contextmanager
def source_of(commit: str) -> Iterator[Path]:
    """The tree as it was at a commit."""
    packed = subprocess.run(
        ["git", "archive", commit], cwd=ROOT, capture_output=True, check=True
    ).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        yield Path(folder)


def serve(root: Path) -> contextlib.AbstractContextManager[Server]:
    """The dashboard of a tree, which lets a visit move as fast as it can."""
    return serving(root=root, DPCORE_MOVES="1000", DPCORE_VISITS="100")


class First(NamedTuple):
    """What it took to draw every level for the first time."""

    #: Processor seconds a level.
    seconds: float
    #: Redraws that changed nothing.
    idle: int


def warm(server: Server, view: str) -> First:
    """Let the server draw every level of a view, with the figures over many draws."""
    visitor = Visitor(server.address, view)
    visitor.settle()
    start, idle = cpu_seconds(server.pid), visitor.idle_ticks
    for name in NAMES:
        visitor.move(name)
        visitor.settle()
    seconds = (cpu_seconds(server.pid) - start) / len(NAMES)
    visitor.close()
    return First(seconds, visitor.idle_ticks - idle)


def cost(server: Server, visitor: Visitor, rest: float = 0.1) -> float:
    """Processor seconds of a move, over all levels."""
    start = cpu_seconds(server.pid)
    for name in NAMES:
        visitor.move(name)
        visitor.settle()
    time.sleep(rest)  # what follows a move counts, too
    return (cpu_seconds(server.pid) - start) / len(NAMES)


def moves_per_second(server: Server, first_seed: int) -> float:
    """Moves to new levels that so many people make together, each as soon as the last is drawn."""
    visitors = [
        Visitor(server.address, f"seed={seed}") for seed in range(first_seed, first_seed + PEOPLE)
    ]
    start = time.perf_counter()
    together(lambda visitor: [visitor.move(name) for name in NAMES], visitors)
    seconds = time.perf_counter() - start
    for visitor in visitors:
        visitor.close()
    return PEOPLE * len(NAMES) / seconds


def class_waits(server: Server, phones: int) -> list[float]:
    """Seconds until each has the new map, when all move at the same moment."""
    visitors = [Visitor(server.address) for _ in range(phones)]
    waits: list[float] = []
    for name in NAMES:
        together(lambda visitor, name=name: waits.append(visitor.move(name)), visitors)
    for visitor in visitors:
        visitor.close()
    return waits


def together(act: Callable[[Visitor], object], visitors: list[Visitor]) -> None:
    """Let all of them act at the same moment, and wait for all."""
    ready = threading.Barrier(len(visitors))

    def run(visitor: Visitor) -> None:
        ready.wait()
        act(visitor)

    threads = [threading.Thread(target=run, args=(visitor,)) for visitor in visitors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
