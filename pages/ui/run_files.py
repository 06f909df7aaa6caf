"""The files of a run: private centers and points, a notebook, and lines that repeat it.

Only what is private becomes a file here: the types of `dpcore.results.export` see to it. A picture
with what is not private is saved on the map itself, which marks it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


def offer(runs: Mapping[str, tuple[Choice, Picture]]) -> None:
    """Draw the files and lines of data whose picture may leave: for one run, which needs no name,
    or for several that differ by their level, with the names of these levels."""
    choices = [choice for choice, _ in runs.values()]
    first, *others = choices
    if not visibility.may_leave(first.data):
        return
    with st.popover("Take away", icon=":material/ios_share:"):
        if others:
            st.markdown("**PNG and SVG:** press the arrow on a map.")
        if first.request.system.verdict.holds:
            st.markdown(
                "**Files** of what is private. The noise is simulated, so each file says that it "
                "is not for publication."
            )
            for level, (choice, picture) in runs.items():
                private_files(choice, picture, level)
        if not own_data.is_own(first.data):
            repeat(choices)


def private_files(choice: Choice, picture: Picture, level: str) -> None:
    words, ending = (f" at {level}", f"-{level.lower()}") if level else ("", "")
    with st.container(horizontal=True):
        geojson(f"Centers{words}", f"centers{ending}", choice, centers)
        if picture.marks is not None:
            geojson(f"Published points{words}", f"points{ending}", choice, points)


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


def repeat(choices: Sequence[Choice]) -> None:
    """Everything that repeats the pictures: same seed, same centers."""
    first, *_ = choices
    requests = [choice.request for choice in choices]
    file = explore_areas.file(first)
    st.download_button(
        "Open as notebook",
        lambda: notebook(*choices),
        "explore.ipynb",
        "application/x-ipynb+json",
        icon=":material/menu_book:",
        on_click="ignore",
    )
    explore_areas.download(first)
    if st.context.url:
        st.caption("The address of this picture")
        query = urlencode(address.link())
        st.code(st.context.url.partition("?")[0] + (f"?{query}" if query else ""), language=None)
    st.caption("In a shell")
    commands = [request.command(first.data, file) for request in requests]
    st.code("\n".join(commands), language=None, wrap_lines=True)
    st.caption("In Python")
    st.code(
        "\n".join(request.python(first.data, file) for request in requests),
        language=None,
        wrap_lines=True,
    )


def notebook(*choices: Choice) -> bytes:
    """A notebook that repeats each run and compares it with the non-private centers."""
    return notebook_file([cell for choice in choices for cell in cells(choice)])


def cells(choice: Choice) -> list[Code | Text]:
    """The cells for one run."""
    request, about = choice.request, choice.about
    level = explain.level_of(request.epsilon)
    level_words = f"level {level.name}, " if level else ""
    unit = "meters" if about.geographic else "unit coordinates"
    return [
        Text(
            f"# {request.k} centers of {about.title}\n\n{request.system.title}, {level_words}"
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
