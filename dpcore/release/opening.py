"""A release as anybody has it, opened from a folder or a ZIP.

Whoever sent the files may have written anything into them. So only small, regular files with plain
names are read, never more than a release has, and each must be the one that the certificate names.
"""

from __future__ import annotations

import io
import json
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from typing import IO, Any

from dpcore.errors import BadInput, shortened
from dpcore.release import certificate as written
from dpcore.release.certificate_schema import CERTIFICATE
from dpcore.release.published_files import PublishedFiles

#: No release has more files, nor more bytes in all of them.
MOST_FILES, MOST_BYTES = 100, 1 << 30
#: No certificate has more bytes. Read as JSON, a file takes many times its own memory.
MOST_CERTIFICATE = 1 << 24


class TooManyBytes(BadInput):
    """Files that are larger than any release, or than there is room for."""


def opened(source: str | Path | bytes) -> PublishedFiles:
    """A release from a folder, a ZIP or the bytes of a ZIP, wherever it was published.

    Every file must be the one that its certificate names; what the certificate does not name is
    left out. `dpcore.release.verify` checks much more.

    Parameters
    ----------
    source : str, Path or bytes
        A folder, a ZIP file or a certificate.json with the other files beside it; or the content of
        a ZIP file.

    Returns
    -------
    PublishedFiles

    Raises
    ------
    ValueError
        If it is no release, or a file was changed.

    Examples
    --------
    >>> from dpcore import Request
    >>> from dpcore.release import BuiltinData, Ledger, ReleasePlan, opened, publish
    >>> plan = ReleasePlan("flowers", BuiltinData("s1-like"), Request("adaptive", k=2, epsilon=0.5))
    >>> publish(plan, Ledger("books")).save("published")
    >>> len(opened("published").synopsis) > 100
    True
    """
    where = "The ZIP" if isinstance(source, bytes) else str(source)
    return as_named(unpacked(source), where)


def as_named(files: Mapping[str, bytes], where: str = "The ZIP") -> PublishedFiles:
    """The files that a certificate among them names, each the one that was released."""
    if written.NAME not in files:
        raise BadInput(f"{where} is no release: there is no {written.NAME} in it.")
    certificate = _certificate(files[written.NAME], where)
    named_files = {written.NAME: files[written.NAME]}
    if written.PAGE in files:
        named_files[written.PAGE] = files[written.PAGE]
    for name, description in certificate["files"].items():
        if name in files:
            if written.described(files[name]) != description:
                raise BadInput(
                    f"{where}: {name} is not the file that was released. Get the release again "
                    "from its publisher."
                )
            named_files[name] = files[name]
    return PublishedFiles(files=named_files)


def unpacked(source: str | Path | bytes, most: int | None = None) -> dict[str, bytes]:
    """The files in a folder, a ZIP or the bytes of a ZIP, by name. Nobody vouches for them.

    They stay in memory: no name of a file is ever a path. `most` bounds the bytes of all of them,
    which are never more than MOST_BYTES.
    """
    where = "The ZIP" if isinstance(source, bytes) else str(source)
    try:
        return dict(_contents(source, min(MOST_BYTES, most or MOST_BYTES)))
    except (zipfile.BadZipFile, zlib.error, LZMAError, EOFError, RuntimeError) as problem:
        raise BadInput(f"{where} is no ZIP that can be read: {problem}.") from problem


def told_of(files: Mapping[str, bytes]) -> list[str]:
    """The names of the files that a certificate lists, and its own."""
    alone = [written.NAME, written.PAGE]
    try:
        if len(files[written.NAME]) > MOST_CERTIFICATE:
            return alone
        return [*alone, *map(str, json.loads(files[written.NAME])["files"])]
    except (ValueError, KeyError, TypeError, RecursionError):
        return alone


def _certificate(content: bytes, where: str) -> Mapping[str, Any]:
    """The content of a certificate that has its fields and its own fingerprint."""
    if len(content) > MOST_CERTIFICATE:
        raise BadInput(f"{where}: {written.NAME} has too many bytes: no certificate is so large.")
    try:
        certificate = json.loads(content)
    except (ValueError, RecursionError) as problem:
        raise BadInput(f"{where}: {written.NAME} cannot be read ({problem}).") from problem
    if wrong := CERTIFICATE(certificate, ""):
        raise BadInput(f"{where}: {written.NAME} is not that of a dpcore release: {wrong}.")
    if written.digest(certificate) != certificate["digest"]:
        raise BadInput(f"{where}: {written.NAME} was changed. Get it again from its publisher.")
    return certificate


def _contents(source: str | Path | bytes, most: int) -> Iterator[tuple[str, bytes]]:
    if isinstance(source, bytes):
        yield from _packed(io.BytesIO(source), most)
        return
    path = Path(source).expanduser()
    if path.name == written.NAME:
        path = path.parent
    if path.is_dir():
        yield from _beside(path, most)
    elif path.is_file():
        with path.open("rb") as file:
            yield from _packed(file, most)
    else:
        raise BadInput(f"There is no folder or ZIP {shortened(str(source))}.")


def _beside(folder: Path, room: int) -> Iterator[tuple[str, bytes]]:
    """The regular files in a folder, if they are no more than a release has."""
    paths = [file for file in sorted(folder.iterdir()) if stat.S_ISREG(file.lstat().st_mode)]
    _refuse_many(len(paths))
    for path in paths:
        with path.open("rb") as file:
            content = _read(file, room)
        room -= len(content)
        yield path.name, content


def _packed(file: IO[bytes], room: int) -> Iterator[tuple[str, bytes]]:
    """The files in an archive: at its root, or all in one folder."""
    with zipfile.ZipFile(file) as archive:
        members = [each for each in archive.infolist() if not each.is_dir()]
        _refuse_many(len(members))
        folders = {PurePosixPath(each.filename).parent for each in members}
        if len(folders) > 1:
            raise BadInput("The files of a release are in one folder, and these are in several.")
        names = [PurePosixPath(each.filename).name for each in members]
        if len(set(names)) < len(names):
            raise BadInput("The ZIP has two files of one name.")
        for name, member in zip(names, members, strict=True):
            with archive.open(member) as packed:
                content = _read(packed, room)
            room -= len(content)
            yield name, content


def _read(file: IO[bytes], most: int) -> bytes:
    content = file.read(most + 1)
    if len(content) > most:
        raise TooManyBytes("The files have too many bytes: no release is so large.")
    return content


def _refuse_many(number: int) -> None:
    if number > MOST_FILES:
        raise BadInput(f"There are {number:,} files: no release has more than {MOST_FILES}.")
