"""The default folder of the ledger."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_path

#: Names a folder for the ledger of everybody who starts from this environment.
VARIABLE = "DPCORE_LEDGER"


def usual_folder() -> Path:
    """The folder that the environment names, or a place among this user's data."""
    if path := os.environ.get(VARIABLE):
        return Path(path)
    return user_data_path("dpcore", appauthor=False)
