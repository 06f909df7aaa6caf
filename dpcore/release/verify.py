"""What anybody can check of a release without the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that was checked: whether it holds, or None where nobody can tell from files."""

    what: str
    holds: bool | None
    why: str = ""


def verify(certificate: bytes, files: Mapping[str, bytes]) -> list[Finding]:
    """Every check on a certificate and the released files by name."""
    raise NotImplementedError
