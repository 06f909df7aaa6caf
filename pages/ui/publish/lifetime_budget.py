"""The budget for life: what it means, what it buys, and what others chose."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import streamlit as st

from dpcore.privacy import explain
from dpcore.privacy.accounting import MAX_DELTA, MAX_EPSILON, MIN_EPSILON
from dpcore.privacy.rounding import at_least, at_most
from dpcore.release.amounts import Amount
from dpcore.release.ledger import Account
from pages.ui import session_keys
from pages.ui.publish import step_list
from pages.ui.wording import plain

#: What all releases of a data set may use together, unless somebody says otherwise.
SUGGESTED = 1.0
#: Sizes to choose from; others are typed.
SIZES = (0.1, 0.2, 0.5, SUGGESTED, 2.0, 4.0)
MONTHS = 12
#: Figures that others published: who and what, what one ε covers, ε, and where it stands.
OTHERS = (
    (
        "US Census Bureau, 2020 Census, redistricting data",
        "one person (17.14) and one housing unit (2.47), for the whole census",
        "19.61",
        "[US Census Bureau, press release of 9 June 2021]"
        "(https://www.census.gov/newsroom/press-releases/2021/2020-census-key-parameters.html)",
    ),
    (
        "LinkedIn, Audience Engagement API",
        "one member, each month anew",
        "34.9 (δ 7e-9)",
        "[Registry of deployments, OpenDP](https://registry.opendp.org/deployments-registry)",
    ),
    (
        "Israel, Ministry of Health, live births of 2014",
        "one birth",
        "9.98",
        "[Hod and Canetti 2024](https://arxiv.org/abs/2405.00267)",
    ),
    (
        "Apple, popular emoji",
        "one person’s day",
        "4",
        "[Desfontaines, list of real-world uses]"
        "(https://desfontain.es/blog/real-world-differential-privacy.html)",
    ),
    (
        "Google, COVID-19 Vaccination Search Insights",
        "one user, each day anew",
        "2.19 (δ 1e-5)",
        "[Bavadekar et al. 2021](https://arxiv.org/abs/2107.01179)",
    ),
    (
        "Google, COVID-19 Search Trends symptoms",
        "one user, each day anew",
        "1.68",
        "[Bavadekar et al. 2020](https://arxiv.org/abs/2009.01265)",
    ),
)


def draw(
    key: str, account: Account | None, price: Amount, unit: str, buys: str | None = None
) -> None:
    """The rest of a budget; for new data, the question how large it is to be.

    `buys` says what it buys where that is not so many releases, one after the other.
    """
    if account is None:
        ask(key, price, unit, bought if buys is None else lambda *_: buys)
    else:
        meter(account)


def meter(account: Account) -> None:
    """A bar that empties: full while nothing is used."""
    allowed, remainder = account.allowed.epsilon, account.left.epsilon
    st.progress(
        min(float(max(remainder, Fraction(0)) / allowed), 1.0),
        f"Budget of “{plain(account.name)}”: **{account.left} left** of {account.allowed} "
        f"({part(account.left, account.allowed)}); {account.used} used.",
    )


def part(amount: Amount, allowed: Amount) -> str:
    """A part of a budget in percent, rounded down."""
    return f"{at_least(max(100 * amount.epsilon / allowed.epsilon, Fraction(0)), 3)} %"


def used(amount: Amount, allowed: Amount) -> str:
    """The used part of a budget in percent, rounded up."""
    return f"{at_most(100 * amount.epsilon / allowed.epsilon, 3)} %"


def ask(key: str, price: Amount, unit: str, bought: Callable[[float, Amount], str]) -> None:
    """The size of the budget, asked once, as how sure all releases together may make anybody."""
    total = total_budget(key)
    sizes = sorted({*SIZES, total})
    name = f"budget {key} {total:g}"
    st.selectbox(
        f"Budget for life: how sure may anyone become about one {unit}?",
        sizes,
        sizes.index(total),
        format_func=size_words,
        key=name,
        on_change=lambda: step_list.put(f"total {key}", session_keys.of_widget(name)),
        help="This covers all releases of these data, however many. Every release uses some of the "
        "budget up. When it is gone, nothing more can be published of them, ever. It is fixed with "
        "the first release and cannot be raised.",
    )
    sentences = [
        f"**{pays}**" if (pays := bought(total, price)) else "",
        f"Even after all of it is used, {lower(explain.attack(total, unit))}",
        explain.slip(MAX_DELTA if price.delta else 0.0),
        "Fixed with the first release.",
    ]
    st.caption(" ".join(filter(None, sentences)))
    if total > SUGGESTED and (caution := explain.caution(total)):
        st.caption(f":orange[:material/warning: **{caution}**]")
    with st.popover("What others chose", icon=":material/table:"):
        others()


def size_words(total: float) -> str:
    return f"At most {explain.certainty(total)} sure" + " (suggested)" * (total == SUGGESTED)


def exact(key: str) -> None:
    """The same budget as a number, for those who ask for it."""
    step_list.remembered(
        st.number_input,
        "Budget for life, in ε",
        f"total {key}",
        SUGGESTED,
        min_value=MIN_EPSILON,
        max_value=MAX_EPSILON,
        step=None,
        format="%g",
    )


def total_budget(key: str) -> float:
    """The budget that this visit typed, or the suggested one."""
    total: float = step_list.memory().get(f"total {key}") or SUGGESTED
    return total


def bought(total: float, price: Amount) -> str:
    """The number of releases like this one that a budget pays for, and whether that is a year of
    months."""
    number = int(Amount.of(total).epsilon / price.epsilon)
    if number == 0:
        return "This pays for no release at this level."
    if number == 1:
        return "This pays for one release at this level, and then nothing more."
    words = f"This pays for {number:,} releases at this level"
    if number >= MONTHS:
        return f"{words}: one each month for {years(number)}."
    year = price.epsilon * MONTHS / Amount.of(total).epsilon
    return f"{words}; one each month for a year would take {at_most(year, 2)} times this budget."


def years(months: int) -> str:
    full = months // MONTHS
    return f"{full} years" if full > 1 else "a year"


def lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def others() -> None:
    """A table of budgets that others published, with their sources."""
    st.markdown("**Budgets that others published**")
    st.table(
        [
            {
                "Publisher": publisher,
                "One ε covers": covers,
                "ε": epsilon,
                "Source": source,
            }
            for publisher, covers, epsilon, source in OTHERS
        ],
        border="horizontal",
        hide_index=True,
    )
    st.caption(
        "They protect different things, so the numbers cannot be compared without the second "
        "column. A budget that starts anew each day adds up over the days."
    )
