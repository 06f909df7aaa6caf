"""The engine for untrusted files, which reads each in a separate process."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from dpcore.datasets.engines.base import Engine, Tally, check
from dpcore.datasets.engines.process import ReadingProcess
from dpcore.datasets.engines.reading_limits import FOR_PATHS, FOR_UPLOADS, ReadingLimits
from dpcore.datasets.engines.source import Source, Zones
from dpcore.datasets.engines.wire import Arrays, Fields, source_fields, source_from, zones_from
from dpcore.geometry.domain import Box, Grid, IntArray

#: Seconds after the last question until the process is ended; the next one starts another.
IDLE = 30.0


class IsolatedEngine(Engine):
    """Answers what DuckDBEngine would of paths, or HeldFile of one file, from another process.

    A file made to harm its reader can end that process, but not this one. The process has limits
    of memory and time, can be stopped, and takes all that it held with it. Only answers come here.
    With a root, a path stands for the regular files in that folder alone, links followed.
    """

    can_stop = True

    def __init__(
        self,
        name: str | None = None,
        content: bytes = b"",
        limits: ReadingLimits | None = None,
        root: str | None = None,
    ):
        self.name = name
        self._root = root
        self._content = content
        self._limits = limits or (FOR_PATHS if name is None else FOR_UPLOADS)
        self._asking = threading.Lock()
        self._process: ReadingProcess | None = None
        self._idle: threading.Timer | None = None
        self._progress = 0.0

    def look(self, path: str, format: str | None = None) -> Source:
        return source_from(self._ask("look", path, format=format)[0])

    def files(self, path: str) -> list[str]:
        return list(self._ask("files", path)[0]["files"])

    def zones(self, path: str) -> Zones:
        return zones_from(self._ask("zones", path)[0])

    def grid_counts(self, source: Source, grid: Grid) -> IntArray:
        _, (counts,) = self._of_rows("grid_counts", source, grid.box, side=grid.cells_per_side)
        return counts.reshape(grid.shape)

    def census(self, source: Source, grid: Grid) -> tuple[IntArray, Tally]:
        if source.ids:
            raise ValueError("One pass that sees all rows cannot keep a few of each id.")
        answer, (counts,) = self._of_rows("census", source, grid.box, side=grid.cells_per_side)
        return counts.reshape(grid.shape), Tally(**answer)

    def lattice_rows(self, source: Source, box: Box) -> npt.NDArray[np.int32]:
        _, (rows,) = self._of_rows("lattice_rows", source, box)
        return rows.reshape(-1, box.d).astype(np.int32, copy=False)

    def cluster_totals(
        self, source: Source, box: Box, centers: IntArray
    ) -> tuple[IntArray, IntArray]:
        centers = np.asarray(centers, dtype=np.int64)
        _, (counts, sums) = self._of_rows("cluster_totals", source, box, [centers])
        return counts, sums.reshape(centers.shape)

    def squared_ticks(self, source: Source, box: Box) -> int:
        return int(self._of_rows("squared_ticks", source, box)[0]["sum"])

    def tally(self, source: Source, box: Box) -> Tally:
        return Tally(**self._of_rows("tally", source, box)[0])

    def rows_of_ids(self, source: Source, most: int) -> IntArray:
        fields = source_fields(source)
        _, (counts,) = self._ask("rows_of_ids", source.path, (), source=fields, most=most)
        return counts

    def first_rows(self, source: Source, most: int) -> list[list[str]]:
        fields = source_fields(source)
        answer, _ = self._ask("first_rows", source.path, (), source=fields, most=most)
        return list(answer["rows"])

    def pieces(self, path: str) -> Iterator[bytes] | None:
        if self.name is None:
            return super().pieces(path)
        return iter([self._content]) if path == self.name else None

    def progress(self) -> float:
        return self._progress

    def stop(self) -> None:
        process = self._process
        if process is not None:
            process.kill()

    def _of_rows(
        self, question: str, source: Source, box: Box, arrays: Arrays = (), **more: Any
    ) -> tuple[Fields, list[IntArray]]:
        check(source, box)
        fields = {"source": source_fields(source), "box": asdict(box), **more}
        return self._ask(question, source.path, arrays, **fields)

    def _ask(
        self, question: str, path: str, arrays: Arrays = (), **fields: Any
    ) -> tuple[Fields, list[IntArray]]:
        with self._asking:
            if self._idle is not None:
                self._idle.cancel()
            if self._process is None or not self._process.lives:
                self._end()
                self._process = ReadingProcess(self._limits, self.name, self._content, self._root)
            try:
                return self._process.ask(
                    {"ask": question, "path": path, **fields}, arrays, self._tell
                )
            finally:
                self._progress = 0.0
                self._idle = threading.Timer(IDLE, _end_if_idle, [weakref.ref(self)])
                self._idle.daemon = True
                self._idle.start()

    def _tell(self, part: float) -> None:
        self._progress = part

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None

    def end_if_idle(self) -> None:
        """End the process, unless it is being asked something."""
        if self._asking.acquire(blocking=False):
            try:
                self._end()
            finally:
                self._asking.release()


def _end_if_idle(reference: weakref.ref[IsolatedEngine]) -> None:
    engine = reference()
    if engine is not None:
        engine.end_if_idle()
