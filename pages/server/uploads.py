"""A limit on the uploads that the server holds for everybody."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from streamlit import runtime

from pages.server import settings

FULL = (
    "The uploads of all visitors together fill the memory that is set aside for them. Try again "
    "later, or ask whoever runs this dashboard for more."
)
#: What a visit opened: which bytes, and how many.
_opened: WeakKeyDictionary[Any, tuple[int, int]] = WeakKeyDictionary()


def hold(opened: Any, content: bytes) -> None:
    """Count what a visit opened, for as long as it is held."""
    _opened[opened] = id(content), len(content)


def hold_unpacked(opened: Any, size: int) -> None:
    """Count so many bytes that were unpacked from an upload, for as long as they are held."""
    _opened[opened] = id(opened), size


def total() -> int:
    """Bytes of all uploads, each counted once."""
    sizes = dict(_opened.values())
    if runtime.exists():
        # The interface leaves out what it stores.
        files: Any = runtime.get_instance().uploaded_file_mgr
        visits = list(files.file_storage.values())
        sizes |= {id(each.data): len(each.data) for visit in visits for each in visit.values()}
    return sum(sizes.values())


def room() -> int:
    """Bytes that may still be held."""
    return max(0, (settings.limits().uploads << 20) - total())


def is_full() -> bool:
    return room() == 0
