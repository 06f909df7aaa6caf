"""One thing that was checked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that was checked: whether it holds, or None where files cannot tell."""

    what: str
    holds: bool | None
    why: str = ""

    def __str__(self) -> str:
        mark = {True: "holds ", False: "FAILS ", None: "unknown"}[self.holds]
        return f"{mark:<8} {self.what}" + (f": {self.why}" if self.why else "")
