"""The program of a reading process: it answers one question after the other.

What it reads may be made to harm whoever reads it. It has limits, holds nothing else, and can be
killed at any time; all that it hands back is numbers and names.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import PurePath
from typing import BinaryIO

import numpy as np

from dpcore.datasets.engines.base import Engine
from dpcore.datasets.engines.duckdb_engine import DuckDBEngine
from dpcore.datasets.engines.held_file import HeldFile
from dpcore.datasets.engines.reading_limits import ReadingLimits
from dpcore.datasets.engines.wire import (
    TOO_LARGE,
    Arrays,
    Fields,
    TooLarge,
    box_from,
    receive,
    send,
    source_fields,
    source_from,
)
from dpcore.errors import DataFileError
from dpcore.geometry.domain import Grid

#: Seconds between two messages that say how far it is.
PAUSE = 0.2
NO_MEMORY = "reading it takes more than {} GB of memory, the most that it may take here."


def main() -> None:
    """Read the first message, which says what to read and within which limits; then questions."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints is no answer
    questions = sys.stdin.buffer
    first, _ = receive(questions, 0)
    limits = ReadingLimits(**first["limits"])
    limits.restrict_memory()
    engine = _engine(first, questions, limits)
    while True:
        try:
            fields, arrays = receive(questions, limits.answer)
        except EOFError:
            return
        limits.restrict_computing()
        if not _respond(engine, fields, arrays, answers, limits):
            return


def _engine(first: Fields, questions: BinaryIO, limits: ReadingLimits) -> Engine:
    if first["name"] is None:
        return DuckDBEngine(memory=limits.for_database, root=first["root"])
    content = questions.read(first["size"])
    return HeldFile(first["name"], content, memory=limits.for_database)


def _respond(
    engine: Engine, fields: Fields, arrays: Arrays, answers: BinaryIO, limits: ReadingLimits
) -> bool:
    """Answer a question or say why not; False if nothing can be answered from now on."""
    path = fields["path"]
    fit = True
    try:
        with _telling(engine, answers):
            reply, numbers = answer(engine, fields, arrays)
        send(answers, reply, numbers, limits.answer)
    except MemoryError:
        fit = False
        send(answers, {"refused": [path, NO_MEMORY.format(limits.memory >> 30), None]})
    except TooLarge:
        send(answers, {"refused": [path, TOO_LARGE, None]})
    except DataFileError as error:
        send(answers, {"refused": [error.path, error.problem, error.column]})
    except Exception as error:
        # Its words may quote rows.
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__}, {PurePath(frame.filename).name}:{frame.lineno}"
        send(answers, {"refused": [path, f"it cannot be read ({where}).", None]})
    return fit


def answer(engine: Engine, fields: Fields, arrays: Arrays) -> tuple[Fields, Arrays]:
    """The answer of an engine to a question."""
    question = fields["ask"]
    if question == "look":
        return source_fields(engine.look(fields["path"], fields["format"])), ()
    if question == "files":
        return {"files": engine.files(fields["path"])}, ()
    if question == "zones":
        return asdict(engine.zones(fields["path"])), ()
    source = source_from(fields["source"])
    if question == "first_rows":
        return {"rows": engine.first_rows(source, fields["most"])}, ()
    if question == "rows_of_ids":
        return {}, [engine.rows_of_ids(source, fields["most"])]
    box = box_from(fields["box"])
    if question == "grid_counts":
        return {}, [engine.grid_counts(source, Grid(box, fields["side"]))]
    if question == "census":
        counts, tally = engine.census(source, Grid(box, fields["side"]))
        return asdict(tally), [counts]
    if question == "lattice_rows":
        return {}, [engine.lattice_rows(source, box)]
    if question == "cluster_totals":
        return {}, engine.cluster_totals(source, box, arrays[0].astype(np.int64))
    if question == "squared_ticks":
        return {"sum": engine.squared_ticks(source, box)}, ()
    if question == "tally":
        return asdict(engine.tally(source, box)), ()
    raise ValueError("There is no such question.")


@contextmanager
def _telling(engine: Engine, answers: BinaryIO) -> Iterator[None]:
    """While a question is being answered, say how far it is."""
    done = threading.Event()

    def tell() -> None:
        while not done.wait(PAUSE):
            try:
                send(answers, {"progress": engine.progress()})
            except OSError:  # who asked is gone
                os._exit(1)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
