"""Settings of the server: its mode, token, data folder and limits, all from the environment."""

from __future__ import annotations

import os
import re
import secrets
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit


class Mode(StrEnum):
    #: One person on their own machine.
    PERSONAL = "personal"
    #: A class: public data only, nothing is read from or written to this machine.
    CLASSROOM = "classroom"
    #: Several people who sign in, each with a role.
    SHARED = "shared"


class Role(StrEnum):
    VIEWER = "viewer"
    CURATOR = "curator"
    PUBLISHER = "publisher"
    AUDITOR = "auditor"


MODE, TOKEN, DATA = "DPCORE_MODE", "DPCORE_TOKEN", "DPCORE_DATA"
ROLES, USER_HEADER = "DPCORE_ROLES", "DPCORE_USER_HEADER"
VISITS, UPLOADS, MOVES = "DPCORE_VISITS", "DPCORE_UPLOADS_MB", "DPCORE_MOVES"
TILES, TILES_CREDIT = "DPCORE_TILES", "DPCORE_TILES_CREDIT"
#: The value of DPCORE_TOKEN that asks for none.
OFF = "off"
#: Shorter tokens could be guessed.
SHORTEST_TOKEN = 16
#: In a file of roles: everybody who signed in.
EVERYBODY = "*"


@dataclass(frozen=True)
class ServerLimits:
    """Limits on what all visitors together, and each of them, may ask of the server."""

    #: Visits at a time.
    visits: int
    #: Megabytes of uploads that all visits together hold.
    uploads: int
    #: Moves of a control per second, of one visit, for long. More have to wait.
    moves: int


@dataclass(frozen=True)
class TileServer:
    """The server from which maps take pictures of streets."""

    #: With {z}, {x} and {y} for the zoom, the column and the row.
    url: str
    #: The credit that the map shows for them.
    credit: str

    @property
    def origin(self) -> str:
        return "{0.scheme}://{0.netloc}".format(urlsplit(self.url))

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc


@dataclass(frozen=True)
class Roles:
    """The role of each person, from the file of DPCORE_ROLES."""

    of: Mapping[str, Role]
    #: Whether a publisher's release waits until another publisher approves it.
    four_eyes: bool = False

    def role(self, user: str) -> Role | None:
        return self.of.get(user.casefold(), self.of.get(EVERYBODY))


def mode() -> Mode:
    name = os.environ.get(MODE) or Mode.PERSONAL
    if name not in list(Mode):
        raise ValueError(f"{MODE} is {name!r}: choose {', '.join(Mode)}.")
    return Mode(name)


def token() -> str | None:
    """The token that a visitor needs, or None where none is asked for."""
    value = os.environ.get(TOKEN)
    if value == OFF:
        return None
    if value:
        if len(value) < SHORTEST_TOKEN:
            raise ValueError(
                f"{TOKEN} has {len(value)} characters: use at least {SHORTEST_TOKEN}, or {OFF!r}."
            )
        return value
    if mode() is not Mode.SHARED:
        return _random_token()
    if user_header():
        raise ValueError(
            f"Set {TOKEN} to a secret that your proxy sends as X-Dpcore-Token: without it anybody "
            f"on this machine could send {user_header()} too. {TOKEN}={OFF} trusts everybody who "
            "reaches the port."
        )
    return None


@cache
def _random_token() -> str:
    return secrets.token_urlsafe(24)


def user_header() -> str | None:
    """The header in which a proxy names who signed in; None where Streamlit signs people in."""
    return os.environ.get(USER_HEADER) or None


def data_root() -> Path:
    """The folder outside of which the dashboard reads and writes no path that a visitor names.

    In personal mode the home folder of whoever started the server, unless set: their own data are
    there, and system files, devices and other people's folders are not.
    """
    path = os.environ.get(DATA)
    if not path and mode() is Mode.SHARED:
        raise ValueError(f"Shared mode needs {DATA}: the folder that holds the data to publish.")
    root = Path(path).expanduser() if path else Path.home()
    if path and not root.is_dir():
        raise ValueError(f"{DATA} is {path!r}, which is not a folder.")
    return Path(os.path.realpath(root))


def roles() -> Roles:
    """The roles of shared mode, read again for each question, so that a change counts at once."""
    path = os.environ.get(ROLES)
    if not path:
        raise ValueError(f"Shared mode needs {ROLES}: a TOML file that gives people roles.")
    try:
        with open(path, "rb") as file:
            settings = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as problem:
        raise ValueError(f"The roles in {path} cannot be read: {problem}.") from problem
    unknown = set(settings) - {"four_eyes", "roles"}
    people = settings.get("roles", {})
    four_eyes = settings.get("four_eyes", False)
    if unknown or not isinstance(people, dict) or not isinstance(four_eyes, bool):
        raise ValueError(f"{path} holds four_eyes = true or false and a table [roles], no more.")
    of: dict[str, Role] = {}
    for role, names in people.items():
        if role not in list(Role) or not isinstance(names, list):
            raise ValueError(f"{path}: each line of [roles] is {', '.join(Role)} = [people].")
        for name in names:
            if str(name).casefold() in of:
                raise ValueError(f"{path} gives {name!r} two roles; each person has one.")
            of[str(name).casefold()] = Role(role)
    return Roles(of, four_eyes)


def limits() -> ServerLimits:
    return ServerLimits(_number(VISITS, 50), _number(UPLOADS, 500), _number(MOVES, 20))


def _number(name: str, usual: int) -> int:
    text = os.environ.get(name) or str(usual)
    if not text.isdecimal() or not 1 <= int(text) <= 1_000_000:
        raise ValueError(f"{name} is {text!r}: it must be a number from 1 to 1000000.")
    return int(text)


def tiles() -> TileServer | None:
    """The server from which maps take pictures of streets; None, as usual, where they ask nobody.

    Its requests tell it which area somebody looks at.
    """
    url, credit = os.environ.get(TILES), os.environ.get(TILES_CREDIT)
    if not url:
        return None
    parts = urlsplit(url)
    secure = parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1")
    places = all(place in parts.path + parts.query for place in ("{z}", "{x}", "{y}"))
    if not (secure and places and re.fullmatch(r"[A-Za-z0-9.:-]+", parts.netloc)):
        raise ValueError(
            f"{TILES} is {url!r}: use an address like https://tiles.example.org/{{z}}/{{x}}/{{y}}"
            ".png, without {s} and with https."
        )
    if not credit:
        raise ValueError(
            f"{TILES} needs {TILES_CREDIT}: the credit that the map must show for its tiles."
        )
    return TileServer(url, credit)


def check() -> None:
    """Read every setting once, so that a mistake stops the server at its start."""
    token(), data_root(), limits(), tiles()
    if mode() is Mode.SHARED:
        roles()
