"""The frame around every page: title, bar, spacing."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import streamlit as st
from PIL import Image, ImageDraw

from pages.server import start
from pages.ui import access, address, top_bar, url_keys
from pages.ui.access import Action
from pages.ui.palette import LIGHT

ROOT = Path(__file__).parents[2]

#: Pages in the order of the menu; those that do not exist are left out.
PAGES = (
    ("pages/0_start.py", "Start", ":material/home:"),
    ("app.py", "Explore", ":material/map:"),
    ("pages/6_areas.py", "Areas", ":material/dashboard:"),
    ("pages/7_choose.py", "Choose a level", ":material/tune:"),
    ("pages/1_curves.py", "Curves", ":material/show_chart:"),
    ("pages/2_compare.py", "Compare", ":material/bar_chart:"),
    ("pages/3_verdicts.py", "Verdicts", ":material/verified_user:"),
    ("pages/4_publish.py", "Publish", ":material/publish:"),
    ("pages/5_learn.py", "Learn", ":material/school:"),
)
#: Pages that are a part of another one, and stand below its name.
WITHIN = {"Verdicts": "Compare"}
#: Where the product's name leads, the first of these that exists.
START = ("pages/0_start.py", "app.py")
#: What a visit must be allowed to do, any of it, to open a page.
NEEDS = {"Publish": (Action.PLAN, Action.HISTORY)}

#: Streamlit's own top margin is 6rem. Ours leaves room for the bar.
STYLE = """
<style>
[data-testid="stMainBlockContainer"] {
  padding: calc(var(--bar) + 1rem) 2rem 2rem; max-width: 90rem;
}
[data-testid="stSidebarUserContent"] { padding-bottom: 2rem; }
[data-testid="stSelectbox"] input { text-overflow: ellipsis; }
/* Beside what is chosen there may be little room, but never too little for a finger. */
[data-testid="stMultiSelectTagsContainer"] input { min-width: 24px; }
[data-testid="stMain"] h1 { font-size: 1.5rem; padding: 0; }
[data-testid="stMain"] :is(h2, h3, h4) { font-size: 1.2rem; padding: .4rem 0; }
/* In the dark, white letters could hardly be read on the light blue of what is primary. */
[data-testid^="stBaseButton-primary"], [data-tag], [data-tag] * {
  color: light-dark(#FFFFFF, #0F151C);
}
[data-testid^="stBaseButton-primary"]:is(:hover, :active) {
  color: light-dark(#FFFFFF, #0F151C); background-color: light-dark(#003C8F, #82B5FF);
}
button[data-variant="segmented_control"][aria-checked="true"]:hover {
  color: light-dark(#0049B3, #82B5FF);
}
/* Streamlit lets a row of choices in a column scroll, and half of them are never seen. */
[data-testid="stColumn"] [data-testid="stButtonGroup"] > div { flex-wrap: wrap; }
[data-testid="stMetricValue"] { font-size: 1.9rem; padding-bottom: 0; }
[data-testid="stMetricValue"] :is(div, p) { white-space: normal; line-height: 1.2; }
[data-testid="stMetricLabel"] :is(div, p) { white-space: normal; }
[data-testid="stMain"] .stMarkdownBadge {
  white-space: normal !important; line-height: 1.3;
}
/* Our own words stand under the ends of the slider. */
[data-testid="stSliderTickBar"] { display: none; }
.ends {
  display: flex; justify-content: space-between; margin-top: -1.25rem;
  font-size: .875rem; opacity: .7;
}
.figures {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: 1rem;
  margin: 0 !important; padding: 0 !important;
}
.figures dt { font-size: .875rem; line-height: 1.35; }
.figures dd { margin: 0; font-size: .875rem; line-height: 1.35; }
.figures dd, table.centers th { color: light-dark(#4F5A63, #A9B6C0); }
.figures .value { font-size: 1.9rem; line-height: 1.2; color: inherit; }
.badge {
  display: inline-block; padding: 0 .4rem; border-radius: .35rem; font-size: .8rem;
  color: light-dark(#A11919, #FF9C93); background: light-dark(#FBE9E9, #3B1D1F);
}
.badge.from-twin { color: light-dark(#0049B3, #82B5FF); background: light-dark(#EAF1FD, #14284A); }
table.centers { width: 100%; border-collapse: collapse; font-size: .875rem; }
table.centers :is(td, th) {
  padding: .3rem .4rem; border: 0 solid light-dark(#C8D0D7, #425060); border-bottom-width: 1px;
  text-align: left; font-weight: 400; vertical-align: top;
}
table.centers td:last-child { white-space: nowrap; }
/* The map stays where it is, however much there is to say beside the slider. */
.st-key-words { min-height: 9rem; }
/* What only listens takes no room. */
.st-key-width-watcher { display: none; }
@media (max-width: 640px) {
  .st-key-words { min-height: 0; }
  [data-testid="stTable"] :is(td, th) { padding: .25rem !important; }
  [data-testid="stTable"] :is(td, th, p), table.centers { font-size: .75rem; }
  table.centers :is(td, th) { padding: .25rem; }
  [data-testid="stMainBlockContainer"] { padding: calc(var(--bar) + .75rem) 1rem 2rem; }
}
</style>
"""


@cache
def emblem() -> bytes:
    """A private center in its non-private ring. Streamlit fetches any other icon from afar."""
    picture = Image.new("RGBA", (64, 64))
    pen = ImageDraw.Draw(picture)
    pen.ellipse((2, 2, 61, 61), outline=LIGHT.non_private, width=8)
    pen.ellipse((17, 17, 46, 46), fill=LIGHT.private)
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def frame(title: str) -> None:
    """Draw what surrounds a page. Every page calls this first."""
    st.set_page_config(page_title=f"{title} · {top_bar.NAME}", page_icon=emblem(), layout="wide")
    st.html(STYLE)
    st.html(top_bar.STYLE)  # also where a visit is sent away, and sees no bar
    if not start.is_guarded():
        st.error("Start the dashboard with `streamlit run app.py`: no other file is safe to open.")
        st.stop()
    access.admit(*needs(title))
    address.arrive(title, url_keys.RENAMED)
    pages = [
        (file, label, icon)
        for file, label, icon in PAGES
        if (ROOT / file).exists() and access.may(*needs(label))
    ]
    start_page = next(file for file in START if (ROOT / file).exists())
    top_bar.draw(title, pages, WITHIN, start_page)


def needs(title: str) -> tuple[Action, ...]:
    return NEEDS.get(title, (Action.LOOK,))
