"""What does a person see? The gateway: an HTML form becomes a query, and its results a page that says why.

    app = create_app(Path("data"))
    serve(app, "127.0.0.1", 8080)

It reads the index and the crawl database and writes neither, but for addresses that visitors hand in where
`ALLOW_SUBMIT` says that they may. Flask is imported when it is called, not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.current_policy import policy_in
from gateway.listening import AddressUnusable, PortTaken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from flask import Flask

    from crawldb.database import CrawlDatabase
    from urls.policy import Policy

__all__ = ["AddressUnusable", "PortTaken", "create_app", "serve"]

_NO_SETTINGS: Mapping[str, object] = {}


def create_app(
    data_dir: Path,
    *,
    product: str = "Breadcrumb",
    contact: str = "",
    bot_url: str = "",
    crawl_settings: Mapping[str, object] = _NO_SETTINGS,
    policy: Callable[[CrawlDatabase], Policy] = policy_in,
) -> Flask:
    """Return the WSGI application for a data folder, which may still be empty: its pages then say what to run.

    `crawl_settings` are those of the crawl, whose delay the policy page tells; `policy` gives the crawl's policy on
    URLs, by which Why? and `/submit` judge. Requests are answered under the names of this machine and the host of
    `bot_url`, until `serve` opens it to a network.
    """
    from gateway.app import make_app  # noqa: PLC0415  # half a second of imports

    return make_app(
        data_dir, product=product, contact=contact, bot_url=bot_url, crawl_settings=crawl_settings, policy=policy
    )


def serve(app: Flask, host: str = "127.0.0.1", port: int = 8080, *, ready: Callable[[str], None] | None = None) -> None:
    """Answer requests until SIGINT or SIGTERM, then end: what is handed in is on the disk at once.

    `ready` is called with the gateway's address once it listens; port 0 takes a free one. Raises PortInUse or
    AddressUnusable where it can't listen.
    """
    from gateway.server import run_server  # noqa: PLC0415  # waitress is needed here alone

    run_server(app, host, port, ready=ready)
