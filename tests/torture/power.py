"""Power cuts: the disk as it may be found afterwards, made again from what a release wrote.

Every call that changes files is written down while releases are made. A power cut may come after
any of them. What was synced by then is on the disk. Of what was written since, each sector of 512
bytes is there or not, by chance, and of the names in each folder that were made, changed or removed
since the folder was synced, the first few are. The release must be whole or not there, what was
shown must be there, and the next release must work.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import struct
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dpcore.release import Amount, Ledger, publish
from tests.release.victims import PRICE, forked, plan, whole
from tests.torture.witness import Witness, witnessed

#: Releases that are written down, and states of the disk that are looked at.
RELEASES, SOME, MANY = 3, 120, 2_400
SECTOR = 512
HEAD = struct.Struct("<5Q")


@dataclass(frozen=True)
class Call:
    """A call that changed files: its kind, paths, which file, offset, bytes."""

    kind: str
    path: str
    other: str
    file: int
    offset: int
    content: bytes


@dataclass
class File:
    """What is surely on the disk of a file, and what was done to it since."""

    durable: bytearray = field(default_factory=bytearray)
    since: list[Call] = field(default_factory=list)


def run(full: bool) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        witnessed("power", folder)
        home = Path(folder).resolve() / "home"
        calls = list(read(Path(folder) / "calls"))
        coins, found = random.Random(0), [0] * (RELEASES + 1)
        for i in range(MANY if full else SOME):
            # Every third cut comes soon after something was shown.
            end = coins.randrange(1, len(calls) + 1)
            if i % 3 == 0:
                after = [n for n, call in enumerate(calls, start=1) if call.kind == "N"]
                end = min(coins.choice(after) + coins.randrange(12), len(calls))
            place = Path(folder) / "disk"
            place.mkdir()
            materialize(calls[:end], home, place, coins)
            shown = sum(call.kind == "N" for call in calls[:end])
            try:
                found[looked_at(place, shown)] += 1
            except Exception as problem:
                raise AssertionError(f"State {i}, after {end} calls: {problem!r}") from problem
            shutil.rmtree(place)
    assert all(found), found
    told = ", ".join(f"{count} with {n}" for n, count in enumerate(found))
    yield f"{sum(found)} states after {len(calls)} calls, by releases that are there: {told}"


def read(path: Path) -> Iterator[Call]:
    """What was written down. An inode that was given up may be another file's later."""
    files: dict[int, int] = {}
    serial = itertools.count(1)
    with path.open("rb") as file:
        while kind := file.read(1):
            first, second, inode, offset, size = HEAD.unpack(file.read(HEAD.size))
            names = [os.fsdecode(file.read(length)) for length in (first, second)]
            if kind == b"C":
                files[inode] = next(serial)
            yield Call(kind.decode(), *names, files.get(inode, 0), offset, file.read(size))


def materialize(calls: list[Call], home: Path, place: Path, coins: random.Random) -> None:
    """What a disk may hold after these calls and a power cut."""
    files: dict[int, File] = defaultdict(File)
    names: list[tuple[Call, bool]] = []
    for call in calls:
        if call.kind in "WT":
            files[call.file].since.append(call)
        elif call.kind == "S":
            file = files[call.file]
            file.durable = content(file, lambda: True)
            file.since.clear()
            names = [(each, sure or folder_of(each) == call.path) for each, sure in names]
        elif call.kind != "N":
            names.append((call, False))
    # Folders by themselves: of the names in one, those that are not sure are there up to a point.
    unsure = defaultdict(int)
    for call, sure in names:
        unsure[folder_of(call)] += not sure
    left = {folder: coins.randint(0, count) for folder, count in unsure.items()}
    found: dict[str, int] = {}
    folders = {str(home)}
    for call, sure in names:
        folder = folder_of(call)
        if not sure:
            if not left[folder]:
                continue
            left[folder] -= 1
        if folder in folders:
            apply(call, found, folders)
    for folder in sorted(folders):
        (place / Path(folder).relative_to(home)).mkdir(exist_ok=True)
    for path, file in found.items():
        target = place / Path(path).relative_to(home)
        # The index of the log lies in memory that is shared, and is made again.
        if not path.endswith("-shm"):
            target.write_bytes(content(files[file], lambda: coins.random() < 0.5))


def folder_of(call: Call) -> str:
    return str(Path(call.other or call.path).parent)


def apply(call: Call, found: dict[str, int], folders: set[str]) -> None:
    """A change of names."""
    if call.kind == "C":
        found[call.path] = call.file
    elif call.kind == "D":
        folders.add(call.path)
    elif call.kind == "U":
        found.pop(call.path, None)
    elif call.kind == "R":
        folders.discard(call.path)
    elif call.kind == "L" and call.path in found:
        found[call.other] = found[call.path]
    elif call.kind == "M" and call.path in folders:
        for path in [p for p in folders if p == call.path or p.startswith(call.path + "/")]:
            folders.remove(path)
            folders.add(call.other + path[len(call.path) :])
        for path in [p for p in found if p.startswith(call.path + "/")]:
            found[call.other + path[len(call.path) :]] = found.pop(path)
    elif call.kind == "M" and call.path in found:
        found[call.other] = found.pop(call.path)


def content(file: File, kept) -> bytearray:
    """The bytes of a file, with those sectors of what was written since that are kept."""
    there = bytearray(file.durable)
    for call in file.since:
        if call.kind == "T":
            if kept():
                del there[call.offset :]
                there.extend(bytes(call.offset - len(there)))
            continue
        start = call.offset
        while start < call.offset + len(call.content):
            end = min((start // SECTOR + 1) * SECTOR, call.offset + len(call.content))
            if kept():
                there.extend(bytes(max(0, end - len(there))))
                there[start:end] = call.content[start - call.offset : end - call.offset]
            start = end
    return there


def looked_at(place: Path, shown: int) -> int:
    """How many releases are there; raises where anything is not as it must be."""
    ledger = Ledger(place / "ledger")
    entries = ledger.entries()
    assert shown <= len(entries) <= RELEASES, f"{shown} were shown, {len(entries)} are there"
    assert all(whole(ledger, entry.number) for entry in entries)
    account = ledger.account("data")
    assert (account.used if account else Amount()) == Amount.of(PRICE * len(entries))
    assert len(ledger.heads()) == len(entries) + 1
    for out in place.glob("out-*"):
        number = int(out.name.removeprefix("out-"))
        assert {p.name: p.read_bytes() for p in out.iterdir()} == ledger.files(number)
    ledger.check(plan("data", 100.0).claim())
    ledger.record(plan("data", 100.0).claim(), "release", "now", {}, {"a": b"A"})
    assert len(Ledger(place / "ledger").entries()) == len(entries) + 1
    return len(entries)


def recorded(folder: Path) -> None:
    """Make releases, and write down what that does to the disk."""
    home, witness = folder / "home", Witness()
    home.mkdir()
    publish(plan("data", 100.0), Ledger(folder / "warm"))
    into = os.open(folder / "calls", os.O_CREAT | os.O_WRONLY)

    def job() -> int:
        witness.watch(home, into=into)
        for number in range(1, RELEASES + 1):
            release = publish(plan("data", 100.0), Ledger(home / "ledger"))
            witness.note(f"shown {number}")
            release.save(home / f"out-{number}")
        return 0

    _, status = os.waitpid(forked(job), 0)
    assert os.waitstatus_to_exitcode(status) == 0


if __name__ == "__main__":
    recorded(Path(sys.argv[1]).resolve())
