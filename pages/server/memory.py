"""The memory of the server: threads share heaps, and unused memory goes back to the system."""

from __future__ import annotations

import ctypes
import gc
import sys

import pyarrow as pa

#: The option of `mallopt` that limits how many heaps there are (`malloc.h`).
M_ARENA_MAX = -8


def keep_modules() -> None:
    """Leave what is loaded by now out of every later garbage collection. It is never given up, and
    going through it would cost more than a move of the slider."""
    gc.collect()
    gc.freeze()


def share_heaps() -> None:
    """Let every thread to come allocate from the heaps that there are now.

    Each page runs on a thread of its own. The GNU C library gives threads up to eight heaps a
    processor, and what one of them frees, the others cannot use: a class that moves at once would
    cost the server 100 MB that it never gets back.
    """
    if library := c_library():
        library.mallopt(M_ARENA_MAX, 1)


def give_back() -> None:
    """Collect garbage, and return unused memory to the operating system."""
    gc.collect()
    trim()


def trim() -> None:
    """Return unused memory of Arrow and the C library to the operating system."""
    pa.default_memory_pool().release_unused()
    if library := c_library():
        library.malloc_trim(0)


def c_library() -> ctypes.CDLL | None:
    """The C library, if it is the GNU one: no other has these functions."""
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    return library if hasattr(library, "malloc_trim") else None
