"""What the tests of pages with runs in progress share."""

from __future__ import annotations

import time

from streamlit.testing.v1 import AppTest


def checked(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception, app.exception
    return app


def finished(app: AppTest) -> AppTest:
    for _ in range(600):
        if "finished" in words(app):
            return app
        time.sleep(0.1)
        checked(app)
    raise AssertionError("the runs never finished")


def words(app: AppTest) -> str:
    texts = [*app.markdown, *app.caption, *app.warning, *app.title]
    return "\n".join(str(text.value) for text in texts)
