"""The controls that choose a run, the same on every page, and the choice they make."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpcore.algorithms import ALGORITHMS, PAPERS, Parameter
from dpcore.datasets.builtin import BUILTIN
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.explain import LEVELS, level_of, nearest_level
from dpcore.privacy.rounding import at_most
from dpcore.runs.request import Request
from dpcore.study.metrics import METRICS, Metric
from pages.ui import address, methods, own_data, url_keys, visibility
from pages.ui.address import Key
from pages.ui.choice import Choice as Choice
from pages.ui.own_data import data_set, facts
from pages.ui.url_keys import ALL, LEVEL_NAMES
from pages.ui.url_parsers import OneOf

DATA, ALGORITHM = url_keys.DATA.default, url_keys.ALGORITHM.default
FALLBACK, CENTERS = "auto", url_keys.CENTERS.default
#: Widths of the metrics and of a slider beside them: the metrics take one line on 1,280 pixels.
BESIDE = (5, 2)
ENDS = '<div class="ends"><span>← More accurate</span><span>More private →</span></div>'
RELATIONS = {
    Neighbors.ADD_REMOVE: "whether it is in the data",
    Neighbors.REPLACE_ONE: "its values",
}


def in_address() -> Choice:
    """The run that the address asks for."""
    data, algorithm = url_keys.DATA.get(), url_keys.ALGORITHM.get()
    settings = tuple(
        (p.name, url_keys.setting(algorithm, p).get()) for p in ALGORITHMS[algorithm].parameters
    )
    exact = epsilon_in_address(), url_keys.DELTA.get(), url_keys.NEIGHBORS.get()
    k, seed = url_keys.CENTERS.get(), url_keys.SEED.get()
    return Choice(data, Request(algorithm, k, *exact, seed, settings))


def choose(
    data: str | None = None,
    centers: bool = True,
    method: str | None = None,
    first: str = url_keys.ALGORITHM.default,
) -> Choice:
    """Draw the sidebar's controls, and return the choice made there and in the address.

    The level is read, not drawn: pages put the slider where it belongs, with `level_slider`.
    Where a page brings data or a method of its own, or has many k, there is no control for them.
    `first` is the method with which the page opens.
    """
    with st.sidebar:
        data = data or data_control()
        algorithm = method or algorithm_control(data, first)
        k = centers_control() if centers else CENTERS
        if not method:
            noise_button()
        exact = exact_values(data)
        settings = settings_controls(algorithm)
    return Choice(data, Request(algorithm, k, *exact, settings))


def requests(choice: Choice, algorithms: Iterable[str]) -> tuple[Request, ...]:
    """The chosen run with each of these methods: others than the chosen one as they are by
    default."""
    request = choice.request
    return tuple(
        request if key == request.algorithm else replace(request, algorithm=key, settings=())
        for key in algorithms
    )


def centers_control() -> int:
    return address.control(st.number_input, "Centers", url_keys.CENTERS)


def data_control(described: bool = True) -> str:
    """Draw the choice of data, with a description of them below it or on request."""
    visibility.stop_if_absent()
    current = url_keys.DATA.get()
    options = [*own_data.of_session(), *BUILTIN]
    options += [current] if current not in options else []
    titles = {key: facts(key).title for key in options}
    key = address.control(
        st.selectbox,
        "Data",
        url_keys.DATA,
        then=keep_algorithm_possible,
        options=options,
        format_func=titles.__getitem__,
        help=None if described else facts(current).description,
    )
    if described:
        st.caption(facts(key).description)
    return key


def keep_algorithm_possible(data: str) -> None:
    """Other data, other dimensions: where the algorithm cannot run, take one that always can."""
    algorithm = ALGORITHMS[url_keys.ALGORITHM.get()]
    if algorithm.obstacle(data_set(data).box.d, None, CENTERS):
        url_keys.ALGORITHM.put(FALLBACK)
    elif algorithm.key == FALLBACK and data_set(data).box.d == 2:
        url_keys.ALGORITHM.clear()


def algorithm_control(data: str, opens: str) -> str:
    """Draw the choice of a method, group after group, and a button that tells about each."""
    key = address.control(
        st.selectbox,
        "Method",
        url_keys.ALGORITHM.by_default(opens),
        options=list(methods.labels()),
        format_func=methods.labels().__getitem__,
    )
    methods.button(data, url_keys.CENTERS.get())
    return key


def noise_button() -> None:
    st.button("Draw new noise", icon=":material/casino:", width="stretch", on_click=new_noise)


def new_noise() -> None:
    url_keys.SEED.put(url_keys.SEED.get() + 1)


def delta_control() -> float:
    return address.control(
        st.number_input,
        "δ (delta)",
        url_keys.DELTA,
        step=1e-6,
        format="%g",
        help="The chance that the limit does not hold. 0 is strictest.",
    )


def exact_values(data: str) -> tuple[float, float, Neighbors, int]:
    """Epsilon, delta, relation and seed, for those who ask for them."""
    level = LEVELS[LEVEL_NAMES.index(level_name())]
    with st.expander("Exact values", icon=":material/tune:"):
        typed = address.control(
            st.number_input,
            "ε (epsilon)",
            url_keys.EPSILON,
            step=None,
            format="%g",
            placeholder="That of the level",
            help="Overrides the slider. Leave empty to use its level.",
        )
        delta = delta_control()
        unit = facts(data).unit
        neighbors = address.control(
            st.radio,
            f"What an attacker must not learn about a {unit}",
            url_keys.NEIGHBORS,
            format_func=RELATIONS.__getitem__,
        )
        seed = address.control(
            st.number_input,
            "Seed of the noise",
            url_keys.SEED,
            help="The same seed draws the same noise.",
        )
    return typed or level.epsilon, delta, neighbors, seed


def settings_controls(algorithm: str) -> tuple[tuple[str, Any], ...]:
    """A control for every parameter that the algorithm declares."""
    parameters = ALGORITHMS[algorithm].parameters
    if not parameters:
        return ()
    with st.expander("Settings of the method", icon=":material/settings:"):
        return tuple((p.name, parameter_control(algorithm, p)) for p in parameters)


def parameter_control(algorithm: str, parameter: Parameter) -> Any:
    key = url_keys.setting(algorithm, parameter)
    label = parameter.name.replace("_", " ").capitalize()
    kind = type(parameter.default)
    if parameter.choices:
        return address.control(st.selectbox, label, key, help=parameter.meaning)
    if kind is bool:
        return address.control(st.toggle, label, key, help=parameter.meaning)
    form = "%g" if kind is float else None
    return address.control(st.number_input, label, key, help=parameter.meaning, format=form)


def level_name() -> str:
    """The named level in the address; for a typed epsilon the nearest."""
    if typed := url_keys.EPSILON.get():
        url_keys.PRIVACY.put(nearest_level(typed).name)
    return url_keys.PRIVACY.get()


def epsilon_in_address() -> float:
    """The epsilon that was typed, or that of the named level."""
    return url_keys.EPSILON.get() or LEVELS[LEVEL_NAMES.index(level_name())].epsilon


def level_slider(label: str, key: Key[str] = url_keys.PRIVACY) -> str:
    """Seven named stops, leaking most at the left. Moving it takes a typed epsilon back."""
    return address.control(st.select_slider, label, key, then=lambda _: url_keys.EPSILON.clear())


def labelled_slider(choice: Choice) -> None:
    """Draw the level slider with words at its ends and its ε below."""
    level_slider(f"How strictly is each {choice.about.unit} protected?")
    st.html(ENDS)
    typed = " was typed; the slider shows the level nearest to it" * is_exact(choice)
    st.caption(f"ε = {at_most(choice.request.epsilon)}{typed}.")


def metric_control(
    data: str,
    ratios: bool = False,
    first: str = url_keys.METRIC.default,
) -> Metric:
    """The metric to show, explained below in words; with ratios one that is never negative."""
    metrics = [key for key, metric in METRICS.items() if not (ratios and metric.is_signed)]
    meters = " (meters)" * facts(data).geographic
    titles = {
        key: METRICS[key].label + meters * METRICS[key].is_length
        for key in dict.fromkeys([first, *metrics])
    }
    key = url_keys.METRIC.narrowed(OneOf(metrics), first)
    metric = METRICS[address.tabs("What is measured", key, titles)]
    st.caption(metric.meaning)
    return metric


def beside_metric(data: str) -> tuple[Metric, DeltaGenerator]:
    """The metric to show, and the place of a slider beside it: the chart begins higher so."""
    left, right = st.columns(BESIDE)
    with left:
        return metric_control(data), right


def runs_control(label: str, key: Key[int]) -> int:
    return address.control(
        st.number_input, label, key, help="Finished runs are kept when you ask for more."
    )


def paper_control() -> str:
    """One of the papers, or all of them."""
    return address.control(
        st.selectbox,
        "Paper",
        url_keys.PAPER,
        options=[ALL, *PAPERS],
        format_func=paper_title,
    )


def paper_title(key: str) -> str:
    if key == ALL:
        return "All of them"
    return PAPERS[key]


def obstacle(choice: Choice) -> str | None:
    """The reason why the algorithm cannot run on such data, from public facts alone."""
    return choice.request.system.obstacle(choice.box.d, None, choice.request.k)


def is_exact(choice: Choice) -> bool:
    """Whether epsilon was typed and no named level has it."""
    return level_of(choice.request.epsilon) is None
