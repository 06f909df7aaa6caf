"""How many centers? The curve of costs from the points of one run."""

from __future__ import annotations

import numpy as np

import dpcore
from dpcore.runs.request import Request
from pages.ui import center_counts
from pages.ui.choice import Choice
from pages.ui.palette import LIGHT
from tests.pages.visits import address, press, visited, words

TAXI = Choice("nyc-taxi", Request("adaptive", 5, 0.2, seed=0))


def test_the_curve_is_that_of_the_published_points_and_asks_the_data_nothing() -> None:
    points = dpcore.run(TAXI.request, dpcore.datasets.load("nyc-taxi")).synopsis
    assert points is not None
    found = center_counts.curve(TAXI)
    assert found is not None
    costs = dict(found.costs)
    again = points.cost(points.kmeans(5, 0)) / float(np.sum(points.weights))
    assert costs[5] == again
    assert list(costs.values()) == sorted(costs.values(), reverse=True)


def test_the_chart_marks_the_suggested_number_and_the_current_one() -> None:
    found = center_counts.curve(TAXI)
    assert found is not None
    drawn = center_counts.figure(found, 1, LIGHT)
    marked = {each.text for each in drawn.layout.annotations}
    assert marked == {f"{found.suggested}: suggested", "1: now"}
    assert max(drawn.data[0].y) == 100


def test_the_suggested_number_is_taken_with_a_press() -> None:
    app = press(visited(k=11), "how-many")
    suggested = center_counts.curve(Choice("nyc-taxi", Request("adaptive", 11, 0.2, seed=0)))
    assert suggested is not None
    assert "costs no more privacy" in words(app)
    assert len(app.get("plotly_chart")) == 1
    press(app, "use-suggested")
    k = suggested.suggested
    assert address(app) == ({} if k == 5 else {"k": str(k)})


def test_a_method_that_publishes_centers_alone_says_so() -> None:
    app = press(visited(algorithm="dplloyd"), "how-many")
    assert "publishes its centers and nothing else" in words(app)
    press(app, "use-recommended")
    assert address(app) == {}
