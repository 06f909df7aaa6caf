"""The peers that can be installed by name, run beside `auto` in one go: time, memory, NICV.

Each has an environment of its own in a temporary folder, so that none comes near ours or in
another's way; set DPCORE_PEERS to a folder that shall keep them. Each runs in a process of its own,
one after the other, on the same rows. One that cannot be installed, or fails, says so in its place.

`python -m benchmarks.peers [SET …]` measures some sets only; `--runs N` makes other than 5 runs.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np

import dpcore
from benchmarks import workloads
from benchmarks.table import Row, by_set, seconds
from dpcore.datasets.base import Dataset
from dpcore.study.metrics import nicv as exact_nicv

TITLE = "auto beside peers, run together"
EPSILONS, RUNS = (0.1, 1.0), 5
#: Sets and numbers of centers.
SETS = (
    ("taxi-like", 10),
    ("taxi-like", 5),
    ("s1-like", 15),
    ("iris", 3),
    ("wine", 3),
    ("breast_cancer", 2),
    ("digits", 10),
    ("hundred dimensions", 64),
)
#: Those with a hundred thousand rows of a hundred numbers take a while.
FEW_RUNS = {"hundred dimensions": 1}
#: Processor time of `auto` on the first of them, in units of scikit-learn's.
TIME_BAR = 0.02
#: Nobody is waited for longer than this, to be installed or to run on one set.
PATIENCE = 1800.0


@dataclass(frozen=True)
class Peer:
    """Packages, and the lines that define what fits k centers to X. Without packages it is one of
    our own registry, run as whoever has dpcore runs it."""

    packages: tuple[str, ...] | None
    program: str


#: Methods of other authors in our registry.
REGISTERED = (
    "import dpcore\n"
    "def fit(X, k, epsilon, seed):\n"
    "    model = dpcore.PrivateKMeans(\n"
    "        k, algorithm='{key}', epsilon=epsilon, bounds=(-1, 1), random_state=seed\n"
    "    )\n"
    "    return model.fit(X)\n"
)
#: Synthetic rows are drawn from a private contingency table, and clustered.
SYNTHETIC = (
    "import numpy as np, polars as pl, opendp.prelude as dp\n"
    "from sklearn.cluster import KMeans\n"
    "dp.enable_features('contrib')\n"
    "def fit(X, k, epsilon, seed):\n"
    "    if X.shape[1] > {columns}:\n"
    "        raise ValueError('it was not asked for more than {columns} columns')\n"
    "    names = [f'x{i}' for i in range(X.shape[1])]\n"
    "    rows = dp.Context.compositor(\n"
    "        data=pl.LazyFrame(X, schema=names),\n"
    "        privacy_unit=dp.unit_of(contributions=1),\n"
    "        privacy_loss=dp.loss_of(epsilon=epsilon),\n"
    "    ).query(epsilon=epsilon).select(*names)\n"
    "    cuts = np.linspace(-1, 1, {cells} + 1).tolist()\n"
    "    table = rows.contingency_table(\n"
    "        keys={}, cuts=dict.fromkeys(names, cuts), algorithm=dp.mbi.{algorithm}()\n"
    "    ).release()\n"
    "    made = np.clip(table.synthesize().to_numpy(), -1, 1)\n"
    "    return KMeans(k, n_init=10, random_state=seed).fit(made)\n"
)
SYNTHETIC_PACKAGES = ("opendp[mbi]==0.16.0", "scikit-learn", "pandas")
#: Cells of each column in such a table; with more columns than this one takes very long.
CELLS_A_COLUMN, MOST_COLUMNS = 32, 20
#: The other peers of benchmarks/published.py are in no package index: they are repositories,
#: preprints' code and a pull request, whose figures stand there as they were measured.
PEERS = {
    "diffprivlib": Peer(
        # 0.6.6 does not import with a later scikit-learn.
        ("diffprivlib==0.6.6", "scikit-learn<1.6"),
        "from diffprivlib.models import KMeans\n"
        "def fit(X, k, epsilon, seed):\n"
        "    bounds = (-np.ones(X.shape[1]), np.ones(X.shape[1]))\n"
        "    return KMeans(k, epsilon=epsilon, bounds=bounds, random_state=seed).fit(X)\n",
    ),
    **{
        name: Peer(
            SYNTHETIC_PACKAGES,
            SYNTHETIC.replace("{algorithm}", name)
            .replace("{cells}", str(CELLS_A_COLUMN))
            .replace("{columns}", str(MOST_COLUMNS)),
        )
        for name in ("MST", "AIM")
    },
    **{key: Peer(None, REGISTERED.replace("{key}", key)) for key in ("privtree", "ag", "rugnik")},
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
#: What a process runs, in whatever environment. It says one line of JSON for each run, and what
#: else is printed goes elsewhere. Memory is the most that it held, less what it began with.
WORKER = """
import json, os, resource, sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
out, sys.stdout = sys.stdout, sys.stderr
{program}
def held():
    # Not ru_maxrss where there is better: on Linux that is at least what our parent held.
    if os.path.exists("/proc/self/status"):
        with open("/proc/self/status") as status:
            return next(int(s.split()[1]) / 1024 for s in status if s.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
def centers_of(*arguments):
    centers = np.asarray(fit(*arguments).cluster_centers_, dtype=float)
    if centers.shape != (k, X.shape[1]) or not np.isfinite(centers).all():
        raise ValueError(f"no {k} finite centers came back")
    return centers.tolist()
rows, k, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
X = np.load(rows)
try:
    fit(X[:: max(1, len(X) // 500)], k, 1.0, 0)
except Exception:
    pass  # A warming-up; if it fails in earnest too, that is told below.
before = held()
for epsilon in map(float, sys.argv[4:]):
    for seed in range(runs):
        start = time.process_time()
        try:
            told = dict(centers=centers_of(X, k, epsilon, seed))
        except Exception as error:
            told = dict(failed=f"{type(error).__name__}: {error}")
        told.update(epsilon=epsilon, seconds=time.process_time() - start)
        print(json.dumps(dict(told, megabytes=held() - before)), file=out, flush=True)
"""


class Failed(Exception):
    """What was started did not do what it was started for; these are its last words."""


def rows(sets: Sequence[str] = (), runs: int = RUNS) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        peers_folder = Path(os.environ.get("DPCORE_PEERS", folder))
        pythons = {
            name: Path(sys.executable)
            if peer.packages is None
            else environment(peers_folder / name, peer.packages)
            for name, peer in PEERS.items()
        }
        for name, k in SETS:
            if not sets or name in sets:
                few = min(runs, FEW_RUNS.get(name, runs))
                yield from on(name, k, pythons, few, Path(folder))


def on(
    name: str, k: int, pythons: Mapping[str, Path | Failed], runs: int, folder: Path
) -> Iterator[Row]:
    """One set: scikit-learn sets the unit of time, then `auto` and each peer."""
    values = workloads.MAKERS[name]()
    data = workloads.as_rows(values)
    file = folder / f"{name}.npy"
    np.save(file, values)
    here = Path(sys.executable)
    sklearn = answers_of(SKLEARN, here, file, k, (1.0,), 1)
    ours = answers_of(OURS, here, file, k, EPSILONS, runs)
    for run in (*sklearn, *ours):
        if "failed" in run:
            raise RuntimeError(run["failed"])
    unit = sklearn[0]["seconds"]
    if (name, k) == SETS[0]:
        time = own_time(data, k) / unit
        yield Row(f"auto on {name}, k={k}, rows once read: time", time, TIME_BAR)
    bars: dict[float, float | None] = dict.fromkeys(EPSILONS)
    for who, python in {"auto": here, **pythons}.items():
        results = (
            ours
            if who == "auto"
            else answers_of(PEERS[who].program, python, file, k, EPSILONS, runs)
        )
        for epsilon in EPSILONS:
            mine = [run for run in results if run["epsilon"] == epsilon]
            what = f"{who} on {name}, k={k}, ε={epsilon:g}: NICV"
            row = summed_up(what, mine, data, unit, bars[epsilon])
            if who == "auto":
                bars[epsilon] = row.figure
            yield row


def summed_up(
    what: str, runs: Sequence[Mapping[str, Any]], data: Dataset, unit: float, bar: float | None
) -> Row:
    """Some runs as a row: their mean NICV, at least the bar, and how much time and memory."""
    good = [run for run in runs if "failed" not in run]
    notes = []
    if good:
        time = float(np.median([run["seconds"] for run in good])) / unit
        memory = max(run["megabytes"] for run in good)
        notes.append(f"{time:.3g} × KMeans(n_init=10) from array to centers, {memory:.0f} MB more")
    if len(good) < len(runs):
        why = next(run["failed"] for run in runs if "failed" in run)
        notes.append(f"{len(runs) - len(good)} of {len(runs)} runs failed: {why}")
    if not good:
        return Row(what, math.nan, unit="", note="; ".join(notes))
    nicv = float(np.mean([exact_nicv(data, np.array(run["centers"])) for run in good]))
    return Row(what, nicv, bar, "", at_least=True, note="; ".join(notes))


def own_time(data: Dataset, k: int) -> float:
    """Processor time of a run on rows that were read before, as they are on a dashboard."""
    return max(
        seconds(lambda e=epsilon: dpcore.run("auto", data, k, e, seed=0), repeats=3)
        for epsilon in EPSILONS
    )


def answers_of(
    program: str,
    python: Path | Failed,
    file: Path,
    k: int,
    epsilons: Sequence[float],
    runs: int,
    patience: float = PATIENCE,
) -> list[Mapping[str, Any]]:
    """What a process in some environment says of each run, on one thread.

    Runs that it ended too early to tell of have failed, for the reason of its last words.
    """
    one = {f"{pool}_NUM_THREADS": "1" for pool in ("OMP", "OPENBLAS", "MKL")}
    arguments = [str(file), str(k), str(runs), *map(str, epsilons)]
    epsilons_of_runs = [epsilon for epsilon in epsilons for _ in range(runs)]
    if isinstance(python, Failed):
        return [{"epsilon": epsilon, "failed": str(python)} for epsilon in epsilons_of_runs]
    worker: list[str | Path] = [python, "-c", WORKER.replace("{program}", program), *arguments]
    with tempfile.TemporaryFile("w+") as out:
        try:
            started(worker, out, patience, {**os.environ, **one})
            why = "it ended early"
        except Failed as failure:
            why = str(failure)
        out.seek(0)
        results = [json.loads(line) for line in out if line.endswith("\n")]
    return results + [
        {"epsilon": epsilon, "failed": why} for epsilon in epsilons_of_runs[len(results) :]
    ]


def environment(folder: Path, packages: Sequence[str]) -> Path | Failed:
    """The Python of an environment that has the packages, made now unless it is there already."""
    python = folder / "bin" / "python"
    try:
        if not python.exists():
            started([sys.executable, "-m", "venv", folder])
        started([python, "-m", "pip", "install", "--quiet", *packages])
    except Failed as failure:
        return Failed(f"not installed: {failure}")
    return python


def started(
    command: Sequence[str | Path],
    out: TextIO | int = subprocess.DEVNULL,
    patience: float = PATIENCE,
    environ: Mapping[str, str] = os.environ,
) -> None:
    """Run a command to its end, or raise Failed with the last line of its complaint."""
    try:
        subprocess.run(
            command,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=True,
            timeout=patience,
            env=environ,
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"no answer after {patience:g} seconds") from None
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines()
        # pip's hints come after its errors.
        errors = [line for line in lines if line.startswith("ERROR")] or lines
        raise Failed(errors[-1] if errors else f"exit status {error.returncode}") from None


if __name__ == "__main__":
    by_set(__doc__, TITLE, rows, RUNS)
