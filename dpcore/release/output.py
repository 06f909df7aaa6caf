"""Folders of released files, which appear whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

from dpcore.errors import BadInput
from dpcore.release.ledger_store import make_folder, synced


def refuse_target(folder: Path) -> None:
    """Raise where no new folder can be written: before anything is spent for what goes there."""
    if folder.is_symlink():
        raise FileExistsError(f"{folder} is a link: name a new folder.")
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise FileExistsError(f"{folder} is there already: name a new folder.")
    above = folder.absolute().parent
    while not os.path.lexists(above):
        above = above.parent
    if not above.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    if not os.access(above, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(above))


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a new folder.

    They are written beside it under another name and are on the disk before it gets its own, so
    whoever is killed at it leaves nothing by that name, and can try again.
    """
    refuse_target(folder)
    make_folder(folder.parent)
    part = folder.with_name(f".{folder.name}.{secrets.token_hex(8)}.part")
    part.mkdir()
    try:
        for name, content in files.items():
            if Path(name).name != name:
                raise BadInput(f"{name!r} is no name of a file in a folder.")
            with open(part / name, "xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        synced(part)
        # An empty folder gives way; anything else that came there meanwhile does not.
        if folder.is_dir() and not folder.is_symlink():
            folder.rmdir()
        part.rename(folder)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    synced(folder.parent)
