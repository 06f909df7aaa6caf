"""Four figures with a sentence each, and the table that says what the picture shows."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpcore.privacy import explain
from dpcore.study.repeats import DRAWS, Spread, spread
from pages.ui import cached_work, fragments, visibility
from pages.ui.cached_work import Picture
from pages.ui.choice import Choice
from pages.ui.wording import plain

#: So many draws are enough for a first figure.
ENOUGH = 4


def figures(choice: Choice, picture: Picture, place: str = "") -> None:
    """The figures of a run. Those over many draws come in after the picture and keep their band
    when new noise is drawn."""
    fragments.until_done(_figures, not cached_work.repeated(choice).done, choice, picture, place)


def _figures(choice: Choice, picture: Picture, place: str) -> bool:
    job = cached_work.repeated(choice)
    finished, drawn = job.done, job.results[:]
    usual = spread(drawn) if len(drawn) >= min(ENOUGH, DRAWS) else None
    with st.container(key=f"figures-{choice.request.epsilon:g}{place}"):
        for show in (moved, worse, published, protected):
            with st.container(gap=None):
                show(choice, picture, usual)
    if job.failure:
        st.warning(f"No figures over many draws: {plain(str(job.failure))}")
    return finished


def figure(label: str, value: str, sentence: str, mark: str = "") -> None:
    st.metric(label, value)
    st.caption(sentence)
    if mark:
        st.markdown(mark)


def so_far(usual: Spread) -> str:
    return f"over {usual.draws} draws" if usual.draws >= DRAWS else f"{usual.draws} draws so far"


def moved(choice: Choice, picture: Picture, usual: Spread | None) -> None:
    mark = visibility.mark(choice.data)
    if usual is None:
        return figure("Centers moved", "…", "Repeating the run with new noise.", mark)
    on_map = choice.about.geographic
    return figure(
        "Centers moved",
        explain.distance(usual.shift, on_map),
        f"Half of the centers move less, and 9 in 10 less than "
        f"{explain.distance_at_most(usual.shift_nine_in_ten, on_map)} ({so_far(usual)}).",
        mark,
    )


def worse(choice: Choice, picture: Picture, usual: Spread | None) -> None:
    mark = visibility.mark(choice.data)
    if usual is None:
        return figure("Accuracy lost", "…", "Comparing with the non-private centers.", mark)
    return figure(
        "Accuracy lost",
        explain.change(usual.worse),
        f"Compared with no privacy; 9 times in 10 {explain.less_than(usual.worse_nine_in_ten)}.",
        mark,
    )


def published(choice: Choice, picture: Picture, usual: Spread | None) -> None:
    unit = explain.plural(choice.about.unit)
    if picture.marks is None:
        return figure("Points published", "0", "Only the centers are published.")
    if picture.marks.cell:
        sentence = f"One noisy count for each cell of a grid replaces the {unit}."
        return figure("Counts published", f"{picture.marks.published:,}", sentence)
    sentence = f"Each replaces the {unit} around it."
    if (drawn := len(picture.marks.frame)) < picture.marks.published:
        sentence += f" The picture shows {drawn:,}, with nearby points merged."
    return figure("Points published", f"{picture.marks.published:,}", sentence)


def protected(choice: Choice, picture: Picture, usual: Spread | None) -> None:
    unit = choice.about.unit
    rows = explain.people_count(picture.truth.value.rows)
    label = f"{explain.plural(unit).capitalize()} protected"
    if not picture.verdict.holds:
        return figure(label, "none", "This method's privacy claim does not hold.")
    return figure(
        label,
        rows,
        f"Each one: {explain.scope(unit)}.",
        visibility.mark(choice.data) * choice.request.neighbors.size_is_private,
    )


def table(choice: Choice, picture: Picture) -> None:
    """The centers in words: what a screen reader gets of the picture."""
    about = choice.about
    partners = picture.truth.value.partners["shift"]
    rows = pd.DataFrame({f"{picture.kind} center": range(1, len(picture.centers) + 1)})
    if "place" in picture.centers:
        rows["Where"] = picture.centers["place"].to_numpy()
    else:
        for axis, name in enumerate(choice.box.names[:4]):
            rows[plain(name)] = [f"{value:.3g}" for value in picture.centers[axis]]
    rows[f"Share of {explain.plural(about.unit)}"] = [
        "not published" if pd.isna(share) else explain.percent(share)
        for share in picture.centers["share"]
    ]
    rows[f"From the non-private center {visibility.mark(choice.data)}"] = [
        explain.distance(partners.loc[index], about.geographic) for index in picture.centers.index
    ]
    st.table(rows, border="horizontal", hide_index=True)
