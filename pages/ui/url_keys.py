"""All query parameters of the dashboard, each declared once.

A key has a name, a parser, a default, and the pages that use it. A page that accepts fewer values,
or that has another default, narrows the declared key and so shares its name and meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from dpcore.algorithms import ALGORITHMS, PAPERS, Parameter
from dpcore.algorithms.references import paper_key
from dpcore.classroom import class_rooms, lesson_plans
from dpcore.privacy.accounting import MAX_DELTA, MAX_EPSILON, MIN_EPSILON, Neighbors, Verdict
from dpcore.privacy.explain import LEVELS, MIDDLE
from dpcore.study.metrics import METRICS, Metric
from dpcore.study.needs import NEEDS
from dpcore.study.usual_ranges import EPSILONS, SIDES, SIZES
from pages.ui import own_data
from pages.ui.address import Key
from pages.ui.areas import chosen
from pages.ui.areas.chosen import Chosen
from pages.ui.choose import need_choices
from pages.ui.learn.class_score import ClassScore
from pages.ui.publish.publish_step import PublishStep
from pages.ui.url_parsers import (
    InRange,
    NumberOrNone,
    OneOf,
    Parse,
    Point,
    SomeOf,
    points,
    points_text,
    words,
    yes_or_no,
)


class Page(StrEnum):
    START = "Start"
    EXPLORE = "Explore"
    AREAS = "Areas"
    CHOOSE = "Choose a level"
    CURVES = "Curves"
    COMPARE = "Compare"
    VERDICTS = "Verdicts"
    PUBLISH = "Publish"
    LEARN = "Learn"


EVERY = tuple(Page)
EXPLORE, CURVES, COMPARE = (Page.EXPLORE, Page.AREAS), (Page.CURVES,), (Page.COMPARE,)
PUBLISH, LEARN = (Page.PUBLISH,), (Page.LEARN,)
CHARTS = (Page.CURVES, Page.COMPARE)
LEVEL_NAMES = tuple(level.name for level in LEVELS)
#: No single paper, and no method to compare with.
ALL, NONE = "all", "none"
MOST_CENTERS, MOST_RUNS = 100, 200
#: Centers that a class can tell apart, and runs of each of many cells.
MOST_IN_CLASS, MOST_CELL_RUNS = 20, 20
#: The largest whole number that a browser holds exactly.
MAX_SEED = 2**53 - 1


def data_key(text: str) -> str:
    """Parse the key of a data set: a built-in one, or one that some session holds."""
    return text if own_data.is_own(text) else own_data.facts(text).key


def paper(text: str) -> str:
    """Parse a paper, which may go by an earlier name, or `all`."""
    return OneOf((ALL, *PAPERS))(paper_key(text))


def lesson_key(text: str) -> str:
    return OneOf(lesson_plans.shipped())(text)


#: The parts of Learn, in the order of its menu.
LEARN_PARTS = (
    "start",
    "lessons",
    "game",
    "attack",
    "moves",
    "guess",
    "steps",
    "luck",
    "room",
    "write",
)
LEVEL = OneOf(LEVEL_NAMES)
#: Figures that a person may aim at, whatever the metric: shares, distances in meters, NICV.
TARGETS = tuple(float(f"{step}e{power}") for power in range(-4, 4) for step in (1, 1.5, 2, 3, 5, 7))
METHOD = OneOf(ALGORITHMS)
VERDICTS = tuple(str(verdict) for verdict in Verdict)

# The run, the same on every page.
DATA = Key("data", data_key, "nyc-taxi", EVERY)
ALGORITHM = Key("algorithm", METHOD, "adaptive", EVERY)
CENTERS = Key("k", InRange(int, 1, MOST_CENTERS), 5, EVERY)
PRIVACY = Key("privacy", LEVEL, MIDDLE.name, EVERY)
EPSILON = Key[float | None]("epsilon", InRange(float, MIN_EPSILON, MAX_EPSILON), None, EVERY)
DELTA = Key("delta", InRange(float, 0, MAX_DELTA), 0.0, EVERY)
NEIGHBORS = Key("neighbors", OneOf(tuple(Neighbors)), Neighbors.ADD_REMOVE, EVERY)
SEED = Key("seed", InRange(int, 0, MAX_SEED), 0, EVERY)
PUBLIC_ROWS = Key[int | None](
    "public_rows",
    InRange(int, 1, 10**12),
    None,
    (*CHARTS, Page.VERDICTS, Page.CHOOSE, Page.PUBLISH),
)

# Start.
TOUR = Key("tour", InRange(int, 0, 4), 0, (Page.START,))

# Explore.
THREE = Key("three", yes_or_no, False, EXPLORE)
LEFT = Key("left", LEVEL, LEVELS[0].name, EXPLORE)
IN_THE_MIDDLE = Key("middle", LEVEL, MIDDLE.name, EXPLORE)
RIGHT = Key("right", LEVEL, LEVELS[-1].name, EXPLORE)
ACROSS = Key("x", str, "", EXPLORE)
UP = Key("y", str, "", EXPLORE)
POINTS = Key("points", yes_or_no, True, EXPLORE)
PRIVATE = Key("private", yes_or_no, True, EXPLORE)
NON_PRIVATE = Key("non_private", yes_or_no, True, EXPLORE)
SHIFTS = Key("shifts", yes_or_no, True, EXPLORE)
PUBLISHED_DENSITY = Key("published_density", yes_or_no, False, EXPLORE)
TRUE_DENSITY = Key("true_density", yes_or_no, False, EXPLORE)

# Areas.
AREAS = Key[list[Chosen]]("areas", chosen.parse, [], (*EXPLORE, Page.PUBLISH), render=chosen.text)
AREAS_VIEW = Key("areas_view", OneOf(("levels", "mine", "wishes")), "levels", (Page.AREAS,))
#: Positions of one person that a plan counts at most; 0 where it protects each by itself.
COUNTED = Key("counted", InRange(int, 0, 1000), 10, (Page.AREAS,))
CLICKS = Key("clicks", OneOf(("neighborhoods", "boroughs")), "neighborhoods", (Page.AREAS,))
VARIED = Key("varied", str, "", (Page.AREAS,))
LEAVES = Key("leaves", str, "", (Page.AREAS,))
ENTERS = Key("enters", str, "", (Page.AREAS,))

# Choose a level, here and on Publish.
NEEDED = (Page.CHOOSE, Page.PUBLISH)
NEED = Key("need", OneOf(NEEDS), "centers", NEEDED)
OFTEN = Key("often", OneOf(tuple(need_choices.OFTEN)), 0.9, NEEDED)
WITHIN_METERS = Key("meters", OneOf(need_choices.METERS), 200, NEEDED)
WITHIN_PART = Key("part_of_box", OneOf(need_choices.PARTS), 2.0, NEEDED)
WORSE_BY = Key("worse_by", OneOf(need_choices.PERCENTS), 1.0, NEEDED)
COUNTS_WITHIN = Key("counts_within", OneOf(need_choices.ROWS), 100, NEEDED)

# Curves, and what it shares with Compare.
METRIC = Key("metric", OneOf(METRICS), "relative-error", CHARTS)
RUNS = Key("runs", InRange(int, 1, MOST_RUNS), 20, CHARTS)
#: Whether runs that were made before, and kept, are made again.
RUN_LIVE = Key("run_live", yes_or_no, False, CHARTS, former="rank_live")
CAMERA = Key("picture", OneOf(("PNG", "SVG")), "PNG", (*CHARTS, Page.CHOOSE, Page.VERDICTS))
WITH = Key[list[str]]("with", SomeOf(ALGORITHMS), [], CURVES)
EPSILON_FROM = Key("from", OneOf(EPSILONS), EPSILONS[0], CURVES)
EPSILON_TO = Key("to", OneOf(EPSILONS), EPSILONS[-1], CURVES)
LOG_X = Key("log_x", yes_or_no, True, CURVES)
BAND = Key("band", yes_or_no, True, CURVES)
PREDICTED = Key("predicted", yes_or_no, True, CURVES)

# Compare.
COMPARE_VIEW = Key(
    "compare",
    OneOf(("rank", "duel", "mine", "map", "time", "size", "predict", "auto", "papers")),
    "rank",
    COMPARE,
)
PAPER = Key("paper", paper, ALL, (Page.COMPARE, Page.VERDICTS))
ALL_METHODS = Key("all_methods", yes_or_no, False, COMPARE)
FEWER_RUNS = Key("fewer_runs", yes_or_no, True, COMPARE)
AGAINST = Key("against", OneOf((NONE, *ALGORITHMS)), NONE, COMPARE)
K_TO = Key("k_to", InRange(int, SIDES[0], 16), SIDES[-1], COMPARE)
D_TO = Key("d_to", InRange(int, SIDES[0], 16), SIDES[-1], COMPARE)
CELL_RUNS = Key("cell_runs", InRange(int, 1, MOST_CELL_RUNS), 3, COMPARE)
CORESETS = Key[list[str]]("coresets", SomeOf(ALGORITHMS), [], COMPARE)
SIZE_RUNS = Key("size_runs", InRange(int, 1, MOST_RUNS), 5, COMPARE)
DUEL_RUNS = Key("duel_runs", InRange(int, 2, MOST_CELL_RUNS), 8, COMPARE)
TIMED = Key[list[str]]("timed", SomeOf(ALGORITHMS), [], COMPARE)
DIMENSIONS = Key("dimensions", OneOf((2, 4, 10)), 2, COMPARE)
ROWS_TO = Key("rows", OneOf(SIZES[1:]), 1_000_000, COMPARE)
TIME_RUNS = Key("time_runs", InRange(int, 1, 10), 3, COMPARE)
FINDING = Key[str | None]("finding", str, None, COMPARE)
LIVE_FINDINGS = Key[list[str]]("live", words, [], COMPARE)

# Verdicts.
METHOD_PAGE = Key[str | None]("method", METHOD, None, (Page.VERDICTS,))
SEARCH = Key("search", str, "", (Page.VERDICTS,))
WITH_VERDICT = Key[list[str]]("verdict", SomeOf(VERDICTS), [], (Page.VERDICTS,))
SORT = Key(
    "sort", OneOf(("verdict", "method", "error", "time", "attack")), "verdict", (Page.VERDICTS,)
)

# Publish.
PUBLISH_VIEW = Key("view", OneOf(("publish", "ask", "check", "history")), "publish", PUBLISH)
STEP = Key("step", PublishStep, PublishStep.DATA, PUBLISH)
SOURCE = Key(
    "source", OneOf(("upload", "path", "spark", "held", "public")), "upload", PUBLISH, former="from"
)
RELEASE = Key("release", InRange(int, 1), 0, PUBLISH)

# Learn.
PART = Key("part", OneOf(LEARN_PARTS), LEARN_PARTS[0], LEARN)
PRESENTER = Key("presenter", yes_or_no, False, LEARN)
LESSON = Key[str | None]("lesson", lesson_key, None, LEARN)
LESSON_STEP = Key("at", InRange(int, 1), 1, LEARN)
FRAME = Key("frame", InRange(int, 0), 0, LEARN)
GUESSER = Key("guesser", OneOf(("class", "machine")), "class", LEARN)
ANSWERS = Key("answers", str, "sound", LEARN)
TALLY = Key[ClassScore | None]("tally", ClassScore.parse, None, LEARN)
VARY = Key("vary", OneOf(("luck", "level")), "luck", LEARN)
LOOK = Key("look", yes_or_no, False, LEARN)
SPOTS = Key[list[Point]]("spots", points, [], LEARN, render=points_text)
SEES = Key("sees", OneOf(("count", "center", "release")), "count", LEARN)
TARGET = Key("trip", OneOf(("lonely", "crowd")), "lonely", LEARN)
TRIPS = Key("trips", InRange(int, 1, 50), 1, LEARN)
RELEASES = Key("releases", InRange(int, 1, 50), 1, LEARN)
HOME_LEVEL = Key("home", LEVEL, "Strict", LEARN)
ROAD_LEVEL = Key("road", LEVEL, "Looser", LEARN)
ROOM = Key[str | None]("room", class_rooms.room_code, None, LEARN)
LEADS = Key("lead", yes_or_no, False, LEARN)
SEAT = Key[int | None]("seat", InRange(int, 1, 2**53 - 1), None, LEARN)
PICK = Key("pick", InRange(int, 1, MOST_IN_CLASS), 1, LEARN)


def log_y(metric: Metric) -> Key[bool]:
    """The key for a logarithmic axis of a metric."""
    return Key(f"log_y.{metric.key}", yes_or_no, True, CHARTS)


def target(metric: Metric) -> Key[float | None]:
    """The key for the figure that should not be exceeded, in the metric's own unit."""
    return Key(f"target.{metric.key}", NumberOrNone(TARGETS), None, CURVES)


def setting(algorithm: str, parameter: Parameter) -> Key[Any]:
    """The key for a parameter of an algorithm."""
    return Key(f"{algorithm}.{parameter.name}", _of(parameter), parameter.default, EVERY)


def _of(parameter: Parameter) -> Parse[Any]:
    if parameter.choices:
        return OneOf(parameter.choices)
    kind = type(parameter.default)
    return yes_or_no if kind is bool else InRange(kind, parameter.low, parameter.high)


def declared() -> Iterator[Key[Any]]:
    """Iterate over all keys."""
    yield from (each for each in globals().values() if isinstance(each, Key))
    yield from map(log_y, METRICS.values())
    yield from map(target, METRICS.values())
    for key, algorithm in ALGORITHMS.items():
        yield from (setting(key, parameter) for parameter in algorithm.parameters)


#: Keys that old addresses call by another name.
RENAMED = tuple(key for key in declared() if key.former)
