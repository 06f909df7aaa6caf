"""The visibility of what is on screen: public data, a private twin, or somebody's raw data.

Choosing a level by looking at data that are not public leaks, and no epsilon accounts for it. So
raw data are off until a person switches them on, with one click, in this session alone.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import streamlit as st

from pages.ui import address, own_data, url_keys
from pages.ui.publish.publish_step import PublishStep
from pages.ui.session_keys import SessionKey
from pages.ui.wording import FROM_TWIN, FROM_TWIN_WORDS, NOT_PRIVATE, NOT_PRIVATE_WORDS

SHOWN = SessionKey[set[str]]("raw data shown")
DECLARED = SessionKey[set[str]]("data declared public")
PUBLISH = "pages/4_publish.py"
#: Public data of the kind that people bring: a month of trips.
STAND_IN = "nyc-month"


class Visibility(StrEnum):
    PUBLIC = "public"
    TWIN = "twin"
    RAW = "raw"


def of(data: str) -> Visibility:
    if not own_data.is_own(data) or data in declared_public():
        return Visibility.PUBLIC
    return Visibility.TWIN if own_data.of_session()[data].is_twin else Visibility.RAW


def mark(data: str) -> str:
    """The badge of everything that looks at these data without noise."""
    return FROM_TWIN if of(data) is Visibility.TWIN else NOT_PRIVATE


def item_mark(data: str) -> str:
    """The badge of a single figure. On public data one badge stands for all of them."""
    return "" if of(data) is Visibility.PUBLIC else mark(data)


def item_words(data: str) -> str:
    """The words of `item_mark`, where no badge can be drawn."""
    return "" if of(data) is Visibility.PUBLIC else mark_words(data)


def item_tag(data: str) -> str:
    """The badge of a single figure, in HTML."""
    kind = "from-twin" if of(data) is Visibility.TWIN else "not-private"
    words = item_words(data)
    return f'<span class="badge {kind}">{words}</span>' if words else ""


def public_badges(data: str) -> None:
    """For public data, in two badges: that anyone may look, unless the owner's own word for it
    stands above, and that something is not private."""
    if of(data) is not Visibility.PUBLIC:
        return
    public = "" if data in declared_public() else ":green-badge[:material/public: Public data] "
    st.markdown(
        f"{public}{NOT_PRIVATE}",
        help="Anyone may look at these data, so choosing "
        "a level by what you see here leaks nothing. Red marks, and how far centers moved and how "
        "much accuracy is lost, come from the data themselves, without noise. For data that are "
        "not public, such figures must not leave your screen.",
    )


def mark_words(data: str) -> str:
    """The words of `mark`, where no badge can be drawn."""
    return FROM_TWIN_WORDS if of(data) is Visibility.TWIN else NOT_PRIVATE_WORDS


def stop_if_absent() -> None:
    """Say in plain words that data which the address names are in another session, if so."""
    key = url_keys.DATA.get()
    if not own_data.is_own(key) or key in own_data.of_session():
        return
    st.title("These data are not here")
    st.markdown(
        "The address names data that somebody brought along. Such data are held in the memory of "
        "the visit in which they were opened, and nowhere else: they do not travel with a copied "
        "address, and they are forgotten when the page is reloaded or closed."
    )
    with st.container(horizontal=True):
        st.button(
            "Show public data instead",
            key="public-instead",
            type="primary",
            on_click=url_keys.DATA.clear,
        )
        st.page_link(
            PUBLISH,
            label="Open your data again",
            query_params=address.link(without=[url_keys.DATA]),
        )
    st.stop()


def show(
    data: str, what: str = "a level", by: str = "what you see here", badges: bool = False
) -> bool:
    """Say at the top of a page what is on screen, and whether the page may show it.

    With `badges` the page itself says of public data that they are public, by `public_badges`.
    """
    standing = of(data)
    if data in declared_public():
        with st.container(horizontal=True, vertical_alignment="center", key="declared-public"):
            st.caption(
                ":material/public: **You said that these data are public.** Anyone may look at "
                f"them, so choosing {what} by {by} leaks nothing."
            )
            undo = declared_public().discard
            change_button("They are not public", "not-public", "lock", undo, data)
        return True
    if standing is Visibility.PUBLIC and badges:
        return True
    if standing is Visibility.PUBLIC:
        st.caption(
            ":material/public: **Public data.** Anyone may look at them, so choosing "
            f"{what} by {by} leaks nothing."
        )
        return True
    own = own_data.of_session()[data]
    if standing is Visibility.TWIN:
        st.info(
            f"**Private twin.** {own.about.description} Looking at it costs nothing more, so "
            f"choose {what} by {by}. Figures and red marks below compare with the twin, not with "
            "your data.",
            icon=":material/content_copy:",
        )
        st.page_link(
            PUBLISH,
            label="Go on with your own data, at this level",
            icon=":material/publish:",
            query_params=address.link(url_keys.STEP.at(PublishStep.LEVEL)),
        )
        return True
    if data not in data_in_view():
        offer(data, what)
        return False
    with st.container(key="raw-data"):
        st.warning(
            f"**Your raw data** {NOT_PRIVATE} **Choosing {what} by {by} leaks**: the "
            "choice would depend on every row, and no ε accounts for that. Nothing on this page "
            "can be downloaded.",
            icon=":material/visibility:",
        )
        change_button("Hide them again", "hide-raw", "visibility_off", data_in_view().discard, data)
    return True


def declared_public() -> set[str]:
    """The data of this session whose owner said that anybody may see them."""
    return DECLARED.start(set())


def data_in_view() -> set[str]:
    """The raw data that this session chose to show."""
    return SHOWN.start(set())


def change_button(
    label: str,
    key: str,
    icon: str,
    change: Callable[[str], None],
    data: str,
    explanation: str | None = None,
) -> None:
    """Draw a button that changes which data are shown, or how."""
    picture = f":material/{icon}:"
    st.button(label, key=key, icon=picture, on_click=change, args=(data,), help=explanation)


def offer(data: str, what: str) -> None:
    """In place of raw data: three ways to choose without leaking, and the one that leaks."""
    st.info(
        f"**Your raw data are hidden.** Choosing {what} by looking at them would tell something "
        "about the rows, and no ε accounts for that. These ways leak nothing:",
        icon=":material/visibility_off:",
    )
    with st.container(horizontal=True, vertical_alignment="center", key="without-leaking"):
        st.page_link(
            PUBLISH,
            label="Make a private twin of them",
            icon=":material/content_copy:",
            query_params=address.link(url_keys.STEP.at(PublishStep.LEVEL)),
        )
        label = "Look at a public month of trips"
        change_button(label, "stand-in", "public", url_keys.DATA.put, STAND_IN)
    st.caption(
        "Or choose by what an attacker may gain: that is the same for all data, and the slider on "
        "Publish shows it."
    )
    change_button(
        "Anyone may see these data: they are public",
        "declare-public",
        "public",
        declared_public().add,
        data,
        "Say so only if they are already published, or are about nobody. Pages then show and hand "
        "out everything, without a warning.",
    )
    change_button(
        "Show my raw data, for my eyes only", "show-raw", "visibility", data_in_view().add, data
    )


def may_leave(data: str) -> bool:
    """Whether files may be made of what a page shows of these data."""
    return of(data) is not Visibility.RAW
