"""Start: the purpose of the dashboard, three ways in, a tour, and a glossary."""

from __future__ import annotations

import base64
import platform

import streamlit as st

import dpcore
from dpcore.geometry.domain import Box
from dpcore.runs.request import Request
from pages.ui import address, cached_work, city_map, frame, glossary, palette, tour, url_keys
from pages.ui.choice import Choice
from pages.ui.city_map import CityMap

VIEW = Box((-74.02, 40.705), (-73.925, 40.795))
HEIGHT = 400
STYLE = """
<style>
[data-testid="stMain"] .st-key-story h1 { font-size: 2.7rem; line-height: 1.15; font-weight: 800; }
.story { font-size: 1.0625rem; line-height: 1.5; margin: 0 0 .5rem; }
.story-source { font-size: .875rem; opacity: .75; margin: 0; }
.st-key-story-ways a { border: 1px solid rgba(128, 144, 160, .6); border-radius: .5rem; }
.st-key-story-map :is(.map-key, .map-wheel) { display: none; }
[class*="st-key-door-"] img {
  display: block; width: 100%; height: 6.5rem; object-fit: contain; border-radius: .4rem;
  background: light-dark(#F6F5F0, #202830);
}
[data-testid="stMain"] [class*="st-key-door-"] h3 { padding: 0; }
[class*="st-key-door-"] [data-testid="stMarkdownContainer"] { margin-bottom: 0; }
</style>
"""
STORY = (
    "In 2014 the city of New York answered a request for public records with every taxi trip of "
    "the year before: 173 million of them. No passenger was named, and license numbers had been "
    "replaced by codes. Within hours a programmer had undone the codes. Soon others matched "
    "photographs of celebrities stepping into cabs with the trips, and read where they went and "
    "what they paid. It does not take fame. A neighbor who sees you get into a taxi at 8:10 knows "
    "your corner and your minute: in such a file that is one trip, and it ends where you got out."
)
SOURCE = (
    "Vijay Pandurangan, “On Taxis and Rainbows”, June 2014. Anthony Tockar, “Riding with the "
    "Stars: Passenger Privacy in the NYC Taxicab Dataset”, Neustar Research, September 2014."
)
ANSWER = (
    "A city still needs such maps. This program makes them from your data and adds noise, so that "
    "the map shows where people go and nobody can tell whether any one trip is in it."
)


def main() -> None:
    frame.frame("Start")
    st.html(STYLE + glossary.STYLE)
    words, picture = st.columns([3, 2], gap="large", vertical_alignment="center")
    with words, st.container(key="story", gap="small"):
        st.title("Could a neighbor find your taxi trip?", anchor=False)
        st.html(
            f'<p class="story">{STORY}</p><p class="story"><b>{ANSWER}</b></p>'
            f'<p class="story-source">{SOURCE}</p>'
        )
        with st.container(horizontal=True, vertical_alignment="center", key="story-ways"):
            st.page_link(
                "app.py",
                label="Explore the map",
                icon=":material/map:",
                query_params=address.link(without=[url_keys.TOUR]),
            )
            if not url_keys.TOUR.get():
                tour.begin()
    with picture, st.container(key="story-map"):
        city_map.show(private_map(), "story-city")
    if url_keys.TOUR.get():
        tour.part()
    doors()
    st.subheader("Six words", anchor=False)
    st.html(f"<p>Point at a word, or reach it with the Tab key.</p>{glossary.row()}")
    more()


def doors() -> None:
    """Draw the three ways into the program."""
    publish, teach, compare = st.columns(3)
    with publish:
        door(
            "publish",
            "I have data to publish",
            "Turn a file of places into a map that you can share with anyone, in four steps.",
            ("pages/4_publish.py", "Publish"),
            published_picture(),
        )
    with teach:
        door(
            "teach",
            "I teach",
            "Games, ten lessons and rooms for phones: a class sees what privacy costs.",
            ("pages/5_learn.py", "Learn"),
            guess_picture(),
        )
    with compare:
        door(
            "compare",
            "I compare methods",
            "Over thirty methods on the same data: accuracy, time, and whether proofs hold.",
            ("pages/2_compare.py", "Compare"),
            curve_picture(),
        )


def door(key: str, title: str, words: str, way: tuple[str, str], picture: str) -> None:
    with st.container(border=True, key=f"door-{key}", height="stretch"):
        st.html(picture)
        st.markdown(f"### {title}")
        st.markdown(words)
        file, label = way
        st.page_link(
            file,
            label=label,
            icon=":material/arrow_forward:",
            query_params=address.link(without=[url_keys.TOUR]),
        )


def private_map() -> CityMap:
    """A map that anybody may see: published points and five private centers."""
    choice = Choice(tour.DATA, Request(tour.METHOD, tour.CENTERS, tour.BALANCED, seed=0))
    picture = cached_work.picture(choice, (0, 1))
    canvas = CityMap("A private map of New York: published points and five busy areas.", VIEW)
    if picture.marks:
        canvas.points = city_map.points(picture.marks, "trips")
    canvas.centers = [
        {"at": at, "color": "private", "tip": ["A busy area"]}
        for at in picture.centers[[0, 1]].to_numpy().tolist()
    ]
    canvas.height = HEIGHT
    return canvas


