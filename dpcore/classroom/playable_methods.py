"""The methods that the classroom can show on a map."""

from __future__ import annotations

from dpcore.algorithms import ALGORITHMS


def playable() -> list[str]:
    """The algorithms that run on a map."""
    return [key for key, a in ALGORITHMS.items() if a.obstacle(2, None, 5) is None]
