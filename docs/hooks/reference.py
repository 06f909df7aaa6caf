"""Pages of the reference: every public name of the modules that a page lists.

A line `<!-- public names of: dpcore.runs dpcore.privacy -->` becomes one entry for each public
function and class that is defined there, so that the reference is always complete.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.public_names import documented

MARKER = re.compile(r"<!-- public names of: (.+?) -->")


def on_page_markdown(markdown: str, **_: object) -> str:
    return MARKER.sub(lambda found: entries(found[1].split()), markdown)


def entries(modules: list[str]) -> str:
    """The entries of the public names that modules define, functions and classes by name."""
    names = [
        name for name in documented() if any(name.startswith(f"{module}.") for module in modules)
    ]
    names.sort(key=lambda name: name.rpartition(".")[2].lower())
    return "\n\n".join(f"::: {name}" for name in names)
