"""Words and marks that several pages use; `dpcore.privacy.explain` says what epsilon means."""

from __future__ import annotations

import html
import re
import unicodedata

from dpcore.privacy.explain import NO_BREAK, distance
from dpcore.study.metrics import Metric

#: Everything that looks at the data without protection wears this, and only that.
NOT_PRIVATE_WORDS = "not private: for your eyes"
NOT_PRIVATE = f":red-badge[:material/visibility: {NOT_PRIVATE_WORDS}]"
#: The same where the data are a private twin: its rows are nobody's, so there is nothing to hide.
FROM_TWIN_WORDS = "from the private twin"
FROM_TWIN = f":blue-badge[:material/content_copy: {FROM_TWIN_WORDS}]"

ADD_REMOVE, REPLACE_ONE = "added or removed", "replaced"

#: Not printed, and no line ends there.
JOINER = "\N{WORD JOINER}"
#: Where a bare link, an e-mail address, or the name of an icon or an emoji would begin.
UNASKED = re.compile(r":(?=//|[\w+-]+[:/])|www(?=\.)|(?<=\S)@(?=\S)", re.IGNORECASE)


def measured(value: float, metric: Metric, geographic: bool) -> str:
    """A figure with four digits; a shift as a distance, and a share in percent."""
    if metric.is_length:
        return distance(value, geographic)
    return percent(value) if metric.is_share else f"{value:.4g}"


def percent(part: float) -> str:
    """A part of a whole in percent, with three digits and no exponent."""
    value = 100 * part
    digits = f"{value:.3g}" if abs(value) < 1000 else f"{float(f'{value:.3g}'):,.0f}"
    return f"{digits}{NO_BREAK}%"


def plain(text: str) -> str:
    """Text from a person or a file, escaped so that Markdown shows it as it is.

    Links, e-mail addresses and icons are found after escapes are undone: a mark without width
    keeps them apart. What cannot be printed, or turns the direction of reading, is replaced.
    """
    visible = re.sub(UNASKED, lambda match: match[0] + JOINER, printable(text))
    return re.sub(r"([\\`*_{}\[\]()#+|$:~<>!&])", r"\\\1", visible)


def in_bold(text: str) -> str:
    """Our own text as HTML: what stands between two pairs of asterisks is bold."""
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(text))


def plain_in_chart(text: str) -> str:
    """Text from a person or a file, escaped for charts and their tooltips: both read HTML."""
    return html.escape(printable(text))


def printable(text: str) -> str:
    """The text, with a mark in place of what cannot be seen; spaces of any width may stay."""
    return "".join(
        c if c.isprintable() or unicodedata.category(c) == "Zs" else "\N{REPLACEMENT CHARACTER}"
        for c in text
    )


def means(typed: str, name: str) -> bool:
    """Whether somebody typed the name, or copied it from the page."""
    return typed.replace(JOINER, "").split() == printable(name).split()
