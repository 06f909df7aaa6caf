"""Areas on Explore: the levels that the address gives to parts of the map count there too."""

from __future__ import annotations

import json

import streamlit as st

from dpcore.algorithms.base import SynopsisAlgorithm
from dpcore.errors import BadInput
from pages.ui import address, palette, url_keys
from pages.ui.areas import area_run
from pages.ui.areas.chosen import Chosen
from pages.ui.choice import Choice
from pages.ui.city_map import CityMap
from pages.ui.wording import plain

PAGE = "pages/6_areas.py"
#: The file that lines which repeat a run read its areas from.
FILE = "areas.geojson"
#: Areas that are named one by one.
NAMED = 4


def applied(choice: Choice) -> Choice:
    """The run with the areas of the address, where it can have any. Its own level is that of
    everywhere else."""
    areas = counting(choice)
    return area_run.with_areas(choice, areas) if areas else choice


def counting(choice: Choice) -> list[Chosen]:
    """The areas of the address that count for this run: all or none."""
    return [] if obstacle(choice) else url_keys.AREAS.get()


def obstacle(choice: Choice) -> str | None:
    """The reason why the areas of the address do not count for this run, in a sentence."""
    areas, system = url_keys.AREAS.get(), choice.request.system
    if not areas:
        return None
    if not (choice.about.geographic and choice.box.d == 2):
        return "These data have one level: areas need one longitude and one latitude per row."
    if not (isinstance(system, SynopsisAlgorithm) and system.verdict.holds):
        return f"{system.title} has one level for the whole map."
    try:
        area_run.with_areas(choice, areas)
    except BadInput as problem:
        return str(problem)
    return None


def note(choice: Choice) -> None:
    """A note on the areas that have a level of their own, and on where to change that."""
    areas = url_keys.AREAS.get()
    if not areas:
        return
    if problem := obstacle(choice):
        st.caption(f":material/layers: **Without your areas.** {plain(problem)}")
    else:
        named = "; ".join(f"{plain(each.name)}: **{each.level}**" for each in areas[:NAMED])
        more = f"; and {len(areas) - NAMED} more" if len(areas) > NAMED else ""
        st.caption(f":material/layers: {named}{more}. The slider sets everywhere else.")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(
            PAGE, label="Edit the areas", icon=":material/edit:", query_params=address.link()
        )
        st.button("One level for all", key="no-areas", on_click=url_keys.AREAS.clear)


def tint(canvas: CityMap, choice: Choice) -> None:
    """Tint the areas of a run by their levels, and explain that in the legend."""
    if choice.request.regions is None or canvas.areas:
        return
    areas, colors = area_run.drawable(url_keys.AREAS.get()), palette.current()
    canvas.areas = area_run.tinted(areas, colors, choice.about.unit)
    canvas.legend = [*area_run.legend(areas, colors), *canvas.legend]


def file(choice: Choice) -> str | None:
    """The file that lines which repeat the run read its areas from."""
    return None if choice.request.regions is None else FILE


def download(choice: Choice) -> None:
    """A button that saves the file of the areas, where there are any."""
    own_map = choice.request.regions
    if own_map is not None:
        st.download_button(
            "Areas as GeoJSON, for the lines below and the notebook",
            json.dumps(own_map.as_geojson()),
            FILE,
            "application/geo+json",
            icon=":material/download:",
            on_click="ignore",
        )
