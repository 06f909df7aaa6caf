"""How much of everybody's uploads the server holds."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from streamlit import runtime

from dpcore.datasets.engines import Engine
from pages.server import settings

FULL = (
    "The uploads of all visitors together fill the memory that is set aside for them. Try again "
    "later, or ask whoever runs this dashboard for more."
)
#: Files that a visit opened: which bytes, and how many.
_opened: WeakKeyDictionary[Engine, tuple[int, int]] = WeakKeyDictionary()


def hold(engine: Engine, content: bytes) -> None:
    """Count what a visit opened, for as long as it is held."""
    _opened[engine] = id(content), len(content)


def total() -> int:
    """Bytes of all uploads, each counted once."""
    sizes = dict(_opened.values())
    if runtime.exists():
        # The interface leaves out what it stores.
        files: Any = runtime.get_instance().uploaded_file_mgr
        held = list(files.file_storage.values())
        sizes |= {id(each.data): len(each.data) for visit in held for each in visit.values()}
    return sum(sizes.values())


def is_full() -> bool:
    return total() >= settings.limits().uploads << 20
