"""`dpcore release plan.toml`: the arguments of a release from a file.

A key of the file is an option without its dashes, and its value what would follow it; `algorithm`
stands for the first argument, and a table `set` for the settings of the algorithm. Options on the
command line come after those of the file, and so take their place.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dpcore._suggestion import did_you_mean
from dpcore.errors import BadInput

ENDING = ".toml"


def expanded(words: Sequence[str], command: argparse.ArgumentParser) -> list[str]:
    """The words after `release`, with a plan file replaced by the options that it holds."""
    if not words or not words[0].endswith(ENDING):
        return list(words)
    path = Path(words[0])
    try:
        plan = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInput(f"{path}: this is no TOML file: {error}.") from None
    flags = {option for action in command._actions for option in action.option_strings}
    names = {option.lstrip("-") for option in flags}
    for key in plan:
        if key not in (known_keys := {*names, "algorithm"}):
            raise BadInput(f"{path}: there is no option {key!r}.{did_you_mean(key, known_keys)}")
    if "algorithm" not in plan:
        raise BadInput(f'{path}: say which algorithm: algorithm = "adaptive", for example.')
    options = [
        word
        for key, value in plan.items()
        if key != "algorithm"
        for word in _words(f"--{key}" if f"--{key}" in flags else f"-{key}", value)
    ]
    return [str(plan["algorithm"]), *options, *words[1:]]


def _words(option: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, setting in value.items():
            yield from (option, f"{name}={_text(setting)}")
    elif isinstance(value, list):
        yield from (option, *map(_text, value))
    elif value is True:
        yield option
    elif value is not False:
        yield from (option, _text(value))


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
