"""Each engine in turn, the same for all tests."""

from __future__ import annotations

import pytest

from dpcore.datasets.engines import DuckDBEngine, Engine, SparkEngine

#: A Spark for small questions: what it compiles once it runs seldom, and it makes no folders here.
SMALL = {
    "spark.driver.memory": "768m",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.warehouse.dir": "file:///nowhere",
}


@pytest.fixture(scope="session")
def spark(java: str) -> Engine:
    return SparkEngine("local[2]", SMALL)


@pytest.fixture(scope="session")
def duckdb() -> Engine:
    return DuckDBEngine()


@pytest.fixture(params=["duckdb", "spark"])
def engine(request: pytest.FixtureRequest) -> Engine:
    return request.getfixturevalue(request.param)
