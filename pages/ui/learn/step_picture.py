"""The picture of a lesson's step, on cards and slides: what its address shows, as a small map."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from dpcore.classroom import guessing_game
from dpcore.classroom.attack_game import AttackSetup
from dpcore.classroom.guessing_game import CONTESTANTS
from dpcore.datasets.builtin import TAXI_ROWS
from dpcore.geometry.domain import Box
from dpcore.privacy.explain import LEVELS
from dpcore.runs.request import Request
from dpcore.study import run_view
from pages.ui import cached_work, url_keys
from pages.ui.address import Key
from pages.ui.choice import Choice
from pages.ui.city_map import CityMap
from pages.ui.learn import (
    attack_map,
    attacking,
    frame_map,
    game,
    ground,
    guess_centers,
    repeated_runs,
    step_by_step,
)
from pages.ui.learn import run_choice as choices
from pages.ui.learn.small_map import SmallMap
from pages.ui.palette import Palette

T = TypeVar("T")
Opens = Mapping[str, str]
Kind = type[SmallMap]
#: Pixels of height for which the sizes of marks on the large map are meant.
USUAL = 420
#: Where a map of nine says which one it is.
CORNER = (-74.035, 40.797)


def value(key: Key[T], opens: Opens) -> T:
    """The value of a key in an address, or its default."""
    return key.parse(opens[key.name]) if key.name in opens else key.default


def epsilon(opens: Opens) -> float:
    typed = value(url_keys.EPSILON, opens)
    level = value(url_keys.PRIVACY, opens)
    return typed or next(each.epsilon for each in LEVELS if each.name == level)


def choice(opens: Opens, method: str) -> Choice:
    request = Request(
        opens.get("algorithm", method),
        value(url_keys.CENTERS, opens),
        epsilon(opens),
        seed=value(url_keys.SEED, opens),
    )
    return Choice(value(choices.DATA, opens), request)


def pictures(opens: Opens, colors: Palette, kind: Kind = SmallMap) -> list[SmallMap]:
    """The maps of a step: one, or nine where the page shows nine."""
    part = opens.get("part", "start")
    drawers: dict[str, Callable[[Opens, Palette, Kind], list[SmallMap]]] = {
        "steps": steps,
        "luck": luck,
        "game": published_counts,
        "room": published_counts,
        "attack": attacked,
        "moves": attacked,
        "guess": guessed,
    }
    return drawers.get(part, released)(opens, colors, kind)


def steps(opens: Opens, colors: Palette, kind: Kind) -> list[SmallMap]:
    frames, _, holds, _ = step_by_step.story_of(choice(opens, choices.METHOD))
    frame = frames[min(value(url_keys.FRAME, opens), len(frames) - 1)]
    return [small(frame_map.canvas_of(frame, colors, holds, False), colors, kind)]


def luck(opens: Opens, colors: Palette, kind: Kind) -> list[SmallMap]:
    first = choice(opens, repeated_runs.METHOD)
    by_level = value(url_keys.VARY, opens) == "level"
    make = repeated_runs.nine_levels if by_level else repeated_runs.nine_draws
    maps = []
    for number, each in enumerate(make(first), 1):
        canvas = repeated_runs.drawing(cached_work.picture(each, (0, 1)), colors, "", kind)
        level = repeated_runs.level_words(each.request.epsilon).partition(",")[0]
        canvas.text(CORNER, level if by_level else f"Draw {number}", colors.text, 9.0)
        maps.append(canvas)
    return maps


def published_counts(opens: Opens, colors: Palette, kind: Kind) -> list[SmallMap]:
    contestant = CONTESTANTS[opens.get("answers", "sound")]
    played = guessing_game.play(contestant, epsilon(opens), 1, value(url_keys.SEED, opens))
    return [game.answer_map(played, colors, kind)]


def attacked(opens: Opens, colors: Palette, kind: Kind) -> list[SmallMap]:
    moves = opens.get("part") == "moves"
    setup = AttackSetup(opens.get("algorithm", attacking.METHOD), epsilon(opens))
    if moves:
        levels = (value(key, opens) for key in (url_keys.HOME_LEVEL, url_keys.ROAD_LEVEL))
        home, road = map(attacking.epsilon, levels)
        setup = AttackSetup(setup.algorithm, setup.epsilon, home=home, road=road)
    played = attack_map.round_of(setup, 1, value(url_keys.SEED, opens))
    sees = value(url_keys.SEES, opens)
    canvas = attack_map.drawing(setup, played, sees, colors)
    result = kind(widened(canvas.view), colors, canvas.words)
    synopsis = played.released.synopsis
    if synopsis is not None:
        frame = run_view.marks(synopsis, (0, 1)).frame.nlargest(repeated_runs.HEAVIEST, "weight")
        sizes = 17 * (frame["weight"].clip(0) / max(1, TAXI_ROWS)) ** 0.5 / 2
        result.circles(
            frame[["x", "y"]].to_numpy().tolist(), sizes.tolist(), colors.points, opacity=0.4
        )
    return [painted(canvas, colors, result)]


def guessed(opens: Opens, colors: Palette, kind: Kind) -> list[SmallMap]:
    number = value(url_keys.CENTERS, opens)
    spots = value(url_keys.SPOTS, opens) or guess_centers.waiting(number)
    canvas = guess_centers.drawing(spots[:number], None, colors)
    return [small(canvas, colors, kind)]


def released(opens: Opens, colors: Palette, kind: Kind) -> list[SmallMap]:
    """A run at the level of the address, where a step shows no picture of its own."""
    picture = cached_work.picture(choice(opens, repeated_runs.METHOD), (0, 1))
    return [repeated_runs.drawing(picture, colors, "", kind)]


def small(canvas: CityMap, colors: Palette, kind: Kind) -> SmallMap:
    """A large map as a small one."""
    result = kind(widened(canvas.view), colors, canvas.words)
    return painted(canvas, colors, result)


def widened(view: Box) -> Box:
    """The view, half as wide again as high."""
    (west, south), (east, north) = view.low[:2], view.high[:2]
    middle, half = (west + east) / 2, (north - south) / 0.757 * 0.75
    half = max(half, (east - west) / 2)
    return Box((middle - half, south), (middle + half, north))


def painted(canvas: CityMap, colors: Palette, result: SmallMap) -> SmallMap:
    """Draw the marks of a large map on a small one."""
    for area in canvas.areas:
        for ring in ground.neighborhood(area["name"]):
            result.polygon(ring, area["tint"], 0.62, area["outline"])
    result.names("borough", "water", size=4.2, most=4)
    for layer in canvas.drawing:
        if layer["kind"] == "dots":
            radius = 100 * layer["radius"] / USUAL
            result.circles(layer["at"], radius, layer["color"], opacity=layer.get("alpha", 1.0))
        elif layer["kind"] == "boxes":
            for west, south, east, north, alpha in layer["boxes"]:
                line = 100 * layer.get("line", 0) / USUAL
                result.cells((west, south), (east, north), layer["color"], alpha, line)
        elif layer["kind"] == "lines":
            ends = [((x0, y0), (x1, y1)) for x0, y0, x1, y1 in layer["lines"]]
            result.lines(ends, layer["color"], 100 * layer["width"] / USUAL)
        else:
            for each in layer["words"]:
                result.text(each["at"], each["text"], layer["color"], 100 * layer["size"] / USUAL)
    result.non_private([each["at"] for each in canvas.partners], 4.0)
    for each in canvas.centers:
        result.private([each["at"]], each["color"] == "private", 3.0)
    return result


def card(opens: Opens, colors: Palette) -> str:
    """One small map for a lesson's card, as HTML."""
    if opens.get("part") in ("luck", "start"):
        picture = cached_work.picture(choice(opens, repeated_runs.METHOD), (0, 1))
        return repeated_runs.drawing(picture, colors, "").image()
    return pictures(opens, colors)[0].image()
