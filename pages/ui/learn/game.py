"""Is this trip in the data? The class guesses, then the best guesser known does."""

from __future__ import annotations

import streamlit as st

from dpcore.classroom import guessing_game
from dpcore.classroom.guessing_game import CONTESTANTS, GuesserScore, Round
from dpcore.errors import DpcoreError
from dpcore.geometry.domain import Box
from dpcore.privacy import explain
from pages.ui import address, controls, fragments, palette, url_keys, workers
from pages.ui.background import Job
from pages.ui.learn import game_chart, presenter
from pages.ui.learn import run_choice as choices
from pages.ui.learn.answer_buttons import SAID, answer_buttons
from pages.ui.learn.class_score import ClassScore
from pages.ui.learn.small_map import SmallMap, count_words
from pages.ui.palette import Palette
from pages.ui.url_parsers import OneOf
from pages.ui.wording import NOT_PRIVATE

VIEWS = {"class": "The class guesses", "machine": "A machine guesses 1,000 times"}
ANSWERS = url_keys.ANSWERS.narrowed(OneOf(CONTESTANTS))
WINDOW = Box((-74.1, 40.7), (-73.9, 40.9))
#: Where the name of the Bronx stands: what is seen of it is its western end.
BRONX = (-73.915, 40.842)
#: Seconds between looks at scores that are still being made, and trips drawn at most.
PAUSE, MOST_TRIPS = 1.0, 400
STYLE = """
<style>
.game .small-map, .pair .small-map {
  display: block; border-radius: .4rem; border: 1px solid rgba(128,144,160,.45);
}
.game .small-map { max-width: 100%; max-height: 32rem; }
.pair { display: grid; grid-template-columns: repeat(2, 1fr); gap: .5rem; }
.pair figure { margin: 0; }
.pair .small-map { width: 100%; }
.pair figcaption { font-size: .875rem; }
.verdict { font-size: 1.25rem; font-weight: 600; min-height: 1.9rem; margin: 0; }
</style>
"""
PRESENTED = """
<style>
.game .small-map { max-height: 23.5rem; }
.pair { margin-top: .5rem; }
.pair .small-map { width: auto; max-height: 7.2rem; }
</style>
"""


def part() -> None:
    st.html(STYLE + PRESENTED * presenter.presenting())
    view = address.tabs("Who guesses", url_keys.GUESSER, VIEWS)
    (class_guesses if view == "class" else machine_guesses)()


def class_guesses() -> None:
    presented = presenter.presenting()
    if not presented:
        with st.sidebar:
            who_control()
            controls.labelled_slider(choices.in_address())
            choices.draw_again()
    tally = current()
    contestant = CONTESTANTS[tally.who]
    try:
        played = guessing_game.play(contestant, tally.epsilon, tally.number, tally.seed)
    except DpcoreError as problem:
        st.warning(str(problem))
        return
    answer, ask = st.columns([1, 1], gap="medium")
    with answer:
        st.html(f'<div class="game">{answer_map(played).image()}</div>')
        if not presented:
            st.caption(f"{contestant.title}: {contestant.about}. {answer_words(played)}")
    with ask:
        st.subheader("Is the trip from the Bronx in the data?", anchor=False)
        st.html(f'<div class="pair">{pair_maps(tally.epsilon)}</div>')
        coin = (
            "The trip in the Bronx is made up. A coin has chosen one of these two data sets, and "
            "the method has answered on it. "
        )
        st.markdown(coin * (not presented) + NOT_PRIVATE)
        truth = "It was in the data." if played.there else "It was not in the data."
        answer_buttons(SAID, played.there, truth, tally)
        standing(tally)


def who_control() -> str:
    return address.control(
        st.radio,
        "Who answers",
        ANSWERS,
        format_func=lambda key: CONTESTANTS[key].title,
        captions=[each.about for each in CONTESTANTS.values()],
    )


def current() -> ClassScore:
    """The score in the address, or a new one if another game is on now."""
    new = ClassScore(ANSWERS.get(), controls.epsilon_in_address(), url_keys.SEED.get())
    tally = url_keys.TALLY.narrowed(known_tally).get() or new
    same = (tally.who, tally.epsilon, tally.seed) == (new.who, new.epsilon, new.seed)
    return tally if same else new


def known_tally(text: str) -> ClassScore:
    tally = ClassScore.parse(text)
    if tally.who not in CONTESTANTS:
        raise ValueError(f"Nobody called {tally.who!r} answers.")
    return tally


def standing(tally: ClassScore) -> None:
    """Draw the score of the class beside the bound that epsilon sets."""
    bound = explain.certainty(tally.epsilon)
    score = f"**{tally.right} of {tally.played} right.** " if tally.played else ""
    st.markdown(
        f"{score}At ε = {tally.epsilon:g} nobody should be right more than **{bound}** of the time "
        "in the long run."
    )


