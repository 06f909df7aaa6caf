"""The files of a release, and the numbers in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, FloatArray
from dpcore.release import certificate as written
from dpcore.release import published
from dpcore.results.centers import ReleasedCenters
from dpcore.results.synopsis import Synopsis

#: What rounding may add to a coordinate at the edge of the box, in unit coordinates.
EDGE = 1e-9
#: No weight, and no noise in one, is larger: beyond, whole numbers are no longer exact.
LARGEST = 2.0**53


@dataclass(frozen=True, kw_only=True)
class PublishedFiles:
    """The files of a release, by name, and what they say.

    Parameters
    ----------
    files : mapping of str to bytes
        The content of each file, certificate.json among them.

    Examples
    --------
    >>> from dpcore import Request
    >>> from dpcore.release import BuiltinData, Ledger, ReleasePlan, opened, publish
    >>> plan = ReleasePlan("flowers", BuiltinData("s1-like"), Request("adaptive", k=2, epsilon=0.5))
    >>> publish(plan, Ledger("books")).save("published")
    >>> opened("published").centers.shape
    (2, 2)
    """

    files: Mapping[str, bytes] = field(repr=False)

    @cached_property
    def certificate(self) -> dict[str, Any]:
        """The certificate, as plain data."""
        return json.loads(self.files[written.NAME])

    @cached_property
    def box(self) -> Box:
        """The public box of the data."""
        try:
            return published.described_box(self.certificate)
        except OverflowError as problem:
            raise BadInput("The box of this release has numbers beyond all bounds.") from problem

    @cached_property
    def centers(self) -> ReleasedCenters:
        """The released centers, read from the files."""
        values = self._numbers("centers")
        if values is None or not len(values):
            raise BadInput("This release has no file with its centers, such as centers.csv.")
        return ReleasedCenters(values, self.box)

    @cached_property
    def synopsis(self) -> Synopsis[ReleasedCenters] | None:
        """The points that were released with the centers, read from the files, or None."""
        points = self._numbers("points")
        synopsis = published.Published(self.box, self.centers.value, points).synopsis
        return None if synopsis is None else synopsis.vouched(ReleasedCenters)

    def _numbers(self, kind: str) -> FloatArray | None:
        """The centers or points of the files, whoever wrote them, if they can be any."""
        try:
            table = published.read(kind, self.files, self.box)
        except Exception as problem:  # a file of anybody's may fail to be read in any way
            raise BadInput(
                f"The {kind} of this release cannot be read: {problem!r:.200}."
            ) from problem
        if table is None:
            return None
        places, rest = table[:, : self.box.d], table[:, self.box.d :]
        near = np.isfinite(places).all() and (np.abs(self.box.to_unit(places)) <= 1 + EDGE).all()
        if not near:
            raise BadInput(f"The {kind} of this release are not all in its box.")
        if not ((np.abs(rest) <= LARGEST).all() and (rest[:, 1:] >= 0).all()):
            raise BadInput(f"The {kind} of this release have weights or noise that none can have.")
        return table

    def _repr_html_(self) -> str:
        """The centers with a small map, for notebooks."""
        return self.centers._repr_html_()
