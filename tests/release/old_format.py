"""Ledgers as the first format had them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from dpcore.release import Ledger
from dpcore.release.accounts import ROWS
from dpcore.release.ledger_schema import TABLES
from dpcore.release.ledger_store import DATABASE, KEY


def write(folder: Path, books: Ledger) -> Path:
    """A ledger of the first format, with what another one holds."""
    folder.mkdir()
    (folder / KEY).write_bytes(books.key)
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("ATTACH ? AS now", (str(books.folder / DATABASE),))
        for table, columns in TABLES.items():
            database.execute(f"CREATE TABLE {table} ({columns}) STRICT")
            names = ", ".join(
                row[1] for row in database.execute(f"PRAGMA main.table_info({table})")
            )
            which = f"WHERE digest NOT LIKE '{ROWS}%'" if table == "fingerprints" else ""
            database.execute(f"INSERT INTO {table} SELECT {names} FROM now.{table} {which}")
            for change in ("DELETE", "UPDATE"):
                database.execute(
                    f"CREATE TRIGGER {change}_{table} BEFORE {change} ON {table} "
                    "BEGIN SELECT RAISE(ABORT, 'What the ledger holds stays.'); END"
                )
        database.execute("PRAGMA user_version = 1")
        database.commit()
    return folder
