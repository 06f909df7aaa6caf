"""The end of an error about an unknown name: the name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The known name most like the given one, or None if none is much like it."""
    return next(iter(get_close_matches(name, names, n=1, cutoff=0.7)), None)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """ " Did you mean 'adaptive'?", with a leading space; empty if no known name is similar."""
    match = nearest(name, names)
    return f" Did you mean {match!r}?" if match else ""
