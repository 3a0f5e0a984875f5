"""The gateway: the search page in the browser, *Why?*, the cached copy, and the views of the crawl and the index.

    app = create_app(Path("data"))
    serve(app, "127.0.0.1", 8080)

It reads the index and the crawl database. It writes only what a person submits, and only where the settings allow it.
`create_app` imports Flask when called, and `serve` imports waitress.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gateway.serving.server import AddressUnusable, PortTaken, serve
from gateway.settings import GatewaySettings

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask

__all__ = ["AddressUnusable", "GatewaySettings", "PortTaken", "create_app", "serve"]


def create_app(data_dir: Path, settings: GatewaySettings | None = None) -> Flask:
    """Return the WSGI application for a data folder. Where the folder is empty, each page says what to run.

    The application accepts the host names of this machine and of `bot_url`; `serve` adds those of a network.
    """
    from gateway.app import make_app  # half a second of imports

    return make_app(data_dir, settings or GatewaySettings())
