"""Predictions of which method wins, from public numbers and without a run."""

from __future__ import annotations

import json
from functools import partial

import pandas as pd
import streamlit as st

from dpcore.algorithms import ALGORITHMS
from dpcore.errors import Infeasible
from dpcore.study.predicted_curves import Winners, winners
from dpcore.study.prediction import COMPARED, PARTING, Prediction, predict
from dpcore.study.sweep_plan import table_csv
from dpcore.study.usual_ranges import EPSILONS
from pages.ui import controls, public_numbers, visibility
from pages.ui.choice import Choice
from pages.ui.downloads import File, keep
from pages.ui.visibility import Visibility
from pages.ui.wording import plain

COLUMNS = ("algorithm", "epsilon", "noise", "bias at most", "equations")
AUTO = "auto"
NAMES = {"epsilon": "ε", "n": "rows", "d": "dimensions", "k": "centers"}


def show() -> None:
    choice = controls.choose(method=AUTO)
    st.caption(
        "The error analysis of Su et al. (2016) says how far noise moves a centroid, from public "
        "numbers alone: rows, centers, dimensions and ε. Nothing is run, and no budget is used."
    )
    controls.labelled_slider(choice)
    n, d = public_numbers.rows(choice.data), choice.box.d
    if n is None:
        return
    st.markdown(f"**{plain(choice.about.title)}**: {numbers_words(choice, n, d)}")
    st.markdown("##### Which method has the least noise, and from which value on")
    for each in winners(n, choice.request.k, d, choice.request.epsilon, choice.request.neighbors):
        st.markdown(f"- {sentence(each)}")
    st.markdown("##### Predicted error of a centroid")
    predictions_of = predictions(choice, n, d)
    table(predictions_of)
    st.caption(
        "Mean squared error in a box from -1 to 1, about what a method adds to NICV. Two numbers "
        "are noise alone, and noise with all that coarse cells may add. " + PARTING
    )
    rows = [
        {
            "algorithm": each.algorithm,
            "epsilon": each.epsilon,
            "noise": each.noise,
            "bias at most": each.bias,
            "equations": each.citation,
        }
        for column in predictions_of.values()
        for each in column.values()
    ]
    files = [
        File("CSV of these predictions", "predicted.csv", partial(table_csv, COLUMNS, rows)),
        File("JSON of these predictions", "predicted.json", partial(json.dumps, rows, indent=1)),
    ]
    keep(
        choice.data,
        files,
        True,
        command(choice, n, d),
        python(choice, n, d),
        marked=False,
        chart=False,
    )


def numbers_words(choice: Choice, n: int, d: int) -> str:
    """The numbers that stand for the data, and where that of the rows comes from."""
    words = f"{n:,} rows, {choice.request.k} centers, {d} dimensions."
    source = {
        Visibility.PUBLIC: "",
        Visibility.TWIN: " The rows are those of the private twin.",
        Visibility.RAW: " You typed the number of rows; no row of your data was looked at.",
    }
    return words + source[visibility.of(choice.data)]


def sentence(each: Winners) -> str:
    """A sentence that names the winners over one variable."""
    at = ", ".join(f"{name_of(name, value)}" for name, value in each.fixed.items())
    first, *later = each.wins
    phrases = [f"**{ALGORITHMS[first.algorithm].title}** has the least noise"]
    phrases += [f"**{ALGORITHMS[win.algorithm].title}** from {size(win.start)} on" for win in later]
    return f"Over {NAMES[each.over]} ({at}): {', '.join(phrases)}."


def size(value: float) -> str:
    """Format a number with three digits and no exponent."""
    return f"{float(f'{value:.3g}'):,.0f}" if value >= 100 else f"{value:.3g}"


def name_of(name: str, value: float) -> str:
    return f"ε = {value:g}" if name == "epsilon" else f"{value:,.0f} {NAMES[name]}"


def predictions(choice: Choice, n: int, d: int) -> dict[str, dict[float, Prediction]]:
    """Predictions by method and ε; empty for a method that cannot run on such data."""
    predictions_of: dict[str, dict[float, Prediction]] = {}
    for key in COMPARED:
        predictions_of[key] = {}
        for epsilon in EPSILONS:
            try:
                each = predict(
                    key, n, choice.request.k, d, epsilon, neighbors=choice.request.neighbors
                )
            except Infeasible:
                break
            predictions_of[key][epsilon] = each
    return predictions_of


def table(predictions_of: dict[str, dict[float, Prediction]]) -> None:
    def say(each: Prediction | None) -> str:
        if each is None:
            return "cannot run"
        if each.bias:
            return f"{min(each.noise, each.mse):.2g} to {each.mse:.2g}"
        return f"{each.mse:.2g}"

    columns = {
        ALGORITHMS[key].title: [say(column.get(epsilon)) for epsilon in EPSILONS]
        for key, column in predictions_of.items()
    }
    index = pd.Index([f"{epsilon:g}" for epsilon in EPSILONS], name="ε")
    st.table(pd.DataFrame(columns, index=index), border="horizontal")


def python(choice: Choice, n: int, d: int) -> str:
    """A program that prints the same predictions."""
    request = choice.request
    return f"""\
import dpcore
from dpcore.study.prediction import COMPARED

for epsilon in {list(EPSILONS)}:
    for key in COMPARED:
        try:
            found = dpcore.predict(
                key, {n}, {request.k}, {d}, epsilon, neighbors={str(request.neighbors)!r}
            )
        except dpcore.Infeasible:
            continue
        print(key, epsilon, found.noise, found.bias)
"""


def command(choice: Choice, n: int, d: int) -> str:
    epsilons = " ".join(f"{epsilon:g}" for epsilon in EPSILONS)
    request = choice.request
    return (
        f"dpcore predict -n {n} -d {d} -k {request.k} --neighbors {request.neighbors} "
        f"--epsilons {epsilons}"
    )
