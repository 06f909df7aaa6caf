"""Learn through Streamlit's own test runner: every part, every control, every lesson."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpcore.algorithms import ALGORITHMS
from dpcore.classroom import guessing_game, lesson_plans
from dpcore.classroom.guessing_game import CONTESTANTS, GuesserScore
from dpcore.classroom.playable_methods import playable
from dpcore.privacy.explain import LEVELS, certainty
from pages.ui import url_keys
from pages.ui.background import Job, Worker
from pages.ui.learn import repeated_runs, run_choice
from tests.pages import visits
from tests.pages.visits import address, checked, press, visited
from tests.pages.visits import html as written

MARK = "not private: for your eyes"
PARTS = url_keys.LEARN_PARTS
STEPS = {"part": "steps"}


def page(**query: object) -> AppTest:
    return visited("pages/5_learn.py", **query)


def words(app: AppTest) -> str:
    return f"{visits.words(app)}\n{written(app)}"


def heading(app: AppTest) -> str:
    return str(app.subheader[0].value)


def stage(app: AppTest) -> dict[str, Any]:
    """What is on the map."""
    return visits.maps(app)[0]


def drawings(app: AppTest) -> list[str]:
    found = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', written(app))
    return [base64.b64decode(each).decode() for each in found]


# The page.


def test_it_opens_on_a_question_over_a_private_map_with_three_ways_on() -> None:
    app = page()
    assert address(app) == {}
    assert app.title[0].value == "Could this map tell on you?"
    shown = stage(app)
    assert len(shown["centers"]) == 5
    assert shown["points"]
    assert not shown["partners"]
    assert MARK not in words(app)
    first = next(iter(lesson_plans.shipped().values()))
    for way, opened in (
        ("play", {"part": "game"}),
        ("watch", {"part": "steps"}),
        ("lesson", first.address(1)),
    ):
        assert address(press(page(), f"way-{way}")) == opened


def test_steps_open_on_the_data_and_say_that_these_are_not_private() -> None:
    app = page(part="steps")
    assert heading(app) == "The data"
    assert len(stage(app)["drawing"][0]["at"]) == 1000
    assert MARK in words(app)


@pytest.mark.parametrize("part", PARTS)
def test_every_part_opens_by_its_address_and_by_its_control(part: str) -> None:
    shown = words(page(part=part))
    app = page()
    app.segmented_control(key="at-part").set_value(part)
    assert words(checked(app)) == shown
    assert address(app) == ({} if part == "start" else {"part": part})


@pytest.mark.parametrize("part", PARTS)
def test_a_presenter_sees_no_control_but_the_ones_that_teach(part: str) -> None:
    app = page(part=part)
    press(app, "presenter")
    assert address(app)["presenter"] == "true"
    assert not app.sidebar.selectbox
    assert not app.sidebar.radio
    assert 'data-testid="stSidebar"' in written(app)
    press(app, "presenter")
    assert "presenter" not in address(app)


def test_data_of_other_pages_stay_in_the_address_and_a_map_is_shown() -> None:
    app = page(data="iris", part="steps")
    assert app.selectbox(key="at-data").value == "nyc-taxi"
    assert address(app) == {"data": "iris", "part": "steps"}
    assert address(page(data="nonsense", part="steps")) == STEPS


@pytest.mark.parametrize("query", [{"algorithm": "sparse-mean"}, {"k": "50"}], ids=str)
def test_what_other_pages_can_show_stays_in_the_address(query: dict[str, str]) -> None:
    assert address(page(**query, part="steps")) == query | STEPS


@pytest.mark.parametrize(
    "query",
    [
        {"part": "nowhere"},
        {"part": "steps", "frame": "-3"},
        {"part": "steps", "frame": "x"},
        {"part": "steps", "k": "0"},
        {"part": "attack", "trips": "0"},
        {"part": "attack", "sees": "all"},
        {"part": "room", "room": "1"},
        {"part": "game", "tally": "1,2,3"},
        {"part": "game", "tally": "sound,0.2,0,1,5,"},
        {"part": "game", "answers": "nobody"},
        {"part": "guess", "spots": "0,0"},
        {"part": "guess", "spots": "here"},
        {"lesson": "none"},
    ],
)
def test_nonsense_is_taken_out_of_the_address(query: dict[str, str]) -> None:
    kept = {"part": query["part"]} if query.get("part") in PARTS else {}
    assert address(page(**query)) == kept


# Step by step.


def test_steps_go_forward_and_back_and_stand_in_the_address() -> None:
    app = page(part="steps")
    assert app.button(key="back").disabled
    press(app, "next")
    assert heading(app) == "The start looks at nothing"
    assert address(app) == {"frame": "1"} | STEPS
    press(app, "next")
    press(app, "back")
    assert address(app) == {"frame": "1"} | STEPS
    press(app, "back")
    assert address(app) == STEPS


def test_the_last_step_ends_it_and_one_beyond_is_the_last() -> None:
    app = page(frame=99, part="steps")
    assert heading(app) == "The answer"
    assert app.button(key="next").disabled
    assert "Step 18 of 18" in words(app)


def test_play_starts_over_at_the_end_and_pauses() -> None:
    app = page(frame=99, part="steps")
    press(app, "play")
    assert app.session_state["playing"]
    assert address(app) == STEPS
    assert app.button(key="play").label == "Pause"
    press(app, "play")
    assert not app.session_state["playing"]


def test_the_camera_stays_from_step_to_step() -> None:
    app = page(part="steps", algorithm="dplloyd", privacy="Strict")
    first = stage(app)["view"]
    for _ in range(4):
        press(app, "next")
        assert stage(app)["view"] == first


def test_the_bar_empties_as_the_budget_is_used_and_the_log_grows() -> None:
    app = page(frame=4, part="steps")
    assert "Privacy budget left: 80 %" in words(app)
    assert "used: ε 0.04 of 0.2" in words(app)
    assert "width: 80.00%" in written(app)
    assert "round 1 of 5: sums of positions" in written(app)
    assert "round 2 of 5" not in written(app)
    unasked = written(page(part="steps"))
    assert "no question was asked yet" in unasked
    assert "width: 100.00%" in unasked
    spent = written(page(frame=99, part="steps"))
    assert "Privacy budget left: 0 %" in spent
    assert "width: 0.00%" in spent


def test_draw_again_draws_another_run_and_the_same_seed_the_same() -> None:
    app = page(frame=5, part="steps")
    before = stage(app)["centers"]
    assert stage(page(frame=5, part="steps"))["centers"] == before
    press(app, "draw-again")
    assert address(app) == {"frame": "5", "seed": "1"} | STEPS
    assert stage(app)["centers"] != before


@pytest.mark.parametrize("algorithm", run_choice.methods())
def test_every_method_plays_from_the_first_step_to_the_last(algorithm: str) -> None:
    app = page(part="steps", algorithm=algorithm, privacy="Loosest")
    if app.warning:
        assert "has no answer here" in words(app)
        return
    last = int(re.search(r"Step 1 of (\d+)", words(app))[1]) - 1  # type: ignore[index]
    for frame in {1, last // 2, last}:
        app.query_params["frame"] = str(frame)
        checked(app)
    assert heading(app)
    shown = page(part="steps", algorithm=algorithm, privacy="Loosest", frame=last)
    assert len(stage(shown)["centers"]) == 5
    unproven = not ALGORITHMS[algorithm].verdict.holds
    assert ("which does not hold" in words(shown)) == unproven


def test_level_data_method_and_centers_are_chosen_in_the_sidebar() -> None:
    app = page(part="steps")
    app.selectbox(key="at-algorithm").set_value("adaptive")
    checked(app)
    app.selectbox(key="at-data").set_value("nyc-month")
    checked(app)
    app.number_input(key="at-k").set_value(3)
    checked(app)
    app.select_slider(key="at-privacy").set_value("Strictest")
    checked(app)
    assert (
        address(app)
        == {
            "algorithm": "adaptive",
            "data": "nyc-month",
            "k": "3",
            "privacy": "Strictest",
        }
        | STEPS
    )
    app.query_params["frame"] = "99"
    assert len(stage(checked(app))["centers"]) == 3


def test_what_noise_protects_wears_no_mark_and_what_it_does_not_does() -> None:
    assert MARK not in words(page(frame=1, part="steps"))
    assert MARK in words(page(frame=2, part="steps"))


def test_where_a_method_has_no_answer_it_says_so() -> None:
    assert "has no answer here" in words(page(part="steps", algorithm="coreset-faithful"))


# Is this trip in the data?


def truth(app: AppTest, who: str = "sound", epsilon: float = 0.2, number: int = 1) -> bool:
    return guessing_game.play(CONTESTANTS[who], epsilon, number).there


@pytest.mark.parametrize("said", ["in", "out"])
def test_a_guess_is_judged_and_counted(said: str) -> None:
    app = page(part="game")
    assert "right." not in str(app.markdown[-1].value).split("If")[0]
    press(app, f"say-{said}")
    right = (said == "in") == truth(app)
    assert ("Right." in written(app)) == right
    assert f"**{int(right)} of 1 right.**" in words(app)
    assert address(app)["tally"] == f"sound,0.2,0,1,{int(right)},{said}"


def test_rounds_follow_each_other_and_the_score_runs() -> None:
    app = page(part="game", answers="published")
    for number in range(1, 5):
        sides = len(guessing_game.play(CONTESTANTS["published"], 0.2, number).counts.counts)
        press(app, "say-in" if sides == 3 else "say-out")
        assert f"**{number} of {number} right.**" in words(app)
        press(app, "next-round")
    assert address(app)["tally"] == "published,0.2,0,5,4,"


def test_another_game_starts_from_nothing() -> None:
    app = page(part="game", tally="sound,0.2,0,7,4,")
    assert "**4 of 6 right.**" in words(app)
    app.radio(key="at-answers").set_value("thin")
    assert "right.**" not in words(checked(app))


def test_the_bound_of_the_level_is_named() -> None:
    for level in (LEVELS[0], LEVELS[-1]):
        assert f"**{certainty(level.epsilon)}**" in words(page(part="game", privacy=level.name))


def test_both_data_sets_and_the_noisy_counts_are_drawn() -> None:
    answer, with_it, without = drawings(page(part="game"))
    played = guessing_game.play(CONTESTANTS["sound"], 0.2, 1)
    for count in played.counts.counts.ravel().tolist():
        assert f">{count:,}</text>".replace("-", "−") in answer
    assert with_it.count("<circle") == without.count("<circle") + 1


def test_an_epsilon_at_which_the_game_cannot_be_played_is_refused_in_words() -> None:
    assert "The game is played at" in words(page(part="game", epsilon="1000"))


@pytest.fixture
def quick_rounds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Scores as a thousand rounds would give them, without playing."""
    scores = [
        GuesserScore(
            key, epsilon, {"sound": 500, "thin": 900, "published": 1000}[key], 1000, "a number"
        )
        for epsilon in guessing_game.EPSILONS
        for key in CONTESTANTS
    ]
    monkeypatch.setattr(guessing_game, "scores", lambda: iter(scores))
    done = Job(lambda: iter(scores))
    done.finish()
    real = Worker.job

    def job(worker: Worker, key: Any, *rest: Any) -> Job[Any]:
        return done if key[0] == "guessing game" else real(worker, key, *rest)

    monkeypatch.setattr(Worker, "job", job)
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


