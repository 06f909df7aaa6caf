"""The picture of a run: what is published, private centers, and the non-private ones beside."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from dpcore.privacy.explain import distance, level_of, people_count, percent, plural
from pages.ui import (
    browser_state,
    cached_work,
    city_map,
    palette,
    run_map,
    scatter_plot,
    visibility,
)
from pages.ui.areas import explore_areas
from pages.ui.cached_work import Picture
from pages.ui.choice import Choice
from pages.ui.legend import Layers


@dataclass(frozen=True)
class Center:
    """A private center and its non-private partner, in two coordinates or in four."""

    at: tuple[float, ...]
    partner: tuple[float, ...]
    tip: tuple[str, ...]
    partner_tip: tuple[str, ...]
    #: How far apart they are.
    moved: str = ""


def centers(picture: Picture, choice: Choice) -> list[Center]:
    """The centers, largest share first, with what hovering over them says."""
    about, coordinates = choice.about, list(range(choice.box.d))
    rows = picture.centers
    partners = picture.truth.value.partners.to_numpy()[rows.index.to_numpy()]
    columns = (
        rows[coordinates].to_numpy().tolist(),
        partners[:, coordinates].tolist(),
        partners[:, -1].tolist(),  # the shifts
        rows["share"].tolist(),
        rows["place"].tolist() if "place" in rows else [""] * len(rows),
    )
    mark = visibility.item_words(choice.data)
    all_centers = []
    for rank, (at, beside, far, part, place) in enumerate(zip(*columns, strict=True), start=1):
        moved = distance(far, about.geographic)
        share = "" if math.isnan(part) else f"{percent(part)} of {plural(about.unit)}"
        shift = f"{moved} from its non-private partner"
        lines = (f"{picture.kind} center {rank}", place, share, shift)
        partner_lines = (f"Non-private center {rank}", f"{moved} from its private partner")
        all_centers.append(
            Center(
                tuple(at),
                tuple(beside),
                (*filter(None, (*lines, mark)),),
                (*filter(None, (*partner_lines, mark)),),
                moved,
            )
        )
    return all_centers


def draw(picture: Picture, choice: Choice, axes: tuple[int, int], layers: Layers, key: str) -> None:
    """Draw the picture on the city's map, or on a plane of two coordinates."""
    words = describe(picture, choice)
    if choice.about.geographic:
        own_centers = centers(picture, choice)
        canvas = run_map.canvas_of(picture, choice, own_centers, layers, words)
        explore_areas.tint(canvas, choice)
        city_map.show(canvas, key)
    else:
        colors = palette.current()
        truth = cached_work.true_density(choice.data, axes).value if layers.true_density else None
        figure = scatter_plot.figure(
            picture,
            choice,
            centers(picture, choice),
            axes,
            layers,
            colors,
            true_density=truth,
            narrow=browser_state.is_narrow(),
        )
        st.plotly_chart(figure, key=key, theme=None, config={"displayModeBar": False})


def describe(picture: Picture, choice: Choice) -> str:
    """The picture in a sentence, for people who cannot see it."""
    published = f", {people_count(picture.marks.published)} published" if picture.marks else ""
    level = level_of(choice.request.epsilon)
    at = f"level {level.name}" if level else f"ε = {choice.request.epsilon:g}"
    return (
        f"{choice.about.title}, {at}: {choice.request.k} {picture.kind.lower()} centers and their "
        f"non-private partners{published}. The table below says the same in words."
    )
