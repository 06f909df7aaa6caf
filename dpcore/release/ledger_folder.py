"""Where the ledger is kept when nobody says otherwise."""

from __future__ import annotations

import os
import sys
from pathlib import Path

#: Names a folder for the ledger of everybody who starts from this environment.
VARIABLE = "DPCORE_LEDGER"


def usual_folder() -> Path:
    """The folder that the environment names, or a place among this user's data."""
    if given := os.environ.get(VARIABLE):
        return Path(given)
    if sys.platform == "darwin":
        home = Path.home() / "Library" / "Application Support"
    elif sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return home / "dpcore"
