"""My own map: what a plan would take from a person's own track, and what they wish for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from dpcore.datasets import city_shapes, wishes
from dpcore.datasets.city_shapes import ELSEWHERE
from dpcore.datasets.regions import Regions
from dpcore.geometry.domain import Box
from dpcore.privacy import explain
from dpcore.release.wish_counts import MOST_AREAS
from dpcore.study.my_map import Leaving, leaving, marks_of
from pages.ui import access, address, city_map, limits, palette, session_keys, url_keys
from pages.ui.access import Action
from pages.ui.areas import area_run, own_track
from pages.ui.areas.chosen import LEVEL_NAMES, Chosen
from pages.ui.areas.own_track import OwnTrack
from pages.ui.choice import Choice
from pages.ui.city_map import CityMap, Row
from pages.ui.wording import plain

MAP = "my-map"
REST = "Everywhere else"
#: Radius of a position, in pixels.
POSITION = 3.0
WHERE_IT_STAYS = (
    "Your track stays in the memory of this visit. It is written to no file, it is not in the "
    "address, and nobody else sees it. It is forgotten when you press “Forget my track”, and "
    "within a minute after you close the page."
)
A_SECRET = (
    "**A wish is itself a secret.** A strict area around a home reveals where the home is. So "
    "your wish names whole public neighborhoods and a level, and nothing of your track. Even so, "
    "whoever sees the file knows in which neighborhoods to look: give it only to somebody whom you "
    "trust to count wishes privately."
)


def draw(choice: Choice, areas: Sequence[Chosen]) -> None:
    """The whole view: the track beside the plan, what would leave, and the wish."""
    st.markdown(
        "Load a track of your own, say where you live and work, and see what the plan under "
        "“Levels by area” would take from you."
    )
    plan = area_run.plan_or_warning(choice, areas)
    if plan is None:
        return
    drawing, panel = st.columns([2.05, 1], gap="medium")
    with panel:
        own = track_step(choice.box)
        if own is not None and city_map.in_new_york(choice.box):
            strict_step(own)
        counted = counted_control(choice.about.unit)
    with drawing:
        picture(choice, areas, own)
    if own is None:
        return
    most = area_run.with_areas(choice, areas).request.epsilon
    tell(own, leaving(own.track, plan, most, counted or None), areas)
    wish(own, plan, most)


def track_step(box: Box) -> OwnTrack | None:
    """Load a track, or forget it."""
    if problem := own_track.PROBLEM.pop():
        st.warning(plain(problem))
    own = own_track.current()
    if own is None:
        if access.may(Action.BRING) and limits.room_for_uploads():
            st.file_uploader(
                "Your track",
                type=own_track.ENDINGS,
                key=own_track.file_key("track"),
                on_change=own_track.load,
                help="GPX, GeoJSON of points and lines, or CSV with longitude and latitude.",
            )
        if city_map.in_new_york(box):
            st.button("Try an example track", icon=":material/route:", on_click=own_track.example)
    else:
        n = len(own.track.positions)
        st.markdown(f"**Your track:** {n:,} positions, from {plain(own.name)}")
        st.button("Forget my track", icon=":material/delete_forever:", on_click=own_track.forget)
    st.caption(WHERE_IT_STAYS)
    return own


def strict_step(own: OwnTrack) -> None:
    """Home, work, and whatever else is to be protected strictly."""
    names = [*own.visited, *sorted({a.name for a in city_shapes.neighborhoods()} - {*own.visited})]
    strict_names = list(own.strict)
    state = address.current_key("my-strict", strict_names)

    def write() -> None:
        if state == address.latest_key("my-strict"):
            own_track.mark(session_keys.of_widget(state))

    st.multiselect(
        "Where you live and work",
        names,
        default=strict_names,
        key=state,
        on_change=write,
        max_selections=MOST_AREAS,
        placeholder="Choose here, or click on the map",
        help="Whole public neighborhoods. Those that your track visits come first.",
    )
    own.level = st.select_slider("How strictly to protect you there", LEVEL_NAMES, value=own.level)


def counted_control(unit: str) -> int:
    """Ask how many rows of one person the plan counts."""
    counted = address.control(
        st.number_input,
        "Positions of one person that count, at most",
        url_keys.COUNTED,
        help="A fact about the plan. 0: it keeps them all, and protects each by itself.",
    )
    if not counted:
        st.caption(f"The plan protects one {unit} by itself: a person with many pays for each.")
    return counted


def picture(choice: Choice, areas: Sequence[Chosen], own: OwnTrack | None) -> None:
    """The plan's areas, the track, and the neighborhoods that are marked."""
    colors, box = palette.current(), choice.box.take((0, 1))
    words = "The areas of the plan" + (" and your track." if own else ".")
    first = city_map.MIDTOWN if city_map.in_new_york(box) else box
    canvas = CityMap(words, first)
    canvas.areas = area_run.tinted(area_run.drawable(areas), colors, choice.about.unit)
    canvas.legend = area_run.legend(areas, colors)
    if own is not None:
        marks = marks_of(own.track)
        canvas.view = city_map.around(marks.rows[:, :2].tolist(), canvas.view)
        radius = POSITION * math.sqrt(len(marks.rows))
        canvas.points = {**city_map.points(marks, "positions"), "whole_radius": radius}
        canvas.areas += [mine(name, colors.private, own.level) for name in own.strict]
        canvas.legend.append(
            {
                "mark": "point",
                "color": colors.points,
                "size": 2 * POSITION,
                "words": "Your position: only on this screen",
            }
        )
        if own.strict:
            words = "Marked by you"
            canvas.legend.append({"mark": "area", "color": colors.private, "words": words})
    clicks = {}
    if own is not None and city_map.in_new_york(box):
        canvas.pick = "neighborhoods"
        clicks = {"on_picked_change": picked}
    city_map.show(canvas, MAP, **clicks)


