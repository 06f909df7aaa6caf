"""The files under a ledger: a SQLite database that is whole whenever a process dies, and a key.

Both are made together: the key waits under another name until the database that knows it is on the
disk, and then gets its own. So a key without a database, or beside an empty one, tells that there
was a ledger, which is lost; and a database without its key tells the same of the key.

To look at a ledger changes nothing. A database that nobody is writing to is read as it lies, and
one with a log through that log, or where the folder cannot be written to, from a copy.
"""

from __future__ import annotations

import errno
import hmac
import os
import secrets
import shutil
import sqlite3
import tempfile
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from dpcore.errors import BadInput, LedgerError
from dpcore.release import chain, ledger_schema
from dpcore.release.ledger_schema import DamagedLedger

DATABASE, KEY = "ledger.sqlite3", "fingerprints.key"
LOG, SHARED = f"{DATABASE}-wal", f"{DATABASE}-shm"
#: The name of a key whose database is not on the disk yet.
NEW_KEY = f"{KEY}.new"
KEY_BYTES = 32
#: Seconds to wait for another process that is writing.
PATIENCE = 60.0
BACKUP = "Put it back from a backup: dpcore ledger restore FILE."

#: Databases that were found sound, and what the disk said of them then.
_sound: dict[Path, object] = {}


class NoLedger(LedgerError):
    """A folder in which there is no ledger."""


def made(folder: Path) -> bytes:
    """The key of the ledger in a folder, which is made, or brought to this version, if need be."""
    make_folder(folder, 0o700)
    if (folder / KEY).exists():
        _refuse_lost(folder)
    # SQLite gives its log the rights that the database has.
    (folder / DATABASE).touch(mode=0o600)
    with opened(folder) as database:
        if _begin_log(database) != "wal":
            raise BadInput("The ledger needs a disk of this machine, where SQLite can keep a WAL.")
        if ledger_schema.format_of(database) < ledger_schema.FORMAT:
            with writing(database):
                version = ledger_schema.format_of(database)
                if version < ledger_schema.FORMAT:
                    ledger_schema.upgrade(
                        database, _old_key(folder) if version else _new_key(folder)
                    )
        key = known_key(folder, database)
        refuse_unsound(folder, database, key)
    return key


def readable(folder: Path, owner: object) -> tuple[Path, bytes]:
    """The file in which the ledger of a folder can be read, and its key; nothing in the folder
    changes.

    That may be a copy, which is gone when its owner is.
    """
    if (folder / KEY).exists():
        _refuse_lost(folder)
    if not _size(folder / DATABASE):
        raise NoLedger(f"There is no ledger in {folder}.")
    if not _size(folder / LOG) or (os.access(folder, os.W_OK) and (folder / SHARED).exists()):
        with opened(folder, reading_only=True) as database:
            if ledger_schema.format_of(database) == ledger_schema.FORMAT:
                key = known_key(folder, database, settle=False)
                refuse_unsound(folder, database, key)
                return folder, key
    copy = Path(tempfile.mkdtemp(prefix="dpcore-"))
    weakref.finalize(owner, shutil.rmtree, copy, ignore_errors=True)
    for name in (DATABASE, LOG, KEY, NEW_KEY):
        with suppress(FileNotFoundError):
            shutil.copyfile(folder / name, copy / name)
    return copy, made(copy)


