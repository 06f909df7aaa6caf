"""The legend of a picture, and the switches that show and hide its marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.privacy.explain import plural
from dpcore.study.run_view import Marks
from pages.ui import address, palette, url_keys, visibility
from pages.ui.palette import Palette

if TYPE_CHECKING:
    from pages.ui.cached_work import Picture
    from pages.ui.choice import Choice

#: Key in the address, whose name is also the layer's, and words on the switch.
SWITCHES = (
    (url_keys.POINTS, "Published points"),
    (url_keys.PRIVATE, "Private centers"),
    (url_keys.NON_PRIVATE, "Non-private centers"),
    (url_keys.SHIFTS, "Lines between them"),
    (url_keys.PUBLISHED_DENSITY, "Density of what is published"),
    (url_keys.TRUE_DENSITY, "True density"),
)
#: Layers of what nothing protects.
MARKED = (url_keys.NON_PRIVATE, url_keys.TRUE_DENSITY)


@dataclass(frozen=True)
class Layers:
    """The layers that are drawn, as the person switched them on or off."""

    points: bool = True
    private: bool = True
    non_private: bool = True
    shifts: bool = True
    published_density: bool = False
    true_density: bool = False


def in_address() -> Layers:
    """The layers that the address shows."""
    return Layers(**{key.name: key.get() for key, _ in SWITCHES})


def layer_switches(data: str) -> None:
    """A switch for every layer, in an expander."""
    mark = visibility.item_mark(data)
    with st.expander("Layers", icon=":material/layers:"):
        for key, words in SWITCHES:
            address.control(st.toggle, f"{words} {mark * (key in MARKED)}".strip(), key)


def legend(picture: Picture, choice: Choice, layers: Layers) -> None:
    """One line under a picture that has no legend of its own, as a map has."""
    if not choice.about.geographic:
        st.markdown("&emsp; ".join(entries(picture, choice, layers)), unsafe_allow_html=True)


def entries(picture: Picture, choice: Choice, layers: Layers) -> list[str]:
    """The marks that are drawn, with their words."""
    colors = palette.current()
    unit, mark = plural(choice.about.unit), visibility.item_mark(choice.data)
    legend = []
    if layers.points and picture.marks:
        legend.append(published(picture.marks, unit, colors))
    if layers.private:
        fill = colors.private if picture.verdict.holds else colors.unproven
        words = f"{picture.kind} centers, numbered as in the table"
        legend.append(entry(circle(7, fill, colors.rim, 2), words))
    if layers.non_private:
        ring = circle(7, "none", colors.non_private, 3)
        legend.append(f"{entry(ring, 'Non-private centers')} {mark}")
    if layers.published_density and picture.density is not None:
        legend.append(entry(swatch(colors.private), "Density of what is published"))
    if layers.true_density:
        words = f"True density of {unit}"
        legend.append(f"{entry(swatch(colors.non_private), words)} {mark}")
    return legend


def published(marks: Marks, unit: str, colors: Palette) -> str:
    if marks.cell:
        return entry(swatch(colors.points, 0.55), f"Published noisy counts, darker for more {unit}")
    return entry(
        circle(4, colors.points, "none", 0), f"Published points, sized by number of {unit}"
    )


def entry(mark: str, words: str) -> str:
    """A mark and what it means, on one line where it fits."""
    return f'<span style="display:inline-block">{mark} {words}</span>'


def circle(radius: float, fill: str, stroke: str, width: float) -> str:
    return (
        '<svg width="20" height="20" style="vertical-align:-5px">'
        f'<circle cx="10" cy="10" r="{radius}" fill="{fill}" stroke="{stroke}" '
        f'stroke-width="{width}"/></svg>'
    )


def swatch(color: str, opacity: float = 0.7) -> str:
    return (
        '<svg width="18" height="20" style="vertical-align:-5px">'
        f'<rect x="1" y="3" width="15" height="15" rx="2" fill="{color}" '
        f'opacity="{opacity}"/></svg>'
    )
