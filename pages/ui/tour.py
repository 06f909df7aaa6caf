"""The tour: four steps with live pictures, which can be left and found again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from dpcore.classroom.attack_game import targets
from dpcore.datasets.builtin import PICKUP, taxi
from dpcore.geometry.domain import Box
from dpcore.privacy import explain
from dpcore.runs.request import Request
from pages.ui import address, cached_work, city_map, palette, run_map, run_picture, url_keys
from pages.ui.choice import Choice
from pages.ui.city_map import CityMap
from pages.ui.legend import Layers
from pages.ui.session_keys import SessionKey

DATA, METHOD, CENTERS = "nyc-taxi", "adaptive", 5
BALANCED, STRICTEST = 0.2, 0.02
HEIGHT, MOST_ROWS = 460, 4000
LEFT_AT = SessionKey[int]("tour left at")
CITY = Box((-74.025, 40.7), (-73.9, 40.8))


@dataclass(frozen=True)
class TourStep:
    """One step: what it says, what it shows, and where to try it."""

    title: str
    words: str
    draw: Callable[[], CityMap]
    page: str
    link: str


def steps() -> tuple[TourStep, ...]:
    at_balanced, at_strictest = map(explain.certainty, (BALANCED, STRICTEST))
    return (
        TourStep(
            "A dot is a person",
            "Each red dot is one taxi trip. In Midtown thousands of dots hide each other. The trip "
            "with the question mark is alone: anyone who knows that street knows who took it. A "
            "map like this one gives people away.",
            rows,
            "pages/5_learn.py",
            "Play: is this trip in the data?",
        ),
        TourStep(
            "Publish busy areas instead",
            "Nobody needs the dots to plan a taxi stand. The five blue discs are the busiest "
            "areas, and the black points stand for the trips around them. Noise was added first, "
            f"so that somebody who is 50 % sure of one trip can become at most {at_balanced} sure.",
            balanced,
            "app.py",
            "Look around on Explore",
        ),
        TourStep(
            "You choose the level",
            "More privacy means more noise, and less accurate maps. Here is the strictest level: "
            f"an attacker reaches at most {at_strictest}, and the arrows show how far each blue "
            "disc is from the red ring, where it would be without privacy.",
            strictest,
            "app.py",
            "Move the slider yourself",
        ),
        TourStep(
            "Every release uses up budget",
            "Two releases tell more than one. So your data get a privacy budget for life. Each "
            "release uses up part of it, a ledger keeps the account, and when the budget is gone, "
            "nothing more can be published. You see the price before you confirm it.",
            published,
            "pages/4_publish.py",
            "Publish, with sample data first",
        ),
    )


def part() -> None:
    """Draw the step of the address, or the button that starts the tour."""
    number = url_keys.TOUR.get()
    if not number:
        begin()
        return
    tour_steps = steps()
    step = tour_steps[min(number, len(tour_steps)) - 1]
    with st.container(border=True, key="tour"):
        picture, words = st.columns([3, 2], gap="medium", vertical_alignment="center")
        with picture:
            canvas = step.draw()
            canvas.height = HEIGHT
            city_map.show(canvas, "tour-map")
        with words:
            st.caption(f"Tour, step {number} of {len(tour_steps)}")
            st.subheader(step.title, anchor=False)
            st.markdown(step.words)
            st.page_link(
                step.page,
                label=step.link,
                icon=":material/arrow_outward:",
                query_params=address.link(without=[url_keys.TOUR]),
            )
            turns(number, len(tour_steps))


def begin() -> None:
    left = LEFT_AT.get() or 1
    label = "Take the tour: four steps, two minutes"
    st.button(
        label if left == 1 else f"Continue the tour at step {left}",
        key="tour-begin",
        icon=":material/tour:",
        on_click=url_keys.TOUR.put,
        args=(left,),
    )


def turns(number: int, last: int) -> None:
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Back",
            key="tour-back",
            shortcut="Left",
            disabled=number == 1,
            on_click=url_keys.TOUR.put,
            args=(number - 1,),
        )
        if number < last:
            st.button(
                "Next",
                key="tour-next",
                type="primary",
                shortcut="Right",
                on_click=url_keys.TOUR.put,
                args=(number + 1,),
            )
        st.button(
            "Leave the tour" if number < last else "Done",
            key="tour-leave",
            type="secondary" if number < last else "primary",
            on_click=leave,
            args=(number if number < last else 1,),
        )


def leave(number: int) -> None:
    LEFT_AT.put(number)
    url_keys.TOUR.clear()


def choice(epsilon: float) -> Choice:
    return Choice(DATA, Request(METHOD, CENTERS, epsilon, seed=0))


def rows() -> CityMap:
    """Single trips, and one that is alone."""
    colors, lonely = palette.current(), list(targets()["lonely"].at)
    places = taxi(PICKUP)[:MOST_ROWS].round(5).tolist()
    canvas = CityMap("Single taxi trips as red dots. One of them is alone, in Maspeth.", CITY)
    canvas.drawing = [
        {"kind": "dots", "at": places, "color": colors.non_private, "alpha": 0.5, "radius": 1.7},
        {"kind": "dots", "at": [lonely], "color": colors.text, "radius": 15, "over": True},
        {"kind": "dots", "at": [lonely], "color": colors.paper, "radius": 12, "over": True},
        {
            "kind": "words",
            "words": [{"at": lonely, "text": "?"}],
            "color": colors.text,
            "size": 18,
            "over": True,
            "plain": True,
        },
    ]
    return canvas


def balanced() -> CityMap:
    return release(BALANCED, Layers(non_private=False, shifts=False))


def strictest() -> CityMap:
    return release(STRICTEST, Layers())


def published() -> CityMap:
    return release(BALANCED, Layers(points=False, non_private=False, shifts=False))


def release(epsilon: float, layers: Layers) -> CityMap:
    example = choice(epsilon)
    picture = cached_work.picture(example, (0, 1))
    marked_centers = run_picture.centers(picture, example)
    canvas = run_map.canvas_of(
        picture, example, marked_centers, layers, run_picture.describe(picture, example)
    )
    canvas.sync = None
    return canvas
