"""Guess, then look: put down the centers that you expect, then see where they are."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from dpcore.errors import DpcoreError
from dpcore.geometry.domain import Box
from dpcore.privacy import explain
from dpcore.study.run_view import places
from dpcore.study.shifts import center_shift, matched
from pages.ui import address, cached_work, city_map, palette, session_keys, url_keys
from pages.ui.cached_work import Picture
from pages.ui.choice import Choice
from pages.ui.city_map import CityMap
from pages.ui.learn import presenter
from pages.ui.learn import run_choice as choices
from pages.ui.palette import Palette
from pages.ui.url_parsers import Point, points
from pages.ui.wording import NOT_PRIVATE

METHOD = "adaptive"
WINDOW = Box((-74.03, 40.695), (-73.915, 40.815))
#: Where guesses lie at first: beside the city, one above the other.
FIRST, LAST = (-74.018, 40.80), (-74.018, 40.71)
HEIGHT, PRESENTED = 560, 570
#: Degrees that a press of an arrow moves a guess: about 150 meters.
EAST, NORTH = 0.0018, 0.00135
ARROWS = {
    "West": ("Left", -EAST, 0.0),
    "North": ("Up", 0.0, NORTH),
    "South": ("Down", 0.0, -NORTH),
    "East": ("Right", EAST, 0.0),
}


def part() -> None:
    presented = presenter.presenting()
    choices.sidebar(METHOD)
    choice = choices.in_address(METHOD)
    spots = guesses(choice.request.k)
    looked = url_keys.LOOK.get()
    picture = revealed(choice) if looked else None
    here, words = st.columns([1, 1] if presented else [3, 2], gap="medium")
    with here:
        guess_map(spots, picture, PRESENTED if presented else HEIGHT)
    with words:
        st.subheader(
            "How far off were you?"
            if looked
            else f"Where are the {choice.request.k} busiest parts?",
            anchor=False,
        )
        if picture is None:
            place(choice, spots)
        else:
            compare(choice, spots, picture)
        st.button(
            "Guess again" if looked else "Look",
            key="look",
            icon=":material/undo:" if looked else ":material/visibility:",
            type="primary",
            shortcut="L",
            on_click=url_keys.LOOK.put,
            args=(not looked,),
        )


def guesses(k: int) -> list[Point]:
    """The guessed centers; those not yet moved wait beside the city."""
    spots = url_keys.SPOTS.narrowed(on_the_map).get()[:k]
    return [*spots, *waiting(k)[len(spots) :]]


def waiting(k: int) -> list[Point]:
    """The places of the guesses before anybody has moved them."""
    (x, y), (to_x, to_y) = FIRST, LAST
    parts = [i / max(1, k - 1) for i in range(k)]
    return [(x + (to_x - x) * part, y + (to_y - y) * part) for part in parts]


def on_the_map(text: str) -> list[Point]:
    spots = points(text)
    if not all(map(WINDOW.contains, spots)):
        raise ValueError(f"A spot of {text!r} lies beyond the map.")
    return spots


def active(k: int) -> int:
    return min(url_keys.PICK.get(), k)


def nudge(k: int, east: float, north: float) -> None:
    """Move the active guess from its place in the address."""
    address.restore()
    longitude, latitude = guesses(k)[active(k) - 1]
    put_spot(k, (longitude + east, latitude + north))


def put_spot(k: int, spot: Point) -> None:
    """Place the active guess, within the map."""
    low, high = WINDOW.low, WINDOW.high
    longitude = min(max(spot[0], low[0] + 1e-3), high[0] - 1e-3)
    latitude = min(max(spot[1], low[1] + 1e-3), high[1] - 1e-3)
    moved = guesses(k)
    moved[active(k) - 1] = (longitude, latitude)
    url_keys.SPOTS.put(moved)


def guess_map(spots: list[Point], picture: Picture | None, height: int) -> None:
    """Draw the map. A click places the active guess and activates the next one."""

    k = len(spots)

    def place_there() -> None:
        clicked = session_keys.of_widget("spot-map").placed
        if clicked is None or picture is not None:
            return
        address.restore()
        put_spot(k, (clicked[0], clicked[1]))
        url_keys.PICK.put(active(k) % k + 1)

    canvas = drawing(spots, picture, palette.current())
    canvas.height, canvas.place = height, picture is None
    city_map.show(canvas, "spot-map", on_placed_change=place_there)


def drawing(spots: list[Point], picture: Picture | None, colors: Palette) -> CityMap:
    names = "; ".join(f"{i}: {name}" for i, name in enumerate(places(spots), 1))
    canvas = CityMap(f"The centers that you expect: {names}", WINDOW)
    own = colors.series[2]
    if picture is not None:
        centers = at(picture.centers)
        order = matched(spots, centers, WINDOW)
        lines = [[*spots[j], *center] for j, center in zip(order, centers, strict=True)]
        canvas.drawing.append({"kind": "lines", "lines": lines, "color": own, "width": 2.5})
        canvas.partners = [{"at": place, "tip": []} for place in at(picture.truth.value.partners)]
        color = "private" if picture.verdict.holds else "unproven"
        canvas.centers = [
            {"at": place, "color": color, "tip": [], "number": ""} for place in centers
        ]
        canvas.view = city_map.around(centers, WINDOW)
    for i, spot in enumerate(spots, 1):
        is_active = picture is None and i == active(len(spots))
        fill, ink = (own, colors.paper) if is_active else (colors.paper, own)
        size = 15 if is_active else 13
        number = {
            "kind": "words",
            "words": [{"at": spot, "text": str(i)}],
            "color": ink,
            "size": 15,
        }
        canvas.drawing += [
            {"kind": "dots", "at": [spot], "color": own, "radius": size, "over": True},
            {"kind": "dots", "at": [spot], "color": fill, "radius": size - 2.5, "over": True},
            number | {"plain": True, "over": True},
        ]
    return canvas


def at(frame: pd.DataFrame) -> list[list[float]]:
    return frame[[0, 1]].to_numpy().tolist()


def place(choice: Choice, spots: list[Point]) -> None:
    """Draw the control for the active guess, and four arrows that move it."""
    k = len(spots)
    st.html(
        f'<p class="learn-say">{choice.about.description.split(":")[0]}: where do most of them '
        f"begin? Put each of the {k} numbers in the middle of a busy part of the city. Click on "
        "the map, or press the arrow keys.</p>"
    )
    number = address.control(
        st.segmented_control,
        "Place now",
        url_keys.PICK.narrowed(lambda text: min(url_keys.PICK.parse(text), k)),
        options=list(range(1, k + 1)),
        required=True,
    )
    row = st.container(horizontal=True, gap="small")
    for name, (key, east, north) in ARROWS.items():
        row.button(
            name,
            key=f"move-{name}",
            shortcut=key,
            width="stretch",
            on_click=nudge,
            args=(k, east, north),
        )
    st.caption(f"Center {number}: {places([spots[number - 1]])[0]}.")


def level_words(choice: Choice) -> str:
    level = explain.level_of(choice.request.epsilon)
    return f"level {level.name}" if level else f"ε = {choice.request.epsilon:g}"


def revealed(choice: Choice) -> Picture | None:
    try:
        return cached_work.picture(choice, (0, 1))
    except DpcoreError as problem:
        st.warning(f"{choice.request.system.title} has no answer here. {problem}")
        return None


def compare(choice: Choice, spots: list[Point], picture: Picture) -> None:
    """The distance of each guess from the private center that it is nearest to, all in all."""
    data, centers = cached_work.data(choice.data), at(picture.centers)
    order = matched(spots, centers, data.box).tolist()
    errors: list[Any] = center_shift(data, spots, centers).tolist()
    usual = explain.distance(sum(errors) / len(errors), True)
    st.html(
        f'<p class="learn-say" role="status">Your centers are <b>{usual}</b> from the published '
        f"ones on average. The published ones contain noise ({level_words(choice)}).</p>"
    )
    rows = sorted(
        (j + 1, name, explain.distance(error, True))
        for j, error, name in zip(order, errors, places(centers), strict=True)
    )
    table = pd.DataFrame(rows, columns=["Guess", "Private center in", "Off by"])
    st.table(table, border="horizontal", hide_index=True)
    st.markdown(f"Red rings: the centers found without privacy. {NOT_PRIVATE}")
