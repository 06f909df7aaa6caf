"""The map of an attack: the published answer, and the place in question."""

from __future__ import annotations

import streamlit as st

from dpcore.classroom import attack_game
from dpcore.classroom.attack_game import AttackRound, AttackSetup
from dpcore.geometry.domain import Box
from dpcore.privacy import explain
from dpcore.study import run_view
from pages.ui import city_map
from pages.ui.areas import area_run
from pages.ui.city_map import CityMap, Row
from pages.ui.palette import Palette

CITY_VIEW = Box((-74.02, 40.7), (-73.895, 40.805))
#: How far around the square the map shows, in degrees, where a count is what matters.
AROUND = 0.012


@st.cache_resource(show_spinner=False, max_entries=64)
def round_of(setup: AttackSetup, number: int, seed: int) -> AttackRound:
    return attack_game.play_round(setup, number, seed)


def question(setup: AttackSetup) -> str:
    if setup.moves:
        return "Where did this trip begin?"
    if setup.trips > 1:
        return f"Are this person's {setup.trips} trips in the data?"
    return "Is this trip in the data?"


def drawing(setup: AttackSetup, played: AttackRound, sees: str, colors: Palette) -> CityMap:
    """The published answer, and the place in question."""
    at = list(setup.at)
    part = played.counted
    near = Box(
        (part.low[0] - AROUND, part.low[1] - AROUND * 0.7),
        (part.high[0] + AROUND, part.high[1] + AROUND * 0.7),
    )
    view = near if sees == "count" else city_map.around([at], CITY_VIEW)
    canvas = CityMap(f"{question(setup)} What was published, and the place of the trip.", view)
    published = played.released
    holds = published.verdict.holds
    if published.synopsis is not None:
        marks = run_view.marks(published.synopsis, (0, 1), run_view.MOST_ON_MAP)
        if marks.cell:
            canvas.cells = city_map.cells(marks, "trips")
        else:
            canvas.points = city_map.points(marks, "trips")
    centers = played.centers
    color = "private" if holds else "unproven"
    canvas.centers = [
        {"at": each, "color": color, "tip": ["A published center"]} for each in centers
    ]
    if sees == "count":
        box = [*played.counted.low, *played.counted.high, 0.15]
        canvas.drawing.append({"kind": "boxes", "boxes": [box], "color": colors.text, "line": 3})
    elif sees == "center":
        nearest = min(centers, key=lambda c: ((c[0] - at[0]) * 0.757) ** 2 + (c[1] - at[1]) ** 2)
        lines = [[*at, *nearest]]
        canvas.drawing.append(
            {"kind": "lines", "lines": lines, "color": colors.text, "width": 3, "arrow": True}
        )
    if setup.moves:
        canvas.areas = tinted_areas(setup, colors)
        canvas.view = city_map.around(attack_game.PLACES.values(), near)
    canvas.drawing += question_marks(setup, colors)
    canvas.legend = legend(setup, canvas, holds, colors)
    return canvas


def question_marks(setup: AttackSetup, colors: Palette) -> list[Row]:
    spots = list(attack_game.PLACES.values()) if setup.moves else [setup.at]
    marks: list[Row] = []
    for spot in map(list, spots):
        marks += [
            {"kind": "dots", "at": [spot], "color": colors.text, "radius": 14, "over": True},
            {"kind": "dots", "at": [spot], "color": colors.paper, "radius": 11.5, "over": True},
            {
                "kind": "words",
                "over": True,
                "words": [{"at": spot, "text": "?"}],
                "color": colors.text,
                "size": 18,
                "plain": True,
            },
        ]
    return marks


def tinted_areas(setup: AttackSetup, colors: Palette) -> list[Row]:
    """The two areas between which the trip moves: the stricter, the darker."""
    rows: list[Row] = []
    for name, epsilon in ((attack_game.HOME, setup.home), (attack_game.ROAD, setup.road)):
        level = explain.nearest_level(epsilon).name
        rows.append(
            {
                "name": name,
                "layer": "neighborhoods",
                "color": area_run.rgba(area_run.tint(level, colors), 0.62),
                "tint": area_run.tint(level, colors),
                "outline": colors.text,
                "tip": [f"{name}: {level}"],
            }
        )
    return rows


def legend(setup: AttackSetup, canvas: CityMap, holds: bool, colors: Palette) -> list[Row]:
    where = "Did it begin here, or there?" if setup.moves else "Did a trip begin here?"
    color = colors.private if holds else colors.unproven
    rows: list[Row] = [
        {"mark": "ring", "color": colors.text, "size": 18, "words": where},
        {"mark": "disc", "color": color, "size": 16, "words": "Published center"},
    ]
    if canvas.points or canvas.cells:
        mark = "point" if canvas.points else "square"
        words = "Published with noise"
        rows.append({"mark": mark, "color": colors.points, "size": 8, "words": words})
    return rows