def picked() -> None:
    own_track.toggle(session_keys.of_widget(MAP).picked)


def mine(name: str, color: str, level: str) -> Row:
    """A neighborhood that its owner marked."""
    area = Chosen(name, level)
    return {
        "name": name,
        "layer": "neighborhoods",
        "color": area_run.rgba(color, 0.28),
        "outline": color,
        "tip": [f"{name}: marked by you", f"Your wish: {level}"],
        "label": area_run.short(name),
        "at": area_run.middle(area),
    }


def tell(own: OwnTrack, leaving: Leaving, areas: Sequence[Chosen]) -> None:
    """Area by area: what is counted, at which level, and what it can tell."""
    st.subheader("What would leave your phone")
    levels = {each.name: each.level for each in areas}
    if leaving.visits:
        st.table(
            [
                {
                    "Area": plain(REST if visit.area == ELSEWHERE else visit.area),
                    "Level": levels.get(visit.area) or explain.nearest_level(visit.level).name,
                    "Your positions there": f"{visit.positions:,}",
                    "Counted, at most": f"{visit.counted:,}",
                    "How sure an attacker can become that you were there": explain.odds(
                        visit.epsilon
                    ),
                }
                for visit in leaving.visits
            ],
            border="horizontal",
            hide_index=True,
        )
        st.caption(
            "Your positions themselves never leave: each counted one adds 1 to a noisy number. The "
            "attacker is 50 % sure before, and knows everything about everybody else."
        )
    else:
        st.info("Nothing: no position of your track lies on the map of this plan.")
    if leaving.outside:
        st.caption(
            f"{leaving.outside:,} of your positions lie outside the map and are not counted."
        )


def wish(own: OwnTrack, plan: Regions, most: float) -> None:
    """The wish: whether the plan meets it already, and the file."""
    st.subheader("Your wish")
    if not city_map.in_new_york(plan.box):
        st.info("Wishes name neighborhoods of New York, and this plan is for another place.")
        return
    if not own.strict:
        st.markdown("Mark where you live and work to make a wish of it.")
        return
    wished = wishes.Wish(dict.fromkeys(own.strict, epsilon_of(own.level)))
    met = wishes.met_by(wished, plan, most)
    lines = (
        f"- {plain(name)}, {own.level}: the plan is "
        + ("as strict as you wish." if met[name] else "**less strict** than you wish.")
        for name in own.strict
    )
    st.markdown("\n".join(lines))
    st.warning(A_SECRET, icon=":material/lock:")
    st.download_button(
        "My wish as GeoJSON",
        wishes.as_text(wished),
        "wish.geojson",
        "application/geo+json",
        icon=":material/download:",
    )


def epsilon_of(level: str) -> float:
    return Chosen("", level).epsilon
