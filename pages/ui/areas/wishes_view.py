"""Wishes of several people: compared with the plan, or counted privately into areas."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

import streamlit as st

from dpcore.datasets import wishes
from dpcore.datasets.wishes import Wish
from dpcore.errors import BadInput, DpcoreError
from dpcore.privacy import explain
from dpcore.release.ledger import Actors, Ledger
from dpcore.release.wish_counts import MOST_AREAS, WishPlan, publish_wishes
from pages.ui import access, city_map, limits, url_keys
from pages.ui.access import Action
from pages.ui.areas import area_run, editing, own_track
from pages.ui.areas.chosen import LEVEL_NAMES, Chosen
from pages.ui.choice import Choice
from pages.ui.confirmation import spending_button
from pages.ui.publish import ledger_choice
from pages.ui.session_keys import SessionKey
from pages.ui.wording import plain

HELD = SessionKey[list[Wish]]("wishes")
PROBLEMS = SessionKey[list[str]]("problems with wishes")
#: How many areas, the number of the entry, and the areas as text.
DONE = SessionKey[tuple[int, int, str]]("wishes counted")
NAME, COST, MOST = "wishes-name", "wishes-cost", "wishes-most"
#: The level that a count costs at first, and the neighborhoods of one wish that count.
FIRST_COST, FIRST_MOST = LEVEL_NAMES[1], 3


def draw(choice: Choice, areas: Sequence[Chosen]) -> None:
    st.markdown(
        "For the person who draws the areas: load the wishes that people exported under “My own "
        "map”. Each is a secret and stays in the memory of this visit. There are two ways to use "
        "them:\n"
        "\n- **Compare** them with a plan that was drawn for public reasons. That changes nothing "
        "and costs nothing.\n"
        "- **Count** them privately. An area becomes strict where enough people wish it, and the "
        "count is charged to an account."
    )
    if not city_map.in_new_york(choice.box):
        st.info("Wishes name neighborhoods of New York, and these data are from another place.")
        return
    finished()
    load_step()
    wish_list = HELD.get()
    if not wish_list:
        return
    compared(choice, areas, wish_list)
    counted(wish_list)


def load_step() -> None:
    for problem in PROBLEMS.pop() or ():
        st.warning(plain(problem))
    wish_list = HELD.get()
    if access.may(Action.BRING) and limits.room_for_uploads():
        st.file_uploader(
            "Wishes",
            type=["geojson", "json"],
            accept_multiple_files=True,
            key=own_track.file_key("wishes"),
            on_change=load,
            help="One file for each person.",
        )
    else:
        st.info("This visit may not bring files.")
    if wish_list:
        people = "one person" if len(wish_list) == 1 else f"{len(wish_list):,} people"
        st.markdown(f"**Loaded:** wishes of {people}.")
        st.button("Forget these wishes", icon=":material/delete_forever:", on_click=forget)


def load() -> None:
    """Read the files that were just given, and take them out of the control."""
    wish_list = HELD.start([])
    DONE.pop()
    for name, content in own_track.take("wishes"):
        try:
            wish_list.append(wishes.read_wish(content, name))
        except BadInput as problem:
            PROBLEMS.start([]).append(str(problem))


def forget() -> None:
    HELD.pop()


def compared(choice: Choice, areas: Sequence[Chosen], wish_list: Sequence[Wish]) -> None:
    """The plan's answer to the strictest of the wishes, which changes nothing."""
    st.subheader("Compare with the plan")
    st.markdown(
        "Draw the plan for public reasons, such as hospitals and schools. Where wishes overlap, "
        "the strictest counts."
    )
    plan = area_run.plan_or_warning(choice, areas)
    if plan is None:
        return
    strictest = wishes.strictest(wish_list)
    met = wishes.met_by(Wish(strictest), plan, area_run.with_areas(choice, areas).request.epsilon)
    with st.expander(
        "Look at the wishes: not private, for your eyes only", icon=":material/visibility:"
    ):
        st.markdown(
            f"The plan meets the wishes in {sum(met.values())} of {len(met)} neighborhoods."
        )
        st.table(
            [
                {
                    "Neighborhood": plain(name),
                    "Strictest wish": explain.nearest_level(level).name,
                    "The plan is as strict": "yes" if met[name] else "no",
                }
                for name, level in strictest.items()
            ],
            border="horizontal",
            hide_index=True,
        )
        st.warning(
            "**Do not redraw the plan by this table.** Whoever sees a map that changed to meet a "
            "wish learns where somebody wished. Count privately instead.",
            icon=":material/lock:",
        )


