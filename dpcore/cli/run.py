"""`dpcore run`: one run, its centers and its transcript."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from dpcore.cli.arguments import (
    add_budget,
    add_data,
    add_own_levels,
    check_name,
    check_own_levels,
    dataset,
    output_path,
    request,
    seed,
)
from dpcore.cli.progress_meter import Stages
from dpcore.cli.region_arguments import add_regions, regions
from dpcore.datasets.base import Dataset
from dpcore.errors import BadInput, Refusal
from dpcore.kmeans.stages import listening
from dpcore.privacy.explain import odds
from dpcore.privacy.rounding import at_most
from dpcore.results import export
from dpcore.results.centers import PrivateCenters
from dpcore.results.run_result import RunResult, SimulatedResult
from dpcore.runs.run import run

WIDTH = 88
#: A run without --seed draws one below this number.
SEEDS = 2**32
FORMATS: dict[str, Callable[[PrivateCenters], str | bytes]] = {
    "csv": export.centers_csv,
    "geojson": export.centers_geojson,
    "json": export.centers_json,
    "kml": export.centers_kml,
    "kepler": export.centers_kepler,
    "parquet": export.centers_parquet,
    "geoparquet": export.centers_geoparquet,
}
BINARY = ("parquet", "geoparquet")


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Run one algorithm once with simulated noise, and show its centers and what each question "
        "cost. The result is for exploring; `dpcore release` makes files that may be published."
    )
    command.add_argument("algorithm", help="a key from `dpcore list`; auto chooses one")
    command.add_argument("-k", type=int, required=True, help="number of centers")
    command.add_argument("--epsilon", type=float, required=True, help="the privacy budget")
    command.add_argument(
        "--seed",
        type=seed,
        help="the seed of the simulated noise, which repeats a run (default: a new one, which is "
        "printed)",
    )
    add_data(command)
    add_budget(command)
    add_regions(command)
    add_own_levels(command)
    command.add_argument(
        "--format", choices=list(FORMATS), help="print only the centers, in this format"
    )
    command.add_argument("--output", type=output_path, help="write the centers to this file")
    command.add_argument(
        "--json", action="store_true", help="print the centers and the transcript as JSON"
    )
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> None:
    own_request = request(arguments, arguments.algorithm, arguments.epsilon)
    if own_request.seed is None:
        own_request = own_request.with_seed(secrets.randbelow(SEEDS))
    check_own_levels(arguments)
    ending = arguments.output.suffix.lstrip(".").lower() if arguments.output else None
    format = arguments.format or ending
    if format is not None and format not in FORMATS:
        raise BadInput(f"--format must be one of {', '.join(FORMATS)}, not {format!r}.")
    if format is not None and arguments.json:
        raise BadInput("--json prints the whole result, and --format the centers. Choose one.")
    if format in BINARY and not arguments.output and sys.stdout.isatty():
        raise BadInput(f"{format} is no text for a terminal. Name a file with --output.")
    thresholds: Sequence[float] = arguments.thresholds or ()
    data = rows_with_levels(arguments) if thresholds else dataset(arguments)
    divided = regions(arguments, data.box)
    with Stages() as stages, listening(stages):
        result = run(
            replace(own_request, regions=divided),
            data,
            thresholds=thresholds,
            progress=lambda part: stages("using the budget", part),
        )
    if format is not None:
        if not isinstance(result.centers, PrivateCenters):
            raise Refusal(
                f"the result of {result.algorithm} is not private and may not be saved: "
                "its privacy claim does not hold."
            )
        written = FORMATS[format](result.centers)
        if arguments.output:
            content = written.encode() if isinstance(written, str) else written
            arguments.output.write_bytes(content)
        elif isinstance(written, bytes):
            sys.stdout.buffer.write(written)
        else:
            sys.stdout.write(written if written.endswith("\n") else written + "\n")
        print(
            f"dpcore: these centers are {result.status}, and the file says so. "
            "Use `dpcore release` to publish.",
            file=sys.stderr,
        )
    elif arguments.json:
        print(json.dumps({**as_dict(result), "seed": own_request.seed}, indent=1))
    else:
        tell(result)
    if arguments.seed is None:
        print(f"dpcore: to repeat this run, add --seed {own_request.seed}.", file=sys.stderr)


def rows_with_levels(arguments: argparse.Namespace) -> Dataset:
    """Rows from files, each with an epsilon of its own."""
    from dpcore.cli.release import file_source
    from dpcore.release.unit import Unit

    check_name(arguments)
    return file_source(arguments).open(Unit())


def as_dict(result: RunResult) -> dict[str, Any]:
    """The result as data, without centers that are not private."""
    private = isinstance(result.centers, PrivateCenters)
    return {
        "algorithm": result.algorithm,
        "k": result.k,
        "verdict": str(result.verdict),
        "private": private,
        "simulated": isinstance(result, SimulatedResult),
        "status": result.status,
        "epsilon": result.epsilon if private else None,
        "delta": result.delta,
        "neighbors": str(result.neighbors),
        "parameters": dict(result.parameters),
        "facts": dict(result.facts),
        "coordinates": list(result.box.names),
        "centers": result.centers.tolist() if private else None,
        "transcript": result.transcript.as_dicts(),
    }


def tell(result: RunResult) -> None:
    """Print the result for a person."""
    if isinstance(result.centers, PrivateCenters):
        print(
            f"{result.algorithm}: {result.verdict}, epsilon {at_most(result.epsilon)} used, ",
            end="",
        )
        print(f"under {result.neighbors}. Simulated noise: not for publication.")
        print(f"An attacker's certainty about one row: {odds(result.epsilon)}.")
        for fact in ("protection", "caution"):
            if fact in result.facts:
                print(textwrap.fill(result.facts[fact], WIDTH))
        print(f"Counted in the public box: {result.box.words()}.\n")
    else:
        print(f"{result.algorithm}: {result.verdict}. NOT PRIVATE: for your eyes only.\n")
    names = result.box.names
    print("  ".join(f"{name:>18}" for name in names))
    for center in result.centers:
        print("  ".join(f"{value:18.6f}" for value in center))
    print("\nQuestions asked, and the epsilon that each one cost:")
    for charge in result.transcript:
        print(f"  {at_most(charge.epsilon):>10}  {charge.mechanism}: {charge.why}")
