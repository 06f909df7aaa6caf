"""The picture of a run away from the city: two named coordinates, drawn with Plotly."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dpcore.privacy.explain import people_count, plural
from dpcore.study.run_view import Levels, Marks
from pages.ui import cached_work
from pages.ui.cached_work import Picture
from pages.ui.controls import Choice
from pages.ui.palette import Palette
from pages.ui.wording import plain_in_chart

if TYPE_CHECKING:
    from pages.ui.run_picture import Center, Layers

#: Diameter of a disc whose area is that of all rows.
WHOLE_DIAMETER = 190
HEIGHT = 560


def figure(
    picture: Picture,
    choice: Choice,
    centers: list[Center],
    axes: tuple[int, int],
    layers: Layers,
    colors: Palette,
) -> go.Figure:
    box, unit = choice.box.take(axes), choice.about.unit
    drawn = go.Figure()
    densities: tuple[tuple[bool, Callable[[], Levels | None], str, str], ...] = (
        (
            layers.true_density,
            lambda: cached_work.true_density(choice.data, axes).value,
            colors.non_private,
            "true",
        ),
        (layers.published_density, lambda: picture.density, colors.private, "published"),
    )
    for wanted, levels, color, name in densities:
        if wanted and (found := levels()) is not None:
            drawn.add_trace(density(found, box.low, box.high, color, name))
    if layers.points and picture.marks:
        drawn.add_trace(marks(picture.marks, unit, colors))
    i, j = axes
    if layers.shifts:
        x, y = ([v for c in centers for v in (c.partner[a], c.at[a], None)] for a in (i, j))
        line = {"color": colors.non_private, "width": 2}
        drawn.add_trace(go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip"))
    if layers.non_private:
        ring = {"symbol": "circle-open", "size": 22, "color": colors.non_private}
        drawn.add_trace(
            go.Scatter(
                x=[c.partner[i] for c in centers],
                y=[c.partner[j] for c in centers],
                text=[hover(c.partner_tip) for c in centers],
                mode="markers",
                marker={**ring, "line": {"width": 3}},
                hoverinfo="text",
                cliponaxis=False,
            )
        )
    if layers.private:
        color = colors.private if picture.verdict.holds else colors.unproven
        drawn.add_trace(
            go.Scatter(
                x=[c.at[i] for c in centers],
                y=[c.at[j] for c in centers],
                text=[hover(c.tip) for c in centers],
                mode="markers",
                marker={
                    "size": 16,
                    "color": color,
                    "opacity": 1,
                    "line": {"width": 2, "color": colors.rim},
                },
                hoverinfo="text",
                cliponaxis=False,
            )
        )
    axis = {"gridcolor": colors.shore, "zeroline": False, "linecolor": colors.shore}
    drawn.update_layout(
        showlegend=False,
        height=HEIGHT,
        margin={"l": 60, "r": 20, "t": 20, "b": 50},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor=colors.land,
        font={"color": colors.text, "family": "Source Sans, sans-serif", "size": 14},
        hoverlabel={"bgcolor": colors.paper, "font": {"color": colors.text}, "align": "left"},
        xaxis={**axis, "range": [box.low[0], box.high[0]], "title": plain_in_chart(box.names[0])},
        yaxis={**axis, "range": [box.low[1], box.high[1]], "title": plain_in_chart(box.names[1])},
        uirevision=choice.data,
    )
    return drawn


def hover(lines: tuple[str, ...]) -> str:
    return "<br>".join(map(plain_in_chart, lines))


def marks(shown: Marks, unit: str, colors: Palette) -> go.Scatter | go.Heatmap:
    """Points as discs whose area is their weight; cells as squares, the fuller the darker."""
    if shown.cell:
        return cells(shown, unit, colors)
    weights = shown.frame["weight"]
    size = WHOLE_DIAMETER * (weights / (float(weights.sum()) or 1.0)) ** 0.5
    return go.Scatter(
        x=shown.frame["x"],
        y=shown.frame["y"],
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


def cells(shown: Marks, unit: str, colors: Palette) -> go.Heatmap:
    table = shown.frame.pivot(index="y", columns="x", values="weight")
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
