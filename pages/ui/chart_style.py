"""The style of Plotly charts: ground, type, grid, and the camera above them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from pages.ui import address, url_keys, visibility
from pages.ui.palette import Palette


def layout(colors: Palette) -> dict[str, Any]:
    return {
        "showlegend": False,
        "paper_bgcolor": colors.paper,
        "plot_bgcolor": colors.paper,
        "font": {"color": colors.text, "family": "Source Sans, sans-serif", "size": 14},
        "hoverlabel": {
            "bgcolor": colors.paper,
            "font": {"color": colors.text},
            "align": "left",
        },
        "dragmode": False,
    }


def margin(narrow: bool) -> dict[str, int]:
    """Room for the camera above, and for names at the lines' ends where the window is wide."""
    return {"l": 60 if narrow else 70, "r": 12 if narrow else 125, "t": 36, "b": 50}


def axis(colors: Palette) -> dict[str, Any]:
    return {"gridcolor": f"{colors.shore}66", "zeroline": False, "linecolor": colors.shore}


def marker(color: str, holds: bool, colors: Palette, size: int = 10) -> dict[str, Any]:
    """A solid disc; hollow where the privacy claim does not hold."""
    return {
        "size": size,
        "color": color if holds else colors.paper,
        "line": {"color": colors.paper if holds else color, "width": 1 if holds else 2},
        "opacity": 1,
    }


def private_line(
    x: Sequence[float], y: Sequence[float], sizes: int | list[int], hover: str, colors: Palette
) -> go.Scatter:
    """A line through private figures, with a disc at each."""
    return go.Scatter(
        x=x,
        y=y,
        mode="lines+markers",
        line={"color": colors.private, "width": 2},
        marker={"size": sizes, "color": colors.private},
        hovertemplate=f"{hover}<extra></extra>",
    )


def draw(figure: go.Figure, name: str, alt: str, data: str) -> list[dict[str, Any]]:
    """Draw it, with a camera that saves it under its name; the points that somebody clicks.

    There is no camera for what a page shows of raw data that are not public.
    """
    kind = url_keys.CAMERA.get()
    event = st.plotly_chart(
        figure,
        key=name,
        theme=None,
        on_select="rerun",
        selection_mode="points",
        config={
            "displaylogo": False,
            "displayModeBar": visibility.may_leave(data),
            "modeBarButtons": [["toImage"]],
            "toImageButtonOptions": {"format": kind.lower(), "filename": name, "scale": 2},
        },
        alt=alt,
    )
    return event.selection.points


def camera_control() -> None:
    address.control(
        st.segmented_control,
        "The camera above the chart saves",
        url_keys.CAMERA,
        required=True,
    )
