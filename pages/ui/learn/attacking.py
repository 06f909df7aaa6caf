"""Be the attacker: the class and three machines guess whether a real trip is in the data."""

from __future__ import annotations

import html

import streamlit as st

from dpcore.algorithms import ALGORITHMS
from dpcore.classroom import attack_game
from dpcore.classroom.attack_game import AttackRound, AttackScores, AttackSetup
from dpcore.classroom.guessing_game import GuesserScore
from dpcore.errors import DpcoreError
from dpcore.privacy import explain
from dpcore.privacy.explain import LEVELS
from dpcore.privacy.rounding import at_most
from pages.ui import address, city_map, controls, fragments, palette, url_keys, workers
from pages.ui.background import Job
from pages.ui.learn import attack_map, presenter
from pages.ui.learn import run_choice as choices
from pages.ui.learn.answer_buttons import SAID, answer_buttons
from pages.ui.learn.class_score import ClassScore
from pages.ui.palette import Palette
from pages.ui.url_parsers import OneOf

HEIGHT, PRESENTED = 560, 520
#: Seconds between looks at the machines' scores.
PAUSE = 1.0
METHOD = "eugkm"
MOVED = {"in": f"In {attack_game.HOME}", "out": "In Long Island City"}
ATTACKERS = {
    "count": "reads the count near the trip",
    "center": "reads the nearest center",
    "release": "knows both data sets and reads everything",
}
STYLE = """
<style>
.reading { font-size: 1.15rem; line-height: 1.35; margin: 0; }
.reading b { font-size: 1.5em; }
.verdict { font-size: 1.25rem; font-weight: 600; min-height: 1.9rem; margin: 0; }
.attackers { display: grid; gap: .55rem; margin-top: .2rem; }
.attackers p { margin: 0; font-size: .9rem; display: flex; justify-content: space-between; }
.odds {
  position: relative; height: .9rem; border-radius: .3rem; background: rgba(128,144,160,.25);
}
.odds i { position: absolute; top: 0; bottom: 0; left: 0; border-radius: .3rem; }
.odds u { position: absolute; top: -.25rem; bottom: -.25rem; width: 3px; }
</style>
"""
#: On a projector the promise takes less room, and the machines' bars stand closer together.
PRESENTED_STYLE = """
<style>
.attackers { gap: .2rem; }
.attackers p { font-size: .85rem; line-height: 1.25; }
.reading { font-size: 1.05rem; line-height: 1.25; }
[data-testid="stColumn"] .stMarkdown p { line-height: 1.3; }
</style>
"""


def part() -> None:
    st.html(STYLE + PRESENTED_STYLE * presenter.presenting())
    setup = setup_in_address()
    if setup is None:
        return
    tally = score_of(setup)
    try:
        with st.spinner("The method runs …", show_time=False):
            played = attack_map.round_of(setup, tally.number, tally.seed)
    except DpcoreError as problem:
        st.warning(f"{ALGORITHMS[setup.algorithm].title} has no answer here. {problem}")
        return
    sees = address.tabs("What the class looks at", url_keys.SEES, attack_game.VIEWS)
    here, words = st.columns([1, 1] if presenter.presenting() else [3, 2], gap="medium")
    with here:
        canvas = attack_map.drawing(setup, played, sees, palette.current())
        canvas.height = PRESENTED if presenter.presenting() else HEIGHT
        city_map.show(canvas, "attack-map")
    with words:
        st.subheader(attack_map.question(setup), anchor=False)
        st.html(f'<p class="reading" role="status">{reading(setup, played, sees)}</p>')
        labels = MOVED if setup.moves else SAID
        answer_buttons(labels, played.there, truth_words(setup, played), tally)
        standing(setup, tally)
        machines(setup)


def setup_in_address() -> AttackSetup | None:
    """The game in the address, with its controls in the sidebar."""
    moves = url_keys.PART.get() == "moves"
    if not presenter.presenting():
        with st.sidebar:
            sidebar(moves)
    try:
        return setup_of_address(moves)
    except DpcoreError as problem:
        st.warning(str(problem))
        return None


def setup_of_address(moves: bool) -> AttackSetup:
    algorithm, level = method(moves).get(), controls.epsilon_in_address()
    if moves:
        home, road = (epsilon(key.get()) for key in (url_keys.HOME_LEVEL, url_keys.ROAD_LEVEL))
        return AttackSetup(algorithm, level, home=home, road=road)
    return AttackSetup(
        algorithm,
        level,
        target=url_keys.TARGET.get(),
        trips=url_keys.TRIPS.get(),
        releases=url_keys.RELEASES.get(),
    )


def method(moves: bool) -> address.Key[str]:
    return url_keys.ALGORITHM.narrowed(OneOf(attack_game.attackable(moves)), METHOD)


def epsilon(level: str) -> float:
    return next(each.epsilon for each in LEVELS if each.name == level)


def sidebar(moves: bool) -> None:
    if moves:
        controls.level_slider(f"Level of {attack_game.HOME}", url_keys.HOME_LEVEL)
        controls.level_slider("Level of Long Island City", url_keys.ROAD_LEVEL)
    else:
        controls.labelled_slider(choices.in_address(METHOD))
    choices.method_control(method(moves))
    if not moves:
        titles = {key: each.title for key, each in attack_game.targets().items()}
        address.control(
            st.radio, "The trip", url_keys.TARGET, format_func=titles.__getitem__, horizontal=True
        )
        address.control(
            st.number_input, "Trips of this person, all from the same place", url_keys.TRIPS
        )
        address.control(st.number_input, "Times that the data are published", url_keys.RELEASES)
    choices.draw_again()


