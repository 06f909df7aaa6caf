"""`dpcore cite`: BibTeX for a method, or for one of the works it comes from."""

from __future__ import annotations

import argparse
import json

from dpcore._suggestion import did_you_mean
from dpcore.algorithms import ALGORITHMS
from dpcore.algorithms.references import NUMBERS, OWN, REFERENCES, bibtex, paper_key
from dpcore.errors import BadInput


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Print the BibTeX entries of a method's paper and of the works behind it. A field that "
        "the papers do not print is left out."
    )
    command.add_argument(
        "key", help="a method (see `dpcore list`), a work such as su2016, or `ours`"
    )
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(do=do)


def works(key: str) -> tuple[str, ...]:
    """The keys of the works to cite for a method, or a work's own key."""
    if key in ALGORITHMS:
        return ALGORITHMS[key].works
    if paper_key(key) in (*REFERENCES, OWN):
        return (paper_key(key),)
    keys = [*ALGORITHMS, *REFERENCES, OWN, *NUMBERS]
    raise BadInput(
        f"Nothing to cite for {key!r}.{did_you_mean(key, keys)} There are: {', '.join(keys)}."
    )


def do(arguments: argparse.Namespace) -> None:
    keys = works(arguments.key)
    if arguments.json:
        print(json.dumps({key: bibtex(key) for key in keys}, indent=1))
    else:
        print(bibtex(*keys))