def counted(wish_list: Sequence[Wish]) -> None:
    """A private count, charged to an account, whose areas everybody may see."""
    st.subheader("Count privately")
    st.markdown("Everybody may see the areas that a noisy count produces.")
    if not access.may(Action.SPEND):
        st.info("Your role does not let you publish, and a private count is published.")
        return
    if access.needs_approval():
        st.info(
            "Here a second publisher has to approve every release, and a count of wishes cannot "
            "wait for that yet. Count them in Python: `dpcore.release.wish_counts`."
        )
        return
    left, middle, right = st.columns(3)
    with left:
        name = st.text_input("Name of the account", "wishes", key=NAME)
    with middle:
        cost = st.select_slider(
            "How strictly to protect each wish", LEVEL_NAMES, value=FIRST_COST, key=COST
        )
    with right:
        most = st.number_input(
            "Neighborhoods of one wish that count", 1, MOST_AREAS, FIRST_MOST, key=MOST
        )
    epsilon = Chosen("", cost).epsilon
    try:
        plan = WishPlan(name.strip(), epsilon, int(most))
    except BadInput as problem:
        st.warning(plain(str(problem)))
        return
    st.markdown(
        f"An area becomes strict where the noisy number of people reaches **{plan.threshold}**. "
        f"An attacker's certainty about one wish: {explain.odds(epsilon)}."
    )
    if len(wish_list) < (plan.threshold or 0):
        st.caption(
            f"You loaded fewer wishes than that ({len(wish_list)}), so most likely no area "
            "results: that few wishes cannot be granted without revealing them."
        )
    st.caption(plain(plan.statement()))
    ledger = ledger_choice.ledger()
    if ledger is None:
        return
    label = f"Count once, and use up {plan.price}"
    spending_button(label, plan.name, "count-wishes", count, plan, ledger, type="primary")


def count(plan: WishPlan, ledger: Ledger) -> None:
    """Count, charge, and take the areas into the plan. The wishes are gone after that, so a second
    press counts nothing."""
    access.require(Action.SPEND)
    wish_list = HELD.pop()
    if not wish_list:
        return
    try:
        collection, entry = publish_wishes(
            plan, wish_list, ledger, Actors(access.user() if access.is_shared() else None)
        )
    except (DpcoreError, OSError, sqlite3.Error) as problem:
        HELD.put(wish_list)
        PROBLEMS.put([f"Nothing was counted. {problem}"])
        return
    levels = {
        each["properties"]["name"]: each["properties"]["epsilon"] for each in collection["features"]
    }
    new = [Chosen(name, explain.nearest_level(level).name) for name, level in levels.items()]
    if new:
        editing.add(*new)
    DONE.put((len(new), entry.number, json.dumps(collection)))


def finished() -> None:
    """The outcome of a count."""
    if (outcome := DONE.get()) is None:
        return
    number, entry, text = outcome
    areas = ("One area" if number == 1 else f"{number} areas") if number else "No areas"
    st.success(
        f"Counted and charged as entry {entry} of the ledger. {areas} resulted"
        + (", now part of the plan." if number else ": no place had enough wishes."),
        icon=":material/verified_user:",
    )
    with st.container(horizontal=True):
        st.download_button("These areas as GeoJSON", text, "areas.geojson", "application/geo+json")
        st.button(
            "See the plan",
            icon=":material/map:",
            on_click=url_keys.AREAS_VIEW.clear,
            key="see-plan",
        )
