"""`dpcore ask`: more answers from what a release published, at no cost."""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from dpcore.cli.arguments import output_path
from dpcore.datasets.area_files import read_areas
from dpcore.datasets.area_shapes import check_names
from dpcore.datasets.engines.paths import read_small
from dpcore.datasets.engines.reading_limits import MAX_TABLE
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box
from dpcore.release import ask
from dpcore.release.ask_notebook import ask_notebook
from dpcore.release.opening import opened
from dpcore.release.published_files import PublishedFiles
from dpcore.results.centers import ReleasedCenters

#: Neighborhoods on the screen; --json has all of them.
MOST_SHOWN = 20


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Answer more questions from the files of a release, also of one published elsewhere. "
        "Every answer is free: it is computed from what is public already. Without a question it "
        "shows the cost for each number of centers."
    )
    command.add_argument("release", type=Path, help="the folder or the ZIP of a release")
    command.add_argument("-k", type=int, help="find this many centers instead")
    command.add_argument(
        "--median", action="store_true", help="find centers of least distance: k-median"
    )
    command.add_argument(
        "--cost", metavar="FILE", help="estimate the cost of the centers in a CSV file"
    )
    command.add_argument(
        "--inside",
        metavar="FILE",
        help="count the rows inside each polygon of a GeoJSON file, each with a name",
    )
    command.add_argument(
        "--neighborhoods", action="store_true", help="count the rows in each neighborhood"
    )
    command.add_argument(
        "--density",
        type=int,
        nargs="?",
        const=ask.DENSITY_SIDE,
        metavar="CELLS",
        help="estimate the rows on a grid with this many cells a side (%(const)s); needs --json",
    )
    command.add_argument(
        "--notebook",
        type=output_path,
        metavar="FILE",
        help="write a Jupyter notebook that asks the same questions",
    )
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> None:
    if arguments.density is not None and not arguments.json:
        raise BadInput("--density is for programs: add --json.")
    release = opened(arguments.release)
    if arguments.notebook:
        arguments.notebook.write_bytes(ask_notebook(release.certificate))
    answers = dict(answers_of(arguments, release))
    if not answers and not arguments.notebook:
        answers["costs"] = costs(release)
    if arguments.json:
        print(json.dumps({"data set": release.certificate["data set"], "price": 0, **answers}))
        return
    print(f"{release.certificate['data set']}: {len(release.centers)} centers were published.")
    for kind, answer in answers.items():
        print(f"\n{WORDS[kind](answer)}")
    if arguments.notebook:
        print(f"\n{arguments.notebook} asks the same questions. Keep it in the release's folder.")
    print(f"\n{ask.FREE}")


def answers_of(arguments: argparse.Namespace, release: PublishedFiles) -> Iterator[tuple[str, Any]]:
    """The answer to each question that was asked, by its kind, as plain data."""
    if arguments.k is not None or arguments.median:
        k = len(release.centers) if arguments.k is None else arguments.k
        new_places = (
            ask.new_medians(release, k) if arguments.median else ask.new_centers(release, k)
        )
        yield "medians" if arguments.median else "centers", centers(release, new_places)
    if arguments.k is not None and not arguments.median:
        yield "costs", costs(release)
    if arguments.cost is not None:
        places = read_centers(arguments.cost, release.box)
        yield "cost", cost(release, places)
    if arguments.inside is not None:
        areas, _ = read_areas(read_small(arguments.inside, MAX_TABLE), arguments.inside)
        check_names([area.name for area in areas])
        yield "areas", counts(ask.counts(release, areas))
    if arguments.neighborhoods:
        yield "neighborhoods", counts(ask.neighborhood_counts(release))
    if arguments.density is not None:
        found_density = ask.density(release, arguments.density)
        yield (
            "density",
            {
                "cells": found_density.counts.tolist(),
                "by square kilometer": found_density.densities.tolist(),
            },
        )


def centers(release: PublishedFiles, places: ReleasedCenters) -> dict[str, Any]:
    names = list(release.box.names)
    return {"coordinates": names, "centers": places.tolist(), **cost(release, places.tolist())}


def cost(release: PublishedFiles, places: list[list[float]]) -> dict[str, Any]:
    center_cost = ask.center_cost(release, places)
    unit = "meters" if center_cost.in_meters else "box from -1 to 1"
    return {"nicv": center_cost.nicv, "mean distance": center_cost.distance, "unit": unit}


def costs(release: PublishedFiles) -> dict[str, Any]:
    curve = ask.cost_curve(release)
    return {"nicv by k": dict(curve.costs), "suggested k": curve.suggested}


def counts(area_counts: list[ask.AreaCount]) -> list[dict[str, Any]]:
    return [
        {
            "name": each.name,
            "rows": each.estimate.value,
            "standard error of the noise": each.estimate.error,
            "rows near the border": each.estimate.cut,
            "low": each.estimate.low,
            "high": each.estimate.high,
            "rows by square kilometer": each.density,
        }
        for each in area_counts
    ]


def read_centers(path: str, box: Box) -> list[list[float]]:
    """The centers in a CSV file whose columns are called like the coordinates."""
    try:
        lines = list(csv.DictReader(read_small(path, MAX_TABLE).decode().splitlines()))
        return [[float(line[name]) for name in box.names] for line in lines]
    except KeyError as missing:
        raise BadInput(
            f"{path} has no column {missing}. Call the columns {', '.join(box.names)}."
        ) from None
    except (ValueError, TypeError) as problem:
        raise BadInput(f"{path} is no CSV file of centers: {problem}.") from problem


def _centers_in_words(answer: dict[str, Any]) -> str:
    rows = [", ".join(f"{value:.6g}" for value in center) for center in answer["centers"]]
    head = f"{len(rows)} centers ({', '.join(answer['coordinates'])}):"
    return "\n".join([head, *(f"  {row}" for row in rows), _cost_in_words(answer)])


def _cost_in_words(answer: dict[str, Any]) -> str:
    unit = "m" if answer["unit"] == "meters" else "in a box from -1 to 1"
    return (
        f"A row lies {answer['mean distance']:.4g} {unit} from its nearest center on average. "
        f"NICV: {answer['nicv']:.5g}."
    )


def _costs_in_words(answer: dict[str, Any]) -> str:
    rows = [f"{k:>5}  {nicv:.5g}" for k, nicv in answer["nicv by k"].items()]
    bend = f"{answer['suggested k']} centers fit these data best."
    return "\n".join(["    k  NICV (estimated)", *rows, bend])


def _counts_in_words(answer: list[dict[str, Any]]) -> str:
    rows = []
    for each in answer[:MOST_SHOWN]:
        error = each["standard error of the noise"]
        noise = "noise not known" if error is None else f"± {2 * error:,.0f} by noise"
        border = each["rows near the border"]
        rows.append(
            f"  {each['name']}: {max(each['rows'], 0):,.0f} rows, {noise}; {border:,.0f} of them "
            "lie so near the border that they may be on its other side"
        )
    if len(answer) > MOST_SHOWN:
        rows.append(f"  and {len(answer) - MOST_SHOWN} more: add --json")
    return "\n".join(["Rows, and what noise does to them 19 times in 20:", *rows])


WORDS: dict[str, Callable[[Any], str]] = {
    "centers": _centers_in_words,
    "medians": _centers_in_words,
    "costs": _costs_in_words,
    "cost": _cost_in_words,
    "areas": _counts_in_words,
    "neighborhoods": _counts_in_words,
}
