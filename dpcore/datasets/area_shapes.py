"""Areas drawn on a map: made from names, rectangles and polygons, checked, and painted on a grid.

Shapely decides all of it: whether a border crosses itself, which areas overlap, which cells of the
grid have their center inside. A cell whose center lies on a border belongs to the area that is
listed first, so that every cell belongs to exactly one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import shapely

from dpcore._suggestion import did_you_mean
from dpcore.datasets import city_shapes
from dpcore.datasets.area_files import MAX_AREAS
from dpcore.datasets.city_shapes import ELSEWHERE, FARTHEST, Area
from dpcore.errors import NAME_SHOWN, BadInput, shortened
from dpcore.geometry.domain import Box, FloatArray, IntArray

#: Cells a side of the grid on which borders are drawn: about 20 meters in New York.
SIDE = 1024
#: Corners of all areas of a map together.
MAX_CORNERS = 200_000
#: Pairs of a cell and an edge on its row: what finding the cells inside takes, at most.
MAX_PAIRS = 600_000_000
#: The part of an area that may lie in another one: borders are seldom drawn to the meter.
SLIVER = 0.01


def place(name: str) -> Area:
    """One of New York's neighborhoods or boroughs by its name.

    Parameters
    ----------
    name : str
        "Sunnyside" or "Manhattan".

    Returns
    -------
    Area

    Raises
    ------
    ValueError
        If no neighborhood or borough has this name.

    Examples
    --------
    >>> import dpcore
    >>> dpcore.regions.place("Sunnyside").borough
    'Queens'
    """
    places = {area.name: area for area in (*city_shapes.neighborhoods(), *city_shapes.boroughs())}
    if name not in places:
        hint = did_you_mean(name, places)
        raise BadInput(f"No neighborhood or borough is called {shortened(name)!r}.{hint}")
    return places[name]


def rectangle(name: str, low: npt.ArrayLike, high: npt.ArrayLike) -> Area:
    """A rectangle as an area.

    Parameters
    ----------
    name : str
        What it is called.
    low, high : array-like of shape (2,)
        Two opposite corners, in data units.

    Returns
    -------
    Area

    Raises
    ------
    ValueError
        If a corner is not two finite numbers.

    Examples
    --------
    >>> import dpcore
    >>> dpcore.regions.rectangle("left", [-1, -1], [0, 1]).shape.area
    2.0
    """
    (x0, y0), (x1, y1) = (_corners(name, corner)[0] for corner in (low, high))
    return polygon(name, [(x0, y0), (x1, y0), (x1, y1), (x0, y1)])


def polygon(name: str, corners: npt.ArrayLike, holes: Sequence[npt.ArrayLike] = ()) -> Area:
    """A polygon as an area.

    Parameters
    ----------
    name : str
        What it is called.
    corners : array-like of shape (n, 2)
        The corners in order, in data units; the last one need not repeat the first.
    holes : sequence of array-like, default=()
        The corners of parts inside that do not belong to the area.

    Returns
    -------
    Area

    Raises
    ------
    ValueError
        If there are fewer than three corners, or one is not two finite numbers.

    Examples
    --------
    >>> import dpcore
    >>> dpcore.regions.polygon("corner", [(0, 0), (1, 0), (0, 1)]).shape.area
    0.5
    """
    rings = [_corners(name, ring) for ring in (corners, *holes)]
    for ring in rings:
        if len(np.unique(ring, axis=0)) < 3:
            raise BadInput(f"Area {shortened(name)!r} is empty: it has fewer than three corners.")
    closed = [np.vstack([ring, ring[:1]]) for ring in rings]
    return Area(name, "", (tuple(closed),))


def _corners(name: str, corners: npt.ArrayLike) -> FloatArray:
    try:
        ring = np.asarray(corners, dtype=np.float64).reshape(-1, 2)
    except (TypeError, ValueError):
        ring = np.full((1, 2), np.nan)
    if not (np.abs(ring) <= FARTHEST).all():
        raise BadInput(
            f"Each corner of area {shortened(name)!r} must be two finite numbers, in the units of "
            "the data."
        )
    return ring


def check_areas(areas: Sequence[Area], box: Box) -> None:
    """Raise ValueError, with one sentence, where areas cannot have levels of their own."""
    if box.d != 2:
        raise BadInput(f"Areas lie on a map, which has 2 coordinates; these data have {box.d}.")
    if len(areas) > MAX_AREAS:
        raise BadInput(f"There are {len(areas):,} areas. At most {MAX_AREAS:,} fit on one map.")
    corners = sum(len(ring) for area in areas for ring in area.rings())
    if corners > MAX_CORNERS:
        raise BadInput(
            f"The areas have {corners:,} corners together, more than {MAX_CORNERS:,}. "
            "Simplify their outlines."
        )
    check_names([area.name for area in areas])
    for area in areas:
        _check_shape(area, box)
    _check_overlap(areas)


def check_names(names: Sequence[str]) -> None:
    """Raise ValueError where a name is missing, too long, reserved, or given twice."""
    for place_in_list, name in enumerate(names, start=1):
        if not isinstance(name, str) or not name.strip():
            raise BadInput(f"Area {place_in_list} has no name. Give every area a name.")
        if len(name) > NAME_SHOWN:
            raise BadInput(
                f"The name {shortened(name)!r} is too long: use at most {NAME_SHOWN} characters."
            )
        if name == ELSEWHERE:
            raise BadInput(
                f"No area may be called {ELSEWHERE!r}: that is the rest of the map. "
                "Choose another name."
            )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise BadInput(f"Two areas are called {twice!r}. Give every area a name of its own.")


def _check_shape(area: Area, box: Box) -> None:
    name = area.name
    for outer, *holes in area.polygons:
        if len({tuple(corner) for corner in outer.tolist()}) < 3:
            raise BadInput(f"Area {name!r} is empty: it has fewer than three corners.")
        own = shapely.Polygon(outer, holes)
        if not shapely.is_valid(own):
            raise BadInput(
                f"The border of area {name!r} crosses or touches itself "
                f"({shapely.is_valid_reason(own)}). Draw it without crossings."
            )
    shape = whole_shape(area)
    if shape.is_empty or not shape.area:
        raise BadInput(f"Area {name!r} is empty: it covers no place.")
    if not shapely.intersects(shape, shapely.box(*box.low, *box.high)):
        ends = ", ".join(
            f"{axis} {low:g} to {high:g}"
            for axis, low, high in zip(box.names, box.low, box.high, strict=True)
        )
        raise BadInput(f"Area {name!r} lies outside the box of the data ({ends}). Leave it out.")
    if not cells_inside(area, box)[2].any():
        raise BadInput(
            f"Area {name!r} is too small: borders follow a grid of {SIDE} cells a side, and none "
            "has its center inside. Make the area larger."
        )


def _check_overlap(areas: Sequence[Area]) -> None:
    if not areas:
        return
    shapes = [whole_shape(area) for area in areas]
    for one, other in zip(*shapely.STRtree(shapes).query(shapes, "intersects"), strict=True):
        if one < other:
            shared = shapely.intersection(shapes[one], shapes[other]).area
            smaller = min(one, other, key=lambda index: shapes[index].area)
            part = shared / shapes[smaller].area
            if part > SLIVER:
                raise BadInput(
                    f"Areas {areas[one].name!r} and {areas[other].name!r} overlap, by "
                    f"{100 * part:.0f} % of {areas[smaller].name!r}. Each place needs one level: "
                    "draw them side by side."
                )


def whole_shape(area: Area) -> shapely.Geometry:
    """All places of an area: a place in two of its polygons is in it too."""
    shape = area.shape
    if shapely.is_valid(shape):
        return shape
    parts = [shapely.Polygon(outer, holes) for outer, *holes in area.polygons]
    return shapely.union_all(parts)


def cells_inside(area: Area, box: Box) -> tuple[int, int, npt.NDArray[np.bool_]]:
    """A rectangle of the grid's cells, by its first cell, and which of them have their center in
    the area."""
    shape = whole_shape(area)
    x0, y0, x1, y1 = shape.bounds
    axes = _centers(box)
    starts = [int(np.searchsorted(axes[0], x0)), int(np.searchsorted(axes[1], y0))]
    ends = [int(np.searchsorted(axes[0], x1, "right")), int(np.searchsorted(axes[1], y1, "right"))]
    columns, rows = axes[0][starts[0] : ends[0]], axes[1][starts[1] : ends[1]]
    if not (len(columns) and len(rows)):
        return 0, 0, np.zeros((0, 0), dtype=bool)
    _check_effort(area, rows, len(columns))
    # A prepared shape builds its index while it is asked, so two threads must not share one.
    own = shapely.from_wkb(shapely.to_wkb(shape))
    shapely.prepare(own)
    return starts[0], starts[1], shapely.intersects_xy(own, columns[:, None], rows[None, :])


def _check_effort(area: Area, rows: FloatArray, columns: int) -> None:
    """Raise where so many edges cross so many rows of cells that it would take long."""
    starts, ends = area.edges()
    below, above = (
        np.searchsorted(rows, pick(starts[:, 1], ends[:, 1])) for pick in (np.minimum, np.maximum)
    )
    if int((above - below).sum()) * columns > MAX_PAIRS:
        raise BadInput(
            f"The border of area {shortened(area.name)!r} is too intricate: it runs back and forth "
            "across the map too often. Simplify its outline."
        )


def _centers(box: Box) -> tuple[FloatArray, FloatArray]:
    """The centers of the grid's cells along each coordinate, in data units."""
    unit = (2 * np.arange(SIDE) + 1) / SIDE - 1
    across, up = box.from_unit(np.stack([unit, unit], axis=1)).T
    return across, up


def painted(areas: Iterable[Area], box: Box) -> tuple[list[Area], IntArray]:
    """The areas that have a cell of the grid, and for each cell the number of the area that it is
    in: the first that holds its center, or that after the last."""
    image = np.full((SIDE, SIDE), -1)
    seen: list[Area] = []
    for area in areas:
        low0, low1, mask = cells_inside(area, box)
        canvas = image[low0 : low0 + mask.shape[0], low1 : low1 + mask.shape[1]]
        free = mask & (canvas < 0)
        if free.any():
            canvas[free] = len(seen)
            seen.append(area)
    image[image < 0] = len(seen)
    return seen, image
