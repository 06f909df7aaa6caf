"""Colors with a meaning, in light and dark. Shape says the same: discs, rings, points, squares."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st


@dataclass(frozen=True)
class Palette:
    """Hexadecimal colors, for CSS and Plotly; `rgb` gives numbers from 0 to 255."""

    water: str
    land: str
    shore: str
    #: What was published beside the centers.
    points: str
    private: str
    non_private: str
    #: Centers of a procedure whose claim does not hold.
    unproven: str
    rim: str
    text: str
    quiet: str
    paper: str
    #: Curves side by side; the red of what is not private is none of them.
    series: tuple[str, ...]
    #: From little to much.
    scale: tuple[str, ...]
    #: The base map: land around the city, parks, cemeteries and airports, and streets.
    around: str
    park: str
    site: str
    street: str
    #: Names of neighborhoods, boroughs, parks, waters and other places, and what is around them.
    name: str
    borough: str
    grove: str
    sea: str
    place: str
    halo: str
    #: The number on a private center.
    number: str
    #: Areas with a level of their own, from the loosest level to the strictest.
    tints: tuple[str, ...]

    def rgb(self, name: str, alpha: int = 255) -> list[int]:
        color = getattr(self, name)
        return [*(int(color[i : i + 2], 16) for i in (1, 3, 5)), alpha]


LIGHT = Palette(
    water="#CEE0EC",
    land="#F6F5F0",
    shore="#B0BAC2",
    points="#14181C",
    private="#005ADC",
    non_private="#D02424",
    unproven="#B45F06",
    rim="#FFFFFF",
    text="#14181C",
    quiet="#5B6770",
    paper="#FFFFFF",
    series=("#005ADC", "#0B7A75", "#7A3E9D", "#8A6D00", "#C2327E", "#4C6B1F", "#00799F"),
    scale=("#EAF1F6", "#B3D0EC", "#659DE6", "#005ADC", "#00398C", "#002966"),
    around="#F0F0EB",
    park="#D6E7CB",
    site="#E5E5E2",
    street="#C3C7CA",
    name="#3A424C",
    borough="#5A636D",
    grove="#2D6737",
    sea="#34658A",
    place="#62666C",
    halo="#F6F5F0",
    number="#FFFFFF",
    tints=("#F3ECFA", "#E4D5F3", "#D0B8EA", "#B892DC", "#9A69C9", "#7A44AC", "#582684"),
)
DARK = Palette(
    water="#0B1A26",
    land="#202830",
    shore="#425060",
    points="#ECF0F4",
    private="#569CFF",
    non_private="#FF6B5E",
    unproven="#F0A35E",
    rim="#FFFFFF",
    text="#ECF0F4",
    quiet="#A9B6C0",
    paper="#0F151C",
    series=("#569CFF", "#4CC4B8", "#C39BE8", "#E0C04C", "#F08BBF", "#A5C76B", "#5CC8EE"),
    scale=("#122B45", "#235089", "#4081D6", "#82B5FF", "#D9E8FF"),
    around="#1B222A",
    park="#20362C",
    site="#2A323A",
    street="#434E58",
    name="#BEC8D0",
    borough="#96A3AE",
    grove="#8CC496",
    sea="#7AAACD",
    place="#A0AAB2",
    halo="#202830",
    number="#0A1018",
    tints=("#2E2838", "#3B2F4D", "#4B3866", "#614684", "#7C58A8", "#9D75CC", "#C39BE8"),
)


def current() -> Palette:
    """The palette of the theme that the person sees."""
    return DARK if st.context.theme.type == "dark" else LIGHT