def test_a_thousand_rounds_are_drawn_over_the_bound_and_told(quick_rounds: None) -> None:
    app = page(part="game")
    app.segmented_control(key="at-guesser").set_value("machine")
    checked(app)
    assert address(app) == {"part": "game", "guesser": "machine"}
    chart = app.get("plotly_chart")[0].proto
    assert "Beyond the bound: As published, Too little noise." in chart.alt
    traces = json.loads(chart.spec)["data"]
    assert [trace["name"] for trace in traces][1:] == [c.title for c in CONTESTANTS.values()]
    table = app.table[0].value
    assert len(table) == len(CONTESTANTS) * len(guessing_game.EPSILONS)
    assert set(table[table["Who answers"] == "Sound"]["Bound broken"]) == {"no"}


# Nine maps.


def test_nine_draws_of_one_level_differ() -> None:
    app = page(part="luck")
    assert len(set(drawings(app))) == 9
    assert written(app).count("<figcaption>") == 9
    first = drawings(app)
    press(app, "draw-again")
    assert drawings(app)[:8] == first[1:]


def test_nine_levels_leak_less_and_less() -> None:
    app = page(part="luck")
    app.segmented_control(key="at-vary").set_value("level")
    checked(app)
    assert address(app) == {"part": "luck", "vary": "level"}
    epsilons = [float(e) for e in re.findall(r"ε = ([\d.]+)</b>", written(app))]
    assert epsilons == sorted(repeated_runs.EPSILONS, reverse=True)
    assert len(epsilons) == 9
    assert "Strictest, ε = 0.02" in written(app)
    assert MARK in words(app)


