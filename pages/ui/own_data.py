"""Data that somebody brings: held by their own session, gone with it, unreachable from another."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.formparsers import MultiPartParser

from dpcore.datasets import DataInfo, Dataset
from dpcore.datasets.builtin import BuiltinSet, builtin_set
from dpcore.datasets.engines import Tally
from dpcore.geometry.domain import Box
from dpcore.release.unit import Unit
from dpcore.results.non_private import NonPrivate
from pages.ui.session_keys import SessionKey

if TYPE_CHECKING:
    from dpcore.release.sources import DataSource
    from pages.ui.publish.data_step import Opened

#: What stands in the address for data of a session: a mark that says nothing, not even a name.
PREFIX = "own-"
HELD = SessionKey[dict[str, "SessionData"]]("own data")
#: The files whose columns are known, and nothing else.
OPENED: SessionKey[Opened] = SessionKey("opened files")
#: Beyond a megabyte Starlette would write an upload to a temporary file. This is more than
#: Streamlit lets through, so uploads stay in memory.
MultiPartParser.spool_max_size = 1 << 40


def new_key() -> str:
    return PREFIX + secrets.token_hex(6)


@dataclass(frozen=True)
class SessionData:
    """Data that a session holds."""

    about: DataInfo
    dataset: Dataset = field(repr=False)
    #: How a release reads the rows, and what it protects. A twin has no rows.
    source: DataSource | None = field(default=None, repr=False)
    protects: Unit = field(default_factory=Unit)
    #: How many rows were kept, moved or left out; for the owner of the data only.
    tally: NonPrivate[Tally] | None = None
    #: The key of the data that this is drawn from, at a price that is paid.
    twin_of: str | None = None

    @property
    def key(self) -> str:
        return self.about.key

    @property
    def box(self) -> Box:
        return self.dataset.box

    @property
    def is_twin(self) -> bool:
        return self.twin_of is not None


def is_own(key: str) -> bool:
    return key.startswith(PREFIX)


def of_session() -> dict[str, SessionData]:
    """The data of this session by key, in the order in which they came."""
    return HELD.start({})


def keep(own: SessionData) -> SessionData:
    of_session()[own.key] = own
    return own


def data_set(key: str) -> BuiltinSet | SessionData:
    """A data set by its key: a built-in one, or one that this session holds."""
    if not is_own(key):
        return builtin_set(key)
    if key not in of_session():
        raise ValueError(f"This session holds no data called {key!r}.")
    return of_session()[key]


def facts(key: str) -> DataInfo:
    """The description of a data set."""
    return data_set(key).about
