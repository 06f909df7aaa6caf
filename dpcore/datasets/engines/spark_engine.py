"""Spark: the optional engine, for data beyond one machine."""

from __future__ import annotations

import os
import re
import sys
import threading
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np

from dpcore.datasets.engines import records, spark_workers
from dpcore.datasets.engines.base import Columns, Query, SQLEngine, check
from dpcore.datasets.engines.records import BROKEN, MAX_RECORD, UNREADABLE
from dpcore.datasets.engines.source import Column, Format, Kind, Layout, Source
from dpcore.datasets.engines.spark_workers import (
    check_quotes,
    counts_of_cells,
    cut_fields,
    cut_header,
    put_blocks,
    sums_of_batches,
    sums_of_blocks,
)
from dpcore.datasets.engines.sql import (
    as_double,
    as_id,
    cells_query,
    csv_columns,
    csv_names,
    rows_query,
)
from dpcore.datasets.row_sums import RowSum
from dpcore.errors import DataFileError, ReadingStopped, shortened
from dpcore.geometry.domain import TICKS, Box, Grid, IntArray

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

#: For our own session beside the one that runs.
SETTINGS = {
    "spark.sql.caseSensitive": "true",
    # For a timestamp in nanoseconds, even in a column that nobody asks for, Spark refuses the file.
    "spark.sql.legacy.parquet.nanosAsLong": "true",
    # A worker gets so many rows at a time.
    "spark.sql.execution.arrow.maxRecordsPerBatch": f"{1 << 16}",
}
#: For a session that reads every file in one task, in its order: no file is as large as this, and
#: two together are larger.
ONE_TASK_A_FILE = {
    "spark.sql.files.maxPartitionBytes": f"{1 << 50}b",
    "spark.sql.files.openCostInBytes": f"{1 << 50}b",
}
#: For a Spark that starts here: a library says nothing on the screen and opens no web page.
QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
}
#: For one that also runs here: nothing that another machine could reach.
LOCAL = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
#: Cells of a grid that a worker counts in an array: 128 MB.
MOST_CELLS = 1 << 24
DAMAGED = "it is damaged, cut short or of another type."
#: What Spark's conditions mean for a path.
PROBLEMS = {
    "PATH_NOT_FOUND": "there is no such file.",
    "TABLE_OR_VIEW_NOT_FOUND": "there is no such table.",
    "UNABLE_TO_INFER_SCHEMA": DAMAGED,
}
#: Up to so many coordinates the scores of centers are whole numbers below 2^53.
EXACT_IN_FLOAT64 = 682