def test_stricter_levels_are_typically_further_off_whatever_the_draw() -> None:
    app = page(part="luck", vary="level")
    typical: list[tuple[str, str]] = []
    deadline = time.monotonic() + 600
    while len(typical) < len(repeated_runs.EPSILONS):
        assert time.monotonic() < deadline, typical
        typical = re.findall(r"typically ([\d.]+)\s(k?m) off<", written(checked(app)))
        time.sleep(0.2)
    meters = [float(far) * (1000 if unit == "km" else 1) for far, unit in typical]
    assert len(meters) == 9
    assert meters == sorted(meters)


def test_a_small_map_where_there_is_no_answer_says_so() -> None:
    assert "no answer" in written(page(part="luck", algorithm="coreset-faithful"))


# Guess, then look.


def test_arrows_move_the_guess_that_is_chosen() -> None:
    app = page(part="guess")
    app.segmented_control(key="at-pick").set_value(2)
    checked(app)
    press(app, "move-North")
    press(app, "move-East")
    spots = [tuple(map(float, s.split(","))) for s in address(app)["spots"].split("_")]
    assert address(app)["pick"] == "2"
    assert spots[0] == (-74.018, 40.8)
    assert spots[1][0] > -74.018
    assert "Center 2: beyond" in words(app)


def test_a_guess_stays_on_the_map() -> None:
    app = page(part="guess", spots="-74.0290,40.7500")
    press(app, "move-West")
    press(app, "move-West")
    assert address(app)["spots"].startswith("-74.0290")


