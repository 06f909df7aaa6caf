"""The peers that can be installed by name, run beside `auto` in one go: time, memory, NICV.

They are installed into an environment of their own, in a temporary folder, so that none of them
comes near ours; set DPCORE_PEERS to keep it there and use it again. Each runs in a process of its
own, one after the other, on the same rows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import dpcore
from benchmarks import workloads
from benchmarks.table import Row, seconds
from dpcore.datasets.base import Dataset

TITLE = "auto beside peers, run together"
EPSILONS, RUNS = (0.1, 1.0), 5
#: Sets and numbers of centers.
SETS = (("taxi-like", 10), ("s1-like", 15), ("iris", 3), ("wine", 3), ("digits", 10))
#: Processor time of `auto` on the largest set, in units of scikit-learn's.
TIME_BAR = 0.02


@dataclass(frozen=True)
class Peer:
    """Packages, and the lines that define what fits k centers to X."""

    packages: tuple[str, ...]
    program: str


PEERS = {
    "diffprivlib": Peer(
        # 0.6.6 does not import with a later scikit-learn.
        ("diffprivlib", "scikit-learn<1.6"),
        "from diffprivlib.models import KMeans\n"
        "def fit(X, k, epsilon, seed):\n"
        "    bounds = (-np.ones(X.shape[1]), np.ones(X.shape[1]))\n"
        "    return KMeans(k, epsilon=epsilon, bounds=bounds, random_state=seed).fit(X)\n",
    ),
}
SKLEARN = (
    "from sklearn.cluster import KMeans\n"
    "def fit(X, k, epsilon, seed):\n"
    "    return KMeans(k, n_init=10, random_state=seed).fit(X)\n"
)
OURS = (
    "import dpcore\n"
    "def fit(X, k, epsilon, seed):\n"
    "    model = dpcore.PrivateKMeans(k, epsilon=epsilon, bounds=(-1, 1), random_state=seed)\n"
    "    return model.fit(X)\n"
)
#: Runs in the peer's environment. Memory is the most the process held, less what it began with.
WORKER = """
import json, resource, sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
{program}
rows, k, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
X = np.load(rows)
fit(X[:: max(1, len(X) // 500)], k, 1.0, 0)
held = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before = held()
for epsilon in map(float, sys.argv[4:]):
    for seed in range(runs):
        start = time.process_time()
        centers = fit(X, k, epsilon, seed).cluster_centers_
        spent = time.process_time() - start
        told = dict(epsilon=epsilon, seconds=spent, megabytes=held() - before)
        print(json.dumps(dict(told, centers=np.asarray(centers).tolist())), flush=True)
"""


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        there = Path(os.environ.get("DPCORE_PEERS", folder))
        python = environment(there)
        for name, k in SETS:
            yield from on(name, k, python, Path(folder))


def on(name: str, k: int, python: Path, folder: Path) -> Iterator[Row]:
    """One set: scikit-learn sets the unit of time, then `auto` and each peer."""
    values = workloads.MAKERS[name]()
    data = workloads.as_rows(values)
    file = folder / f"{name}.npy"
    np.save(file, values)
    unit = told(SKLEARN, Path(sys.executable), file, k, (1.0,), 1)[0]["seconds"]
    if len(values) >= 1_000_000:
        yield Row(
            f"auto on {name}, k={k}, rows once read: time", own_time(data, k) / unit, TIME_BAR
        )
    ours: dict[float, float] = {}
    for who, program, where in [
        ("auto", OURS, Path(sys.executable)),
        *((key, peer.program, python) for key, peer in PEERS.items()),
    ]:
        runs = told(program, where, file, k, EPSILONS, RUNS)
        for epsilon in EPSILONS:
            mine = [run for run in runs if run["epsilon"] == epsilon]
            nicv = float(np.mean([dpcore.nicv(data, np.array(r["centers"])) for r in mine]))
            time = float(np.median([run["seconds"] for run in mine])) / unit
            memory = max(run["megabytes"] for run in mine)
            what = f"{who} on {name}, k={k}, ε={epsilon:g}"
            note = f"{time:.3g} × KMeans(n_init=10) from array to centers, {memory:.0f} MB more"
            bar = None if who == "auto" else ours[epsilon]
            ours.setdefault(epsilon, nicv)
            yield Row(f"{what}: NICV", nicv, bar, "", at_least=True, note=note)


def own_time(data: Dataset, k: int) -> float:
    """Processor time of a run on rows that were read before, as they are on a dashboard."""
    return max(
        seconds(lambda e=epsilon: dpcore.run("auto", data, k, e, seed=0), repeats=3)
        for epsilon in EPSILONS
    )


def told(
    program: str, python: Path, file: Path, k: int, epsilons: tuple[float, ...], runs: int
) -> list[Mapping[str, Any]]:
    """What a worker in some environment says of its runs; it has one thread."""
    one = {f"{pool}_NUM_THREADS": "1" for pool in ("OMP", "OPENBLAS", "MKL")}
    arguments = [str(file), str(k), str(runs), *map(str, epsilons)]
    done = subprocess.run(
        [python, "-c", WORKER.replace("{program}", program), *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **one},
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def environment(folder: Path) -> Path:
    """The Python of an environment that has the peers, made now unless it is there already."""
    python = folder / "peers" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "peers"], check=True)
    packages = [package for peer in PEERS.values() for package in peer.packages]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    return python
