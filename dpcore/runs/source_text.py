"""Source text that repeats runs: lines for a shell, and calls in Python."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Any


class Expression(str):
    """Source text that stands as it is: the name of a variable, say. Other values are quoted."""


def shell(words: Iterable[str]) -> str:
    """A line for a shell."""
    return " ".join(word if isinstance(word, Expression) else shlex.quote(word) for word in words)


def number(value: float) -> str:
    """A number in as few characters as read back to the same one."""
    text = f"{value:g}"
    return text if float(text) == value else repr(value)


def word(value: Any) -> str:
    """A setting as the command line reads it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def literal(value: Any) -> str:
    """A value in Python. Texts of an enumeration are written as plain texts."""
    if isinstance(value, Expression):
        return str(value)
    if isinstance(value, tuple):
        return repr(list(value))
    return repr(str(value) if isinstance(value, str) else value)


def call(function: str, *arguments: Any, **named: Any) -> str:
    """A call in Python, with one argument on each line."""
    lines = [literal(value) for value in arguments]
    lines += [f"{name}={literal(value)}" for name, value in named.items()]
    inner = "".join(f"    {line},\n" for line in lines)
    return f"{function}(\n{inner})"


def indented(text: str) -> str:
    """Source text indented by one level, except its first line."""
    return text.replace("\n", "\n    ")
