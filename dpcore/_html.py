"""HTML files: templates of the folder `templates`, filled in with every value escaped."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def _environment() -> Environment:
    # Imported at the first page: the rest of the package starts without it.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("dpcore"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render(template: str, **values: Any) -> str:
    """A template with values for its names. A name without a value is an error.

    Parameters
    ----------
    template : str
        The name of a file in `dpcore/templates`.
    **values : Any
        What the template shows. Text is escaped, whatever it holds.

    Returns
    -------
    str
        A whole HTML file.
    """
    return _environment().get_template(template).render(values)