def reading(setup: AttackSetup, played: AttackRound, sees: str) -> str:
    """The answer that the attacker sees, and those that would be true with the trip and without."""
    with_it, without = (
        attack_game.true_count(data, played.counted) for data in attack_game.worlds(setup)
    )
    often = f" (mean of {setup.releases} releases)" * (setup.releases > 1)
    if sees == "count":
        if played.count is None:
            return "This method publishes no counts. Look at the nearest center."
        others = (
            f"In truth {with_it:,} if it began in {attack_game.HOME}, {without:,} if not."
            if setup.moves
            else f"In truth {without:,} without it, {with_it:,} with it."
        )
        count = f"{round(played.count, 1):,g}".replace("-", "−")
        trips = "trip" if count in ("1", "−1") else "trips"
        return f"Published for the square: <b>{count}</b> {trips}{often}. {others}"
    if sees == "center":
        far = explain.distance(played.center, True)
        return f"The nearest published center is <b>{far}</b> away{often}."
    clue = (
        f" One clue: there are <b>{len(played.released.synopsis):,}</b> published numbers."
        if played.released.synopsis is not None
        else ""
    )
    return f"All that was published is on the map{often}.{clue}"


def tag(setup: AttackSetup) -> str:
    """A text that identifies the score of a game, without commas."""
    parts = (setup.algorithm, setup.target, setup.trips, setup.releases, setup.home, setup.road)
    return " ".join(map(str, parts))


def score_of(setup: AttackSetup) -> ClassScore:
    """The score in the address, or a new one if another game is on now."""
    new = ClassScore(tag(setup), setup.epsilon, url_keys.SEED.get())
    tally = url_keys.TALLY.get() or new
    same = (tally.who, tally.epsilon, tally.seed) == (new.who, new.epsilon, new.seed)
    return tally if same else new


def truth_words(setup: AttackSetup, played: AttackRound) -> str:
    if setup.moves:
        return f"It began in {attack_game.HOME if played.there else 'Long Island City'}."
    many = setup.trips > 1
    verb = ("They were" if many else "It was") + ("" if played.there else " not")
    return f"{verb} in the data."


def standing(setup: AttackSetup, tally: ClassScore) -> None:
    """Draw the score of the class, and what the method promises."""
    score = f"**Class: {tally.right} of {tally.played} right.** " if tally.played else ""
    st.markdown(f"{score}{promise(setup)}")


def promise(setup: AttackSetup) -> str:
    bound = explain.certainty(setup.claimed)
    if setup.moves:
        cost = (
            f"ε {at_most(setup.home)} to leave one area and ε {at_most(setup.road)} to enter the "
            f"other, {at_most(setup.claimed)} together"
        )
    elif setup.trips * setup.releases > 1:
        times = " × ".join(
            f"{number} {word}"
            for number, word in ((setup.trips, "trips"), (setup.releases, "releases"))
            if number > 1
        )
        cost = f"ε {at_most(setup.epsilon)} × {times} = {at_most(setup.claimed)}"
    else:
        cost = f"ε {at_most(setup.epsilon)}"
    if not ALGORITHMS[setup.algorithm].verdict.holds:
        return f"The method promises: nobody is right more than **{bound}** of the time ({cost})."
    return f"Nobody can be right more than **{bound}** of the time in the long run ({cost})."


def machines(setup: AttackSetup) -> None:
    """Draw the machines' scores as they come in."""
    st.markdown("**Three machines play too**")
    fragments.until_done(draw_machines, not job_of(setup).done, setup, every=PAUSE)


def job_of(setup: AttackSetup) -> Job[AttackScores]:
    return workers.worker().job(("attack", setup), lambda: attack_game.attack_scores(setup))


def draw_machines(setup: AttackSetup) -> bool:
    job = job_of(setup)
    finished, scores = job.done, job.results[-1:]
    if job.failure:
        st.caption(f"The machines cannot play: {job.failure}")
    elif not scores:
        st.caption(f"They try out {attack_game.PILOT} rounds first …")
    else:
        st.html(bars(setup, scores[0], finished, palette.current()))
    return finished


def bars(setup: AttackSetup, scores: AttackScores, finished: bool, colors: Palette) -> str:
    """The success of each machine, beside the bound."""
    bound = explain.attacker_certainty(setup.claimed)
    rows = "".join(bar(each, bound, finished, colors) for each in scores.scores)
    rounds = f"{scores.rounds} rounds" + ("" if finished else " so far")
    return (
        f'<div class="attackers">{rows}</div><small>{rounds}. The mark is the promise: '
        f"{explain.certainty(setup.claimed)}.</small>"
    )


def bar(score: GuesserScore, bound: float, finished: bool, colors: Palette) -> str:
    broken = finished and score.breaks_bound
    color = colors.non_private if broken else colors.private
    right = explain.percent(score.accuracy)
    words = f"Right {right} of the time" + (": the promise is broken" if broken else "")
    who = html.escape(ATTACKERS[score.guesser])
    return (
        f'<div><p><span>{who}</span><b style="color: {color}">{right}'
        f"{' · promise broken' if broken else ''}</b></p>"
        f'<div class="odds" role="img" aria-label="{words}">'
        f'<i style="width: {score.accuracy:.2%}; background: {color}"></i>'
        f'<u style="left: calc({bound:.2%} - 2px); background: {colors.text}"></u></div></div>'
    )
