"""Words that a newcomer may not know. Each explains itself to the mouse and to the Tab key."""

from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path

#: Every word of the project with its meaning; the wheel holds the same file at the same place.
FILE = Path(__file__).parents[2] / "docs" / "glossary.md"
#: The words that the first page explains.
FIRST_WORDS = ("ε", "release", "center", "coreset", "twin", "NICV")
ENTRY = re.compile(r"\| \*\*(?P<word>[^*]+)\*\* \| (?P<meaning>.+) \|")
STYLE = """
<style>
.term {
  position: relative; border-bottom: 1.5px dotted currentColor; cursor: help; font-weight: 600;
}
.term:focus-visible { outline: 2px solid light-dark(#005ADC, #569CFF); outline-offset: 2px; }
.term > span {
  position: absolute; left: 0; bottom: 1.7em; width: min(20rem, 70vw); z-index: 20;
  visibility: hidden; padding: .5rem .7rem; border-radius: .5rem; font-weight: 400;
  font-size: .875rem; line-height: 1.4; text-align: left;
  color: light-dark(#14181C, #ECF0F4); background: light-dark(#FFFFFF, #17202A);
  box-shadow: 0 0 0 1px rgba(128,144,160,.5), 0 4px 14px rgba(0,0,0,.2);
}
.term:hover > span, .term:focus > span { visibility: visible; }
ul.terms.terms { display: flex; flex-wrap: wrap; gap: .5rem 1.4rem; margin: 0; padding: 0; }
.terms li { list-style: none; margin: 0; }
</style>
"""


@cache
def meanings() -> dict[str, str]:
    """Each word of the glossary and its meaning."""
    entries = map(ENTRY.fullmatch, FILE.read_text(encoding="utf-8").splitlines())
    return {entry["word"]: entry["meaning"] for entry in entries if entry}


def term(word: str) -> str:
    """A word in HTML that explains itself. A page that uses it writes `STYLE` once."""
    name = "term-" + re.sub(r"\W", "", word.lower().replace("ε", "epsilon"))
    return (
        f'<span class="term" tabindex="0" aria-describedby="{name}">{html.escape(word)}'
        f'<span role="tooltip" id="{name}">{html.escape(meanings()[word])}</span></span>'
    )


def row() -> str:
    """The first words in a row."""
    return f'<ul class="terms">{"".join(f"<li>{term(word)}</li>" for word in FIRST_WORDS)}</ul>'
