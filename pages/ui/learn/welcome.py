"""The opening of Learn: a question over the map, and three ways on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from dpcore.geometry.domain import Box
from dpcore.runs.request import Request
from pages.ui import cached_work, city_map, url_keys
from pages.ui.choice import Choice
from pages.ui.city_map import CityMap
from pages.ui.learn import lessons, presenter
from pages.ui.learn.step_by_step import PLAYING

DATA, METHOD, CENTERS, EPSILON = "nyc-taxi", "adaptive", 5, 0.2
#: The city to the right of the words and above the cards.
VIEW = Box((-74.14, 40.662), (-73.935, 40.798))
HEIGHT = 640
STYLE = f"""
<style>
.st-key-hero {{
  position: relative; min-height: {HEIGHT}px; overflow: hidden; border-radius: .8rem;
  border: 1px solid rgba(128,144,160,.45); isolation: isolate;
}}
.st-key-hero-map {{ position: absolute; inset: 0; z-index: 0; pointer-events: none; }}
.st-key-hero-map .city-map {{ border: 0; border-radius: 0; }}
.st-key-hero-map :is(.map-bar, .map-key, .map-wheel, .leaflet-control-scale) {{ display: none; }}
.st-key-hero-words {{
  position: relative; z-index: 1; min-height: {HEIGHT}px; padding: 3rem 2.6rem 1.6rem;
  justify-content: space-between;
  background: linear-gradient(90deg,
    light-dark(rgba(255,255,255,.97), rgba(15,21,28,.96)) 30%,
    light-dark(rgba(255,255,255,.78), rgba(15,21,28,.75)) 48%, transparent 66%);
}}
[data-testid="stMain"] .st-key-hero-words h1 {{
  font-size: 3.6rem; line-height: 1.12; font-weight: 800; max-width: 7.6em; padding: 0 0 1.2rem;
}}
.hero-say {{ font-size: 1.25rem; line-height: 1.45; max-width: 26em; margin: 0; }}
[class*="st-key-hero-card-"] {{
  background: light-dark(#FFFFFF, #17202A); border-radius: .8rem;
}}
[class*="st-key-hero-card-"] h3 {{ padding: 0; }}
[class*="st-key-hero-card-"] [data-testid="stMarkdownContainer"] {{ margin-bottom: 0; }}
.st-key-hero-card-play {{ background: light-dark(#005ADC, #569CFF); }}
.st-key-hero-card-play :is(h3, p, [data-testid="stIconMaterial"]) {{
  color: light-dark(#FFFFFF, #0F151C);
}}
.st-key-hero-card-play button {{
  background: light-dark(#FFFFFF, #0F151C); border-color: transparent;
}}
.st-key-hero-card-play button :is(p, span) {{ color: light-dark(#005ADC, #9CC5FF) !important; }}
.hero-notes {{ display: flex; flex-wrap: wrap; gap: .4rem 1.6rem; font-size: .9rem; margin: 0; }}
.hero-notes span {{
  background: light-dark(rgba(255,255,255,.9), rgba(15,21,28,.88)); border-radius: .4rem;
  padding: .1rem .4rem;
}}
@media (max-width: 640px) {{
  .st-key-hero-map {{ position: relative; height: 15rem; overflow: hidden; }}
  .st-key-hero-words {{ padding: 1rem; min-height: 0; }}
  [data-testid="stMain"] .st-key-hero-words h1 {{ font-size: 2.3rem; }}
}}
</style>
"""


#: What stands above and below the picture on a projector.
ROOM, LESSON_ROOM = "3rem", "6.2rem"
PRESENTED = """
<style>
.st-key-hero, .st-key-hero-words { min-height: calc(100vh - ROOM); }
.st-key-hero-map .city-map { height: calc(100vh - ROOM) !important; }
.st-key-hero-words { padding: 1.2rem 1.8rem .8rem; }
[data-testid="stMain"] .st-key-hero-words h1 { font-size: 2.7rem; padding-bottom: .4rem; }
.hero-say { font-size: 1.1rem; }
.hero-notes { display: none; }
[data-testid="stMain"] [class*="st-key-hero-card-"] h3 { padding: 0; font-size: 1.3rem; }
</style>
"""
#: A lesson's question stands above: the page's own words make room for it.
BELOW_A_QUESTION = "<style>.hero-say { display: none; }</style>"


@dataclass(frozen=True)
class Way:
    """A way on from the first screen."""

    key: str
    icon: str
    title: str
    words: str
    button: str
    go: Callable[[], None]


def part() -> None:
    st.html(STYLE)
    if presenter.presenting():
        in_lesson = url_keys.LESSON.get() is not None
        room = LESSON_ROOM if in_lesson else ROOM
        st.html(PRESENTED.replace("ROOM", room) + BELOW_A_QUESTION * in_lesson)
    with st.container(key="hero", gap=None):
        with st.container(key="hero-map"):
            city_map.show(background(), "hero-city")
        with st.container(key="hero-words", gap="medium"):
            with st.container(gap=None):
                st.title("Could this map give you away?", anchor=False)
                st.html(
                    '<p class="hero-say">50,000 taxi rides, and one of them may be yours. A map of '
                    "them can be useful to a whole city. Can it also keep your secret?</p>"
                )
            with st.container(gap="small"):
                for column, way in zip(st.columns(3), ways(), strict=True):
                    with column:
                        card(way)
                st.html(
                    f'<p class="hero-notes"><span>{len(lessons.shelf())} lessons, about ten '
                    "minutes each, with notes to print</span><span>Real, public data: New York, "
                    "January 2015</span></p>"
                )


def card(way: Way) -> None:
    with st.container(border=True, key=f"hero-card-{way.key}", gap="small", height="stretch"):
        st.markdown(f"### {way.icon} {way.title}")
        st.markdown(way.words)
        st.button(way.button, key=f"way-{way.key}", width="stretch", on_click=way.go)


def ways() -> tuple[Way, Way, Way]:
    first = next(iter(lessons.shelf().values()))
    return (
        Way(
            "play",
            ":material/quiz:",
            "Play",
            "Is this trip in the data? Guess, against a machine that guesses too.",
            "Start the game",
            lambda: url_keys.PART.put("game"),
        ),
        Way(
            "watch",
            ":material/stairs_2:",
            "See it step by step",
            "Watch a computer find the busy places while it hides every rider.",
            "Watch, 3 minutes",
            watch,
        ),
        Way(
            "lesson",
            ":material/school:",
            first.title,
            first.aim,
            f"Start, {first.minutes} minutes",
            lambda: lessons.open_step(first, 1),
        ),
    )


def watch() -> None:
    url_keys.PART.put("steps")
    PLAYING.put(True)


def background() -> CityMap:
    """A private map of the city: what a release shows, and nothing else."""
    choice = Choice(DATA, Request(METHOD, CENTERS, EPSILON, seed=0))
    picture = cached_work.picture(choice, (0, 1))
    canvas = CityMap("A private map of New York: published points and five busy areas.", VIEW)
    if picture.marks:
        canvas.points = city_map.points(picture.marks, "trips")
    places: list[list[float]] = picture.centers[[0, 1]].to_numpy().tolist()
    canvas.centers = [
        {"number": str(number), "at": at, "color": "private", "tip": [f"Busy area {number}"]}
        for number, at in enumerate(sorted(places, key=lambda at: -at[1]), 1)
    ]
    canvas.height = HEIGHT
    return canvas
