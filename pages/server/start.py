"""The start of the dashboard: what is put in front of Streamlit, and the address that is
printed."""

from __future__ import annotations

import asyncio
import contextlib
import html
import importlib
import os
import tempfile
import webbrowser
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.middleware import Middleware
from streamlit import config
from streamlit.auth_util import validate_auth_credentials
from streamlit.errors import StreamlitAuthError
from streamlit.runtime import Runtime, get_instance
from streamlit.starlette import App

from pages.server import download_files, memory, settings
from pages.server.gate import Gate
from pages.server.session_cleanup import Sweeper
from pages.server.settings import Mode

#: Set where a browser should open by itself.
BROWSE = "DPCORE_BROWSE"
_guarded = False


def options() -> dict[str, Any]:
    """The options of `streamlit.starlette.App`; a wrong setting stops the server here."""
    memory.share_heaps()
    settings.check()
    if header := settings.user_header():
        config.set_option("server.trustedUserHeaders", {header: "email"})
    elif settings.mode() is Mode.SHARED:
        check_sign_in()
    gate = Middleware(Gate, token=settings.token(), limits=settings.limits())
    return {"middleware": [gate], "lifespan": lifespan}


def check_sign_in() -> None:
    """Stop a server at which nobody could sign in: its button would only fail when pressed."""
    try:
        importlib.import_module("authlib.integrations.starlette_client")
        validate_auth_credentials("default")
    except ImportError as problem:
        raise ValueError(
            f"Shared mode signs people in with packages that are not installed ({problem}): "
            f"pip install 'dpcore[auth]', or set {settings.USER_HEADER} behind a proxy."
        ) from problem
    except StreamlitAuthError as problem:
        raise ValueError(
            "Shared mode needs a sign-in: describe your provider in .streamlit/secrets.toml, or "
            f"set {settings.USER_HEADER} behind a proxy. {problem}"
        ) from problem


@contextlib.asynccontextmanager
async def lifespan(app: App) -> AsyncIterator[None]:
    global _guarded
    _guarded = True
    words = "Address for the class" if settings.mode() is Mode.CLASSROOM else "Open"
    print(f"\n  {words}: {address()}\n", flush=True)
    memory.keep_modules()
    download_files.keep(get_instance())
    sweeping = asyncio.create_task(Sweeper(get_instance()).run())
    loading = asyncio.create_task(asyncio.to_thread(load_early))
    with tempfile.TemporaryDirectory(prefix="dpcore-") as folder:
        if os.environ.get(BROWSE):
            webbrowser.open(leading(Path(folder)).as_uri())
        yield
    sweeping.cancel()
    loading.cancel()


def load_early() -> None:
    """Import what the first chart or map needs, while the first browser is still on its way.

    It is the module that `dpcore.kmeans.reference` imports: a visit that comes meanwhile waits for
    the rest of this import.
    """
    importlib.import_module("sklearn.cluster")


def leading(folder: Path) -> Path:
    """A file that leads to the address. Other users of this machine see what a browser is started
    with, but cannot read in this folder."""
    page = folder / "open.html"
    target = html.escape(address())
    page.write_text(
        f'<!doctype html><meta http-equiv="refresh" content="0;url={target}">', encoding="utf-8"
    )
    return page


def address() -> str:
    """The address of the dashboard, with the token that lets a browser in."""
    scheme = "https" if config.get_option("server.sslCertFile") else "http"
    host = config.get_option("server.address") or "localhost"
    if config.is_manually_set("browser.serverAddress"):
        host = config.get_option("browser.serverAddress")
    token = settings.token()
    query = "/?" + urlencode({"token": token}) if token and not settings.user_header() else ""
    return f"{scheme}://{host}:{config.get_option('server.port')}{query}"


def is_guarded() -> bool:
    """Whether the gate is before this page. It is not where somebody starts Streamlit with a file
    other than app.py."""
    return _guarded or type(Runtime._instance) is not Runtime
