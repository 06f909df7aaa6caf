"""The numbers that a need can be picked from."""

from __future__ import annotations

METERS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
#: Of the width of a box without a map, in percent.
PARTS = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
PERCENTS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
ROWS = (5, 10, 20, 50, 100, 200, 500, 1000, 5000)
OFTEN = {
    0.5: "half of the time",
    0.8: "8 times out of 10",
    0.9: "9 times out of 10",
    0.95: "19 times out of 20",
    0.99: "99 times out of 100",
}
