"""Results in notebooks: a table with a small map, a frame, or a chart."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.results.formats import Places

#: Rows of a table in a notebook, and points of a small map: more help nobody.
MOST_ROWS, MOST_POINTS = 12, 2000
#: Width and height of a small map.
WIDE, HIGH = 320, 220
#: Radius of the largest point.
LARGEST = 9.0


class Shown:
    """A result that notebooks and maps can show. Where it is not private, they say only that."""

    def places(self) -> Places:
        """The places to show; TypeError if they are not private."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """A data frame: one row a place, with its status if it may not leave."""
        return self.places().as_frame()

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        """A GeoJSON feature collection, for GeoPandas, Shapely and maps in notebooks."""
        collection: dict[str, Any] = json.loads(self.places().as_geojson())
        return collection

    def _repr_html_(self) -> str:
        """A line about it, a small map, and the first rows."""
        title = f"<p><code>{escape(_title(self))}</code></p>"
        try:
            places = self.places()
        except (TypeError, ValueError):  # not private, or nothing to draw
            return title
        return title + _small_map(places) + _table(places)

    def plot(self) -> Any:
        """A Plotly figure of the places, over the first two coordinates or each pair of more."""
        import importlib

        try:
            graphs = importlib.import_module("plotly.graph_objects")
        except ImportError as error:  # only charts need Plotly, so the core does without it
            raise ImportError("plot() needs Plotly: pip install 'dpcore[app]'.") from error
        places = self.places()
        names, sizes = places.box.names, _radii(places)
        marker = {"size": (2 * sizes).tolist(), "sizemode": "diameter"}
        columns = [axis.tolist() for axis in places.positions.T]
        if len(names) <= 2:
            up = columns[1] if len(names) == 2 else [0.0] * len(columns[0])
            drawing = graphs.Scatter(x=columns[0], y=up, mode="markers", marker=marker)
            figure = graphs.Figure(drawing)
            figure.update_xaxes(title=names[0], range=[places.box.low[0], places.box.high[0]])
            if len(names) == 2:
                figure.update_yaxes(title=names[1], range=[places.box.low[1], places.box.high[1]])
        else:
            dimensions = [
                {"label": name, "values": values}
                for name, values in zip(names, columns, strict=True)
            ]
            figure = graphs.Figure(graphs.Splom(dimensions=dimensions, marker=marker))
        figure.update_layout(title=places.status or None)
        return figure


def _title(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 300 and "\n" not in text else type(value).__name__


def _radii(places: Places) -> Any:
    """The radius of each place: by its weight, if it has one."""
    weights = places.properties.get("weight")
    if weights is None or not len(weights):
        return np.full(len(places.positions), LARGEST / 2)
    share = np.sqrt(np.clip(weights, 0, None) / max(float(np.max(weights)), 1e-300))
    return np.maximum(LARGEST * share, 1.0)


def _small_map(places: Places) -> str:
    """Two coordinates as a drawing in the box; nothing for any other number of them."""
    if places.box.d != 2:
        return ""
    points = slice(0, MOST_POINTS)
    unit = (places.box.to_unit(places.positions[points]) + 1) / 2
    circles = "".join(
        f'<circle cx="{WIDE * x:.1f}" cy="{HIGH * (1 - y):.1f}" r="{r:.1f}"/>'
        for (x, y), r in zip(unit.tolist(), _radii(places)[points].tolist(), strict=True)
    )
    return (
        f'<svg width="{WIDE}" height="{HIGH}" role="img" aria-label="small map" '
        'style="border:1px solid #888;background:#f7f6f2">'
        f'<g fill="#005adc" fill-opacity=".6">{circles}</g></svg>'
    )


def _table(places: Places) -> str:
    columns = places.columns()
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    rows = list(zip(*(values.tolist() for values in columns.values()), strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_text(value))}</td>" for value in row) + "</tr>"
        for row in rows[:MOST_ROWS]
    )
    more = len(rows) - MOST_ROWS
    rest = f"<p>and {more:,} more</p>" if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
