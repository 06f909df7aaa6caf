"""The files of a release, and the numbers in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from dpcore.errors import BadInput
from dpcore.geometry.domain import Box
from dpcore.release import certificate as written
from dpcore.release import published
from dpcore.results.centers import ReleasedCenters
from dpcore.results.synopsis import Synopsis


@dataclass(frozen=True, kw_only=True)
class PublishedFiles:
    """The files of a release, by name, and what they say.

    Parameters
    ----------
    files : mapping of str to bytes
        The content of each file, certificate.json among them.

    Examples
    --------
    >>> from dpcore.release import Amount, BuiltinData, Ledger, ReleasePlan, opened, publish
    >>> plan = ReleasePlan(
    ...     "flowers", BuiltinData("s1-like"), "adaptive", k=2, epsilon=0.5, allowed=Amount.of(1.0)
    ... )
    >>> publish(plan, Ledger("books")).save("published")
    >>> release = opened("published")
    >>> release.centers.shape
    (2, 2)
    """

    files: Mapping[str, bytes] = field(repr=False)

    @cached_property
    def certificate(self) -> dict[str, Any]:
        """What the release says of itself."""
        return json.loads(self.files[written.NAME])

    @cached_property
    def box(self) -> Box:
        """The public box of the data."""
        return published.described_box(self.certificate)

    @cached_property
    def centers(self) -> ReleasedCenters:
        """The released centers, read from the files."""
        values = published.read("centers", self.files, self.box)
        if values is None:
            raise BadInput("This release has no file with its centers, such as centers.csv.")
        return ReleasedCenters(values, self.box)

    @cached_property
    def synopsis(self) -> Synopsis[ReleasedCenters] | None:
        """The points that were released with the centers, read from the files, or None."""
        points = published.read("points", self.files, self.box)
        found = published.Published(self.box, self.centers.value, points).synopsis
        return None if found is None else found.vouched(ReleasedCenters)

    def _repr_html_(self) -> str:
        """The centers with a small map, for notebooks."""
        return self.centers._repr_html_()
