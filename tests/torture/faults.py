"""Faults planted in every layer, one at a time: `dpcore audit` finds them all at its full length.

The suite does it in few runs (`tests/audit/test_planted.py`), so that the quick form has nothing
to add.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.audit import planted


def run(full: bool) -> Iterator[str]:
    if full:
        assert planted.main([]) == 0
        yield f"{len(planted.FAULTS)} faults, none of them missed"
