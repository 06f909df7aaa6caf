"""A method of one's own beside ours: from a table of centers or figures, or from a package."""

from __future__ import annotations

import math
from collections.abc import Callable

import streamlit as st

from dpcore.algorithms import ALGORITHMS, installed
from dpcore.errors import BadInput
from dpcore.study import curves
from dpcore.study.brought_results import BroughtResult, results_of
from dpcore.study.metrics import METRICS, Metric
from dpcore.study.standings import Standing
from pages.ui import cached_work, controls, limits, live_runs, url_keys
from pages.ui.choice import Choice
from pages.ui.wording import plain

#: What the package of a method declares, and what its method looks like.
DECLARES = """[project.entry-points."dpcore.algorithms"]
my-method = "my_package.my_module:MyMethod"
"""
LOOKS = '''from dpcore.algorithms.base import Algorithm
from dpcore.results.run_result import Outcome

class MyMethod(Algorithm):
    """Idea: what it does, in a sentence or two.

    Unit: one row.
    """

    key, title = "my-method", "My method"

    def run(self, curator, k):
        counts = curator.histogram(...)  # ask for noisy answers, and for nothing else
        return Outcome(centers)  # k centers, in a box from -1 to 1
'''


def show(beside: Callable[[Choice, Metric, list[Standing]], None]) -> None:
    """Draw the view. `beside` draws a ranking of our methods with other standings among them."""
    choice = controls.choose()
    st.caption(
        "Bring results of your own method and see them beside ours: on the same data, in the same "
        "figure. Or install a package with your method: it then runs here like any other."
    )
    live_runs.warn(choice.data, "a method", "this ranking")
    metric, place = controls.beside_metric(choice.data)
    with place:
        controls.labelled_slider(choice)
    st.markdown("##### A table of your results")
    beside(choice, metric, own_standings(choice, metric, brought(choice)))
    packages(choice)


def brought(choice: Choice) -> list[BroughtResult]:
    """The results of an uploaded table, which this visit alone holds."""
    names = ", ".join(f"`{name}`" for name in choice.box.names)
    figures = ", ".join(f"`{metric.column}`" for metric in METRICS.values())
    st.markdown(
        f"A CSV file with **centers**: the columns {names}, one row for each center. Or with "
        f"**results**: the column `epsilon` and one or more of {figures}, one row for each run, as "
        "`dpcore sweep --csv` writes them."
    )
    if not limits.room_for_uploads():
        return []
    file = st.file_uploader("CSV of centers or results", type="csv", key="own-results")
    if file is None:
        return []
    request = choice.request
    reference = cached_work.reference(choice.data, request.k, request.seed or 0)
    try:
        text = file.getvalue().decode("utf-8-sig")
        return results_of(text, cached_work.data(choice.data), reference, request.epsilon)
    except UnicodeDecodeError:
        st.error("The file is not text in UTF-8: save it as CSV in that encoding.")
    except BadInput as problem:
        st.error(plain(str(problem)))
    return []


def own_standings(choice: Choice, metric: Metric, results: list[BroughtResult]) -> list[Standing]:
    """The standings of an uploaded table at the chosen level, or a note where it has none there."""
    here = [t for t in results if math.isclose(t.epsilon, choice.request.epsilon)]
    measured = [t for t in here if metric.key in t.figures]
    if results and not here:
        levels = ", ".join(f"{e:g}" for e in sorted({t.epsilon for t in results}))
        st.info(f"The table has results at ε = {levels}. Choose one of these levels to see them.")
    elif here and not measured:
        st.info(f"The table says nothing about this figure: {plain(metric.title)}.")
    own = []
    for name in dict.fromkeys(t.algorithm for t in measured):
        own_figures = ((t.epsilon, t.figures[metric.key]) for t in measured if t.algorithm == name)
        (point,) = curves.curve_through(name, own_figures).points
        label = f"{name} (yours)" if name in ALGORITHMS else name
        own.append(Standing(label, point))
    return own


def packages(choice: Choice) -> None:
    """The methods that packages brought, and how to write one."""
    st.markdown("##### A package with your method")
    for key, source in installed.FOUND.items():
        words, button = st.columns([4, 1], vertical_alignment="center")
        title = plain(ALGORITHMS[key].title)
        words.markdown(f"**{title}**, from `{source}`. Its claim was not checked here.")
        button.button(
            "Compare it",
            key=f"take-{key}",
            disabled=choice.request.algorithm == key,
            on_click=url_keys.ALGORITHM.put,
            args=(key,),
        )
    for name, problem in installed.PROBLEMS.items():
        st.warning(f"**{plain(name)}** was left out. {plain(problem)}")
    if not installed.FOUND:
        st.caption(
            "No installed package has one. Only packages that are installed on this server are "
            "looked at: no code comes from the browser."
        )
    with st.expander("How to write one", icon=":material/code:"):
        st.markdown("The package declares an entry point in its `pyproject.toml`:")
        st.code(DECLARES, language="toml")
        st.markdown("It names a class that asks the curator for noisy answers:")
        st.code(LOOKS, language="python")
        st.markdown(
            "After `pip install` it is in every list: `dpcore list`, Explore, Curves and here. Its "
            "verdict is unproven until somebody checks its claim."
        )