class SparkEngine(SQLEngine):
    """Answers from whatever Spark can reach: files, object stores, tables of its catalog.

    The master is the one given or else the one that Spark's configuration names; a Spark that
    runs already is used as it is.
    """

    key = "spark"
    can_stop = True

    def __init__(self, master: str | None = None, options: Mapping[str, str] | None = None):
        try:
            from pyspark.errors import PySparkRuntimeError
            from pyspark.sql import SparkSession
        except ImportError as error:
            raise DataFileError("spark", "not installed: pip install 'dpcore[spark]'.") from error
        # The workers' Python must have numpy and pyarrow, as this one has.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.appName("dpcore")
        if master:
            builder = builder.master(master)
        here = LOCAL if master and master.startswith("local") else {}
        for name, value in {**QUIET, **here, **(options or {})}.items():
            builder = builder.config(name, value)
        try:
            self._spark = builder.getOrCreate().newSession()
        except PySparkRuntimeError as error:
            raise DataFileError("spark", "it does not start; it needs Java 17 or newer.") from error
        self._in_order = self._spark.newSession()
        for session, more in ((self._spark, {}), (self._in_order, ONE_TASK_A_FILE)):
            for name, value in {**SETTINGS, **more}.items():
                session.conf.set(name, value)
        #: Tags of the jobs of each reading that runs, and of those that somebody stopped.
        self._running: set[str] = set()
        self._stopped: set[str] = set()
        self._starting_or_ending = threading.Lock()

    def progress(self) -> float:
        with self._starting_or_ending:
            running = list(self._running)
        return min(map(self._progress_of, running), default=0.0)

    def stop(self) -> None:
        with self._starting_or_ending:
            self._stopped |= self._running
            for tag in self._running:
                self._spark.sparkContext.cancelJobsWithTag(tag)

    def address(self, path: str) -> str:
        """The whole name that the catalog has for a table."""
        from pyspark.errors import AnalysisException

        try:
            table = self._spark.catalog.getTable(path)
        except AnalysisException:  # a file
            return super().address(path)
        return super().address(
            ".".join([table.catalog or "", *(table.namespace or ()), table.name])
        )

    def _files(self, path: str) -> list[str]:
        if os.path.exists(path):
            path = _as_pattern(path)
        with self._reading(path):
            # File names come back as URIs.
            return [unquote(file) for file in self._spark.read.text(path).inputFiles()]

    def _layout(self, path: str, format: Format) -> Layout:
        if format.has_points:
            raise DataFileError(path, "Spark reads CSV and Parquet only; leave out engine='spark'.")
        with self._reading(path):
            if format.is_text:
                return self._csv_layout(path)
            schema = self._typed([path], format).schema
        types = [(field.name, field.dataType) for field in schema.fields]
        return Layout(path, tuple(Column(n, _kind(t), t.simpleString()) for n, t in types))

    def _answer(self, source: Source, query: Query) -> Columns:
        with self._reading(source.path):
            table = self._frame(source, query).toArrow()
        return {name: table[name].to_numpy() for name in table.column_names}

    def grid_counts(self, source: Source, grid: Grid) -> IntArray:
        """Each worker counts the cells of its rows in an array, which costs half as much as Spark's
        own groups."""
        if grid.n_cells > MOST_CELLS:
            return super().grid_counts(source, grid)
        check(source, grid.box)
        with self._reading(source.path):
            cells = self._frame(source, lambda relation: cells_query(relation, source, grid))
            columns = "block BIGINT, cells BINARY, counts BINARY"
            blocks = _on_workers(cells, counts_of_cells(grid.n_cells), columns)
            sums = _on_workers(blocks.repartition("block"), sums_of_blocks, columns).toArrow()
        counts = np.zeros(grid.n_cells, dtype=np.int64)
        put_blocks(counts, sums)
        return counts.reshape(grid.shape)

    def first_rows(self, source: Source, most: int) -> list[list[str]]:
        layout = source.layouts[0]
        if source.format.is_text:
            return super().first_rows(source, most)
        with self._reading(source.path):
            rows = self._typed([layout.path], source.format).limit(most).collect()
        return [[shortened(str(value)) for value in row] for row in rows]

    def _totals(self, source: Source, box: Box, centers: IntArray) -> Columns:
        # The expression of `totals_query` is right here too, but takes minutes to plan and run for
        # large k * d; a matrix product does not.
        with self._reading(source.path):
            cells = self._frame(source, lambda relation: rows_query(relation, source, box))
            sums = ", ".join(f"s{i} BIGINT" for i in range(box.d))
            totals = _map_in_arrow(
                cells, _totals_of_batches(centers), f"label BIGINT, n BIGINT, {sums}"
            )
            table = totals.toArrow()
        return {name: table[name].to_numpy() for name in table.column_names}

    def stored_rows(self, source: Source, box: Box, most: int) -> None:
        """Rows stay where they are; only answers come here."""

    def summed(self, source: Source, box: Box, of_rows: RowSum) -> IntArray:
        check(source, box)
        none = of_rows(np.empty((0, box.d), dtype=np.int64), np.empty(0, dtype=np.int64))
        with self._reading(source.path):
            cells = self._frame(source, lambda relation: rows_query(relation, source, box))
            sums = _map_in_arrow(cells, sums_of_batches(of_rows), "place BIGINT, value BIGINT")
            table = sums.groupBy("place").sum("value").toArrow()
        totals = none.ravel()
        totals[table["place"].to_numpy()] += table["sum(value)"].to_numpy()
        return totals.reshape(none.shape)

    def _frame(self, source: Source, query: Query) -> DataFrame:
        parts = [
            self._csv_rows(source, layout, paths)
            if source.format.is_text
            else self._typed_rows(source, layout, paths)
            for layout, paths in source.alike()
        ]
        rows = reduce(lambda one, other: one.unionAll(other), parts)
        return rows.sparkSession.sql(query("{rows}"), rows=rows)

    def _typed(self, paths: list[str], format: Format) -> DataFrame:
        if format is Format.TABLE:
            return self._spark.table(paths[0])
        return self._spark.read.parquet(*map(_as_pattern, paths))

    def _typed_rows(self, source: Source, layout: Layout, paths: list[str]) -> DataFrame:
        columns = []
        for i, name in enumerate(source.columns):
            quoted_name = "`" + name.replace("`", "``") + "`"
            kind = layout.columns[layout.position(name)].kind
            columns.append(f"{as_double(quoted_name, kind)} AS x{i}")
        if source.ids:
            quoted_name = "`" + source.ids.column.replace("`", "``") + "`"
            kind = layout.columns[layout.named(source.ids.column)].kind
            columns.append(f"{as_id(quoted_name, kind)} AS id")
        return self._typed(paths, source.format).selectExpr(*columns)

    def _csv_layout(self, path: str) -> Layout:
        """The columns, and whether records span lines: then only one task after the other can tell
        where they end, and before that every line is one."""
        lines = self._lines([path])
        (spans,) = lines.selectExpr("max(size(split(value, '\"')) % 2 = 0)").collect()[0]
        if not spans:
            is_readable = f"is_valid_utf8(value) AND octet_length(value) <= {MAX_RECORD}"
            texts = lines.where("value NOT IN ('', '\\r')")
            first = texts.selectExpr(f"IF({is_readable}, value, '{UNREADABLE}') AS header").first()
            return Layout.of_csv(path, first.header.removesuffix("\r") if first else None)
        lines = self._lines_in_order([path])
        first = _in_batches(lines, cut_header, "header STRING, broken BOOLEAN").collect()[0]
        if not first.broken:
            layout = Layout.of_csv(path, first.header)
            broken = _in_batches(lines, check_quotes(layout.delimiter), "broken BOOLEAN")
            if not broken.collect():
                return replace(layout, spans=True)
        raise DataFileError(path, BROKEN)

    def _lines(self, paths: list[str]) -> DataFrame:
        """Lines cut at line feeds: the records of files in which none spans lines."""
        return self._spark.read.text(list(map(_as_pattern, paths)), lineSep="\n")

    def _lines_in_order(self, paths: list[str]) -> DataFrame:
        """Lines cut at line feeds, those of a file in their order and in one task."""
        return self._in_order.read.text(list(map(_as_pattern, paths)), lineSep="\n")

    def _csv_rows(self, source: Source, layout: Layout, paths: list[str]) -> DataFrame:
        lines = self._lines_in_order(paths) if layout.spans else self._lines(paths)
        names = csv_names(source)
        columns = ", ".join(f"{name} STRING" for name in names)
        rows = _in_batches(lines, cut_fields(source.form(layout), names), columns)
        return rows.selectExpr(*csv_columns(source))

    @contextmanager
    def _reading(self, path: str) -> Iterator[None]:
        """Jobs that can be followed and stopped. Say in our words what Spark says of a path that it
        cannot read."""
        from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
        from pyspark.errors import AnalysisException

        context, tag = self._spark.sparkContext, f"dpcore-{uuid.uuid4().hex}"
        context.addJobTag(tag)
        with self._starting_or_ending:
            self._running.add(tag)
        try:
            yield
        except AnalysisException as error:
            problem = PROBLEMS.get(error.getCondition() or "")
            if problem is None:
                raise
            raise DataFileError(path, problem) from error
        except Py4JJavaError as error:
            if tag in self._stopped:
                raise ReadingStopped(path) from error
            if "FAILED_READ_FILE" not in str(error):
                raise
            raise DataFileError(path, DAMAGED) from error
        finally:
            with self._starting_or_ending:
                self._running.discard(tag)
                self._stopped.discard(tag)
            context.removeJobTag(tag)

    def _progress_of(self, tag: str) -> float:
        """The part of the tasks of a reading's jobs that is done."""
        context = self._spark.sparkContext
        status = context.statusTracker()
        # PySpark does not pass this question on.
        numbers = context._jsc.sc().statusTracker().getJobIdsForTag(tag)
        done = total = 0
        for job in filter(None, map(status.getJobInfo, numbers)):
            stages = [each for each in map(status.getStageInfo, job.stageIds) if each]
            tasks = sum(stage.numTasks for stage in stages)
            total += tasks
            # A job that is over may have skipped stages.
            over = job.status == "SUCCEEDED"
            done += tasks if over else sum(stage.numCompletedTasks for stage in stages)
        return done / total if total else 0.0


