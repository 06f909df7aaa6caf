"""A person's own track and wish: in the memory of their visit, and in no file, cache or address."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpcore.datasets.tracks import Track, example_track, read_track
from dpcore.datasets.wishes import neighborhoods_of
from dpcore.errors import BadInput
from pages.ui import session_keys
from pages.ui.areas.chosen import FIRST_LEVEL
from pages.ui.session_keys import SessionKey

HELD = SessionKey["OwnTrack"]("own track")
PROBLEM = SessionKey[str]("problem with a track")
#: How often a file was taken out of its control: another control each time, without the file.
TAKEN = SessionKey[int]("files taken")
ENDINGS = ["gpx", "geojson", "json", "csv"]


@dataclass
class OwnTrack:
    """A track, and what its owner marked."""

    track: Track
    name: str
    #: Neighborhoods that it visits.
    visited: tuple[str, ...]
    #: Neighborhoods that are marked as strict, and the name of their level.
    strict: tuple[str, ...] = ()
    level: str = FIRST_LEVEL


def current() -> OwnTrack | None:
    return HELD.get()


def keep(track: Track, name: str) -> None:
    HELD.put(OwnTrack(track, name, neighborhoods_of(track.positions)))


def example() -> None:
    keep(example_track(), "an example")


def forget() -> None:
    HELD.pop()


def file_key(label: str) -> str:
    """The key of a control for files that are taken out of it as soon as they are read."""
    return f"{label}-{TAKEN.get() or 0}"


def take(label: str) -> list[tuple[str, bytes]]:
    """The files of such a control, which then is empty, and so is the server's store of them."""
    uploads = session_keys.of_widget(file_key(label)) or []
    files = uploads if isinstance(uploads, list) else [uploads]
    contents = [(file.name, file.getvalue()) for file in files]
    context = get_script_run_ctx()
    if context is not None and exists():
        store: Any = get_instance().uploaded_file_mgr  # its interface leaves out what it can do
        for file in files:
            store.remove_file(context.session_id, file.file_id)
    if files:
        session_keys.forget_widget(file_key(label))
        TAKEN.put((TAKEN.get() or 0) + 1)
    return contents


def load() -> None:
    """Read the track that was just given."""
    for name, content in take("track"):
        try:
            keep(read_track(name, content), name)
        except BadInput as problem:
            PROBLEM.put(str(problem))


def mark(names: Iterable[str]) -> None:
    if own := current():
        own.strict = tuple(sorted(names))


def toggle(name: str) -> None:
    """Mark a neighborhood, or take the mark away."""
    if own := current():
        mark(set(own.strict) ^ {name})
