"""The publisher's description of a release: who publishes which data, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from dpcore.errors import BadInput

#: Letters of each entry, so that a certificate stays one page.
LONGEST = 300


@dataclass(frozen=True)
class Publication:
    """A publisher's words about a release. All of them are public, and printed on the certificate.

    Parameters
    ----------
    publisher : str, default=""
        Who publishes: a name, an office.
    contact : str, default=""
        Where to ask: an address.
    purpose : str, default=""
        What the release is made for.
    description : str, default=""
        What the data are: what one row is, from when, about how many.
    license : str, default=""
        What others may do with the files.
    accuracy : str, default=""
        How accurate the result is and where that is known from: public sources, never the rows.

    Raises
    ------
    ValueError
        If an entry is longer than 300 characters.

    Examples
    --------
    >>> from dpcore.release import Publication
    >>> Publication("Transit Office", purpose="Where taxis should wait").as_dict()
    {'publisher': 'Transit Office', 'purpose': 'Where taxis should wait'}
    """

    publisher: str = ""
    contact: str = ""
    purpose: str = ""
    description: str = ""
    license: str = ""
    accuracy: str = ""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not isinstance(value, str) or len(value) > LONGEST:
                raise BadInput(f"The {each.name} has at most {LONGEST} characters, not {value!r}.")
            if any(not letter.isprintable() for letter in value):
                raise BadInput(f"The {each.name} is one line of text, not {value!r}.")
            object.__setattr__(self, each.name, value.strip())

    def as_dict(self) -> dict[str, str]:
        """The fields that have words, by name."""
        words = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in words.items() if value}

    @classmethod
    def of(cls, certificate: Mapping[str, Any]) -> Publication:
        """The words on a certificate."""
        return cls(**certificate.get("publication", {}))