def test_looking_tells_how_far_off_in_meters() -> None:
    app = page(part="guess", spots="-73.9800,40.7600_-73.9800,40.7600", k=2)
    press(app, "look")
    assert address(app)["look"] == "true"
    assert re.search(r"<b>[\d.]+\s(k?m)</b> from the published ones", words(app))
    assert list(app.table[0].value.columns) == ["Guess", "Private center in", "Off by"]
    assert len(app.table[0].value) == 2
    assert MARK in words(app)
    press(app, "look")
    assert "look" not in address(app)


def test_more_centers_than_were_placed_wait_beside_the_city() -> None:
    app = page(part="guess", spots="-73.9800,40.7600", k=4)
    assert app.segmented_control(key="at-pick").options == ["1", "2", "3", "4"]


def test_looking_where_there_is_no_answer_says_so() -> None:
    app = page(part="guess", algorithm="coreset-faithful", look="true")
    assert "has no answer here" in words(app)


# Lessons.

EVERY_STEP = [
    pytest.param(lesson, number, id=f"{lesson.key}-{number}")
    for lesson in lesson_plans.shipped().values()
    for number in range(1, len(lesson.steps) + 1)
]


@pytest.mark.parametrize(("lesson", "number"), EVERY_STEP)
def test_every_step_of_every_lesson_opens_and_keeps_its_address(
    quick_rounds: None, lesson: lesson_plans.Lesson, number: int
) -> None:
    app = page(**lesson.address(number))
    assert address(app) == lesson.address(number)
    step = lesson.steps[number - 1]
    assert f"**{lesson.title}**, {number} of {len(lesson.steps)}: {step.title}" in words(app)
    assert step.note in words(app)
    assert not app.warning
    press(app, "presenter")
    assert step.note not in words(app)
    assert step.ask in written(app).replace("&#x27;", "'")


