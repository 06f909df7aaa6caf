"""A run on the map: what it published, its centers, and the non-private ones beside."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpcore.geometry.domain import Box
from dpcore.privacy import explain
from dpcore.privacy.explain import plural
from pages.ui import cached_work, city_map, palette, visibility
from pages.ui.cached_work import Picture
from pages.ui.choice import Choice
from pages.ui.city_map import CityMap, Row
from pages.ui.palette import Palette

if TYPE_CHECKING:
    from pages.ui.legend import Layers
    from pages.ui.run_picture import Center

#: Radii in pixels of the discs that the legend explains.
EXPLAINED = (4, 10)


def canvas_of(
    picture: Picture, choice: Choice, centers: list[Center], layers: Layers, words: str
) -> CityMap:
    """The map of a run."""
    colors, unit = palette.current(), plural(choice.about.unit)
    canvas = CityMap(words, first_view(choice.box.take((0, 1)), centers), sync="run")
    canvas.pictures = pictures(picture, choice, layers, colors)
    if layers.points and picture.marks:
        if picture.marks.cell:
            canvas.cells = city_map.cells(picture.marks, unit)
        else:
            canvas.points = city_map.points(picture.marks, unit)
    color = "private" if picture.verdict.holds else "unproven"
    parts = [slice(start, start + 2) for start in range(0, choice.box.d, 2)]
    numbered = list(enumerate(centers, start=1))
    if choice.box.d == 4:
        canvas.arcs = arcs(centers, layers, color)
    if layers.private:
        canvas.centers = [
            {"number": str(n), "at": c.at[p], "color": color, "tip": c.tip}
            for p in parts
            for n, c in numbered
        ]
    if layers.non_private:
        canvas.partners = [
            {"at": c.partner[p], "tip": c.partner_tip} for p in parts for c in centers
        ]
    if layers.shifts:
        canvas.shifts = [
            {"from": c.partner[p], "to": c.at[p], "label": c.moved * (len(parts) == 1)}
            for p in parts
            for c in centers
        ]
    canvas.legend = legend(picture, choice, layers, color, colors)
    # What is seen first depends on every row.
    canvas.tiles = visibility.of(choice.data) is not visibility.Visibility.RAW
    canvas.file = file(choice, layers) if visibility.may_leave(choice.data) else None
    return canvas


def file(choice: Choice, layers: Layers) -> Row:
    """The name of a saved picture, and the lines below its map."""
    about, request = choice.about, choice.request
    title = f"{about.title}: {request.k} centers by {request.system.title}, {level_words(choice)}"
    notes = [f"An attacker gains {explain.odds(request.epsilon)} about one {about.unit}."]
    if not request.system.verdict.holds:
        notes = ["This method's privacy claim does not hold: nothing is protected."]
    notes.append("The noise is simulated: a picture to look at, not a release.")
    is_marked = layers.non_private or layers.shifts or layers.true_density
    if is_marked:
        red = visibility.mark_words(choice.data)
        notes.append(f"Red marks are {red.partition(':')[0]}.")
    if visibility.of(choice.data) is visibility.Visibility.PUBLIC:
        notes.append("The data are public.")
    words = "simulated"
    if is_marked:
        of = visibility.of(choice.data)
        words = "private-twin" if of is visibility.Visibility.TWIN else "not-private"
    name = f"{request.algorithm}-k{request.k}-epsilon{request.epsilon:g}-{words}"
    return {"name": name, "title": title, "note": " ".join(notes)}


def level_words(choice: Choice) -> str:
    level = explain.level_of(choice.request.epsilon)
    return f"level {level.name}" if level else f"ε = {choice.request.epsilon:g}"


def first_view(box: Box, centers: list[Center]) -> Box:
    """The middle of New York, or the box elsewhere, and all centers."""
    whole = city_map.in_new_york(box) and box.contains(city_map.MIDTOWN.low)
    starts = [
        at[i : i + 2] for c in centers for at in (c.at, c.partner) for i in range(0, len(at), 2)
    ]
    return city_map.around(starts, city_map.MIDTOWN if whole else box)


def pictures(picture: Picture, choice: Choice, layers: Layers, colors: Palette) -> list[Row]:
    box = choice.box.take((0, 1))
    densities = []
    if layers.true_density:
        levels = cached_work.true_density(choice.data, (0, 1)).value
        densities.append(city_map.density(levels, box, "non_private", colors))
    if layers.published_density and picture.density is not None:
        densities.append(city_map.density(picture.density, box, "private", colors))
    return densities


def arcs(centers: list[Center], layers: Layers, color: str) -> list[Row]:
    """An arc from where trips of a cluster begin to where they end."""
    ends = [(c.partner, "non_private") for c in centers if layers.non_private]
    ends += [(c.at, color) for c in centers if layers.private]
    return [{"from": at[:2], "to": at[2:], "color": shade} for at, shade in ends]


def legend(
    picture: Picture, choice: Choice, layers: Layers, color: str, colors: Palette
) -> list[Row]:
    """The meaning of each mark on the map, with sizes."""
    unit = plural(choice.about.unit)
    mark = f": {words}" if (words := visibility.item_words(choice.data)) else ""
    rows: list[Row] = []
    if layers.private:
        kind = "Private" if picture.verdict.holds else "Unproven"
        words = f"{kind} center, numbered as in the table"
        rows.append({"mark": "disc", "color": getattr(colors, color), "size": 16, "words": words})
    if layers.non_private:
        words = f"Non-private center{mark}"
        rows.append({"mark": "ring", "color": colors.non_private, "size": 18, "words": words})
    if layers.points and picture.marks and picture.marks.cell:
        words = f"Published noisy count, darker for more {unit}"
        rows.append({"mark": "square", "color": colors.points, "words": words})
    elif layers.points and picture.marks:
        whole = float(picture.marks.rows[:, 2].sum())
        for radius in EXPLAINED:
            weight = round_number(whole * (radius / city_map.WHOLE_RADIUS) ** 2)
            size = 2 * city_map.WHOLE_RADIUS * math.sqrt(weight / whole) if whole else 2
            words = f"Published point: {weight:,} {unit}"
            rows.append({"mark": "point", "color": colors.points, "size": size, "words": words})
        if city_map.in_new_york(choice.box.take((0, 1))):
            words = "Dots in the river are noise"
            rows.append({"mark": "point", "color": colors.points, "size": 3, "words": words})
    if layers.published_density and picture.density is not None:
        words = "Density of what is published"
        rows.append({"mark": "square", "color": colors.private, "words": words})
    if layers.true_density:
        words = f"True density of {unit}{mark}"
        rows.append({"mark": "square", "color": colors.non_private, "words": words})
    return rows


def round_number(value: float) -> int:
    """The largest of 1, 2, 5, 10, 20, 50 ... that is no larger."""
    power = 10 ** max(0, math.floor(math.log10(max(value, 1))))
    return next(digit * power for digit in (5, 2, 1) if digit * power <= max(value, 1))
