"""The picture of a run away from the city: two named coordinates, drawn with Plotly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from dpcore.geometry.domain import Box
from dpcore.privacy.explain import people_count, plural
from dpcore.study.run_view import Levels, Marks
from pages.ui.palette import Palette
from pages.ui.wording import plain_in_chart

if TYPE_CHECKING:
    from pages.ui.cached_work import Picture
    from pages.ui.choice import Choice
    from pages.ui.legend import Layers
    from pages.ui.run_picture import Center

#: Diameter of a disc whose area is that of all rows.
WHOLE_DIAMETER = 190
HEIGHT = 560
#: On a phone the slider stands below the picture, on the same screen.
NARROW_HEIGHT = 340


def figure(
    picture: Picture,
    choice: Choice,
    centers: list[Center],
    axes: tuple[int, int],
    layers: Layers,
    colors: Palette,
    *,
    true_density: Levels | None = None,
    narrow: bool = False,
) -> go.Figure:
    box, unit = choice.box.take(axes), choice.about.unit
    chart = go.Figure()
    published = picture.density if layers.published_density else None
    for levels, color, name in (
        (true_density, colors.non_private, "true"),
        (published, colors.private, "published"),
    ):
        if levels is not None:
            chart.add_trace(density(levels, box.low, box.high, color, name))
    if layers.points and picture.marks:
        chart.add_trace(marks(picture.marks, unit, colors))
    i, j = axes
    if layers.shifts:
        x, y = ([v for c in centers for v in (c.partner[a], c.at[a], None)] for a in (i, j))
        line = {"color": colors.non_private, "width": 2}
        chart.add_trace(go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip"))
    if layers.non_private:
        ring = {"symbol": "circle-open", "size": 27, "color": colors.non_private}
        partners = [((c.partner[i], c.partner[j]), c.partner_tip) for c in centers]
        chart.add_trace(symbols(partners, {**ring, "line": {"width": 3}}))
    if layers.private:
        color = colors.private if picture.verdict.holds else colors.unproven
        rim = {"width": 2, "color": colors.rim}
        discs = symbols(
            [((c.at[i], c.at[j]), c.tip) for c in centers],
            {"size": 20, "color": color, "opacity": 1, "line": rim},
        )
        numbers = [f"<b>{number}</b>" for number in range(1, len(centers) + 1)]
        number_font = {"color": colors.number, "size": 11}
        chart.add_trace(discs.update(mode="markers+text", text=numbers, textfont=number_font))
    height = NARROW_HEIGHT if narrow else HEIGHT
    chart.update_layout(**layout(box, colors, height), uirevision=choice.data)
    return chart


def symbols(
    places: Sequence[tuple[tuple[float, float], tuple[str, ...]]], marker: dict[str, Any]
) -> go.Scatter:
    """One symbol at each place, with the lines of its tooltip; whole also at the border."""
    return go.Scatter(
        x=[x for (x, _), _ in places],
        y=[y for (_, y), _ in places],
        hovertext=[hover(tip) for _, tip in places],
        mode="markers",
        marker=marker,
        hoverinfo="text",
        cliponaxis=False,
    )


def layout(box: Box, colors: Palette, height: int) -> dict[str, Any]:
    """The layout of a chart of the first two coordinates of a box."""
    axis = {"gridcolor": colors.shore, "zeroline": False, "linecolor": colors.shore}
    x, y = (
        {**axis, "range": [low, high], "title": plain_in_chart(name)}
        for low, high, name in list(zip(box.low, box.high, box.names, strict=True))[:2]
    )
    return {
        "showlegend": False,
        "height": height,
        "margin": {"l": 60, "r": 20, "t": 20, "b": 50},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": colors.land,
        "font": {"color": colors.text, "family": "Source Sans, sans-serif", "size": 14},
        "hoverlabel": {"bgcolor": colors.paper, "font": {"color": colors.text}, "align": "left"},
        "xaxis": x,
        "yaxis": y,
    }


def hover(lines: tuple[str, ...]) -> str:
    return "<br>".join(map(plain_in_chart, lines))


def marks(dots: Marks, unit: str, colors: Palette) -> go.Scatter | go.Heatmap:
    """Points as discs whose area is their weight; cells as squares, the fuller the darker."""
    if dots.cell:
        return cells(dots, unit, colors)
    weights = dots.frame["weight"]
    size = WHOLE_DIAMETER * (weights / (float(weights.sum()) or 1.0)) ** 0.5
    return go.Scatter(
        x=dots.frame["x"],
        y=dots.frame["y"],
        text=[f"stands for about <b>{people_count(w)}</b> {plural(unit)}" for w in weights],
        mode="markers",
        marker={
            "size": size.clip(lower=2).tolist(),
            "color": colors.points,
            "opacity": 0.65,
            "line": {"width": 0},
        },
        hoverinfo="text",
    )


def cells(dots: Marks, unit: str, colors: Palette) -> go.Heatmap:
    table = dots.frame.pivot(index="y", columns="x", values="weight")
    return go.Heatmap(
        x=table.columns,
        y=table.index,
        z=(table**0.5).to_numpy(),
        customdata=table.to_numpy(),
        hovertemplate=f"about <b>%{{customdata:,.0f}}</b> {plural(unit)} here<extra></extra>",
        colorscale=shades(colors.points, 0.05, 0.8),
        xgap=1,
        ygap=1,
        showscale=False,
    )


def shades(color: str, least: float, most: float) -> list[list[float | str]]:
    """One color, from nearly transparent to nearly solid."""
    red, green, blue = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return [[end, f"rgba({red},{green},{blue},{a})"] for end, a in ((0, least), (1, most))]


def density(
    levels: Levels, low: tuple[float, ...], high: tuple[float, ...], color: str, name: str
) -> go.Heatmap:
    side = len(levels)
    step = [(h - a) / side for a, h in zip(low, high, strict=True)]
    return go.Heatmap(
        z=levels[::-1].tolist(),
        x0=low[0] + step[0] / 2,
        dx=step[0],
        y0=low[1] + step[1] / 2,
        dy=step[1],
        colorscale=shades(color, 0, 0.8),
        showscale=False,
        hoverinfo="skip",
        name=name,
    )
