"""Methods of other packages, found by their entry points in the group ``dpcore.algorithms``.

An entry point names a subclass of `Algorithm`. Only packages that are installed are looked at, and
nobody here has checked their claims: such a method is UNPROVEN, whatever it says of itself.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points

from dpcore.algorithms.base import ALGORITHMS, Algorithm, register, specification
from dpcore.algorithms.references import ELSEWHERE, PAPERS, short
from dpcore.errors import BadInput
from dpcore.privacy.accounting import Verdict

GROUP = "dpcore.algorithms"
#: The keys of the methods that were found, each with the package and object that it comes from.
FOUND: dict[str, str] = {}
#: Why an entry point gave no method.
PROBLEMS: dict[str, str] = {}


def load(entries: Iterable[EntryPoint] | None = None) -> None:
    """Register the method of each entry point. One that fails is left out, with a warning."""
    for entry in entry_points(group=GROUP) if entries is None else entries:
        try:
            key = _registered(entry.load())
        except Exception as problem:  # whatever another package does must not stop this one
            PROBLEMS[entry.name] = f"{type(problem).__name__}: {problem}"
            warnings.warn(
                f"The method {entry.name!r} ({entry.value}) is left out. {PROBLEMS[entry.name]}",
                stacklevel=2,
            )
        else:
            FOUND[key] = entry.value


def _registered(cls: object) -> str:
    if not (isinstance(cls, type) and issubclass(cls, Algorithm)):
        raise BadInput(f"An entry point must name a subclass of Algorithm, not {cls!r}.")
    if "Idea" not in specification(cls):
        raise BadInput("Its docstring has no paragraph that begins with `Idea:`.")
    PAPERS.setdefault(ELSEWHERE, short(ELSEWHERE))
    cls.paper, cls.sources, cls.verdict = ELSEWHERE, (), Verdict.UNPROVEN
    if type(ALGORITHMS.get(cls.key)) is not cls:
        register(cls)
    return cls.key