@contextmanager
def opened(folder: Path, reading_only: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection for one question, so that any thread may ask."""
    before = _state(folder)
    # A log tells that somebody writes, or was killed at it; without one nobody does.
    alone = reading_only and not _size(folder / LOG)
    mode = "mode=rw" if not reading_only else "mode=ro" + "&immutable=1" * alone
    where = f"file:{quote(os.fsencode((folder / DATABASE).absolute()))}?{mode}"
    with _damage_told(folder):
        database = sqlite3.connect(where, timeout=PATIENCE, isolation_level=None, uri=True)
        try:
            database.row_factory = sqlite3.Row
            # Each commit is on the disk before it returns.
            database.execute("PRAGMA synchronous = FULL")
            database.execute("PRAGMA foreign_keys = ON")
            database.execute("PRAGMA recursive_triggers = ON")
            yield database
        finally:
            database.close()
    if alone and _state(folder) != before:
        raise BadInput(f"The ledger in {folder} was written to in between: ask again.")


@contextmanager
def _damage_told(folder: Path) -> Iterator[None]:
    """Put SQLite's errors about damaged files into words; those about locks and full disks stay."""
    try:
        yield
    except sqlite3.DatabaseError as problem:
        code = getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        damaged = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
        if code not in damaged:
            raise
        raise DamagedLedger(
            f"The database of the ledger in {folder} is damaged, or no ledger: {problem}. {BACKUP}"
        ) from problem


def refuse_unsound(folder: Path, database: sqlite3.Connection, key: bytes) -> None:
    """Raise where a page of the database is damaged, or a link of its chain does not hold.

    What was sound is not looked at again until the disk says that it changed.
    """
    state = _state(folder)
    if state is not None and _sound.get(folder) == state:
        return
    (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise DamagedLedger(
            f"The database of the ledger in {folder} is damaged: {verdict}. {BACKUP}"
        )
    with reading(database):
        try:
            chain.heads(database, key)
        except chain.BrokenChain as problem:
            raise chain.BrokenChain(
                f"{problem} dpcore ledger check tells all that does not hold. {BACKUP}"
            ) from problem
    _sound[folder] = state


def _state(folder: Path) -> object:
    """The marks that change when a database is written to."""
    seen: list[object] = []
    for name in (DATABASE, LOG):
        try:
            status = (folder / name).stat()
        except OSError:
            seen.append(None)
        else:
            seen.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(seen)


def _begin_log(database: sqlite3.Connection) -> str:
    """Ask for a write-ahead log. Where another process is at the same, SQLite fails at once for
    one of them, whatever its timeout: that one asks again."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            (mode,) = database.execute("PRAGMA journal_mode = WAL").fetchone()
            return str(mode)
        except sqlite3.OperationalError as problem:
            busy = problem.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


@contextmanager
def writing(database: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing, and nobody else writes in between."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


@contextmanager
def reading(database: sqlite3.Connection) -> Iterator[None]:
    """Several questions about one moment."""
    database.execute("BEGIN")
    try:
        yield
    finally:
        database.execute("ROLLBACK")


def known_key(folder: Path, database: sqlite3.Connection, settle: bool = True) -> bytes:
    """The key of this folder's fingerprints, which the database knows by a check value."""
    row = database.execute(
        "SELECT value FROM ledger WHERE name = ?", (ledger_schema.KEY_CHECK,)
    ).fetchone()
    # Another process may just be giving the key its name.
    for name in (KEY, NEW_KEY, KEY):
        try:
            key = (folder / name).read_bytes()
        except FileNotFoundError:
            continue
        fits = len(key) == KEY_BYTES and row is not None
        if fits and hmac.compare_digest(chain.mark(key, ledger_schema.KEY_CHECK), row["value"]):
            if settle and name == NEW_KEY:
                # Windows refuses while another process reads the key; its name can wait.
                with suppress(FileNotFoundError, PermissionError):
                    os.replace(folder / NEW_KEY, folder / KEY)
                synced(folder)
            return key
        if name == KEY:
            raise DamagedLedger(
                f"{folder / KEY} is not the key that this ledger was made with, and nobody can "
                f"tell whether data were published before under another name. {BACKUP}"
            )
    raise _missing_key(folder)


def _old_key(folder: Path) -> bytes:
    """The key of a ledger that has no check value yet."""
    try:
        key = (folder / KEY).read_bytes()
    except FileNotFoundError:
        raise _missing_key(folder) from None
    if len(key) != KEY_BYTES:
        raise DamagedLedger(
            f"{folder / KEY} has {len(key)} bytes in place of {KEY_BYTES}: it is damaged. {BACKUP}"
        )
    return key


def _new_key(folder: Path) -> bytes:
    """A key for a database that is being made, under the name that it has until then.

    Only the process with the lock on the database gets here.
    """
    if (folder / KEY).exists():
        raise _lost(folder)
    path, key = folder / NEW_KEY, secrets.token_bytes(KEY_BYTES)
    path.unlink(missing_ok=True)
    with open(path, "xb", opener=lambda p, flags: os.open(p, flags, 0o600)) as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())
    synced(folder)
    return key


def make_folder(folder: Path, mode: int = 0o777) -> None:
    """A folder and those above it, whose names are on the disk before anything is in them."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(mode=mode, exist_ok=True)
    synced(folder.parent)


def put_in_place(part: Path, file: Path) -> None:
    """Give a finished file its name, or raise FileExistsError if something has that name."""
    try:
        os.link(part, file)
    except FileExistsError:
        raise
    except OSError:  # USB sticks and some network disks know no hard links
        if os.path.lexists(file):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file)) from None
        part.rename(file)


def synced(folder: Path) -> None:
    """Have names in a folder on the disk, where the system can be asked for that."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _refuse_lost(folder: Path) -> None:
    if not _size(folder / DATABASE):
        raise _lost(folder)


def _size(path: Path) -> int:
    """Bytes in a file; 0 where there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _lost(folder: Path) -> DamagedLedger:
    return DamagedLedger(
        f"{folder / KEY} shows that there was a ledger in this folder, but {DATABASE} is missing "
        f"or empty. A new one would forget all that was used. {BACKUP} If there never was a "
        "release, remove the key."
    )


def _missing_key(folder: Path) -> DamagedLedger:
    return DamagedLedger(
        f"{folder / KEY} is missing, without which nobody can tell whether data were published "
        f"before under another name. {BACKUP}"
    )
