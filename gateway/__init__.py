"""What does a person see? The gateway: an HTML form becomes a query, and its results a page that says why.

    app = create_app(Path("data"))
    serve(app, "127.0.0.1", 8080)

It reads the index and the crawl database and writes neither, but for addresses that visitors hand in where
`ALLOW_SUBMIT` says that they may. Flask is imported when `create_app` is called, waitress when `serve` is.
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
    """Return the WSGI application for a data folder, which may still be empty: its pages then say what to run.

    Requests are answered under the names of this machine and the host of `bot_url`, until `serve` opens it to a
    network.
    """
    from gateway.app import make_app  # half a second of imports

    return make_app(data_dir, settings or GatewaySettings())