# Pictures on the doors: drawings, so that they need no map.


def drawing(shapes: str, words: str) -> str:
    colors = palette.current()
    picture = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 120" width="300" height="120">'
        f'<rect width="300" height="120" fill="{colors.land}"/>{shapes}</svg>'
    )
    data = base64.b64encode(picture.encode()).decode()
    return f'<img alt="{words}" src="data:image/svg+xml;base64,{data}">'


def published_picture() -> str:
    """A map, an arrow, a sheet to hand out."""
    colors = palette.current()
    dots = "".join(
        f'<circle cx="{40 + 14 * (i % 6) + 6 * (i // 6 % 2)}" cy="{24 + 13 * (i // 6)}" '
        f'r="{2 + i * 7 % 4}" fill="{colors.points}" opacity=".55"/>'
        for i in range(36)
    )
    discs = "".join(
        f'<circle cx="{x}" cy="{y}" r="9" fill="{colors.private}" stroke="{colors.rim}" '
        'stroke-width="2"/>'
        for x, y in ((62, 38), (104, 56), (74, 84))
    )
    arrow = (
        f'<path d="M148 60H186M176 50L188 60L176 70" fill="none" stroke="{colors.text}" '
        'stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/>'
    )
    lines = "".join(
        f'<path d="M220 {y}H{end}" stroke="{colors.quiet}" stroke-width="4"/>'
        for y, end in ((74, 262), (84, 262), (94, 244))
    )
    sheet = (
        f'<rect x="206" y="14" width="70" height="92" rx="6" fill="{colors.paper}" '
        f'stroke="{colors.quiet}" stroke-width="2"/>'
        f'<circle cx="241" cy="42" r="13" fill="{colors.private}"/>{lines}'
    )
    return drawing(dots + discs + arrow + sheet, "A map becomes a sheet to hand out")


def guess_picture() -> str:
    """Four noisy counts, and a trip in question."""
    colors = palette.current()
    cells = "".join(
        f'<rect x="{x}" y="{y}" width="88" height="50" fill="{colors.points}" opacity="{shade}"/>'
        f'<text x="{x + 44}" y="{y + 34}" text-anchor="middle" font-size="26" font-weight="700" '
        f'fill="{colors.text}" stroke="{colors.halo}" stroke-width="4" paint-order="stroke" '
        f'font-family="sans-serif">{count}</text>'
        for x, y, count, shade in (
            (60, 8, "0", 0.06),
            (152, 8, "1", 0.1),
            (60, 62, "55", 0.3),
            (152, 62, "385", 0.55),
        )
    )
    mark = (
        f'<circle cx="254" cy="26" r="15" fill="{colors.paper}" stroke="{colors.text}" '
        f'stroke-width="3"/><text x="254" y="33" text-anchor="middle" font-size="20" '
        f'font-weight="700" fill="{colors.text}" font-family="sans-serif">?</text>'
    )
    return drawing(cells + mark, "Four noisy counts, and a trip that may be in them")


def curve_picture() -> str:
    """Curves that fall as more may leak."""
    colors = palette.current()
    axes = f'<path d="M40 12V102H276" fill="none" stroke="{colors.quiet}" stroke-width="2.5"/>'
    curves = "".join(
        f'<path d="M46 {y}C90 {y + 40} 130 {low} 270 {low}" fill="none" stroke="{color}" '
        'stroke-width="4" stroke-linecap="round"/>'
        for y, low, color in zip((20, 34, 12), (78, 88, 62), colors.series, strict=False)
    )
    return drawing(axes + curves, "Curves: the error of three methods falls as more may leak")


def more() -> None:
    """Draw help, and what this program is."""
    with st.expander("Help", icon=":material/help:"):
        st.markdown(
            "- **Where do I begin?** With the tour, or with *Explore*: move the slider and watch "
            "the map.\n"
            "- **Does my data leave this machine?** No. This program asks no other computer for "
            "anything, and your files stay in memory until you close the page or press “Forget my "
            "data”. Only what you publish can leave, as files that you download.\n"
            "- **What can I try without using any budget?** Everything but *Publish*, and "
            "*Publish* up to its last button. Sample data are offered there.\n"
            "- **What does a level mean?** It limits how sure an attacker can become. Each level "
            "says so in words; you never need ε.\n"
            "- **How do I get back to a picture?** Its address holds all settings: bookmark it or "
            "send it. The browser’s Back button undoes each step.\n"
            "- **From the command line:** `dpcore --help`. **From Python:** `help(dpcore)`. The "
            "guides are in the folder `docs`."
        )
    with st.expander("About", icon=":material/info:"):
        st.markdown(
            "Private k-means for maps and tables: differentially private methods of five papers, "
            "repaired where their proofs fail, with releases that keep an account. *Verdicts* says "
            "which claims hold. Taxi trips: New York City Taxi and Limousine Commission, sample by "
            "datashader. Map: © OpenStreetMap contributors, GeoNames, New York City. License: "
            "BSD-3-Clause."
        )
    st.caption(f"Version {dpcore.__version__} · Python {platform.python_version()}")


main()