def test_lessons_lead_from_step_to_step_and_end() -> None:
    app = page(lesson="free-restarts", at="1", part="steps", algorithm="eugkm", frame="3")
    assert app.button(key="lesson-PageUp").disabled
    press(app, "lesson-PageDown")
    assert address(app) == lesson_plans.shipped()["free-restarts"].address(2)
    press(app, "lesson-PageUp")
    assert address(app) == lesson_plans.shipped()["free-restarts"].address(1)
    press(app, "lesson-end")
    assert "lesson" not in address(app)
    assert address(app)["algorithm"] == "eugkm"


def test_a_presenter_stays_one_through_a_lesson() -> None:
    app = page(presenter="true", **lesson_plans.shipped()["free-restarts"].address(1))
    press(app, "lesson-PageDown")
    assert address(app) == {
        **lesson_plans.shipped()["free-restarts"].address(2),
        "presenter": "true",
    }


def test_a_card_for_each_lesson_has_a_picture_an_aim_minutes_and_start() -> None:
    app = page(part="lessons")
    assert len(drawings(app)) == len(lesson_plans.shipped())
    for number, lesson in enumerate(lesson_plans.shipped().values()):
        assert f"#### {number}. {lesson.title}" in words(app)
        assert lesson.aim in words(app)
        assert f"{lesson.minutes} minutes, {len(lesson.steps)} steps" in written(app)
        assert app.button(key=f"start-{lesson.key}").label == "Start"
    assert len(app.get("download_button")) == len(lesson_plans.shipped()) + 1


def test_start_opens_the_first_step_and_the_list_any_other() -> None:
    lesson = lesson_plans.shipped()["free-restarts"]
    assert address(press(page(part="lessons"), "start-free-restarts")) == lesson.address(1)
    assert address(press(page(part="lessons"), "open-free-restarts-3")) == lesson.address(3)


TITLES = {
    ("what-noise-buys", 4): "the noisy counts",
    ("why-size-matters", 3): "Round 1: noise, and out",
    ("why-size-matters", 4): "Round 1: noise, and out",
    ("spending-a-budget", 1): "The start looks at nothing",
    ("spending-a-budget", 2): "Round 1: noise, and out",
    ("spending-a-budget", 3): "The answer",
    ("spending-a-budget", 4): "the noisy counts",
    ("spending-a-budget", 5): "Stage 1: which cells stay?",
    ("free-restarts", 1): "the noisy counts",
    ("free-restarts", 2): "50 starts",
    ("free-restarts", 3): "The winner",
    ("free-restarts", 4): "Round 1: noise, and out",
    ("free-restarts", 5): "points stand for all",
}


@pytest.mark.parametrize(("key", "number"), TITLES)
def test_a_lesson_points_at_the_step_that_it_speaks_of(key: str, number: int) -> None:
    app = page(**lesson_plans.shipped()[key].address(number))
    assert TITLES[key, number] in heading(app)


def test_methods_of_the_classroom_come_first() -> None:
    assert tuple(run_choice.methods()[:6]) == run_choice.FIRST
    assert set(run_choice.methods()) <= set(playable())
