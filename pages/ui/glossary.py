"""Words that a newcomer may not know, explained where they stand: by pointing at them or by Tab."""

from __future__ import annotations

import html
import re

#: Each word, and what it means in a sentence or two.
TERMS = {
    "ε": (
        "Epsilon, the privacy level as a number. It bounds what one row can change. At ε = 0.2 "
        "somebody who is 50 % sure of a trip can become at most 55 % sure."
    ),
    "release": (
        "Publishing once. A release gets its noise, uses up part of the budget, and can never be "
        "taken back."
    ),
    "center": (
        "The middle of a busy area, as k-means finds it. Blue ones contain noise. Red ones are "
        "computed from every row, and are shown for comparison only."
    ),
    "coreset": (
        "A few hundred or thousand weighted points that stand for all rows. Whatever is computed "
        "from a private coreset costs no further privacy."
    ),
    "twin": (
        "Made-up data that resemble yours, drawn from one small release. You can explore a twin "
        "as often as you like at no further cost."
    ),
    "NICV": (
        "Normalized intra-cluster variance: the mean squared distance from a row to its nearest "
        "center. Smaller is better."
    ),
}
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
.terms { display: flex; flex-wrap: wrap; gap: .5rem 1.4rem; margin: 0; padding: 0; }
.terms li { list-style: none; margin: 0; }
</style>
"""


def term(word: str) -> str:
    """A word in HTML that explains itself. A page that uses it writes `STYLE` once."""
    name = "term-" + re.sub(r"\W", "", word.lower().replace("ε", "epsilon"))
    return (
        f'<span class="term" tabindex="0" aria-describedby="{name}">{html.escape(word)}'
        f'<span role="tooltip" id="{name}">{html.escape(TERMS[word])}</span></span>'
    )


def row() -> str:
    """All words in a row."""
    return f'<ul class="terms">{"".join(f"<li>{term(word)}</li>" for word in TERMS)}</ul>'
