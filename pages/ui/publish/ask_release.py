"""Ask a release: other centers, counts in areas, costs, all from what was published already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from dpcore import regions
from dpcore.errors import DpcoreError
from dpcore.privacy import explain
from dpcore.privacy.explain import people_count, plural
from dpcore.release import ask
from dpcore.release.ask import AreaCount, CostCurve
from dpcore.release.ask_notebook import NAME as NOTEBOOK
from dpcore.release.ask_notebook import ask_notebook
from dpcore.release.opening import as_named
from dpcore.release.published_files import PublishedFiles
from dpcore.results.rectangles import Estimate
from pages.ui import background, chart_style, fragments, palette, session_keys
from pages.ui.background import Job
from pages.ui.city_map import Row, in_new_york
from pages.ui.palette import Palette
from pages.ui.publish import open_release, release_map, step_list
from pages.ui.publish.open_release import OpenedRelease
from pages.ui.publish.release_map import CenterRow
from pages.ui.session_keys import SessionKey
from pages.ui.wording import plain

MAP = "asked-map"
CURVE = SessionKey[tuple[str, Job[CostCurve]]]("cost curve")
#: Centers that a slider offers, and corners of an area that is drawn.
MOST_CENTERS, MOST_CORNERS = 20, 60
DRAWN = SessionKey[tuple[tuple[float, float], ...]]("drawn area")
ON_THE_MAP = "The area drawn on the map"
FREE = ":green-badge[:material/savings: free: from what is published]"


def draw() -> None:
    release_files = open_release.choose()
    if release_files is None:
        return
    try:
        release = checked(release_files.mark, release_files)
        _ = release.centers, ask.points_of(release)
    except DpcoreError as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    certificate = release.certificate
    st.markdown(
        f"**{plain(certificate['data set'])}**, {certificate['k']} centers of the release. Every "
        f"answer is {FREE}"
    )
    map_column, questions = st.columns([3, 2], gap="medium")
    with questions:
        centers = other_centers(release, release_files.mark)
        count = count_in_area(release) if release.box.d == 2 else None
        own_centers(release)
        st.download_button(
            "Notebook that asks the same",
            ask_notebook(certificate),
            NOTEBOOK,
            "application/x-ipynb+json",
            key="ask-notebook",
            icon=":material/download:",
            on_click="ignore",
        )
    with map_column:
        is_map = release_map.is_map(release) and release.box.d == 2
        release_map.draw(
            release,
            MAP,
            centers,
            areas=areas_of(count, palette.current()) if is_map else (),
            on_drawn=keep_drawing if is_map else None,
        )
        if is_map:
            st.caption("Draw an area with :material/crop_square: or the polygon to count in it.")
        release_map.table(release, centers)


@st.cache_resource(max_entries=4, show_spinner=False, scope="session")
def checked(mark: str, _chosen: OpenedRelease) -> PublishedFiles:
    """The files that the certificate names, each the one that was released."""
    return as_named(_chosen.files.files, _chosen.title)


# Centers.


def other_centers(release: PublishedFiles, mark: str) -> Sequence[CenterRow]:
    """Another number of centers, and the curve that suggests one."""
    first = min(int(release.certificate["k"]), MOST_CENTERS)
    k = step_list.remembered(
        st.slider, "Centers", f"asked-k-{mark[:12]}", first, min_value=1, max_value=MOST_CENTERS
    )
    is_median = step_list.remembered(
        st.toggle,
        "Least distance instead of least squared distance (k-median)",
        f"asked-median-{mark[:12]}",
        False,
        help="k-median weighs far places less than k-means does.",
    )
    with st.expander("How many centers fit these data?", icon=":material/show_chart:"):
        elbow(release, mark, k)
    if k == release.certificate["k"] and not is_median:
        return release_map.rows_of(release)
    return release_map.rows_of(release, new_centers(mark, k, is_median, release))


@st.cache_resource(max_entries=64, show_spinner="Searching", scope="session")
def new_centers(mark: str, k: int, is_median: bool, _release: PublishedFiles) -> Any:
    return (ask.new_medians if is_median else ask.new_centers)(_release, k)


def elbow(release: PublishedFiles, mark: str, k: int) -> None:
    """The cost for each number of centers, worked out where nobody waits for it."""
    memory = CURVE.get()
    if memory is None or memory[0] != mark:
        job = background.begin(lambda: ask.cost_curve(release), lambda: ("Trying 1 to 12", 0.0))
        memory = mark, job
        CURVE.put(memory)
    job = memory[1]
    if not fragments.watch(job):
        return
    if job.failure:
        st.warning(plain(str(job.failure)))
        return
    curve = job.result
    st.markdown(
        f"**Suggested: {curve.suggested}.** Up to there each further center lowers the mean "
        "squared distance much; after it, little."
    )
    st.plotly_chart(
        elbow_chart(curve, k, palette.current()),
        key="elbow",
        theme=None,
        config={"displayModeBar": False},
        alt=f"Mean squared distance by number of centers; the curve bends at {curve.suggested}.",
    )


def elbow_chart(curve: CostCurve, k: int, colors: Palette) -> go.Figure:
    ks, costs = zip(*curve.costs, strict=True)
    chart = go.Figure()
    sizes = [13 if each == curve.suggested else 7 for each in ks]
    chart.add_trace(chart_style.private_line(ks, costs, sizes, "%{x} centers", colors))
    axis = {"gridcolor": f"{colors.shore}66", "fixedrange": True, "zeroline": False}
    chart.update_layout(
        height=210,
        showlegend=False,
        margin={"l": 10, "r": 10, "t": 10, "b": 40},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": colors.text, "family": "Source Sans, sans-serif", "size": 14},
        hoverlabel={"bgcolor": colors.paper, "font": {"color": colors.text}},
        dragmode=False,
        xaxis={**axis, "title": {"text": "Centers", "font": {"size": 14}}, "dtick": 1},
        yaxis={**axis, "rangemode": "tozero", "automargin": True, "showticklabels": False},
    )
    if ks[0] <= k <= ks[-1]:
        chart.add_vline(x=k, line={"color": colors.quiet, "width": 1, "dash": "dot"})
    return chart


# Counts.


def count_in_area(release: PublishedFiles) -> AreaCount | None:
    """The number of rows in a neighborhood, or in an area that was drawn."""
    unit = unit_of(release)
    corners = DRAWN.get() or ()
    names: list[str] = []
    if release_map.is_map(release) and in_new_york(release.box):
        names = [each.name for each in neighborhoods(release.certificate["digest"], release)]
    options = [ON_THE_MAP] * bool(corners) + names
    if not options:
        if release_map.is_map(release):
            st.markdown(f"**How many {plural(unit)} lie in an area?** Draw it on the map.")
        return None
    name = st.selectbox(
        f"How many {plural(unit)} lie in …",
        options,
        index=0 if corners else None,
        key=f"count-in-{hash(corners)}",
        placeholder="a neighborhood, or draw an area on the map",
    )
    if name is None:
        return None
    if name != ON_THE_MAP:
        area_count = {e.name: e for e in neighborhoods(release.certificate["digest"], release)}[
            name
        ]
    else:
        try:
            area = regions.polygon("The drawn area", corners)
            (area_count,) = ask.counts(release, [area])
        except DpcoreError as problem:
            st.warning(plain(str(problem)))
            return None
    answer(area_count.estimate, unit)
    if area_count.density is not None:
        st.caption(
            f"{people_count(area_count.density)} {plural(unit)} for each square kilometer; the "
            f"area has {area_count.square_kilometers:.3g} km²."
        )
    return area_count


@st.cache_resource(max_entries=4, show_spinner=False, scope="session")
def neighborhoods(digest: str, _release: PublishedFiles) -> list[AreaCount]:
    """The neighborhoods that the box reaches, the fullest first."""
    return ask.neighborhood_counts(_release)


def answer(estimate: Estimate, unit: str) -> None:
    """A count with what it may be off by, in words."""
    label = f"{plural(unit).capitalize()} there"
    st.metric(label, f"about {people_count(max(estimate.value, 0))}")
    low, high = people_count(estimate.low), people_count(estimate.high)
    if estimate.error is None:
        st.caption("How much the noise moves this count is not published.")
        return
    sentences = f"Between {low} and {high}, 19 times in 20."
    if estimate.cut >= 1:
        sentences += (
            f" {people_count(estimate.cut)} of them lie where the border cuts a published point."
        )
    st.caption(sentences)


def keep_drawing() -> None:
    corners = session_keys.of_widget(MAP).drawn
    if corners and len(corners) >= 3:
        shape = [(float(x), float(y)) for x, y in corners[:MOST_CORNERS]]
        DRAWN.put(tuple(shape))


def areas_of(count: AreaCount | None, colors: Palette) -> list[Row]:
    """The area of the last count, as the map draws it."""
    if count is None:
        return []
    area: Row = {
        "name": count.name,
        "color": "rgba(0, 90, 220, .18)",
        "outline": colors.private,
        "tip": [count.name, f"about {people_count(max(count.estimate.value, 0))}"],
    }
    corners = DRAWN.get() or ()
    if count.name == "The drawn area" and corners:
        return [{**area, "rings": [[list(corner) for corner in (*corners, corners[0])]]}]
    return [{**area, "layer": "neighborhoods"}]


# Centers of one's own.


def own_centers(release: PublishedFiles) -> None:
    """The cost of centers of one's own on the data."""
    names = ", ".join(map(plain, release.box.names))
    with st.expander("How good are centers of your own?", icon=":material/flag:"):
        text = st.text_area(
            f"One center a line: {names}",
            key="own-centers",
            height=100,
            placeholder="-73.98, 40.75\n-73.96, 40.78",
        )
        if not text.strip():
            return
        try:
            own = ask.center_cost(release, parsed(text, release.box.d))
            published = ask.center_cost(release, release.centers.value)
        except DpcoreError as problem:
            st.warning(plain(str(problem)))
            return
        except ValueError:
            st.warning(f"Each line has {release.box.d} numbers, with commas between them.")
            return
        change = explain.change(own.nicv / published.nicv - 1) if published.nicv else ""
        left, right = st.columns(2)
        left.metric("Yours: mean distance", explain.distance(own.distance, own.in_meters))
        right.metric("Published centers", explain.distance(published.distance, own.in_meters))
        if change:
            st.caption(f"Mean squared distance, yours against the published ones: {change} more.")


def parsed(text: str, d: int) -> list[list[float]]:
    """Numbers, a center a line; ValueError where a line has more or fewer."""
    rows = [
        [float(part) for part in line.replace(";", ",").split(",")]
        for line in text.splitlines()
        if line.strip()
    ]
    if any(len(row) != d for row in rows):
        raise ValueError("A line has another number of coordinates.")
    return rows


def unit_of(release: PublishedFiles) -> str:
    """The unit that is counted: rows, where the protected unit has several."""
    unit = release.certificate["unit"]
    return "row" if unit["ids"] else str(unit["name"])
