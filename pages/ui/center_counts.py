"""The cost of each number of centers, from what one run would publish, at no further cost.

Private: the curve is computed from the points of a run alone, so it is as private as they are.
"""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from dpcore.release.ask import CostCurve, curve_of
from dpcore.results.synopsis import Coreset
from pages.ui import cached_work, chart_style, palette, url_keys
from pages.ui.choice import Choice
from pages.ui.palette import Palette

#: More points than this are merged first: the curve stays the same to the eye.
MOST_POINTS = 2_000
FALLBACK = url_keys.ALGORITHM.default


@cached_work.once(64, show_spinner="Finding centers …")
def curve(choice: Choice) -> CostCurve | None:
    """The costs by the points of this run; None where it publishes centers alone."""
    synopsis = cached_work.run(choice).synopsis
    if isinstance(synopsis, Coreset) and len(synopsis) > MOST_POINTS:
        synopsis = synopsis.reduced(MOST_POINTS)
    return None if synopsis is None or not len(synopsis) else curve_of(synopsis)


def button(choice: Choice) -> None:
    """Draw the button that opens the curve."""
    if st.button("How many?", type="tertiary", key="how-many"):
        choose(choice)


@st.dialog("How many centers?", width="large")
def choose(choice: Choice) -> None:
    cost_curve = curve(choice)
    if cost_curve is None:
        st.markdown(
            f"{choice.request.system.title} publishes its centers and nothing else, so each other "
            "number of centers costs another run."
        )
        pressed = st.button(
            "Use the recommended method",
            key="use-recommended",
            on_click=url_keys.ALGORITHM.put,
            args=(FALLBACK,),
        )
    else:
        k = choice.request.k
        st.markdown(
            f"**{cost_curve.suggested} centers fit these data best**: with fewer the cost rises "
            "steeply, with more it falls little. The curve is computed from what this run would "
            "publish, so it costs no more privacy."
        )
        st.plotly_chart(
            figure(cost_curve, k, palette.current()), theme=None, config={"displayModeBar": False}
        )
        pressed = st.button(
            f"Use {cost_curve.suggested} centers",
            key="use-suggested",
            type="primary",
            disabled=cost_curve.suggested == k,
            on_click=url_keys.CENTERS.put,
            args=(cost_curve.suggested,),
        )
    if pressed:
        st.rerun()  # the whole page: the curve goes away


def figure(cost_curve: CostCurve, k: int, colors: Palette) -> go.Figure:
    """The cost of each number of centers in percent of that of one center."""
    one = cost_curve.costs[0][1] or 1.0
    ks = [number for number, _ in cost_curve.costs]
    parts = [100 * cost / one for _, cost in cost_curve.costs]
    chart = go.Figure()
    chart.add_trace(chart_style.private_line(ks, parts, 8, "%{x} centers: %{y:.1f} %", colors))
    for number, words in ((cost_curve.suggested, "suggested"), (k, "now")):
        if number not in ks or (words == "now" and k == cost_curve.suggested):
            continue
        chart.add_annotation(
            x=number,
            y=parts[ks.index(number)],
            text=f"{number}: {words}",
            showarrow=True,
            arrowcolor=colors.quiet,
            ax=30,
            ay=-40,
            font={"color": colors.text},
        )
    chart.update_layout(**chart_style.layout(colors), height=340, margin={"t": 20, "r": 20})
    chart.update_xaxes(title="Centers", dtick=1, **chart_style.axis(colors))
    chart.update_yaxes(
        title="Squared distance, % of one center's",
        rangemode="tozero",
        **chart_style.axis(colors),
    )
    return chart
