"""The build of dpcore that makes a release: a fingerprint of its code, templates and shapes."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from dpcore.datasets.data_folder import data_file

PACKAGE = Path(__file__).parents[1]
#: What maps are drawn from beside code and templates.
SHAPES = ("boroughs.geojson", "neighborhoods.geojson")


@cache
def build() -> str:
    """A digest of the code, which tells commits of one version apart."""
    whole = hashlib.sha256()
    code = [path for end in ("py", "html") for path in PACKAGE.rglob(f"*.{end}")]
    named = [(path.relative_to(PACKAGE).as_posix(), path) for path in code]
    for name, path in [*sorted(named), *((name, data_file(name)) for name in SHAPES)]:
        whole.update(f"{name}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()
