"""What to take along of a run: private centers and points, a notebook, and lines that repeat it.

Only what is private becomes a file here: the types of `dpcore.results.export` see to it. A picture
with what is not private is saved on the map itself, which marks it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from dpcore.privacy import explain
from dpcore.results import export
from dpcore.results.centers import PrivateCenters
from dpcore.results.notebook_file import Code, Text, notebook_file
from dpcore.results.run_result import RunResult
from pages.ui import address, cached_work, own_data, visibility
from pages.ui.areas import explore_areas
from pages.ui.cached_work import Picture
from pages.ui.choice import Choice
from pages.ui.city_map import in_new_york

#: The table of the page, in a notebook.
TABLE = """from dpcore.study.run_view import centers_table, truth

best = dpcore.baseline(data, k={k}, seed=0)
table = centers_table(result, geographic={in_the_city})
table["moved"] = truth(data, result, best).value.partners["shift"]
table"""


def offer(choice: Choice, picture: Picture) -> None:
    """Draw the files and lines, of data whose picture may leave."""
    if not visibility.may_leave(choice.data):
        return
    with st.popover("Take away", icon=":material/ios_share:"):
        if choice.request.system.verdict.holds:
            st.markdown(
                "**Files** of what is private. The noise is simulated, so each file says that it "
                "is not for publication."
            )
            with st.container(horizontal=True):
                geojson("Centers", "centers", choice, centers)
                if picture.marks is not None:
                    geojson("Published points", "points", choice, points)
        if not own_data.is_own(choice.data):
            repeat(choice)


def geojson(label: str, name: str, choice: Choice, make: Callable[[Choice], str]) -> None:
    st.download_button(
        f"{label}, GeoJSON",
        lambda: make(choice),
        f"{name}-simulated.geojson",
        "application/geo+json",
        icon=":material/download:",
        on_click="ignore",
    )


def private(choice: Choice) -> RunResult[PrivateCenters]:
    """The run again. Its centers are private by their type, or the export refuses them."""
    result: RunResult[Any] = cached_work.run(choice)
    return result


def centers(choice: Choice) -> str:
    return export.centers_geojson(private(choice).centers)


def points(choice: Choice) -> str:
    return export.points_geojson(private(choice))


def repeat(choice: Choice) -> None:
    """Everything that repeats the picture: same seed, same centers."""
    st.download_button(
        "Open as notebook",
        lambda: notebook(choice),
        "explore.ipynb",
        "application/x-ipynb+json",
        icon=":material/menu_book:",
        on_click="ignore",
    )
    explore_areas.download(choice)
    if st.context.url:
        st.caption("The address of this picture")
        query = urlencode(address.link())
        st.code(st.context.url.partition("?")[0] + (f"?{query}" if query else ""), language=None)
    st.caption("In a shell")
    st.code(
        choice.request.command(choice.data, explore_areas.file(choice)),
        language=None,
        wrap_lines=True,
    )
    st.caption("In Python")
    st.code(
        choice.request.python(choice.data, explore_areas.file(choice)),
        language=None,
        wrap_lines=True,
    )


def notebook(choice: Choice) -> bytes:
    """A notebook that repeats the run and compares it with the non-private centers."""
    request, about = choice.request, choice.about
    level = explain.level_of(request.epsilon)
    said = f"level {level.name}, " if level else ""
    unit = "meters" if about.geographic else "unit coordinates"
    return notebook_file(
        [
            Text(
                f"# {request.k} centers of {about.title}\n\n{request.system.title}, {said}"
                f"ε = {request.epsilon:g}. "
                + explain.attack(
                    request.epsilon if request.system.verdict.holds else float("inf"),
                    about.unit,
                    request.neighbors,
                )
            ),
            Code(request.python(choice.data, explore_areas.file(choice)).rstrip()),
            Code("result.centers.value"),
            Text(
                f"The table of the page. `moved` is how far a center lies, in {unit}, from its "
                "partner among the centers without privacy: that is not private."
            ),
            Code(TABLE.format(k=request.k, in_the_city=in_new_york(choice.box))),
        ]
    )
