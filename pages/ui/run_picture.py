"""The picture of a run: what is published, private centers, and the non-private ones beside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from dpcore.privacy.explain import distance, level_of, people_count, percent, plural
from pages.ui import cached_work, maps, palette, scatter_plot, visibility
from pages.ui.cached_work import Picture
from pages.ui.choice import Choice
from pages.ui.legend import Layers
from pages.ui.palette import Palette

Row = dict[str, Any]


@dataclass(frozen=True)
class Center:
    """A private center and its non-private partner, in two coordinates or in four."""

    at: tuple[float, ...]
    partner: tuple[float, ...]
    tip: tuple[str, ...]
    partner_tip: tuple[str, ...]


def centers(picture: Picture, choice: Choice) -> list[Center]:
    """The centers, largest share first, with what hovering over them says."""
    about, coordinates = choice.about, list(range(choice.box.d))
    partners = picture.truth.value.partners
    mark = visibility.mark_words(choice.data)
    found = []
    for rank, index in enumerate(picture.centers.index, start=1):
        row, partner = picture.centers.loc[index], partners.loc[index]
        moved = distance(partner["shift"], about.geographic)
        share = "" if pd.isna(row["share"]) else f"{percent(row['share'])} of {plural(about.unit)}"
        shift = f"{moved} from its non-private partner"
        lines = (f"{picture.kind} center {rank}", str(row.get("place", "")), share, shift)
        partner_lines = (f"Non-private center {rank}", f"{moved} from its private partner")
        found.append(
            Center(
                tuple(row[coordinates]),
                tuple(partner[coordinates]),
                (*filter(None, lines), mark),
                (*partner_lines, mark),
            )
        )
    return found


def draw(picture: Picture, choice: Choice, axes: tuple[int, int], layers: Layers, key: str) -> None:
    """Draw the picture on the city's map, or on a plane of two coordinates."""
    colors = palette.current()
    words = describe(picture, choice)
    if choice.about.geographic:
        deck = city(picture, choice, layers, colors)
        st.pydeck_chart(deck, height=maps.HEIGHT, key=key, alt=words)
    else:
        truth = cached_work.true_density(choice.data, axes).value if layers.true_density else None
        figure = scatter_plot.figure(
            picture, choice, centers(picture, choice), axes, layers, colors, truth
        )
        st.plotly_chart(figure, key=key, theme=None, config={"displayModeBar": False})


def describe(picture: Picture, choice: Choice) -> str:
    """The picture in a sentence, for who cannot see it."""
    published = f", {people_count(picture.marks.published)} published" if picture.marks else ""
    level = level_of(choice.request.epsilon)
    at = f"level {level.name}" if level else f"ε = {choice.request.epsilon:g}"
    return (
        f"{choice.about.title}, {at}: {choice.request.k} {picture.kind.lower()} centers and their "
        f"non-private partners{published}. The table below says the same in words."
    )


def city(picture: Picture, choice: Choice, layers: Layers, colors: Palette) -> maps.Map:
    unit, box = choice.about.unit, choice.box.take((0, 1))
    shown = []
    if layers.true_density:
        levels = cached_work.true_density(choice.data, (0, 1)).value
        shown.append(maps.density_layer(levels, box, "non_private", colors, "true-density"))
    if layers.published_density and picture.density is not None:
        shown.append(maps.density_layer(picture.density, box, "private", colors, "density"))
    if layers.points and picture.marks:
        shown += maps.points_layers(picture.marks, unit, colors)
    found = centers(picture, choice)
    color = "private" if picture.verdict.holds else "unproven"
    if choice.box.d == 4:
        ends = [(c.at[:2], c.at[2:], c.partner[:2], c.partner[2:], c) for c in found]
        if layers.non_private:
            rows = [{"from": s, "to": t, **maps.tip(*c.partner_tip)} for _, _, s, t, c in ends]
            shown.append(maps.arcs_layer(rows, "non_private", colors, "non-private-arcs"))
        if layers.private:
            rows = [{"from": s, "to": t, **maps.tip(*c.tip)} for s, t, _, _, c in ends]
            shown.append(maps.arcs_layer(rows, color, colors, "private-arcs"))
    places = [part for part in (slice(0, 2), slice(2, 4)) if part.start < choice.box.d]
    if layers.shifts:
        rows = [{"from": c.partner[p], "to": c.at[p]} for p in places for c in found]
        shown.append(maps.shift_layer(rows, colors))
    if layers.non_private:
        rows = [{"at": c.partner[p], **maps.tip(*c.partner_tip)} for p in places for c in found]
        shown.append(maps.non_private_layer(rows, colors))
    if layers.private:
        rows = [{"at": c.at[p], **maps.tip(*c.tip)} for p in places for c in found]
        shown.append(maps.private_layer(rows, color, colors))
    return maps.city_map(shown, colors, None if maps.in_the_city(box) else box)
