"""Words and marks that several pages use; `dpcore.privacy.explain` says what epsilon means."""

from __future__ import annotations

import re

from dpcore.privacy.explain import distance
from dpcore.study.curves import Metric

#: Everything that looks at the data without protection wears this, and only that.
NOT_PRIVATE_WORDS = "not private: for your eyes"
NOT_PRIVATE = f":red-badge[:material/visibility: {NOT_PRIVATE_WORDS}]"
#: The same where the data are a private twin: its rows are nobody's, so there is nothing to hide.
FROM_TWIN_WORDS = "from the private twin"
FROM_TWIN = f":blue-badge[:material/content_copy: {FROM_TWIN_WORDS}]"

ADD_REMOVE, REPLACE_ONE = "added or removed", "replaced"


def measured(value: float, metric: Metric, geographic: bool) -> str:
    """A figure with four digits; a shift as a distance."""
    if metric.key == "shift":
        return distance(value, geographic)
    return f"{value:.4g}"


def plain(text: str) -> str:
    """Text that somebody typed, or that a file holds, so that Markdown shows it as it is."""
    return re.sub(r"([\\`*_{}\[\]()#+|$:~<>!])", r"\\\1", text)