def _in_batches(lines: DataFrame, function: Any, columns: str) -> DataFrame:
    """Lines, each with the path of its file, through a function of Spark's workers."""
    lines = lines.selectExpr("CAST(value AS BINARY) AS line", "_metadata.file_path AS path")
    return _on_workers(lines, function, columns)


def _on_workers(rows: DataFrame, function: Any, columns: str) -> DataFrame:
    """Rows through a function of `spark_workers`, which travels with all it calls."""
    from pyspark import cloudpickle

    for module in (records, spark_workers):
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    return _map_in_arrow(rows, function, columns)


def _map_in_arrow(rows: DataFrame, function: Any, columns: str) -> DataFrame:
    with warnings.catch_warnings():
        # PySpark warns of pandas 3, which has no part in this.
        warnings.simplefilter("ignore", FutureWarning)
        return rows.mapInArrow(function, columns)


def _totals_of_batches(
    centers: IntArray,
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function for Spark's workers: the totals of their share of rows of lattice cells.

    Workers need numpy and pyarrow but not this package, so it travels with all it calls.
    """
    k, d = centers.shape
    number = np.float64 if d <= EXACT_IN_FLOAT64 else np.int64
    matrix = -2 * centers.T.astype(number)
    squares = (centers * centers).sum(axis=1).astype(number)
    to_ticks = 1 - TICKS

    def totals(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import numpy as np
        import pyarrow as pa

        counts = np.zeros(k, dtype=np.int64)
        sums = np.zeros((d, k), dtype=np.int64)
        for batch in batches:
            ticks = np.stack([column.to_numpy() for column in batch.columns], dtype=np.int64)
            ticks = 2 * ticks + to_ticks
            labels = (ticks.T.astype(number) @ matrix + squares).argmin(axis=1)
            counts += np.bincount(labels, minlength=k)
            for axis in range(d):
                sums[axis] += np.bincount(labels, ticks[axis], k).astype(np.int64)
        names = ["label", "n", *(f"s{i}" for i in range(d))]
        yield pa.RecordBatch.from_arrays(list(map(pa.array, [np.arange(k), counts, *sums])), names)

    return totals


def _as_pattern(path: str) -> str:
    """A path with its wildcards escaped, so that Spark reads it as it is."""
    return re.sub(r"([\\\[\]{}*?])", r"\\\1", path)


def _kind(type: Any) -> Kind:
    from pyspark.sql.types import NumericType, StringType

    if isinstance(type, NumericType):
        return Kind.NUMBER
    return Kind.TEXT if isinstance(type, StringType) else Kind.OTHER
