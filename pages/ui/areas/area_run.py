"""A run with a level of its own for each area, and how its areas look on the map."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from dpcore import regions
from dpcore.datasets.city_shapes import Area
from dpcore.datasets.regions import Regions
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box
from dpcore.privacy import explain
from dpcore.runs.request import Request
from pages.ui.areas.chosen import LEVEL_NAMES, Chosen
from pages.ui.areas.editing import loaded
from pages.ui.choice import Choice
from pages.ui.city_map import Row
from pages.ui.palette import Palette
from pages.ui.wording import plain


def outlines(areas: Sequence[Chosen]) -> tuple[Area, ...]:
    """The shapes of areas, or BadInput with what to do."""
    return tuple(map(outline, areas))


def outline(area: Chosen) -> Area:
    if area.corners:
        return regions.polygon(area.name, area.corners)
    if not area.is_loaded:
        return regions.place(area.name)
    if area.name not in loaded():
        raise BadInput(
            f"{area.name!r} comes from a file that this visit does not have: load the file again, "
            "or remove the area."
        )
    return loaded()[area.name]


@st.cache_resource(max_entries=16, show_spinner=False, scope="session", hash_funcs={Box: repr})
def region_map(shapes: tuple[tuple[str, str], ...], box: Box, _areas: Sequence[Chosen]) -> Regions:
    """The map of these shapes, which is checked and drawn once for all levels."""
    return regions.areas(outlines(_areas), box)


def marks(area: Chosen) -> str:
    """A text that identifies the shape of an area among others of its name."""
    return outline(area).shape.wkt if area.is_loaded else repr(area.corners)


def drawable(areas: Sequence[Chosen]) -> list[Chosen]:
    """The areas whose shape is known here."""
    shapes = []
    for each in areas:
        with contextlib.suppress(BadInput):
            outline(each)
            shapes.append(each)
    return shapes


def with_areas(choice: Choice, areas: Sequence[Chosen]) -> Choice:
    """The chosen run, with a level of its own in each area."""
    return replace(choice, request=by_area(choice.request, choice.box, areas))


def by_area(request: Request, box: Box, areas: Sequence[Chosen]) -> Request:
    """A request with a level of its own in each area; its own level is that of the rest."""
    if not areas:
        return request
    shapes = tuple((each.name, marks(each)) for each in areas)
    own_map = region_map(shapes, box, areas)
    rest = request.epsilon
    levels = {each.name: each.epsilon for each in areas}
    if regions.ELSEWHERE in own_map.names:
        levels[regions.ELSEWHERE] = rest
    most = max(levels.values())
    return replace(request, epsilon=most, regions=own_map.with_levels(levels))


def plan_map(choice: Choice, areas: Sequence[Chosen]) -> Regions:
    """The areas with their levels; without any, the whole map."""
    own_map = with_areas(choice, areas).request.regions
    return own_map if own_map is not None else region_map((), choice.box, ())


def plan_or_warning(choice: Choice, areas: Sequence[Chosen]) -> Regions | None:
    """The map of the areas, or None and a warning on the page if they make no plan."""
    try:
        return plan_map(choice, areas)
    except BadInput as problem:
        st.warning(plain(str(problem)))
        return None


def tinted(areas: Sequence[Chosen], colors: Palette, unit: str) -> list[Row]:
    """Areas as a map draws them: the stricter, the darker."""
    return [
        {
            "name": each.name,
            **shape(each),
            "color": rgba(tint(each.level, colors), 0.62),
            "outline": colors.text,
            "tip": [
                f"{each.name}: {each.level}",
                f"An attacker's certainty about one {unit} here: {explain.odds(each.epsilon)}",
            ],
            "label": f"{short(each.name)} · {each.level}",
            "at": middle(each),
        }
        for each in areas
    ]


def short(name: str) -> str:
    return name if len(name) <= 22 else name[:21].rstrip(" -(") + "…"


def shape(area: Chosen) -> Row:
    if area.is_place:
        is_borough = regions.place(area.name).borough in ("", area.name)
        return {"layer": "boroughs" if is_borough else "neighborhoods"}
    rings = [ring for polygon in outline(area).polygons for ring in polygon]
    return {"rings": [[[round(x, 5), round(y, 5)] for x, y in ring.tolist()] for ring in rings]}


def middle(area: Chosen) -> list[float]:
    point = outline(area).shape.representative_point()
    return [round(point.x, 5), round(point.y, 5)]


def tint(level: str, colors: Palette) -> str:
    return colors.tints[LEVEL_NAMES.index(level)]


def rgba(color: str, alpha: float) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


def legend(areas: Sequence[Chosen], colors: Palette) -> list[Row]:
    """One line for each level in use, with its areas."""
    rows: list[Row] = []
    for level in LEVEL_NAMES:
        names = [each.name for each in areas if each.level == level]
        if names:
            more = f" and {len(names) - 2} more" if len(names) > 2 else ""
            words = f"{level}: {', '.join(map(short, names[:2]))}{more}"
            rows.append({"mark": "area", "color": tint(level, colors), "words": words})
    return rows
