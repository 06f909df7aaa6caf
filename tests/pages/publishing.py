"""What tests of own data and releases share: files to bring, and the steps up to a release."""

from __future__ import annotations

import time

import numpy as np
from streamlit.testing.v1 import AppTest

from dpcore.geometry.domain import FloatArray
from tests.pages.visits import checked, press, visited, words

PUBLISH = "pages/4_publish.py"
#: Seconds that anything may take where others share the machine.
LONG = 600
CITY = "New York, Manhattan and around it"


def trips(rows: int = 3_000, seed: int = 0) -> FloatArray:
    """Positions around two corners of Manhattan."""
    rng = np.random.default_rng(seed)
    corners = np.array([[-73.985, 40.735], [-73.955, 40.78]])
    return corners[rng.integers(2, size=rows)] + rng.normal(0, 0.004, (rows, 2))


def csv_text(points: FloatArray, header: str = "pickup_longitude,pickup_latitude") -> str:
    lines = (f"{x:.9f},{y:.9f}" for x, y in points.tolist())
    return "\n".join([header, *lines])


def page(file: str = PUBLISH, **query: object) -> AppTest:
    return visited(file, **query)


def buttons(app: AppTest) -> dict[str, str]:
    return {button.key: button.label for button in app.button}


def until(app: AppTest, said: str) -> AppTest:
    """Draw the page again until it says something: what is made in another thread is awaited."""
    deadline = time.monotonic() + LONG
    while said not in words(app):
        assert time.monotonic() < deadline, words(app)
        time.sleep(0.1)
        checked(app)
    return app


def settled(app: AppTest) -> AppTest:
    """The page once nothing is being made anymore."""
    deadline = time.monotonic() + LONG
    while any(bar.proto.text.endswith("…") for bar in app.get("progress")):
        assert time.monotonic() < deadline, "It never came to an end."
        time.sleep(0.1)
        checked(app)
    return app


def upload(app: AppTest, name: str, content: str | bytes) -> AppTest:
    content = content.encode() if isinstance(content, str) else content
    app.file_uploader[0].upload(name, content, "text/csv")
    checked(app)
    return settled(press(app, "open"))


def at_places(app: AppTest, row: str = "trip") -> AppTest:
    """From the question who is protected to the next: every row by itself."""
    app.text_input(key="remembered-row").set_value(row)
    app.radio(key="remembered-who").set_value("row")
    return press(checked(app), "who")


def counted(app: AppTest, place: str = CITY, row: str = "trip") -> AppTest:
    """The rows counted, from either of the two steps before that."""
    if "count" not in buttons(app):
        at_places(app, row)
    app.selectbox(key="remembered-place").set_value(place)
    checked(app)
    press(app, "count")
    return until(app, "What became of the rows")


def brought(content: str | None = None, **query: object) -> AppTest:
    """The page at the step where the level is chosen, with a file of trips."""
    app = upload(page(**query), "trips.csv", content or csv_text(trips()))
    return press(counted(app), "protected")


def typed(app: AppTest) -> AppTest:
    """The page with the name of the data typed, as it asks."""
    (box,) = (each for each in app.text_input if each.label.startswith("To confirm"))
    box.set_value(box.label.partition(": ")[2].replace("\\", ""))
    return checked(app)


def twin_asked(app: AppTest) -> AppTest:
    """The step of the level once its private twin is confirmed."""
    return press(typed(app), "make-twin")


def confirmed(app: AppTest) -> AppTest:
    return press(typed(app), "publish")


def released(app: AppTest) -> AppTest:
    """From the level to the files."""
    press(app, "settled")
    confirmed(app)
    return until(app, "was made on")


def elsewhere(app: AppTest, file: str) -> AppTest:
    """The same visit on another page: what a link to it does."""
    app.switch_page(file)
    return checked(app)
