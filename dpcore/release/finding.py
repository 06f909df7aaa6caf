"""One thing that was checked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that was checked, and whether it holds.

    Parameters
    ----------
    what : str
        What was checked.
    holds : bool or None
        Whether it holds; None if the files cannot tell.
    why : str, default=""
        The reason, or what to do.
    by_hash : bool, default=False
        Whether it is a file of another version of dpcore, of which only the hash was checked.

    Examples
    --------
    >>> from dpcore.release import Finding
    >>> print(Finding("there are 3 centers", True))
    holds    there are 3 centers
    """

    what: str
    holds: bool | None
    why: str = ""
    by_hash: bool = False

    def __str__(self) -> str:
        mark = {True: "holds ", False: "FAILS ", None: "unknown"}[self.holds]
        mark = "by hash" if self.by_hash else mark
        return f"{mark:<8} {self.what}" + (f": {self.why}" if self.why else "")
