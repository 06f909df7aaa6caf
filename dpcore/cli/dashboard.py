"""`dpcore dashboard`: start the dashboard behind its gate, and print the address to open."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from importlib.util import find_spec
from pathlib import Path

from dpcore.errors import BadInput
from dpcore.release.ledger_folder import VARIABLE as LEDGER
from dpcore.release.ledger_folder import usual_folder

#: The dashboard in an installed package, or in a checkout.
PACKAGE = Path(__file__).parents[1]
INSTALLED = PACKAGE / "_dashboard" / "app.py"
MAIN = INSTALLED if INSTALLED.is_file() else PACKAGE.parent / "app.py"
MODES = ("personal", "classroom", "shared")
#: Names that every machine has for itself.
USUAL_HOSTS = ("127.0.0.1", "localhost")
#: Addresses that stand for all of a machine's networks.
EVERYWHERE = ("0.0.0.0", "::")


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Start the dashboard and print the address to open. The address holds a token, so that "
        "nobody else gets in. SECURITY.md says what each mode promises."
    )
    command.add_argument(
        "--mode",
        choices=MODES,
        help="personal: everything, for one person. classroom: public data only, with no files, no "
        "ledger and no publishing. shared: people sign in and have roles. Default: the variable "
        "DPCORE_MODE, or personal",
    )
    command.add_argument("--port", type=int, default=8501, help="port to listen on (%(default)s)")
    command.add_argument(
        "--address", default="127.0.0.1", help="network address to listen on (%(default)s)"
    )
    command.add_argument(
        "--host",
        action="append",
        default=[],
        metavar="NAME",
        help="another name of this machine in the address that people open; may be repeated",
    )
    command.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        help="the only folder that it reads and writes (default: the variable DPCORE_DATA, or your "
        "home folder)",
    )
    command.add_argument(
        "--ledger",
        type=Path,
        metavar="FOLDER",
        help="folder with the charges and released files (default: the variable "
        f"{LEDGER}, or {usual_folder()})",
    )
    command.add_argument(
        "--no-browser", action="store_true", help="print the address without opening a browser"
    )
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> None:
    if not MAIN.is_file() or find_spec("streamlit") is None:
        raise BadInput("The dashboard is not installed here: pip install 'dpcore[app]'.")
    if not 1 <= arguments.port <= 65535:
        raise BadInput(f"--port is {arguments.port}: choose one from 1 to 65535.")
    if arguments.address in EVERYWHERE and not arguments.host:
        raise BadInput(
            f"--address {arguments.address} needs --host: the name or number of this machine "
            "under which people open the dashboard."
        )
    os.environ |= settings(arguments)
    # Like `python -m streamlit run app.py`, but in this process: to stop it is to stop the server.
    sys.argv = ["streamlit", "run", str(MAIN), *options(arguments)]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


def settings(arguments: argparse.Namespace) -> dict[str, str]:
    """The environment variables that the dashboard reads."""
    options = {
        "DPCORE_MODE": arguments.mode,
        "DPCORE_DATA": _absolute(arguments.data),
        LEDGER: _absolute(arguments.ledger),
        "DPCORE_BROWSE": "" if arguments.no_browser else "yes",
    }
    return {name: value for name, value in options.items() if value is not None}


def _absolute(folder: Path | None) -> str | None:
    return None if folder is None else str(folder.expanduser().resolve())


def options(arguments: argparse.Namespace) -> list[str]:
    """Options for Streamlit."""
    hosts = dict.fromkeys([*USUAL_HOSTS, arguments.address, *arguments.host])
    address = arguments.host[0] if arguments.host else None
    return [
        f"--server.port={arguments.port}",
        f"--server.address={arguments.address}",
        *(f"--server.allowedHosts={host}" for host in hosts),
        *([f"--browser.serverAddress={address}"] if address else []),
    ]
