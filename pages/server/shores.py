"""The land of the city's map: a file that a browser fetches once, and keeps."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from streamlit import config

from dpcore.datasets.city_shapes import boroughs
from dpcore.geometry.domain import Box

#: Shores are drawn to this many degrees (20 m) where one looks, and coarsely elsewhere.
NEAR, FAR = 0.0002, 0.004
WINDOW = Box((-74.12, 40.66), (-73.84, 40.92))
#: Its address changes with what is in it, so that a browser need not ask again.
FOR_EVER = "private, max-age=31536000, immutable"


@cache
def shores() -> list[dict[str, Any]]:
    """The boroughs' polygons, thinned."""
    polygons = [polygon for area in boroughs() for polygon in area.polygons]
    thinned = [[thin(ring.tolist()) for ring in polygon] for polygon in polygons]
    return [{"rings": [r for r in rings if len(r) > 3]} for rings in thinned if len(rings[0]) > 3]


def thin(ring: list[list[float]]) -> list[list[float]]:
    """A closed ring without corners too near the one before to be told apart on the screen."""
    kept = ring[:1]
    for x, y in ring[1:-1]:
        inside = WINDOW.low[0] < x < WINDOW.high[0] and WINDOW.low[1] < y < WINDOW.high[1]
        if max(abs(x - kept[-1][0]), abs(y - kept[-1][1])) >= (NEAR if inside else FAR):
            kept.append([round(x, 5), round(y, 5)])
    return [*kept, kept[0]]


@cache
def content() -> bytes:
    """The file: the polygons as JSON."""
    return json.dumps(shores(), separators=(",", ":")).encode()


@cache
def _path() -> str:
    return f"/map/shores-{hashlib.sha256(content()).hexdigest()[:12]}.json"


def address() -> str:
    """Where a page finds the file on its own server."""
    base = str(config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}{_path()}" if base else _path()


async def _answer(request: Request) -> Response:
    return Response(content(), media_type="application/json", headers={"Cache-Control": FOR_EVER})


def route() -> Route:
    """What the server answers at that address."""
    return Route(address(), _answer)