def answer_words(played: Round) -> str:
    side = len(played.counts.counts)
    size = "" if played.size is None else f" The noisy number of trips is {played.size:,}."
    return f"It publishes a noisy count for each of {side} × {side} cells.{size}"


def answer_map(
    played: Round, colors: Palette | None = None, kind: type[SmallMap] = SmallMap
) -> SmallMap:
    """The map of published counts, one in each cell."""
    colors = colors or palette.current()
    counts = played.counts.counts
    side = len(counts)
    counts_text = ", ".join(str(count) for count in counts.ravel().tolist())
    canvas = kind(WINDOW, colors, f"Noisy counts of {side} × {side} cells: {counts_text}")
    canvas.names("borough", "region", size=4.2)
    canvas.text(BRONX, "Bronx", colors.borough, 4.2)
    most = max(1, int(counts.max()))
    width, height = (h - low for h, low in zip(WINDOW.high, WINDOW.low, strict=True))
    cells = [
        (i, j, int(count), WINDOW.low[0] + width * i / side, WINDOW.low[1] + height * j / side)
        for i, column in enumerate(counts.tolist())
        for j, count in enumerate(column)
    ]
    for _, _, count, x, y in cells:
        shade = 0.6 * max(0, count / most) ** 0.5
        canvas.cells((x, y), (x + width / side, y + height / side), colors.points, shade)
    for _, _, count, x, y in cells:
        middle = (x + width / side / 2, y + height / side / 2)
        canvas.text(middle, count_words(count), colors.text, 18 / side)
    mark_trip(canvas, in_question=True)
    return canvas


def mark_trip(canvas: SmallMap, in_question: bool) -> None:
    """Mark the trip in question."""
    colors = canvas.colors
    canvas.circles(
        [guessing_game.TRIP],
        2.2,
        colors.land if in_question else colors.non_private,
        colors.text,
        0.6,
    )
    if in_question:
        canvas.text(guessing_game.TRIP, "?", colors.text, 3.6)


def pair_maps(epsilon: float) -> str:
    colors = palette.current()
    both = guessing_game.pair(epsilon)
    n, maps = both.without.n, []
    for title, there in (("with it", True), ("without it", False)):
        words = f"{n + there:,} trips, {title}"
        canvas = SmallMap(WINDOW, colors, words)
        others = both.others[:MOST_TRIPS].tolist()
        canvas.circles(others, 0.9, colors.non_private, opacity=0.7)
        canvas.names("borough", size=9.0)
        if there:
            mark_trip(canvas, in_question=False)
        maps.append(f"<figure>{canvas.image()}<figcaption>{words}</figcaption></figure>")
    return "".join(maps)


def machine_guesses() -> None:
    """Draw accuracies as they come in, against the bound that a sound method obeys."""
    fragments.until_done(draw_scores, not measuring().done, every=PAUSE)


def measuring() -> Job[GuesserScore]:
    return workers.worker().job(
        ("guessing game", guessing_game.ROUNDS, guessing_game.PILOT), guessing_game.scores
    )


def draw_scores() -> bool:
    job = measuring()
    finished, scores = job.done, job.results[:]
    presented = presenter.presenting()
    total = len(CONTESTANTS) * len(guessing_game.EPSILONS)
    st.plotly_chart(
        game_chart.figure(scores, palette.current(), presented),
        key="game-chart",
        theme=None,
        config={"displayModeBar": False},
        alt=chart_words(scores),
    )
    if not finished:
        st.caption(f"{len(scores)} of {total} measured; {guessing_game.ROUNDS:,} rounds each.")
    elif not presented:
        st.caption(
            f"Each point: {guessing_game.ROUNDS:,} rounds. The machine knows both data sets and "
            f"reads every noisy answer. It chose how to guess on {guessing_game.PILOT} other "
            "rounds. The bars cover the true accuracy 95 times in 100."
        )
        table(scores)
    if job.failure:
        st.warning(f"The rounds could not be played: {job.failure}")
    return finished


def chart_words(scores: list[GuesserScore]) -> str:
    broken = sorted({CONTESTANTS[s.contestant].title for s in scores if s.breaks_bound})
    beyond = f" Beyond the bound: {', '.join(broken)}." if broken else ""
    return f"Accuracy of the best guesser known against ε, and the bound.{beyond}"


def table(scores: list[GuesserScore]) -> None:
    """Draw the accuracies as a table."""
    rows = [
        {
            "Who answers": CONTESTANTS[score.contestant].title,
            "ε": f"{score.epsilon:g}",
            "Right": explain.percent(score.accuracy),
            "Surely between": " and ".join(map(explain.percent, score.interval)),
            "Bound": explain.certainty(score.epsilon),
            "Bound broken": "yes" if score.breaks_bound else "no",
            "Guessed by": score.guesser,
        }
        for score in scores
    ]
    with st.expander("The figures"):
        st.table(rows, border="horizontal", hide_index=True)
