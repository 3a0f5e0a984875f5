"""`mcp`: lets assistants search, over the Model Context Protocol: standard input and output, or HTTP."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from commands.frame.command import Command
from commands.frame.exits import DONE, CommandError
from commands.frame.stopping import handle_stops
from commands.serve import gateway

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commands.frame.command_settings import CommandSettings

HOST = "127.0.0.1"  # behind a proxy for anybody else


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--port",
        type=int,
        metavar="N",
        help="listen over HTTP on this port of 127.0.0.1, 0 for a free one (default: stdio)",
    )
    parser.add_argument(
        "--gateway", default="", metavar="URL", help="address of the search page, for links to Why? (default: BOT_URL)"
    )


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Serve an assistant until it leaves, or Ctrl-C."""
    page = search_page_address(arguments.gateway or settings["BOT_URL"])
    from extensions.assistants.server import mcp_server, serve_http
    from extensions.assistants.tools import CrawlTools
    from gateway import AddressUnusable
    from gateway.browser_guard import InvalidHostName
    from gateway.served_crawl import EXTENSION
    from gateway.serving.server import listening_socket

    try:
        app = gateway(settings.data_dir, settings)
    except InvalidHostName as error:
        raise CommandError(f"ALLOWED_HOSTS: {error}") from error
    if arguments.port is None:  # a program of the person who may read the data folder
        app.extensions[EXTENSION].hidden = lambda _apart: None
    server = mcp_server(CrawlTools(app, page), settings["PRODUCT"])
    if arguments.port is None:
        if sys.stdin.isatty():
            print(
                "Waiting for an assistant on standard input; docs/assistants.md shows how to set one up.",
                file=sys.stderr,
            )
        handle_stops(lambda *_: os._exit(DONE))  # a thread of the SDK waits for input, and nothing is left half written
        server.run("stdio")
        return DONE
    try:
        with listening_socket(HOST, arguments.port) as listener:
            print(f"Assistants connect to http://{HOST}:{listener.getsockname()[1]}/mcp (Ctrl-C stops it)", flush=True)
            with suppress(KeyboardInterrupt):
                serve_http(server, listener, sorted(app.config["HOST_NAMES"]))
    except AddressUnusable as error:
        raise CommandError(str(error)) from error
    return DONE


def search_page_address(given: str) -> str:
    """Return the address of a gateway, from any of its pages; "" without one. Raises CommandError."""
    if given and not given.startswith(("http://", "https://")):
        raise CommandError(f"--gateway {given}: give the address of the search page, such as http://127.0.0.1:8080/")
    return urljoin(given, "/") if given else ""


COMMAND = Command(
    name="mcp",
    example="--data demo --port 8090",
    exits="0 the assistant left, or Ctrl-C; 2 the server could not start",
    add_arguments=add_arguments,
    run=run,
)
