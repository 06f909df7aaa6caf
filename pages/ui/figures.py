"""The figures of a run with a sentence each, and the table that says what the picture shows."""

from __future__ import annotations

import math
from html import escape
from typing import NamedTuple

import pandas as pd
import streamlit as st

from dpcore.privacy import explain
from dpcore.study.repeats import DRAWS, Spread, spread
from pages.ui import cached_work, fragments, visibility
from pages.ui.cached_work import Picture
from pages.ui.choice import Choice
from pages.ui.wording import in_bold, plain, printable

#: Draws that are enough for a first figure.
ENOUGH = 4


class Figure(NamedTuple):
    """A figure with its name and a sentence. `mark` is HTML."""

    label: str
    value: str
    sentence: str
    mark: str = ""


def figures(choice: Choice, picture: Picture, odds: bool = False) -> None:
    """The figures of the picture on screen, each beside what is typical over many draws.

    What is typical comes in after the picture, and stays when new noise is drawn. With `odds` an
    attacker's odds come first, and a sentence tells the story above.
    """
    job = cached_work.repeated(choice)
    if job.done:
        with st.container():  # as around what redraws itself
            _figures(choice, picture, odds)
    else:
        fragments.until_done(_figures, True, choice, picture, odds)


def _figures(choice: Choice, picture: Picture, odds: bool) -> bool:
    """All of them in one piece of HTML: each element of Streamlit delays the picture above."""
    job = cached_work.repeated(choice)
    finished, results = job.done, job.results[:]
    usual = spread(results) if len(results) >= min(ENOUGH, DRAWS) else None
    entries = [
        show(choice, picture, usual) for show in (*[attacker] * odds, moved, worse, published)
    ]
    sentences = f'<p class="story">{in_bold(story(choice, picture, usual))}</p>' if odds else ""
    st.html(f'{sentences}<dl class="figures">{"".join(map(in_html, entries))}</dl>')
    if job.failure:
        st.warning(f"No figures over many draws: {plain(str(job.failure))}")
    return finished


def in_html(figure: Figure) -> str:
    label, value, sentence = map(escape, figure[:3])
    return (
        f'<div><dt>{label}</dt><dd class="value">{value}</dd>'
        f"<dd>{sentence} {figure.mark}</dd></div>"
    )


def so_far(usual: Spread | None) -> str:
    """The number of draws that a typical figure is over."""
    number = usual.draws if usual else 0
    return f"{number} draws" if number >= DRAWS else f"{number} draws so far"


def story(choice: Choice, picture: Picture, usual: Spread | None) -> str:
    """Two sentences on what the level does to centers and to an attacker."""
    on_map = choice.about.geographic
    if usual is None:
        farthest = picture.truth.value.partners["shift"].max()
        sentences = f"Here the centers move up to **{explain.distance(farthest, on_map)}**."
    else:
        at_most = explain.distance_at_most(usual.shift_nine_in_ten, on_map)
        sentences = (
            f"At this level **9 of 10 centers move less than {at_most}**, and the clustering is "
            f"typically **{explain.change(usual.worse)}** worse."
        )
    if picture.verdict.holds:
        request = choice.request
        sentences += f" {explain.attack(request.epsilon, choice.about.unit, request.neighbors)}"
    return sentences


def attacker(choice: Choice, picture: Picture, usual: Spread | None) -> Figure:
    label = f"Attacker, about one {choice.about.unit}"
    if not picture.verdict.holds:
        return Figure(label, "no limit", "This method's privacy claim does not hold.")
    percent = explain.certainty(choice.request.epsilon)
    scope = explain.scope(choice.about.unit)
    return Figure(label, f"50 → {percent}", f"sure, at most. This protects {scope}.")


def moved(choice: Choice, picture: Picture, usual: Spread | None) -> Figure:
    on_map, shifts = choice.about.geographic, picture.truth.value.partners["shift"]
    sentence = f"At most {explain.distance(shifts.max(), on_map)} here."
    if usual is not None:
        sentence += f" Typically {explain.distance(usual.shift, on_map)}"
    return Figure(
        "Centers moved",
        explain.distance(shifts.median(), on_map),
        f"{sentence} ({so_far(usual)}).",
        visibility.item_tag(choice.data),
    )


def worse(choice: Choice, picture: Picture, usual: Spread | None) -> Figure:
    typical = "Typically"
    if usual is not None:
        most = explain.less_than(usual.worse_nine_in_ten)
        typical += f" {explain.change(usual.worse)}, 9 times in 10 {most}"
    return Figure(
        "Accuracy lost",
        explain.change(picture.truth.value.worse),
        f"{typical} ({so_far(usual)}).",
        visibility.item_tag(choice.data),
    )


def published(choice: Choice, picture: Picture, usual: Spread | None) -> Figure:
    unit = explain.plural(choice.about.unit)
    if picture.marks is None:
        return Figure("Published points", "0", "Only the centers would be published.")
    count = f"{picture.marks.published:,}"
    if picture.marks.cell:
        sentence = f"would be published: one for each cell of a grid, instead of the {unit}."
        return Figure("Noisy counts", count, sentence)
    sentence = f"Each replaces the {unit} around it."
    if (dots := len(picture.marks.rows)) < picture.marks.published:
        sentence += f" The picture shows {dots:,}, with nearby points merged."
    return Figure("Published points", count, sentence)


#: Decimals of a degree that tell places in a city apart: 11 m.
IN_A_CITY = 4


def degrees(longitude: float, latitude: float) -> str:
    """A place as people write it: 41.8781° N, 87.6298° W."""
    return (
        f"{abs(latitude):.{IN_A_CITY}f}° {'N' if latitude >= 0 else 'S'}, "
        f"{abs(longitude):.{IN_A_CITY}f}° {'E' if longitude >= 0 else 'W'}"
    )


def coordinates(values: pd.Series, low: float, high: float) -> list[str]:
    """Values on an axis, told apart to a thousandth of it."""
    decimals = max(0, 3 - math.floor(math.log10(high - low)))
    return [f"{value:.{decimals}f}" for value in values]


def table(choice: Choice, picture: Picture) -> None:
    """The centers in words: what a screen reader gets of the picture.

    It is HTML, since Streamlit's own table reads each of its cells as Markdown, at each move.
    """
    about = choice.about
    partners = picture.truth.value.partners["shift"]
    rows = pd.DataFrame({"Center": range(1, len(picture.centers) + 1)})
    if "place" in picture.centers:
        rows["Where"] = picture.centers["place"].to_numpy()
    elif about.geographic:
        pairs = [picture.centers[[i, i + 1]].to_numpy() for i in range(0, choice.box.d - 1, 2)]
        rows["Where"] = [
            " → ".join(degrees(*at) for at in each) for each in zip(*pairs, strict=True)
        ]
    else:
        for axis, name in enumerate(choice.box.names[:4]):
            ends = choice.box.low[axis], choice.box.high[axis]
            rows[printable(name)] = coordinates(picture.centers[axis], *ends)
    rows[f"Share of {explain.plural(about.unit)}"] = [
        "not published" if pd.isna(share) else explain.percent(share)
        for share in picture.centers["share"]
    ]
    rows["Moved"] = [
        explain.distance(partners.loc[index], about.geographic) for index in picture.centers.index
    ]
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in rows.columns[:-1])
    moved = f'<th scope="col">Moved {visibility.item_tag(choice.data)}</th>'
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>"
        for row in rows.itertuples(index=False)
    )
    st.html(f'<table class="centers"><tr>{heads}{moved}</tr>{body}</table>')
