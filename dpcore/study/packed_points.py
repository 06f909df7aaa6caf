"""Published points packed for a browser: a few bytes each."""

from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from dpcore.study.run_view import Marks

#: The largest whole number of 16 bits.
FINEST = 65535


def packed(marks: Marks) -> dict[str, Any]:
    """Points as 16-bit numbers, deflated.

    They are sorted by x. Each has the way from the last x to its own, its y, and the square root
    of its weight. A step of a position is a 65,535th of the extent, one of the root a 65,535th of
    the largest. All low bytes of a column stand before its high bytes, which deflates best.
    """
    x, y, weight = marks.rows.T
    places = np.stack([x, y])
    low = places.min(axis=1, initial=np.inf) if len(x) else np.zeros(2)
    high = places.max(axis=1, initial=-np.inf) if len(x) else np.zeros(2)
    extent = np.maximum(high - low, 1e-9)
    most = float(weight.max(initial=0)) or 1.0
    across, up = np.rint((places - low[:, None]) / extent[:, None] * FINEST).astype(np.int64)
    roots = np.rint(np.sqrt(np.maximum(weight, 0) / most) * FINEST).astype(np.int64)
    order = np.argsort(across, kind="stable")
    columns = np.stack([np.diff(across[order], prepend=0), up[order], roots[order]])
    planes = columns.astype("<u2").view(np.uint8).reshape(3, -1, 2).transpose(0, 2, 1)
    return {
        "packed": base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode(),
        "box": [*low.tolist(), *(low + extent).tolist()],
        "count": len(x),
        "most": most,
        "whole": float(weight.sum()) or 1.0,
    }


def unpacked(points: dict[str, Any]) -> list[tuple[float, float, float]]:
    """The points that a browser draws: x, y and weight."""
    planes = np.frombuffer(zlib.decompress(base64.b64decode(points["packed"])), np.uint8)
    columns = planes.reshape(3, 2, -1).astype(np.int64)
    ways, up, roots = columns[:, 0] + 256 * columns[:, 1]
    west, south, east, north = points["box"]
    x = west + (east - west) * np.cumsum(ways) / FINEST
    y = south + (north - south) * up / FINEST
    return list(zip(x, y, points["most"] * (roots / FINEST) ** 2, strict=True))
